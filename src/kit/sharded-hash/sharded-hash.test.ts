import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open, type Store } from '../../store/index.js';
import { shardedHash } from './index.js';

async function keysIn(store: Store, match = '*'): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.scan({ match })) keys.push(key);
  return keys.sort();
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('A sharded hash', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    const cities = shardedHash(store, 'cities', { expected: 300_000 });
    assert.equal(await cities.set('5128581', 'New York'), true);
    assert.equal(await cities.get('5128581'), 'New York');
    assert.equal(await cities.increment('visits:5128581'), 1n);
  });

  it('behaves like one map, however it is divided', async () => {
    await using store = await open();
    let round = 0;
    const field = fc.oneof(
      fc.nat({ max: 40 }).map(String),
      fc.constantFrom('', '__proto__', 'é', '😀', '01'),
    );
    const step = fc.oneof(
      fc.record({ set: fc.array(fc.tuple(field, fc.string({ maxLength: 3 })), { maxLength: 6 }) }),
      fc.record({ delete: field }),
      fc.record({ get: fc.array(field, { maxLength: 6 }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.record({ expected: fc.integer({ min: 1, max: 50 }), shardSize: fc.integer({ min: 1, max: 9 }) }),
        fc.array(step, { maxLength: 20 }),
        async (options, steps) => {
          // A second client with another layout: the first one's is kept.
          const name = `r${round++}`;
          const clients = [shardedHash(store, name, options), shardedHash(store, name, { expected: 7 })];
          const model = new Map<string, string>();
          for (const [i, given] of steps.entries()) {
            const hash = clients[i % 2] as (typeof clients)[0];
            if ('set' in given) {
              const before = model.size;
              for (const [name, value] of given.set) model.set(name, value);
              assert.equal(await hash.setMany(given.set), model.size - before);
            } else if ('delete' in given) {
              assert.equal(await hash.delete(given.delete), model.delete(given.delete));
            } else {
              const expected = given.get.map((name) => model.get(name));
              assert.deepEqual(await hash.getMany(given.get), expected);
              for (const name of given.get) {
                assert.equal(await hash.get(name), model.get(name));
                assert.equal(await hash.has(name), model.has(name));
              }
            }
          }
          assert.equal(await clients[0]?.size(), model.size);
          const found = await all(clients[1] as (typeof clients)[0]);
          assert.deepEqual(found.sort(), [...model].sort());
        },
      ),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 60 },
    );
  });

  it('with sequential ids fills its shards one after the other', async () => {
    await using store = await open();
    const users = shardedHash(store, 'users', { layout: 'sequential', shardSize: 10 });
    await users.setMany(Array.from({ length: 25 }, (_, i) => [i, `user ${i}`] as const));
    assert.deepEqual(
      await keysIn(store, '*:shard'),
      [0, 1, 2].map((n) => `sharded-hash:{users-${n}}:shard`),
    );
    assert.equal(await store.hlen('sharded-hash:{users-1}:shard'), 10);
    assert.equal(await users.get(24n), 'user 24');
    assert.equal(await users.size(), 25);
    // A number far away costs one shard more, and an iteration does not walk there.
    await users.set(Number.MAX_SAFE_INTEGER, 'last');
    assert.deepEqual((await all(users)).at(-1), [String(Number.MAX_SAFE_INTEGER), 'last']);
    for (const id of ['01', '-1', '1.5', 'x', 2n ** 53n]) {
      await assert.rejects(users.set(id, 'x'), { code: 'OPTION', message: /use the layout 'hashed'/ });
    }
  });

  it('keeps 64-bit ids and counters apart that a double would mix up', async () => {
    await using store = await open();
    const hash = shardedHash(store, 'exact');
    await hash.set(9007199254740993n, 'odd');
    await hash.set('9007199254740992', 'even');
    assert.deepEqual(await hash.getMany(['9007199254740993', 9007199254740992n]), ['odd', 'even']);
    await assert.rejects(hash.get(9007199254740992), { code: 'OPTION', message: /pass a bigint/ });
    assert.equal(await hash.increment('n', 9007199254740993n), 9007199254740993n);
    assert.equal(await hash.increment('n', 2n ** 62n), 4620693217682128897n);
    await assert.rejects(hash.increment('n', 2n ** 62n), { code: 'ERR', message: /overflow/ });
  });

  it('keeps its shards in the compact encoding, even if there are twice as many fields as expected', async () => {
    await using store = await open();
    const hash = shardedHash(store, 'compact', { expected: 5_000 });
    await hash.setMany(Array.from({ length: 10_000 }, (_, i) => [`field:${i * 7919}`, i] as const));
    for (const key of await keysIn(store, '*:shard')) {
      assert.equal(await store.send('OBJECT', 'ENCODING', key), 'listpack');
    }
  });

  it('expires shard by shard with `expiry`, and its layout after the last of them', async () => {
    const clock = new ManualClock(1_000_000);
    await using store = await open('memory:', { clock });
    const options = { layout: 'sequential', shardSize: 1, expiry: 1_000 } as const;
    const hash = shardedHash(store, 'short', options);
    await hash.set(0, 'old');
    clock.advance(900);
    await hash.increment(1);
    clock.advance(200);
    assert.deepEqual(await hash.getMany([0, 1]), [undefined, '1']);
    await hash.set(2, 'x');
    clock.advance(999);
    assert.equal(await shardedHash(store, 'short', { ...options, shardSize: 5 }).get(2), 'x');
    await clock.run(3_000);
    assert.equal(await store.dbsize(), 0);
    await shardedHash(store, 'short', { ...options, shardSize: 5 }).set(7, 'new layout');
    assert.equal(await hash.get(7), 'new layout');
  });

  it('stays with `persist`, expires with `expire`, and is gone after `remove`', async () => {
    const clock = new ManualClock(1_000_000);
    await using store = await open('memory:', { clock });
    const hash = shardedHash(store, 'h', { layout: 'sequential', expiry: 1_000 });
    await hash.set(1, 'x');
    await hash.persist();
    clock.advance(10_000);
    assert.equal(await hash.get(1), 'x');
    await hash.expire(5);
    await clock.run(6);
    assert.equal(await store.dbsize(), 0);
    await hash.set(1, 'x');
    await hash.clear();
    assert.equal(await hash.size(), 0);
    await hash.remove();
    assert.equal(await store.dbsize(), 0);
  });
});
