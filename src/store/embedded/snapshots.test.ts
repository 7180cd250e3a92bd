import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { type EmbeddedStore, ManualClock, open } from '../index.js';

/** A number that differs if the data of any database differs. */
function digest(store: EmbeddedStore): unknown {
  return store.sync.send('DEBUG', 'DIGEST');
}

const SETTINGS = { 'enable-debug-command': 'yes' };

describe('A snapshot', () => {
  it('is restored by its own method, and the command RESTORE says so', async () => {
    await using store = await open();
    const saved = store.snapshot();
    const advice = { code: 'MISUSE', message: /call its method, `snapshot\.restore\(\)`$/ };
    const restore = store.restore as unknown as (snapshot: unknown) => Promise<unknown>;
    await assert.rejects(async () => restore.call(store, saved), advice);
    assert.throws(() => store.sync.send('RESTORE', saved as never), advice);
    assert.throws(() => store.sync.send('GET', {} as never), { code: 'MISUSE', message: /, not object$/ });
  });

  it('restores all data: every type, several databases, times to live, functions', async () => {
    await using store = await open('memory:', { settings: SETTINGS });
    const second = new Redis({ Connector: await store.connector(), db: 3 });
    const { sync } = store;
    sync.set('string', Buffer.from([0, 255]));
    sync.send('SET', 'with a time to live', 1, 'PX', 60_000);
    sync.rpush('list', ['a', 'b']);
    sync.sadd('set', ['x', 1]);
    sync.send('HSET', 'hash', 'f', 'v');
    sync.send('ZADD', 'zset', 1.5, 'm');
    sync.send('XADD', 'stream', '1-1', 'f', 'v');
    sync.send('XGROUP', 'CREATE', 'stream', 'group', '0');
    sync.send('PFADD', 'loglog', 'a', 'b');
    sync.send('FUNCTION', 'LOAD', "#!lua name=own\nredis.register_function('one', function() return 1 end)");
    await second.set('elsewhere', 'x');
    const before = digest(store);
    const expires = sync.send('PEXPIRETIME', 'with a time to live');
    const saved = store.snapshot();

    const disturbances: (() => unknown)[] = [
      () => sync.flushall(),
      () => sync.send('SWAPDB', 0, 3),
      () => sync.del(['list', 'hash']),
      () => sync.send('XREADGROUP', 'GROUP', 'group', 'me', 'STREAMS', 'stream', '>'),
      () => sync.send('XGROUP', 'CREATE', 'stream', 'other', '0'),
      () => sync.send('PERSIST', 'with a time to live'),
      () => sync.send('RENAME', 'set', 'string'),
      () => sync.send('FUNCTION', 'FLUSH'),
      () => sync.set('new', 1),
      () => {},
    ];
    for (const disturb of disturbances) {
      disturb();
      saved.restore();
      assert.equal(digest(store), before, String(disturb));
      assert.equal(sync.send('PEXPIRETIME', 'with a time to live'), expires);
      assert.equal(sync.send('FCALL', 'one', 0), 1);
      assert.deepEqual(sync.send('XPENDING', 'stream', 'group'), [0, null, null, null], String(disturb));
      assert.equal((sync.send('XINFO', 'GROUPS', 'stream') as unknown[]).length, 1);
    }
    assert.equal(await second.get('elsewhere'), 'x');
    second.disconnect();
  });

  it('restores the same data whatever was done, also with several snapshots', async () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const command = fc.oneof(
      fc.tuple(fc.constant('SET'), key, fc.constantFrom('1', 'text')),
      fc.tuple(fc.constant('APPEND'), key, fc.constant('x')),
      fc.tuple(fc.constant('INCR'), key),
      fc.tuple(fc.constant('DEL'), key),
      fc.tuple(fc.constant('LPUSH'), key, fc.constantFrom('x', 'y')),
      fc.tuple(fc.constant('LPOP'), key),
      fc.tuple(fc.constant('SADD'), key, fc.constantFrom('1', 'm')),
      fc.tuple(fc.constant('SPOP'), key),
      fc.tuple(fc.constant('HSET'), key, fc.constant('f'), fc.constant('v')),
      fc.tuple(fc.constant('HDEL'), key, fc.constant('f')),
      fc.tuple(fc.constant('ZADD'), key, fc.constantFrom('1', '2'), fc.constant('m')),
      fc.tuple(fc.constant('ZPOPMIN'), key),
      fc.tuple(fc.constant('XADD'), key, fc.constant('*'), fc.constant('f'), fc.constant('v')),
      fc.tuple(
        fc.constant('XGROUP'),
        fc.constant('CREATE'),
        key,
        fc.constantFrom('g', 'h'),
        fc.constant('0'),
        fc.constant('MKSTREAM'),
      ),
      fc.tuple(
        fc.constant('XREADGROUP'),
        fc.constant('GROUP'),
        fc.constant('g'),
        fc.constant('me'),
        fc.constant('STREAMS'),
        key,
        fc.constant('>'),
      ),
      fc.tuple(fc.constant('RENAME'), key, key),
      fc.tuple(fc.constant('COPY'), key, key),
      fc.tuple(fc.constant('EXPIRE'), key, fc.constantFrom('100', '-1')),
      fc.tuple(fc.constant('SORT'), key, fc.constant('ALPHA'), fc.constant('STORE'), key),
      fc.tuple(fc.constant('MOVE'), key, fc.constant('1')),
      fc.tuple(fc.constant('SWAPDB'), fc.constant('0'), fc.constant('1')),
      fc.tuple(fc.constant('FLUSHDB')),
      fc.tuple(fc.constant('EVAL'), fc.constant("redis.call('SET', KEYS[1], 'lua')"), fc.constant('1'), key),
    );
    const action = fc.oneof(
      { weight: 6, arbitrary: command.map((words) => ({ words: words as string[] })) },
      { weight: 1, arbitrary: fc.constant({ take: true }) },
      { weight: 1, arbitrary: fc.record({ restore: fc.nat(3) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        await using store = await open('memory:', { settings: SETTINGS });
        const saved: { digest: unknown; restore(): void }[] = [];
        for (const step of actions) {
          if ('words' in step) {
            const [name = '', ...args] = step.words;
            await store.send(name, ...args).catch(() => {});
          } else if ('take' in step) {
            const { restore } = store.snapshot();
            saved.push({ digest: digest(store), restore });
          } else if (saved.length > 0) {
            const one = saved[step.restore % saved.length];
            one?.restore();
            assert.equal(digest(store), one?.digest);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('does not bring back keys whose time has come', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    await store.send('SET', 'short', 1, 'PX', 100);
    await store.send('SET', 'long', 1, 'PX', 10_000);
    const saved = store.snapshot();
    clock.advance(1_000);
    await store.del('long');
    saved.restore();
    assert.equal(await store.get('short'), null);
    assert.equal(await store.get('long'), '1');
    assert.equal(await store.send('PTTL', 'long'), 9_000);
  });

  it('restores keys that were evicted or expired', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    await store.send('SET', 'key', 1);
    const saved = store.snapshot();
    await store.send('PEXPIRE', 'key', 100);
    clock.advance(1_000);
    assert.equal(await store.get('key'), null);
    saved.restore();
    assert.equal(await store.get('key'), '1');
    assert.equal(await store.send('TTL', 'key'), -1);
  });

  it('makes transactions fail that watch a key that differs, and no others', async () => {
    await using store = await open();
    const redis = new Redis({ Connector: await store.connector() });
    await store.set('changed', 1);
    await store.set('same', 1);
    const saved = store.snapshot();
    await store.set('changed', 2);
    for (const [key, outcome] of [
      ['changed', null],
      ['same', [[null, 'OK']]],
    ] as const) {
      await store.set('changed', 2);
      await redis.watch(key);
      saved.restore();
      assert.deepEqual(await redis.multi().set('x', 1).exec(), outcome);
    }
    redis.disconnect();
  });

  it('serves blocked clients, and still restores what they take', async () => {
    await using store = await open();
    await store.rpush('list', ['a', 'b']);
    const saved = store.snapshot();
    await store.del('list');
    const taken = store.blpop('list', 0);
    await new Promise((resolve) => setImmediate(resolve));
    saved.restore();
    assert.deepEqual(await taken, { key: 'list', element: 'a' });
    saved.restore();
    assert.deepEqual(await store.lrange('list', 0, -1), ['a', 'b']);
  });

  it('of a store in files is restored in the files too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-snapshot-'));
    try {
      {
        await using store = await open(`file:${folder}`);
        await store.set('kept', 1);
        const saved = store.snapshot();
        await store.set('kept', 2);
        await store.set('new', 1);
        saved.restore();
      }
      await using again = await open(`file:${folder}`);
      assert.deepEqual([await again.get('kept'), await again.get('new')], ['1', null]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('restores only what has changed', async () => {
    await using store = await open();
    for (let i = 0; i < 1_000; i++) store.sync.set(`key ${i}`, i);
    const saved = store.snapshot();
    const restores = (): number => {
      const info = store.sync.send('INFO', 'commandstats') as string;
      return Number(/cmdstat_restore:calls=(\d+)/.exec(info)?.[1] ?? 0);
    };
    saved.restore();
    assert.equal(restores(), 0);
    store.sync.set('key 7', 'x');
    store.sync.del('key 8');
    store.sync.set('another', 'x');
    saved.restore();
    assert.equal(restores(), 2);
    saved.restore();
    assert.equal(restores(), 2);
    assert.equal(store.sync.dbsize(), 1_000);
  });
});

describe('A reset', () => {
  it('deletes all data of all databases, and functions', async () => {
    await using store = await open();
    const second = new Redis({ Connector: await store.connector(), db: 1 });
    await store.set('a', 1);
    await second.set('b', 1);
    store.sync.send(
      'FUNCTION',
      'LOAD',
      "#!lua name=own\nredis.register_function('one', function() return 1 end)",
    );
    store.reset();
    assert.deepEqual([await store.dbsize(), await second.dbsize()], [0, 0]);
    assert.deepEqual(await store.send('FUNCTION', 'LIST'), []);
    store.reset();
    second.disconnect();
  });

  it('is refused by a closed store', async () => {
    const store = await open();
    const saved = store.snapshot();
    await store.close();
    assert.throws(() => store.reset(), { code: 'CLOSED' });
    assert.throws(() => store.snapshot(), { code: 'CLOSED' });
    assert.throws(() => saved.restore(), { code: 'CLOSED' });
  });
});
