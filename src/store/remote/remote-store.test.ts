import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient, createCluster, createSentinel } from 'redis';
import type { EmbeddedStore, Listener } from '../embedded-store.js';
import { open } from '../open.js';
import type { ClientLike } from '../options.js';

let engine: EmbeddedStore;
let listener: Listener;

before(async () => {
  engine = await open('memory:', { settings: { requirepass: 'secret' } });
  listener = await engine.listen({ port: 0 });
});

after(() => engine.close());

function address(): string {
  return listener.address.replace('//', '//:secret@');
}

async function blocked(): Promise<void> {
  while (!String(await engine.send('INFO', 'clients')).includes('blocked_clients:1')) await turn();
}

describe('a store on a server', () => {
  it('distinguishes a wrong password from an unreachable server', async () => {
    await assert.rejects(open(listener.address.replace('//', '//:wrong@')), { code: 'WRONGPASS' });
    await assert.rejects(open('redis://127.0.0.1:1'), {
      code: 'UNREACHABLE',
      message: /127\.0\.0\.1:1: .*Check/,
    });
    await assert.rejects(open(address(), { reads: 'any' }), { code: 'OPTION', message: /not for servers/ });
  });

  it('reuses the connection of a blocking call, and an aborted call does not affect the next one', async () => {
    await using store = await open(address());
    for (let round = 0; round < 3; round++) {
      const controller = new AbortController();
      const waiting = store.with({ signal: controller.signal }).blpop('list', 0);
      await blocked();
      controller.abort();
      await assert.rejects(waiting, { code: 'ABORTED' });
      const served = store.blpop('list', 0);
      await blocked();
      await engine.rpush('list', `element ${round}`);
      assert.deepEqual(await served, { key: 'list', element: `element ${round}` });
    }
    assert.equal(await engine.llen('list'), 0);
  });

  it('accepts a database, a client name and options of ioredis', async () => {
    await using store = await open(`${address()}/2`, { clientName: 'me', ioredis: { keyPrefix: 'app:' } });
    await store.set('key', 'value');
    assert.equal(await store.send('CLIENT GETNAME'), 'me');
    await using other = await open(`${address()}/2`);
    assert.equal(await other.get('app:key'), 'value');
    assert.equal(await engine.exists('app:key'), 0);
  });

  it('connects to the server of a given ioredis client, and does not touch the client', async () => {
    const client = new Redis(address(), { lazyConnect: true, db: 3 });
    const store = await open(client);
    assert.equal(await store.exact.incrby('n', 2n ** 53n + 1n), 2n ** 53n + 1n);
    await store.close();
    assert.equal(client.status, 'wait');
    assert.equal(await client.get('n'), '9007199254740993');
    client.disconnect();
  });

  it('connects to the server of a given node-redis client, and does not touch the client', async () => {
    const client = createClient({ url: `${address()}/4` });
    const store = await open(client);
    assert.deepEqual(await store.transaction((queue) => [queue.set('key', 'väl'), queue.get('key')]), [
      'OK',
      'väl',
    ]);
    assert.deepEqual(await store.bytes.get('key'), Buffer.from('väl'));
    await store.close();
    assert.equal(client.isOpen, false);
  });

  it('ends pipelines, transactions and scans when their signal aborts', async () => {
    await using store = await open(address());
    await engine.mset(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`scanned:${i}`, i])));
    const scanning = new AbortController();
    const scan = async (): Promise<void> => {
      for await (const _ of store.with({ signal: scanning.signal }).scan({ count: 1 })) scanning.abort();
    };
    await assert.rejects(scan(), { code: 'ABORTED' });
    const controller = new AbortController();
    const view = store.with({ signal: controller.signal });
    engine.sync.send('CLIENT', 'PAUSE', 600_000, 'WRITE');
    try {
      const ended = [
        view.pipeline((queue) => [queue.set('paused', 1)]),
        view.transaction((queue) => [queue.set('paused', 1)]),
        view.transaction({ watch: ['paused'] }, (queue) => [queue.set('paused', 1)]),
        view.set('paused', 1),
      ].map((call) => assert.rejects(call, { code: 'ABORTED' }));
      await turn();
      controller.abort();
      await Promise.all(ended);
      await assert.rejects(
        view.pipeline(() => []),
        { code: 'ABORTED' },
      );
      await assert.rejects(view.subscribe('news'), { code: 'ABORTED' });
    } finally {
      engine.sync.send('CLIENT', 'UNPAUSE');
    }
  });

  it('leaves no subscription behind if it is closed before the subscription is confirmed', async () => {
    const store = await open(address());
    const subscribing = store.subscribe('late');
    await store.close();
    await assert.rejects(subscribing, { code: 'CLOSED' });
    while ((await engine.send<readonly [string, number]>('PUBSUB', 'NUMSUB', 'late'))[1] !== 0) await turn();
  });

  it('waits for an unreachable server with commands, blocking calls and transactions', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-away-'));
    const path = join(folder, 'socket');
    await using own = await open();
    const first = await own.listen({ path });
    await using store = await open(`unix:${path}`);
    await store.set('n', 1);
    await first.close();
    const calls = Promise.all([
      store.get('n'),
      store.blpop('list', 0),
      store.transaction({ watch: ['n'] }, async (queue, watched) => {
        assert.equal(await watched.get('n'), '1');
        return [queue.append('text', 'a')];
      }),
    ]);
    await turn();
    await own.listen({ path });
    await own.rpush('list', 'x');
    assert.deepEqual(await calls, ['1', { key: 'list', element: 'x' }, [1]]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('says why the latest attempt to reconnect failed', async () => {
    await using own = await open();
    const first = await own.listen({ port: 0 });
    await using store = await open(first.address, { commandTimeout: 400 });
    const lost = new Promise((resolve) => store.on('disconnected', resolve));
    await first.close();
    await lost;
    const expected = { code: 'UNREACHABLE', message: /could not be sent within 400 ms: .*ECONNREFUSED/ };
    await Promise.all([
      assert.rejects(store.set('k', 'v'), expected),
      assert.rejects(
        store.pipeline((queue) => [queue.set('k', 'v')]),
        expected,
      ),
      assert.rejects(
        store.transaction((queue) => [queue.set('k', 'v')]),
        expected,
      ),
      assert.rejects(store.blpop('list', 0), expected),
    ]);
  });

  it('runs transactions on a node-redis client again after the server was unreachable', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-away-'));
    const path = join(folder, 'socket');
    await using own = await open();
    const first = await own.listen({ path });
    const store = await open(createClient({ socket: { path, tls: false } }), { commandTimeout: 500 });
    const increment = (): Promise<unknown> => store.transaction((queue) => [queue.incr('n')]);
    assert.deepEqual(await increment(), [1]);
    await first.close();
    // The client may notice the lost connection a little later.
    await assert.rejects(increment(), { name: 'StoreError' });
    await assert.rejects(increment(), { code: 'UNREACHABLE' });
    await own.listen({ path });
    assert.deepEqual(await Promise.all([increment(), increment()]), [[2], [3]]);
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('refuses a value that is neither an address nor a client', async () => {
    await assert.rejects(open({ sendCommand() {}, duplicate() {} }), { code: 'ADDRESS', message: /neither/ });
    await assert.rejects(open(null as never), { code: 'ADDRESS', message: /neither/ });
    const cluster = createCluster({ rootNodes: [{ url: address() }] });
    await assert.rejects(open(cluster as ClientLike), { code: 'ADDRESS', message: /redis\+cluster:/ });
    const sentinel = createSentinel({ name: 'name', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] });
    await assert.rejects(open(sentinel as ClientLike), { code: 'ADDRESS', message: /redis\+sentinel:/ });
  });
});
