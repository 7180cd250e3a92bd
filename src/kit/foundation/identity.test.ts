import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from './index.js';

it('An id is new each time, and safe in keys and messages', () => {
  const ids = Array.from({ length: 10_000 }, newId);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => /^[\w-]{16}$/.test(id)));
});
