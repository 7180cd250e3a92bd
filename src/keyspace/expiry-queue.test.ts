import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { seededRandom } from '../bytes/random.js';
import { Arena } from '../structures/arena/arena.js';
import { Dict } from '../structures/dict/dict.js';
import { KeyedHash } from '../structures/dict/keyed-hash.js';
import type { Entry } from './entry.js';
import { ExpiryQueue } from './expiry-queue.js';

function open(entryCount: number): { queue: ExpiryQueue; entries: Entry[] } {
  const keys = new Dict<Entry>(new Arena(), new KeyedHash({ key0: 1, key1: 2 }), 3);
  const queue = new ExpiryQueue(keys, 2);
  const entries = Array.from({ length: entryCount }, (_, i) => {
    const key = Bytes.of(`key ${i}`);
    return keys.insert(key, keys.hash(key));
  });
  return { queue, entries };
}

/** Takes everything out, earliest first. */
function drain(queue: ExpiryQueue): number[] {
  const times: number[] = [];
  while (queue.size > 0) {
    times.push(queue.firstTime());
    assert.equal(queue.timeOf(queue.first()), queue.firstTime());
    assert.ok(queue.remove(queue.first()));
  }
  return times;
}

function ascending(times: Iterable<number>): number[] {
  return [...times].sort((a, b) => a - b);
}

describe('ExpiryQueue', () => {
  it('agrees with a sorted list through a random history', () => {
    for (const [seed, spread] of [
      [1, 1000],
      [2, 20],
      [3, 1e15],
    ] as const) {
      const random = seededRandom(seed);
      const { queue, entries } = open(400);
      const expected = new Map<number, number>();
      for (let step = 0; step < 10_000; step++) {
        const entry = entries[random.integer(entries.length)] as Entry;
        if (random.next() < 0.6) {
          const time = random.integer(spread);
          queue.set(entry, time);
          expected.set(entry, time);
        } else {
          assert.equal(queue.remove(entry), expected.delete(entry));
        }
        assert.equal(queue.size, expected.size);
        assert.equal(queue.timeOf(entry), expected.get(entry) ?? -1);
        if (step % 20 === 0) {
          assert.equal(queue.firstTime(), Math.min(Number.POSITIVE_INFINITY, ...expected.values()));
        }
      }
      for (const entry of entries) assert.equal(queue.timeOf(entry), expected.get(entry) ?? -1);
      assert.deepEqual(drain(queue), ascending(expected.values()));
    }
  });

  it('grows over several segments and back', () => {
    const random = seededRandom(9);
    const { queue, entries } = open(40_000);
    for (let round = 0; round < 2; round++) {
      const times = entries.map((entry) => {
        const time = random.integer(1e6);
        queue.set(entry, time);
        return time;
      });
      assert.equal(queue.size, 40_000);
      assert.deepEqual(drain(queue), ascending(times));
    }
  });

  it('is empty at first and after the last is removed', () => {
    const { queue, entries } = open(1);
    const entry = entries[0] as Entry;
    assert.equal(queue.first(), 0);
    assert.equal(queue.firstTime(), Number.POSITIVE_INFINITY);
    assert.equal(queue.remove(entry), false);
    queue.set(entry, 5);
    queue.set(entry, 7);
    assert.equal(queue.size, 1);
    assert.equal(queue.timeOf(entry), 7);
    assert.equal(queue.remove(entry), true);
    assert.equal(queue.first(), 0);
    assert.equal(queue.timeOf(entry), -1);
  });

  it('returns a random entry, any of them', () => {
    const { queue, entries } = open(20);
    entries.slice(0, 10).forEach((entry, i) => {
      queue.set(entry, i);
    });
    const random = seededRandom(4);
    const named = new Set(Array.from({ length: 500 }, () => queue.random(random)));
    assert.deepEqual(ascending(named), ascending(entries.slice(0, 10)));
  });
});
