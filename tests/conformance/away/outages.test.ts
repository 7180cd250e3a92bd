/** Single calls when a server is stopped, killed or restarted, or its connection is cut. */
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { locks } from '../../../src/kit/locks/index.js';
import { semaphores } from '../../../src/kit/semaphores/index.js';
import { shardedList } from '../../../src/kit/sharded-list/index.js';
import { open, openWorker, type Store, StoreError } from '../../../src/store/index.js';
import { type Server, startRedis, stopAllServers, whenRedisIsInstalled } from '../../support/fleet/index.js';
import { Gateway } from '../../support/outage/gateway.js';
import { rejectsWith, until } from '../store/suite.js';

const OPTIONS = { ...whenRedisIsInstalled, timeout: 120_000 };

describe('A running call in an outage', OPTIONS, () => {
  let server: Server;
  let gateway: Gateway;
  let store: Store;
  let observer: Store;

  beforeEach(async () => {
    server = await startRedis();
    gateway = await Gateway.before(server.port);
    store = await open(`redis://127.0.0.1:${gateway.port}`);
    observer = await open(`redis://127.0.0.1:${server.port}`);
  });
  afterEach(async () => {
    await store.close();
    await observer.close();
    await gateway.close();
    server.process.kill('SIGCONT');
    await server.stop();
  });
  after(stopAllServers);

  it('fails after five seconds with the default options, and may have been executed', async () => {
    server.process.kill('SIGSTOP');
    const begun = performance.now();
    const error = await rejectsWith(store.set('k', 'v'), 'TIMEOUT', /no answer to SET within 5000 ms/);
    assert.ok(error.mayHaveRun);
    assert.ok(performance.now() - begun < 20_000);
  });

  it('was not executed if there was no connection', async () => {
    const lost = new Promise((resolve) => store.on('disconnected', resolve));
    await gateway.set('refusing');
    await lost;
    const error = await rejectsWith(
      store.with({ timeout: 300 }).set('k', 'v'),
      'UNREACHABLE',
      /could not be sent within 300 ms: .*ECONNREFUSED/,
    );
    assert.equal(error.mayHaveRun, false);
    await gateway.set('open');
    assert.equal(await store.get('k'), null);
  });

  it('is not sent later if it was aborted', async () => {
    const lost = new Promise((resolve) => store.on('disconnected', resolve));
    await gateway.set('refusing');
    await lost;
    const controller = new AbortController();
    const view = store.with({ signal: controller.signal });
    const ended = [view.incr('n'), view.pipeline((queue) => [queue.incr('n')]), view.blpop('list', 0)].map(
      (call) => rejectsWith(call, 'ABORTED'),
    );
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    for (const { mayHaveRun } of await Promise.all(ended)) assert.equal(mayHaveRun, false);
    const waiting = store.incr('other');
    await gateway.set('open');
    assert.equal(await waiting, 1);
    assert.equal(await observer.get('n'), null);
  });

  it('gets its own reply, never that of an aborted call', async () => {
    await store.mset({ a: 'of a', b: 'of b' });
    server.process.kill('SIGSTOP');
    await rejectsWith(store.with({ timeout: 50 }).get('a'), 'TIMEOUT');
    const b = store.get('b');
    server.process.kill('SIGCONT');
    assert.equal(await b, 'of b');
    assert.equal(await store.get('a'), 'of a');
  });

  it('is repeated if it reads and its reply was cut, and fails if it writes', async () => {
    await store.set('k', 'a long value');
    gateway.cutAfter(6);
    assert.equal(await store.get('k'), 'a long value');
    gateway.cutAfter(2);
    const error = await rejectsWith(store.incr('n'), 'UNREACHABLE');
    assert.ok(error.mayHaveRun);
    assert.equal(await store.get('n'), '1');
    gateway.cutAfter(2);
    const increment = store.script({
      keys: ['k'],
      repeatable: true,
      lua: `return redis.call('SET', k, 7).ok`,
    });
    assert.equal(await increment({ k: 'n' }), 'OK');
  });

  it('continues with a server that was killed and restarted', async () => {
    await store.set('k', 'v');
    const events: string[] = [];
    for (const name of ['disconnected', 'reconnected'] as const) store.on(name, () => events.push(name));
    await server.stop();
    const calls = [store.get('k'), store.with({ timeout: 60_000 }).set('n', 1)].map((call) =>
      call.catch((error: unknown) => error),
    );
    server = await startRedis();
    gateway.target = server.port;
    const [got, set] = await Promise.all(calls);
    assert.ok(got === null || got instanceof StoreError, String(got));
    assert.ok(set === 'OK' || (set instanceof StoreError && set.mayHaveRun), String(set));
    await until('the store works', () => store.ping().then((reply) => reply === 'PONG'));
    assert.deepEqual([...new Set(events)], ['disconnected', 'reconnected']);
    await using news = await store.subscribe('news');
    await store.publish('news', 'back');
    assert.equal((await news.next()).value?.message, 'back');
  });

  it('leaves no lock, permit or element to a caller that was aborted', async () => {
    const all = locks(store);
    const permits = semaphores(store, { limit: 1 });
    const list = shardedList(store, 'list');
    await all.run('warm', () => 1);
    await permits.run('warm', () => 1);
    await list.pushRight('element');
    server.process.kill('SIGSTOP');
    await Promise.all([
      rejectsWith(all.acquire('a', { wait: 100 }), 'TIMEOUT', /no answer/),
      rejectsWith(permits.acquire('a', { wait: 100 }), 'TIMEOUT', /no answer/),
      rejectsWith(list.takeLeft({ wait: 100 }), 'TIMEOUT', /no answer/),
    ]);
    server.process.kill('SIGCONT');
    // Their leases are thirty seconds, so they must have been released.
    const begun = performance.now();
    await until('the lock is free', async () => (await locks(observer).tryAcquire('a')) !== undefined);
    await until(
      'the permit is free',
      async () => (await semaphores(observer, { limit: 1 }).status('a')).held === 0,
    );
    await until('the element is back', async () => (await shardedList(observer, 'list').length()) === 1);
    assert.ok(performance.now() - begun < 20_000);
  });

  it('of a held lock: the lock is lost in time, and its holder is informed', async () => {
    const lock = await locks(store).acquire('a', { lease: 500 });
    server.process.kill('SIGSTOP');
    const reason = await new Promise<StoreError>((resolve) => {
      lock.signal.addEventListener('abort', () => resolve(lock.signal.reason as StoreError));
    });
    assert.equal(reason.code, 'LOST');
  });

  it('ends a blocking call without a timeout when the server stops replying', {
    timeout: 60_000,
  }, async () => {
    const waiting = rejectsWith(store.blpop('list', 0), 'UNREACHABLE');
    await until('it waits', async () =>
      String(await observer.send('INFO', 'clients')).includes('blocked_clients:1'),
    );
    await gateway.set('silent');
    assert.ok((await waiting).mayHaveRun);
  });
});

it('A thread that hangs is ended by close(), and so are its stores', { timeout: 60_000 }, async () => {
  const worker = await openWorker('memory:', { settings: { 'enable-debug-command': 'yes' } });
  const store = await worker.open({ commandTimeout: 200 });
  const other = await worker.open({ commandTimeout: 120_000 });
  const sleeping = other.send('DEBUG', 'SLEEP', 120);
  const ended = rejectsWith(sleeping, 'CLOSED');
  await rejectsWith(store.set('k', 'v'), 'TIMEOUT');
  await worker.close();
  await ended;
});
