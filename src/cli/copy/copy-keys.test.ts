import assert from 'node:assert/strict';
import { it } from 'node:test';
import { entryOf } from './copy-keys.js';

const payload = Buffer.from('dumped');

it('A key has its value and the moment it ends, or none', () => {
  assert.deepEqual(entryOf(payload, 33_000_000_000_123), { payload, expiresAt: 33_000_000_000_123 });
  assert.deepEqual(entryOf(payload, -1), { payload, expiresAt: 0 });
});

it('A key that is gone by the second question is not copied, as little as one that was gone by the first', () => {
  assert.equal(entryOf(payload, -2), undefined);
  assert.equal(entryOf(null, -2), undefined);
});
