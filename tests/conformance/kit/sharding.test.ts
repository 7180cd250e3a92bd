import assert from 'node:assert/strict';
import { shardedSearch } from '../../../src/kit/sharded-search/index.js';
import { type ShardingOptions, sharding } from '../../../src/kit/sharding/index.js';
import { type EmbeddedStore, open, type Store } from '../../../src/store/index.js';
import { onEveryStore, rejectsWith, type Surroundings } from './support.js';

/** Shards on the same server, each in a database of its own; if it has none to offer, in this process. */
async function withShards(
  { kind, site }: Surroundings,
  test: (
    addresses: ({ address: string; database: number } | string)[],
    options: ShardingOptions,
  ) => Promise<void>,
): Promise<void> {
  const { address } = site;
  if (!kind.isCluster && !kind.isEmbedded && address !== undefined) {
    const shards = [10, 11, 12].map((database) => ({ address, database }));
    for (const { database } of shards) {
      await using store = await open(address, { database });
      await store.flushdb();
    }
    await test(shards, {});
    return;
  }
  const stores = new Map<string, EmbeddedStore>();
  for (const name of ['a', 'b', 'c']) stores.set(name, await open());
  const connect = async (name: string): Promise<Store> => (stores.get(name) as EmbeddedStore).duplicate();
  await test([...stores.keys()], { open: connect });
  for (const store of stores.values()) await store.close();
}

onEveryStore('Sharding', (test) => {
  test('keys are moved to a new shard while several clients write them', async (store, surroundings) => {
    const { space, another } = surroundings;
    await withShards(surroundings, async (addresses, options) => {
      const config = { ...options, prefix: space };
      await using first = sharding(store, 'users', config);
      await using second = sharding(await another(), 'users', config);
      await first.create(addresses.slice(0, 2), { lease: 800, slots: 64 });
      for (let i = 0; i < 50; i++) await first.store.set(`user:${i}`, `${i}`);
      let isMoving = true;
      const counts = [0, 0, 0, 0];
      const writers = [first, second, first, second].map(async ({ store }, i) => {
        for (let n = 0; isMoving; counts[i] = ++n) {
          await store.incr(`count:${n % 9}`);
          await store.rpush(`log:${i}`, `${n}`);
        }
      });
      const change = { add: addresses.slice(2), remove: ['users:0'] };
      const { keys } = await first.reshard(change).finally(() => {
        isMoving = false;
      });
      await Promise.all(writers);
      assert.ok(keys >= 20, `${keys} keys were moved`);
      assert.deepEqual(Object.keys((await second.status()).shards), ['users:1', 'users:2']);
      let total = 0;
      for (let i = 0; i < 9; i++) total += Number(await second.store.get(`count:${i}`));
      assert.equal(
        total,
        counts.reduce((sum, count) => sum + count),
      );
      for (const [i, count] of counts.entries()) {
        const log = await first.store.lrange(`log:${i}`, 0, -1);
        assert.deepEqual(
          log,
          Array.from({ length: count }, (_, n) => `${n}`),
        );
      }
      for (let i = 0; i < 50; i++) assert.equal(await second.store.get(`user:${i}`), `${i}`);
      const sizes = await second.gather((own) => own.dbsize());
      assert.equal(
        [...sizes.results.values()].reduce((sum, size) => sum + size),
        50 + 9 + 4,
      );
    });
  });

  test('a search asks all parts of an index and merges them', async (store, surroundings) => {
    await withShards(surroundings, async (addresses, options) => {
      await using shards = sharding(store, 'documents', { ...options, prefix: surroundings.space });
      await shards.create(addresses);
      const fields = { title: 'text', year: 'number' } as const;
      const books = shardedSearch(shards, surroundings.space, { fields, parts: 4 });
      for (let i = 0; i < 24; i++)
        await books.index(`${i}`, { title: i % 2 === 0 ? 'whale' : 'sea', year: 1900 + i });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await books.search('whale', { sort: '-year', limit: 5, cursor, timeout: 30_000 });
        assert.equal(page.total, 12);
        seen.push(...page.hits.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== undefined);
      assert.deepEqual(
        seen,
        Array.from({ length: 12 }, (_, i) => `${22 - 2 * i}`),
      );
    });
  });

  test('timelines of several shards are one list', async (store, surroundings) => {
    await withShards(surroundings, async (addresses, options) => {
      await using feeds = sharding(store, 'feeds', { ...options, prefix: surroundings.space });
      await rejectsWith(feeds.store.get('x'), 'MISSING');
      await feeds.create(addresses);
      const keys = ['feed:1', 'feed:2', 'feed:3', 'feed:4'];
      for (let i = 0; i < 60; i++) await feeds.store.zadd(keys[i % 4] as string, i >> 3, `post ${100 + i}`);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await feeds.timeline(keys, { limit: 7, cursor, timeout: 30_000 });
        seen.push(...page.items.map(({ member }) => member));
        cursor = page.next;
      } while (cursor !== undefined);
      assert.deepEqual(
        seen,
        Array.from({ length: 60 }, (_, i) => `post ${159 - i}`),
      );
      await rejectsWith(feeds.create(addresses), 'EXISTS');
    });
  });
});
