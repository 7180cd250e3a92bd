import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open } from '../../store/index.js';
import { choose, commonRank } from './cleaning.js';
import { sessions } from './index.js';
import type { Oldest } from './session-scripts.js';

/** A shard that lists these times, and has some more sessions that are newer. */
function listing(shard: number, times: readonly number[], more = 0): Oldest {
  const entries = times.map((seen, at) => ({ id: `${shard}-${at}`, seen }));
  return { count: times.length + more, moment: 0, forgotten: 0, timeAtRank: undefined, entries };
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

describe('The rank before which all sessions may be removed', () => {
  it('is the highest that leaves as many as should stay', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.nat(500), fc.nat(60), (counts, excess, max) => {
        const upTo = (rank: number) => counts.reduce((sum, count) => sum + Math.min(count, rank), 0);
        const rank = commonRank(counts, excess, max);
        assert.ok(upTo(rank) <= excess && rank <= max);
        assert.ok(rank === max || upTo(rank + 1) > excess);
      }),
    );
  });
});

describe('Cleaning many sessions', () => {
  it('leaves those that were seen last, also if many were seen at the same time, by any number of cleaners', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.boolean()), { minLength: 1, maxLength: 12 }),
        fc.nat(300),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 2 }),
        async (groups, limit, shards, cleaners) => {
          const clock = new ManualClock(1_700_000_000_000);
          await using store = await open('memory:', { clock });
          const all = sessions(store, { limit, shards });
          const tokens: string[] = [];
          for (const [size, hasUser] of groups) {
            clock.advance(1);
            for (let i = 0; i < size; i++) {
              const { token } = await all.create(hasUser ? { user: 'ann' } : {});
              if (i % 2 === 0) await all.touch(token, { item: 'book' });
              tokens.push(token);
            }
          }
          clock.advance(1);
          const removed = await Promise.all(Array.from({ length: cleaners }, () => all.clean()));
          const left = Math.min(tokens.length, limit);
          assert.equal(
            removed.reduce((sum, count) => sum + count, 0),
            tokens.length - left,
          );
          const found = await Promise.all(tokens.map((token) => all.get(token)));
          const seen = found.map((session) => session?.seenAt.getTime());
          const oldest = Math.min(...seen.filter((time) => time !== undefined));
          // Of those that were seen at the time of the oldest one, any may be left.
          const times = groups.flatMap(([size], at) =>
            Array.from({ length: size }, () => 1_700_000_000_001 + at),
          );
          assert.equal(seen.filter((time) => time !== undefined).length, left);
          assert.ok(times.every((time, at) => time <= oldest || seen[at] === time));
          const users = await all.ofUser('ann');
          assert.equal(users.length, found.filter((session) => session?.user === 'ann').length);
          assert.equal(await store.send('EXISTS', 'session-user:{ann}:sessions'), users.length > 0 ? 1 : 0);
          // A record each, and its items.
          const keys = (await store.send('KEYS', 'session:*:*:*')) as string[];
          const ids = new Set(found.map((session) => session?.id));
          assert.ok(keys.every((key) => ids.has(key.slice(key.lastIndexOf(':') + 1))));
        },
      ),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 40 },
    );
  });

  it('removes them by their times, without sending their ids', async () => {
    await using store = await open();
    const all = sessions(store, { limit: 1_000, shards: 4 });
    await Promise.all(Array.from({ length: 5_000 }, () => all.create()));
    await store.send('CONFIG', 'RESETSTAT');
    assert.equal(await all.clean(), 4_000);
    const info = (await store.send('INFO', 'commandstats')) as string;
    const calls = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
    assert.ok(calls('evalsha') < 100, `${calls('evalsha')} scripts`);
    assert.ok(calls('zremrangebyrank') > 0);
  });
});
