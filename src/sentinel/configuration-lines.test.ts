import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withSentinelLines } from './configuration-lines.js';

it('lines take the place of earlier ones, the rest of the file stays', () => {
  const before = [
    '# my file',
    'port 26379',
    'sentinel monitor a 127.0.0.1 1 2',
    'sentinel monitor b 127.0.0.1 2 2',
    'sentinel known-slave a 127.0.0.1 3',
    'logfile x',
    '',
  ].join('\n');
  const after = withSentinelLines(before, [
    'sentinel monitor a 127.0.0.1 3 2',
    'sentinel known-replica a 127.0.0.1 1',
    'sentinel current-epoch 1',
  ]);
  assert.deepEqual(after.split('\n'), [
    '# my file',
    'port 26379',
    'sentinel monitor a 127.0.0.1 3 2',
    'sentinel known-replica a 127.0.0.1 1',
    'logfile x',
    'sentinel current-epoch 1',
    '',
  ]);
});
