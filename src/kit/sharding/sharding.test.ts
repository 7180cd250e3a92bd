import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Site } from '../../../tests/support/shard-site.js';
import { open } from '../../store/index.js';
import { presharded, sharding } from './index.js';
import { evenMap, planMoves, SlotTable, slotOf } from './shard-map.js';

describe('A sharded store', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    await using users = sharding(store, 'users');
    await users.create(['memory:', 'memory:']);
    assert.equal(await users.store.hset('user:7', { name: 'ann' }), 1);
    assert.equal(await users.store.hget('user:7', 'name'), 'ann');
  });

  it('keeps each key on the shard of its slot, and keys with the same braces together', async () => {
    await using site = await Site.open();
    const users = site.client();
    await users.create(['shard:a', 'shard:b', 'shard:c']);
    for (let i = 0; i < 90; i++) {
      await users.store.set(`user:${i}`, `${i}`);
      await users.store.rpush(`{user:${i}}:list`, 'x');
    }
    const sizes = await Promise.all(
      ['a', 'b', 'c'].map(async (x) => (await site.shard(`shard:${x}`)).dbsize()),
    );
    assert.equal(
      sizes.reduce((a, b) => a + b),
      180,
    );
    assert.ok(
      sizes.every((size) => size > 30 && size % 2 === 0),
      sizes.join(' '),
    );
    assert.equal(await users.shardOf('user:7'), await users.shardOf('{user:7}:list'));
    assert.equal(await site.client().store.get('user:42'), '42');
    assert.equal(await users.store.send('strlen', 'user:42'), 2);
    assert.equal(await users.store.exists('user:42'), true);
    assert.equal(await users.store.del('user:42'), true);
    assert.equal(await users.store.del('user:42'), false);
    await assert.rejects(users.store.send('MGET', 'a', 'b'), { code: 'OPTION', message: /call `use`/ });
    await assert.rejects(users.store.hget('user:1', 'x'), { code: 'WRONGTYPE' });
    assert.deepEqual(await users.status(), {
      slots: 1_024,
      shards: { 'users:0': 342, 'users:1': 341, 'users:2': 341 },
      moving: 0,
    });
  });

  it('must be created, once, and not on a Cluster', async () => {
    await using site = await Site.open();
    const users = site.client();
    await assert.rejects(users.store.get('x'), { code: 'MISSING', message: /create it once/ });
    await assert.rejects(users.create([]), { code: 'OPTION' });
    await assert.rejects(users.create('redis://a' as never), { code: 'OPTION' });
    const outcomes = await Promise.allSettled([users.create(['shard:a']), site.client().create(['shard:b'])]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await assert.rejects(users.create(['shard:a']), { code: 'EXISTS' });
  });

  it('does not use a map longer than its lease, even if the configuration does not answer', async () => {
    await using site = await Site.open();
    const users = site.client();
    await users.create(['shard:a'], { lease: 1_000 });
    await users.store.set('key', 'value');
    site.clock.advance(700);
    assert.equal(await users.store.get('key'), 'value');
    await site.config.close();
    site.clock.advance(800);
    await assert.rejects(users.store.get('key'), { code: 'CLOSED' });
  });

  it('gives the store of a key to scripts and components, until the lease ends', async () => {
    await using site = await Site.open();
    const users = site.client();
    await users.create(['shard:a', 'shard:b'], { lease: 1_000 });
    const result = await users.use('{ann}', async (store) => {
      await store.transaction((queue) => [queue.set('{ann}:a', 1), queue.incr('{ann}:b')]);
      return store.script({ keys: ['a'], lua: `return redis.call('GET', a)` })({ a: '{ann}:a' });
    });
    assert.equal(result, '1');
    assert.equal(await users.store.get('{ann}:b'), '1');
    const late = users.use('{ann}', async (store) => {
      site.clock.advance(1_001);
      return store.set('{ann}:a', 2);
    });
    await assert.rejects(late, { code: 'ABORTED' });
    assert.equal(await users.store.get('{ann}:a'), '1');
  });

  it('asks all shards at once, and says which have not answered in time', async () => {
    await using site = await Site.open();
    const users = site.client();
    await users.create(['shard:a', 'shard:b', 'shard:c']);
    for (let i = 0; i < 30; i++) await users.store.set(`k${i}`, i);
    // Nothing waits for the deadline if all have answered: the clock stands still.
    const all = await users.gather((store) => store.dbsize());
    assert.equal(all.isComplete, true);
    assert.equal(
      [...all.results.values()].reduce((sum, size) => sum + size),
      30,
    );
    const ended: unknown[] = [];
    const some = await site.during(
      users.gather(
        async (store, shard) => {
          if (shard === 'users:0') throw new Error('broken');
          if (shard === 'users:1') return store.blpop('{none}', 0).catch(({ code }) => ended.push(code));
          return shard;
        },
        { timeout: 100 },
      ),
    );
    assert.equal(some.isComplete, false);
    assert.deepEqual([...some.results], [['users:2', 'users:2']]);
    assert.deepEqual(
      [...some.missing].map(([shard, { message }]) => [shard, message]),
      [
        ['users:0', 'broken'],
        ['users:1', "gather: 'users:1' did not answer within 100 ms"],
      ],
    );
    await new Promise(setImmediate);
    assert.deepEqual(ended, ['ABORTED'], 'late work is told');
  });

  it('merges timelines of several shards in exact order, however many entries have the same score', async () => {
    await using site = await Site.open();
    const feeds = site.client('feeds');
    await feeds.create(['shard:a', 'shard:b', 'shard:c']);
    const keys = Array.from({ length: 7 }, (_, i) => `feed:${i}`);
    const model: [number, string][] = [];
    for (let i = 0; i < 300; i++) {
      const [score, member] = [Math.floor(i / 100), `post ${(i * 7919) % 1000}-${i}`];
      model.push([score, member]);
      await feeds.store.zadd(keys[i % 7] as string, score, member);
    }
    model.sort(([a, m], [b, n]) => b - a || (m < n ? 1 : -1));
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await feeds.timeline(keys, { limit: 9, cursor });
      seen.push(...page.items.map(({ member }) => member));
      cursor = page.next;
      // What was returned is removed, and what is added before it is not of this pass.
      const [gone] = page.items;
      if (gone !== undefined) await feeds.store.zrem(gone.timeline, gone.member);
      await feeds.store.zadd('feed:0', 99, `new ${pages++}`);
    } while (cursor !== undefined);
    assert.deepEqual(
      seen,
      model.map(([, member]) => member),
    );
    await assert.rejects(feeds.timeline(keys, { cursor: 'x' }), { code: 'OPTION' });
    await assert.rejects(feeds.timeline('feed:0' as never), { code: 'OPTION' });
  });

  it('returns later what a missing source has left out, and everything once', async () => {
    await using site = await Site.open();
    const shards = site.client();
    let isDown = false;
    const source = (name: string, items: readonly number[]) => ({
      name,
      page: async (after: string | undefined, limit: number) => {
        if (isDown && name === 'b') throw new Error('down');
        const from = Number(after ?? 0);
        const end = from + Math.min(limit, 3);
        return { items: items.slice(from, end), next: end < items.length ? `${end}` : undefined };
      },
    });
    const sources = [source('a', [1, 3, 5, 7, 9, 11]), source('b', [2, 4, 6, 8]), source('c', [])];
    const seen: number[][] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 6; page++) {
      isDown = page === 1;
      const found = await shards.merge(sources, (a, b) => a - b, { limit: 2 + page, cursor });
      assert.deepEqual([...found.missing.keys()], isDown ? ['b'] : []);
      seen.push([...found.items]);
      cursor = found.next;
      if (cursor === undefined) break;
    }
    assert.deepEqual(seen, [[1, 2], [3, 5, 7], [4, 6, 8, 9], [11]]);
  });
});

describe('The plan of a reshard', () => {
  it('moves as few slots as possible, and divides them evenly', () => {
    const map = evenMap(['a', 'b', 'c'], 100, 1);
    const count = (ranges: ReturnType<typeof planMoves>): number =>
      ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    assert.equal(count(planMoves(map, ['a', 'b', 'c'])), 0);
    assert.equal(count(planMoves(map, ['a', 'b', 'c', 'd'])), 25);
    assert.equal(count(planMoves(map, ['a', 'b'])), 33);
    const table = new SlotTable(map);
    for (const { first, shard } of planMoves(map, ['a', 'b'])) {
      assert.equal(table.owner(first), 'c');
      assert.notEqual(shard, 'c');
    }
  });

  it('depends on what is in braces, as in a Cluster', () => {
    assert.equal(slotOf('{ann}:a', 1_024), slotOf('b{ann}', 1_024));
    assert.equal(slotOf('{}a', 1_024), slotOf(Buffer.from('{}a'), 1_024));
    assert.equal(slotOf('{é}x', 1_024), slotOf(Buffer.from('y{é}'), 1_024));
    assert.equal(slotOf('ann', 1_024), slotOf('{ann}', 1_024));
  });

  it('begins with databases or ports of one server', () => {
    assert.deepEqual(presharded('redis://10.0.0.1:6379', { databases: 3 }), [
      'redis://10.0.0.1:6379/0',
      'redis://10.0.0.1:6379/1',
      'redis://10.0.0.1:6379/2',
    ]);
    assert.deepEqual(presharded('redis://10.0.0.1:6379', { ports: 2 }), [
      'redis://10.0.0.1:6379',
      'redis://10.0.0.1:6380',
    ]);
    assert.throws(() => presharded('memory:', { ports: 2 }), { code: 'OPTION' });
    assert.throws(() => presharded('redis://a', { ports: 0 }), { code: 'OPTION' });
    assert.throws(() => presharded('redis://a', {} as never), { code: 'OPTION' });
  });
});
