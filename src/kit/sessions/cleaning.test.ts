import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { choose } from './cleaning.js';
import type { Oldest } from './session-scripts.js';

/** A shard that lists these times, and has some more sessions that are newer. */
function listing(shard: number, times: readonly number[], more = 0): Oldest {
  const entries = times.map((seen, at) => ({ id: `${shard}-${at}`, seen }));
  return { count: times.length + more, moment: '0', forgotten: 0, entries };
}

describe('The sessions that a cleaner chooses', () => {
  it('are the oldest of all shards', () => {
    const chosen = choose([listing(0, [1, 4, 9]), listing(1, [2, 3, 8])], 3);
    assert.deepEqual(
      chosen,
      new Map([
        [0, ['0-0']],
        [1, ['1-0', '1-1']],
      ]),
    );
  });

  it('are not newer than what a shard has not listed', () => {
    const chosen = choose([listing(0, [1, 2], 5), listing(1, [1, 3])], 9);
    assert.deepEqual(
      chosen,
      new Map([
        [0, ['0-0', '0-1']],
        [1, ['1-0']],
      ]),
    );
  });

  it('are as many as were asked for, also if they were seen at the same time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(6), { maxLength: 8 }), { maxLength: 4 }),
        fc.nat(20),
        (shards, excess) => {
          const listings = shards.map((times, shard) =>
            listing(
              shard,
              times.sort((a, b) => a - b),
            ),
          );
          const all = listings
            .flatMap(({ entries }) => entries.map(({ seen }) => seen))
            .sort((a, b) => a - b);
          const ids = new Set([...choose(listings, excess).values()].flat());
          const times = listings.flatMap(({ entries }) =>
            entries.filter(({ id }) => ids.has(id)).map(({ seen }) => seen),
          );
          assert.deepEqual(
            times.sort((a, b) => a - b),
            all.slice(0, excess),
          );
        },
      ),
    );
  });
});
