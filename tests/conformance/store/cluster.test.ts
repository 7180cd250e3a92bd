/** A store on a Cluster with keys on several servers: of Redis, and of both kinds. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { open, type Store } from '../../../src/store/index.js';
import {
  ask,
  type RedisCluster,
  startMixedCluster,
  startRedisCluster,
  stopAllServers,
  whenRedisIsInstalled,
} from '../../support/fleet/index.js';
import { all, rejectsWith } from './suite.js';

const CROSSSLOT = "CROSSSLOT Keys in request don't hash to the same slot";
/** In slots of the first, second and third master. */
const SPREAD = ['b', 'c', 'a'] as const;

for (const [name, start] of [
  ['Redis Cluster', startRedisCluster],
  ['mixed Cluster', startMixedCluster],
] as const) {
  describe(`A store on a ${name}`, { ...whenRedisIsInstalled, timeout: 300_000 }, () => declare(start));
}

function declare(start: () => Promise<RedisCluster>): void {
  let cluster: RedisCluster;
  let store: Store;

  before(async () => {
    cluster = await start();
    store = await open(`redis+cluster://127.0.0.1:${cluster.ports[0]}`);
  });
  after(async () => {
    await store?.close();
    await stopAllServers();
  });

  it('keeps keys on all of its servers, and finds each', async () => {
    for (const key of SPREAD) await store.set(key, `of ${key}`);
    assert.deepEqual(await Promise.all(cluster.ports.map((port) => ask(port, 'DBSIZE'))), [1, 1, 1]);
    for (const key of SPREAD) assert.equal(await store.get(key), `of ${key}`);
    assert.deepEqual((await all(store.scan())).sort(), ['a', 'b', 'c']);
    await cluster.flush();
  });

  it('is of the kind `cluster`', () => {
    assert.equal(store.kind, 'cluster');
  });

  it('refuses a command on keys of several slots with CROSSSLOT', async () => {
    await rejectsWith(store.mget('a', 'b'), 'CROSSSLOT', CROSSSLOT);
    await rejectsWith(store.rename('a', 'b'), 'CROSSSLOT', CROSSSLOT);
    const both = store.script({ keys: ['one', 'two'], lua: 'return 1' });
    await rejectsWith(both({ one: 'a', two: 'b' }), 'CROSSSLOT', CROSSSLOT);
  });

  it('refuses a transaction on keys of several slots with CROSSSLOT, and runs no command', async () => {
    await rejectsWith(
      store.transaction((queue) => [queue.set('a', 1), queue.set('b', 1)]),
      'CROSSSLOT',
      CROSSSLOT,
    );
    await rejectsWith(
      store.transaction({ watch: ['a', 'b'] }, (queue) => [queue.set('a', 1)]),
      'CROSSSLOT',
      CROSSSLOT,
    );
    assert.equal(await store.exists('a'), 0);
  });

  it('runs a pipeline over all servers, with the errors in their places', async () => {
    await store.rpush('b', 'x');
    const results = await store.pipeline(
      (queue) => [...SPREAD.map((key) => queue.incr(key)), queue.mget('a', 'b'), queue.get('c')],
      { settle: true },
    );
    const outcomes = results.map((result) =>
      result instanceof Error && 'code' in result ? result.code : result,
    );
    assert.deepEqual(outcomes, ['WRONGTYPE', 1, 1, 'CROSSSLOT', '1']);
    await cluster.flush();
  });

  it('receives on every server what is published on any', async () => {
    await using news = await store.subscribe('news');
    for (const port of cluster.ports) await ask(port, 'PUBLISH', 'news', `${port}`);
    const heard: string[] = [];
    while (heard.length < 3) heard.push((await news.next()).value?.message as string);
    assert.deepEqual(heard.sort(), cluster.ports.map(String).sort());
  });

  it('subscribes to shard channels of one slot, and refuses several slots', async () => {
    await using orders = await store.ssubscribe(['{a}1', '{a}2']);
    await store.spublish('{a}2', 'tea');
    assert.equal((await orders.next()).value?.message, 'tea');
    await rejectsWith(store.ssubscribe(['a', 'b']), 'CROSSSLOT');
  });

  it('follows a slot that moves to another server, with its keys', async () => {
    const moved = '{moving}1';
    const slot = Number(await ask(cluster.ports[0] as number, 'CLUSTER', 'KEYSLOT', moved));
    await store.set(moved, 'before');
    for (const to of [0, 1, 2, 0]) {
      await cluster.moveSlot(slot, to);
      assert.equal(await store.get(moved), 'before');
      assert.equal(await store.set('{moving}2', `${to}`), 'OK');
      const [, other] = await store.transaction((queue) => [queue.get(moved), queue.get('{moving}2')]);
      assert.equal(other, `${to}`);
      assert.equal(
        await store.transaction({ watch: [moved] }, (queue) => [queue.get(moved)]).then(([v]) => v),
        'before',
      );
      await store.rpush('{moving}jobs', `${to}`);
      assert.deepEqual(await store.blpop('{moving}jobs', 0), { key: '{moving}jobs', element: `${to}` });
    }
    await cluster.flush();
  });

  it('sends commands that concern all keys to all servers, and combines their replies', async () => {
    for (const key of SPREAD) await store.set(key, key);
    assert.equal(await store.dbsize(), 3);
    assert.equal(await store.exact.send('DBSIZE'), 3n);
    assert.deepEqual((await store.keys('*')).sort(), ['a', 'b', 'c']);
    assert.deepEqual((await store.bytes.send<readonly Buffer[]>('KEYS', 'a')).map(String), ['a']);
    assert.ok(SPREAD.includes((await store.randomkey()) as 'a'));
    const [size, value] = await store.pipeline((queue) => [queue.dbsize(), queue.get('a')]);
    assert.deepEqual([size, value], [3, 'a']);
    assert.equal(await store.send('WAIT', 0, 1), 0);
    assert.equal(await store.ping(), 'PONG');
    assert.equal(await store.send('PING', 'hello'), 'hello');
    assert.equal(await store.flushall(), 'OK');
    assert.deepEqual(await Promise.all(cluster.ports.map((port) => ask(port, 'DBSIZE'))), [0, 0, 0]);
    assert.equal(await store.randomkey(), null);
  });

  it('sends scripts, functions and settings to all servers', async () => {
    const askAll = (...words: [string, ...string[]]): Promise<unknown[]> =>
      Promise.all(cluster.ports.map((port) => ask(port, ...words)));
    const digest = await store.scriptLoad('return 7');
    assert.deepEqual(await askAll('EVALSHA', digest, '0'), [7, 7, 7]);
    assert.deepEqual(await store.send('SCRIPT', 'EXISTS', digest, '0'.repeat(40)), [1, 0]);
    await ask(cluster.ports[1] as number, 'SCRIPT', 'FLUSH');
    assert.deepEqual(await store.send('SCRIPT EXISTS', digest), [0]);
    await store.send('script', 'flush');
    await assert.rejects(ask(cluster.ports[0] as number, 'EVALSHA', digest, '0'), /NOSCRIPT/);
    await store.functionLoad("#!lua name=lib\nredis.register_function('seven', function() return 7 end)");
    assert.deepEqual(await askAll('FCALL', 'seven', '0'), [7, 7, 7]);
    await store.send('FUNCTION', 'FLUSH');
    await store.send('CONFIG SET', 'slowlog-max-len', 77);
    assert.deepEqual(
      (await askAll('CONFIG', 'GET', 'slowlog-max-len')).map(String),
      Array.from({ length: 3 }, () => 'slowlog-max-len,77'),
    );
    await rejectsWith(store.send('CONFIG', 'SET', 'nonsense', 1), 'ERR', /Unknown option/);
    await rejectsWith(store.send('SCRIPT', 'KILL'), 'NOTBUSY');
  });

  it('refuses SCAN by name, since each server has its own cursors', async () => {
    await rejectsWith(store.send('SCAN', 0), 'MISUSE', /scan\(\)/);
    await rejectsWith(
      store.pipeline((queue) => [queue.send('SCAN', 0)]),
      'MISUSE',
    );
  });

  it('has one database', async () => {
    await rejectsWith(open(`redis+cluster://127.0.0.1:${cluster.ports[0]}/1`), 'ADDRESS');
  });
}
