import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { sortFirst } from './partial-sort.js';

it('sorts the first elements and loses none', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { maxLength: 200 }), fc.nat(220), (numbers, wanted) => {
      const sorted = [...numbers].sort((a, b) => a - b);
      const items = [...numbers];
      sortFirst(items, wanted, (a, b) => a - b);
      assert.deepEqual(items.slice(0, wanted), sorted.slice(0, wanted));
      assert.deepEqual(
        items.sort((a, b) => a - b),
        sorted,
      );
    }),
    { numRuns: 300 },
  );
});
