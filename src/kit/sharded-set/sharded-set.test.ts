import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { open } from '../../store/index.js';
import { hash32 } from '../foundation/index.js';
import { id64, shardedSet } from './index.js';

describe('A sharded set', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    const seen = shardedSet(store, 'seen', { expected: 5_000_000 });
    assert.equal(await seen.add(9223372036854775807n), true);
    assert.equal(await seen.add('9223372036854775807'), false);
    assert.equal(await seen.add(id64('f47ac10b-58cc-4372-a567-0e02b2c3d479')), true);
    assert.equal(await seen.size(), 2);
  });

  it('behaves like one set of exact numbers and texts, however it is divided', async () => {
    await using store = await open();
    let round = 0;
    const member = fc.oneof(
      fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.string({ maxLength: 2 }),
    );
    const step = fc.oneof(
      fc.record({ add: fc.array(member, { maxLength: 8 }) }),
      fc.record({ delete: member }),
      fc.record({ has: fc.array(member, { maxLength: 8 }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.array(step, { maxLength: 20 }),
        async (expected, steps) => {
          const set = shardedSet(store, `r${round++}`, { expected, shardSize: 8 });
          const model = new Set<string>();
          for (const given of steps) {
            if ('add' in given) {
              const before = model.size;
              for (const value of given.add) model.add(String(value));
              assert.equal(await set.addMany(given.add), model.size - before);
            } else if ('delete' in given) {
              assert.equal(await set.delete(given.delete), model.delete(String(given.delete)));
            } else {
              assert.deepEqual(
                await set.hasMany(given.has),
                given.has.map((value) => model.has(String(value))),
              );
            }
          }
          const found: string[] = [];
          for await (const value of set) found.push(value);
          assert.deepEqual(found.sort(), [...model].sort());
          assert.equal(await set.size(), model.size);
        },
      ),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 60 },
    );
  });

  it('keeps sets of 64-bit numbers in arrays of eight bytes', async () => {
    await using store = await open();
    const set = shardedSet(store, 'compact', { expected: 5_000 });
    await set.addMany(Array.from({ length: 6_000 }, (_, i) => id64(`visitor ${i}`)));
    let bytes = 0;
    for await (const key of store.scan({ match: '*:shard' })) {
      assert.equal(await store.send('OBJECT', 'ENCODING', key), 'intset');
      bytes += Number(await store.memoryUsage(key));
    }
    assert.ok(bytes / 6_000 < 10, `${bytes / 6_000} bytes for each`);
  });

  it('removes all members with `clear`, and everything with `remove`', async () => {
    await using store = await open();
    const set = shardedSet(store, 's', { layout: 'sequential', expiry: 60_000 });
    await set.addMany([1, 300, 900]);
    await set.clear();
    assert.equal(await set.size(), 0);
    await set.add(1);
    await set.remove();
    assert.equal(await store.dbsize(), 0);
  });
});

describe('Hashes of ids', () => {
  it('never change: they decide where data is', () => {
    assert.deepEqual(
      ['', 'a', 'user:42', 'é😀', '9223372036854775807'].map((text) => hash32(text)),
      [2872998923, 444641715, 599759890, 166440505, 3002603485],
    );
    assert.equal(hash32(Buffer.from('é😀')), hash32('é😀'));
    assert.equal(id64(''), '-2039914840885289964');
  });

  it('are spread evenly', () => {
    for (const [count, of] of [
      [8_000, (i: number) => `${i}`],
      [8_000, (i: number) => `user:${i * 1024}`],
    ] as const) {
      const sizes = new Array<number>(50).fill(0);
      for (let i = 0; i < count; i++) (sizes[hash32(of(i)) % 50] as number)++;
      assert.ok(Math.min(...sizes) > 110 && Math.max(...sizes) < 220, sizes.join(' '));
    }
  });
});
