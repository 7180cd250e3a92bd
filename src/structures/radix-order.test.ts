import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../bytes/random.js';
import { radixOrder } from './radix-order.js';

/** The same by comparing. */
function orderByComparing(keys: Uint32Array, width: number, count: number): number[] {
  const compare = (a: number, b: number): number => {
    for (let word = 0; word < width; word++) {
      const difference = (keys[a * width + word] as number) - (keys[b * width + word] as number);
      if (difference !== 0) return difference;
    }
    return a - b;
  };
  return Array.from({ length: count }, (_, i) => i).sort(compare);
}

test('keys of any width are in the order of their words, and equal keys in their own', () => {
  const random = seededRandom(1);
  for (const width of [1, 2, 4]) {
    for (const count of [0, 1, 2, 3, 255, 1_000]) {
      for (const values of [2, 300, 2 ** 31 - 1]) {
        // Twice a number below 2 ** 31: words of all 32 bits.
        const keys = Uint32Array.from({ length: count * width }, () => random.integer(values) * 2);
        assert.deepEqual([...radixOrder(keys, width, count)], orderByComparing(keys, width, count));
      }
    }
  }
});
