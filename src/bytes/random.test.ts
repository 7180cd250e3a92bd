import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom, systemRandom } from './random.js';

describe('random source', () => {
  it('repeats the sequence only for the same seed', () => {
    const draw = (seed: number): number[] => {
      const random = seededRandom(seed);
      return Array.from({ length: 20 }, () => random.integer(1000));
    };
    assert.deepEqual(draw(42), draw(42));
    assert.notDeepEqual(draw(42), draw(43));
    assert.notDeepEqual(draw(0), draw(1));
  });

  it('distributes integers evenly below the limit', () => {
    const random = seededRandom(7);
    const counts = new Array<number>(10).fill(0);
    for (let round = 0; round < 10000; round++) counts[random.integer(10)]! += 1;
    for (const count of counts) assert.ok(count > 850 && count < 1150, String(counts));
  });

  it('stays within [0, 1), reaches both halves and differs from one system source to the next', () => {
    const random = systemRandom();
    const values = Array.from({ length: 1000 }, () => random.next());
    assert.ok(values.every((value) => value >= 0 && value < 1));
    assert.ok(values.some((value) => value < 0.5) && values.some((value) => value >= 0.5));
    assert.notEqual(systemRandom().next(), systemRandom().next());
  });

  it('generates integers beyond 32 bits', () => {
    const random = seededRandom(1);
    const values = Array.from({ length: 100 }, () => random.integer(2 ** 53));
    assert.ok(values.every(Number.isSafeInteger));
    assert.ok(values.some((value) => value > 2 ** 50));
  });
});
