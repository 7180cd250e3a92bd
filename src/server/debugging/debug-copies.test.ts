import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentSink } from '../../commands/session.js';
import { Engine } from '../../engine/engine.js';
import { DebugCopies } from './debug-copies.js';

test('no copy of the data is made beyond the limit, and the connection stays with its session', () => {
  const engine = new Engine();
  const copies = new DebugCopies(engine, 0);
  const session = engine.openSession(silentSink);
  assert.throws(() => copies.start(session, [], () => assert.fail('handed over')), {
    text: /^ERR Fork\(\) failed: can't run EVAL in debugging mode: 0 sessions .* End one first$/,
  });
});
