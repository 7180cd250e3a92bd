import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { keysIn, Site } from '../../../tests/support/shard-site.js';
import type { ShardedStore } from './index.js';
import { slotOf } from './shard-map.js';

const RUNS = Number(process.env['SORREL_RUNS'] ?? 1);

/** What a key must hold. */
type Model = Map<string, string | string[]>;

const key = fc.nat({ max: 11 }).map((n) => (n % 3 === 0 ? `{tag ${n}}:k` : `key ${n}`));
const write = fc.record({
  key,
  how: fc.constantFrom('set', 'append', 'incr', 'del', 'rpush', 'lpop', 'getdel', 'expire'),
});

describe('While slots are moved', () => {
  it('no write is lost and no read is stale, whatever several processes do', async () => {
    const change = fc.constantFrom('add', 'remove', 'both', 'interrupted');
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { minLength: 30, maxLength: 90 }),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat({ max: 2 }), { minLength: 20, maxLength: 20 }),
        async (writes, changes, order) => {
          await using site = await Site.open();
          const clients = [site.client(), site.client(), site.client()];
          await clients[0]?.create(['shard:0', 'shard:1'], { lease: 100, slots: 16 });
          const model: Model = new Map();
          for (let i = 0; i < 40; i++) {
            await clients[0]?.store.set(`stays ${i}`, `${i}`);
            model.set(`stays ${i}`, `${i}`);
          }
          let isMoving = true;
          /** Each key has one writer, which uses all processes in turn and knows what the key must hold. */
          const writers = [0, 1, 2].map(async (writer) => {
            for (let round = 0; isMoving || round === 0; round++) {
              for (const [i, { key: name, how }] of writes.entries()) {
                if (slotOf(name, 3) !== writer) continue;
                const { store } = clients[order[(round + i) % order.length] ?? 0] as (typeof clients)[0];
                await apply(store, model, name, how, `${round}.${i} `);
                if (i % 3 === 0) await new Promise(setImmediate);
              }
            }
          });
          let next = 2;
          const moving = (async () => {
            for (const [i, what] of changes.entries()) {
              const mover = clients[i % 3] as (typeof clients)[0];
              const names = Object.keys((await mover.status()).shards);
              const add = what === 'remove' ? [] : [`shard:${next++}`];
              const remove = what === 'add' || names.length === 1 ? [] : names.slice(0, 1);
              if (what !== 'interrupted') {
                await mover.reshard({ add, remove });
                continue;
              }
              // It ends in the middle, and another process goes on.
              const controller = new AbortController();
              const onProgress = ({ keys }: { readonly keys: number }): void => {
                if (keys === 7) controller.abort();
              };
              await mover
                .reshard({ add, remove }, { signal: controller.signal, onProgress })
                .catch((error) => {
                  assert.equal(error.code, 'ABORTED');
                });
              await clients[(i + 1) % 3]?.reshard();
            }
          })().finally(() => {
            isMoving = false;
          });
          await site.during(Promise.all([moving, ...writers]), 1 + (order[0] ?? 0) * 10);
          await check(site, model);
        },
      ),
      { numRuns: 4 * RUNS, endOnFailure: true },
    );
  });

  it('a key that is changed or deleted while it is copied is not given away as it was', async () => {
    await using site = await Site.open();
    const [users, other] = [site.client(), site.client()];
    await users.create(['shard:0'], { lease: 100, slots: 1 });
    const changes: [string, () => Promise<unknown>][] = [
      ['appended', () => other.store.append('appended', '!')],
      ['expiring', () => other.store.pexpire('expiring', 1e9)],
      ['deleted', () => other.store.del('deleted')],
      ['replaced', () => other.store.del('replaced').then(() => other.store.rpush('replaced', 'new'))],
    ];
    for (const [name] of changes) await users.store.set(name, 'old');
    const left = new Map(changes);
    site.onCopy = async () => {
      for (const [name, change] of left) {
        left.delete(name);
        await change();
      }
    };
    const { repeated } = await site.during(users.reshard({ add: ['shard:1'], remove: ['users:0'] }));
    assert.equal(repeated, 4);
    assert.equal(await other.store.get('appended'), 'old!');
    assert.equal(await other.store.persist('expiring'), true);
    assert.equal(await other.store.exists('deleted'), false);
    assert.deepEqual(await other.store.lrange('replaced', 0, -1), ['new']);
    assert.deepEqual(await keysIn(await site.shard('shard:1')), ['appended', 'expiring', 'replaced']);
    assert.deepEqual(await keysIn(await site.shard('shard:0')), []);
  });

  it('values of every type, times to live and bytes arrive as they were', async () => {
    await using site = await Site.open();
    const users = site.client();
    await users.create(['shard:0'], { lease: 100, slots: 8 });
    const source = await site.shard('shard:0');
    await source.set(Buffer.from([0, 255, 128]), Buffer.from([1, 0, 254]));
    await users.store.hset('hash', { a: 1, b: 2 });
    await users.store.zadd('zset', 1.5, 'a');
    await users.store.xadd('stream', '*', { f: 'v' });
    await users.store.set('soon', 'x', { px: 3_600_000 });
    const before = await users.store.pexpiretime('soon');
    const { keys } = await site.during(users.reshard({ add: ['shard:1'], remove: ['users:0'] }));
    assert.equal(keys, 5);
    const target = await site.shard('shard:1');
    assert.deepEqual(await keysIn(source), []);
    assert.deepEqual(await target.bytes.get(Buffer.from([0, 255, 128])), Buffer.from([1, 0, 254]));
    assert.equal(await users.store.pexpiretime('soon'), before);
    assert.deepEqual(await users.store.hgetall('hash'), { a: '1', b: '2' });
    assert.equal(await users.store.zscore('zset', 'a'), 1.5);
    assert.equal(await users.store.xlen('stream'), 1);
    assert.deepEqual(await users.status(), { slots: 8, shards: { 'users:1': 8 }, moving: 0 });
  });

  it('a reply is what it would be without a move, errors and nothing included', async () => {
    await using site = await Site.open();
    const users = site.client();
    await users.create(['shard:0'], { lease: 100, slots: 1 });
    await users.store.set('text', 'x');
    await users.store.rpush('list', 'a', 'b');
    const checked: string[] = [];
    const onProgress = ({ phase }: { readonly phase: string }): void => {
      checked.push(phase);
    };
    const look = async (): Promise<void> => {
      for (;;) {
        await assert.rejects(users.store.hget('text', 'f'), (error: Error) => {
          assert.equal(error.message, 'WRONGTYPE Operation against a key holding the wrong kind of value');
          return true;
        });
        assert.deepEqual(await users.store.lrange('list', 0, -1), ['a', 'b']);
        assert.deepEqual(await users.store.hmget('none', 'a', 'b'), [null, null]);
        assert.equal(await users.store.get('none'), null);
        assert.equal(await users.store.set('text', 'x'), 'OK');
        if ((await users.status()).moving === 0 && checked.includes('settling')) return;
      }
    };
    await site.during(
      Promise.all([users.reshard({ add: ['shard:1'], remove: ['users:0'] }, { onProgress }), look()]),
    );
    assert.deepEqual([...new Set(checked)], ['announcing', 'moving', 'settling']);
  });

  it('scripts wait until their slot has moved, and give up after the lease', async () => {
    await using site = await Site.open();
    const users = site.client();
    await users.create(['shard:0'], { lease: 100, slots: 1 });
    await users.store.set('{a}', '1');
    const incr = { keys: ['k'], lua: `return redis.call('INCR', k)` } as const;
    let waited: Promise<unknown> | undefined;
    const onProgress = ({ phase }: { readonly phase: string }): void => {
      if (phase !== 'moving') return;
      waited ??= site.client().use('{a}', (store) => store.script(incr)({ k: '{a}' }));
    };
    await site.during(users.reshard({ add: ['shard:1'], remove: ['users:0'] }, { onProgress }));
    assert.equal(await site.during(waited as Promise<unknown>), 2);
    const controller = new AbortController();
    const stuck = users.reshard(
      { add: ['shard:2'], remove: ['users:1'] },
      {
        concurrency: 1,
        signal: controller.signal,
        onProgress: ({ phase }) => phase === 'moving' && controller.abort(),
      },
    );
    for (const name of ['b', 'c', 'd']) await users.store.set(name, 1);
    await assert.rejects(site.during(stuck), { code: 'ABORTED' });
    await assert.rejects(site.during(users.use('{a}', () => 1)), { code: 'MOVING' });
    assert.equal(await users.store.get('{a}'), '2', 'commands go on');
    await site.during(users.reshard());
    assert.equal(await users.use('{a}', (store) => store.get('{a}')), '2');
  });

  it('a second process is refused, and so is a change that makes no sense', async () => {
    await using site = await Site.open();
    const [one, two] = [site.client(), site.client()];
    await one.create(['shard:0'], { lease: 100, slots: 2 });
    await one.store.set('k', 1);
    const first = one.reshard({ add: ['shard:1'] });
    await new Promise(setImmediate);
    await assert.rejects(two.reshard({ add: ['shard:2'] }), { code: 'CONFLICT' });
    await site.during(first);
    assert.equal((await two.plan()).length, 0);
    assert.equal((await two.plan({ remove: ['users:0'] })).length, 1);
    await assert.rejects(two.reshard({ remove: ['users:0', 'users:1'] }), { code: 'OPTION' });
    await assert.rejects(two.reshard({ remove: ['users:9'] }), {
      code: 'OPTION',
      message: /there are users:0, users:1/,
    });
    await assert.rejects(two.reshard({ add: ['shard:3'] }), { code: 'OPTION', message: /only 2 slots/ });
    assert.deepEqual(await two.reshard(), { keys: 0, repeated: 0 });
  });
});

async function apply(
  store: ShardedStore,
  model: Model,
  name: string,
  how: string,
  value: string,
): Promise<void> {
  const known = model.get(name);
  switch (how) {
    case 'set':
      await store.set(name, value);
      model.set(name, value);
      return;
    case 'del':
      assert.equal(await store.del(name), model.delete(name));
      return;
    case 'rpush':
    case 'lpop': {
      if (typeof known === 'string') {
        await assert.rejects(store.rpush(name, value), { code: 'WRONGTYPE' });
        return;
      }
      const list = known ?? [];
      if (how === 'lpop') assert.equal((await store.lpop(name)) ?? undefined, list.shift());
      else assert.equal(await store.rpush(name, value), list.push(value));
      if (list.length > 0) model.set(name, list);
      else model.delete(name);
      return;
    }
    default:
      if (Array.isArray(known)) {
        assert.deepEqual(await store.lrange(name, 0, -1), known);
        return;
      }
      await applyToText(store, model, name, how, value);
  }
}

async function applyToText(
  store: ShardedStore,
  model: Model,
  name: string,
  how: string,
  value: string,
): Promise<void> {
  const known = model.get(name) as string | undefined;
  assert.equal(await store.get(name), known ?? null);
  if (how === 'append') {
    model.set(name, (known ?? '') + value);
    assert.equal(await store.append(name, value), ((known ?? '') + value).length);
  } else if (how === 'getdel') {
    assert.equal(await store.getdel(name), known ?? null);
    model.delete(name);
  } else if (how === 'expire') {
    assert.equal(await store.pexpire(name, 1e9), known !== undefined);
  } else if (known === undefined || /^\d+$/.test(known)) {
    model.set(name, String(await store.incr(name)));
    assert.equal(model.get(name), String(Number(known ?? 0) + 1));
  }
}

/** Everything is there, where the map says, and nothing else. */
async function check(site: Site, model: Model): Promise<void> {
  const fresh = site.client();
  for (const [name, value] of model) {
    if (typeof value === 'string') assert.equal(await fresh.store.get(name), value, name);
    else assert.deepEqual(await fresh.store.lrange(name, 0, -1), value, name);
  }
  const found: string[] = [];
  const { shards } = await fresh.status();
  for (const shard of Object.keys(shards)) {
    const address = `shard:${shard.split(':')[1]}`;
    for (const name of await keysIn(await site.shard(address))) {
      assert.equal(await fresh.shardOf(name), shard, name);
      found.push(name);
    }
  }
  assert.deepEqual(found.sort(), [...model.keys()].sort());
  let total = 0;
  for (const store of site.stores.values()) total += await store.dbsize();
  assert.equal(total, model.size, 'shards without slots are empty');
}
