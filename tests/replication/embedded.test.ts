import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { locks } from '../../src/kit/locks/index.js';
import { serve } from '../../src/server/index.js';
import { type EmbeddedStore, open, type Store } from '../../src/store/index.js';
import { RawClient } from '../oracle/support/index.js';
import {
  ask,
  type Server,
  startSentinelGroup,
  stopAllServers,
  whenRedisIsInstalled,
} from '../support/fleet/index.js';
import { freePort } from '../support/fleet/server-process.js';
import { type Kind, startServer, until } from './support.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
after(stopAllServers);

async function started(kind: Kind, options: readonly string[] = []): Promise<Server> {
  const server = await startServer(kind, options);
  closing.push(() => server.stop());
  return server;
}

async function replicaOf(address: string, options: Parameters<typeof open>[1] = {}): Promise<EmbeddedStore> {
  const store = await open('memory:', { replicaOf: address, ...options });
  closing.push(() => store.close());
  return store;
}

for (const kind of ['redis', 'sorrel'] as const) {
  describe(`an embedded replica of ${kind}`, whenRedisIsInstalled, () => {
    it('has all data when it is open, follows, and refuses writes', async () => {
      const master = await started(kind, ['--requirepass', 'secret']);
      const remote = await open(`redis://:secret@127.0.0.1:${master.port}`);
      closing.push(() => remote.close());
      await remote.set('greeting', 'hello');
      const store = await replicaOf(`redis://:secret@127.0.0.1:${master.port}`);
      assert.equal(await store.get('greeting'), 'hello');
      assert.equal(store.sync.get('greeting'), 'hello');
      assert.equal(store.replication?.state, 'connected');
      assert.equal(store.replication.master, `127.0.0.1:${master.port}`);
      await remote.set('greeting', 'good day');
      await store.replication.catchUp();
      assert.equal(store.sync.get('greeting'), 'good day');
      assert.ok(store.replication.offset > 0);
      await until(
        'the lag is known',
        async () => store.replication?.lag ?? 0,
        (lag) => lag < 5000,
      );
      await assert.rejects(store.set('greeting', 'no'), { code: 'READONLY' });
      await assert.rejects(store.send('REPLICAOF', 'NO', 'ONE'), /decides what it follows/);
      const news = await store.subscribe('news');
      closing.push(() => news.close());
      await remote.publish('news', 'rain');
      for await (const { message } of news) {
        assert.equal(message, 'rain');
        break;
      }
    });

    it('forwards writes, and reads what it has written', async () => {
      const master = await started(kind);
      const store = await replicaOf(`redis://127.0.0.1:${master.port}`, { writes: 'forward' });
      for (let i = 0; i < 50; i++) {
        await store.set('n', i);
        assert.equal(store.sync.get('n'), String(i));
      }
      assert.equal(await store.incr('n'), 50);
      assert.deepEqual(await store.pipeline((queue) => [queue.set('a', 1), queue.get('a')]), ['OK', '1']);
      assert.deepEqual(await store.transaction((queue) => [queue.incr('a'), queue.get('a')]), [2, '2']);
      const [left] = await store.transaction({ watch: ['a'] }, async (queue, watched) => {
        const a = Number(await watched.send('GET', 'a'));
        return [queue.send('SET', 'a', a * 10)];
      });
      assert.equal(left, 'OK');
      assert.equal(store.sync.get('a'), '20');
      await store.rpush('list', 'x');
      assert.deepEqual(await store.blpop('list', 1), { key: 'list', element: 'x' });
      assert.equal(store.sync.exists('list'), 0);
      await assert.rejects(store.send('INCR', 'list2', 'x', 'y'), { code: 'ERR' });
      await using lock = await locks(store).acquire('resource');
      assert.ok(lock.isHeld);
      assert.equal(await ask(master.port, 'GET', 'a'), '20');
    });

    it('with maxLag fails while the master is away, and recovers', async () => {
      const master = await started(kind);
      await ask(master.port, 'SET', 'key', 'value');
      const store = await replicaOf(`redis://127.0.0.1:${master.port}`, { maxLag: 300 });
      const states: string[] = [];
      store.replication?.on('change', ({ state }) => states.push(state));
      await until(
        'it is fresh',
        () => store.get('key'),
        (value) => value === 'value',
      );
      master.process.kill('SIGSTOP');
      await until(
        'it is stale',
        () => store.get('key').catch(({ code }) => code as string),
        (code) => code === 'STALE',
      );
      assert.throws(() => store.sync.get('key'), { code: 'STALE' });
      master.process.kill('SIGCONT');
      await until(
        'it is fresh again',
        () => store.get('key'),
        (value) => value === 'value',
      );
      await ask(master.port, 'CLIENT', 'KILL', 'TYPE', 'replica');
      await until(
        'it has reconnected',
        async () => states.join(),
        (all) => all.includes('connecting,connected'),
      );
    });
  });
}

describe('an embedded replica', whenRedisIsInstalled, () => {
  it('in a folder continues after a restart', async () => {
    const master = await started('redis');
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-embedded-replica-'));
    closing.push(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const options = {
      replicaOf: `redis://127.0.0.1:${master.port}`,
      settings: { appendonly: false, save: '3600 1' },
    };
    await ask(master.port, 'SET', 'a', '1');
    const first = await open(`file:${folder}`, options);
    assert.equal(await first.get('a'), '1');
    await first.close();
    await ask(master.port, 'SET', 'b', '2');
    await using second = await open(`file:${folder}`, options);
    assert.equal(await second.get('b'), '2');
    const stats = String(await ask(master.port, 'INFO', 'stats'));
    assert.match(stats, /sync_full:1\r\nsync_partial_ok:1\r\n/);
  });

  it('can be the master of others', async () => {
    const master = await started('redis');
    await ask(master.port, 'SET', 'a', '1');
    const settings = { 'repl-diskless-sync-delay': 0 };
    const store = await replicaOf(`redis://127.0.0.1:${master.port}`, { settings });
    await using listener = await store.listen({ port: 0 });
    await using below = await open('memory:', { replicaOf: listener.address });
    assert.equal(await below.get('a'), '1');
    await ask(master.port, 'SET', 'a', '2');
    await until(
      'it has followed',
      () => below.get('a'),
      (value) => value === '2',
    );
  });

  it('is followed through any of its listeners, whichever others are closed', async () => {
    await using store = await open('memory:', { settings: { 'repl-diskless-sync-delay': 0 } });
    const first = await store.listen({ port: 0 });
    await using second = await store.listen({ port: 0 });
    await using below = await open('memory:', { replicaOf: second.address });
    await first.close();
    await store.set('a', '1');
    assert.equal(await store.wait(1, 10_000), 1);
    assert.equal(await below.get('a'), '1');
    assert.equal(below.replication?.state, 'connected');
  });

  it('follows the master that Sentinels choose', { timeout: 120_000 }, async () => {
    const group = await startSentinelGroup();
    closing.push(() => group.stop());
    const hosts = group.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
    const store: EmbeddedStore & Store = await replicaOf(`redis+sentinel://${hosts}/${group.name}`, {
      writes: 'forward',
    });
    await store.set('before', 'failover');
    const former = await group.masterPort();
    const successor = group.servers.slice(0, 2).find(({ port }) => port !== former) as Server;
    await until(
      'the successor has the write',
      () => ask(successor.port, 'GET', 'before'),
      (value) => value === 'failover',
    );
    let requestedAt = 0;
    await until(
      'there is another master',
      async () => {
        const port = await group.masterPort();
        // A failover may fail on a busy machine: then another one is requested.
        if (port === former && Date.now() - requestedAt > 20_000) {
          requestedAt = Date.now();
          await ask(group.sentinelPorts[0] as number, 'SENTINEL', 'FAILOVER', group.name).catch(() => {});
        }
        return port;
      },
      (port) => port !== former,
    );
    await until(
      'a write succeeds',
      () => store.set('after', 'failover'),
      (reply) => reply === 'OK',
    );
    assert.equal(store.sync.get('before'), 'failover');
    assert.equal(store.sync.get('after'), 'failover');
    const present = `127.0.0.1:${await group.masterPort()}`;
    await until(
      'it follows the new master',
      async () => store.replication,
      (replication) => replication?.master === present && replication.state === 'connected',
    );
  });

  it('connects again during a slow script, and tells its listeners after it', async () => {
    const master = await started('redis');
    await ask(master.port, 'SET', 'key', 'value');
    const store = await replicaOf(`redis://127.0.0.1:${master.port}`, {
      settings: { 'busy-reply-threshold': 10 },
      scriptTimeout: 1000,
    });
    let isInScript = false;
    const called: boolean[] = [];
    store.replication?.on('change', () => called.push(isInScript));
    const client = await RawClient.connect(master.port);
    const killed = client.call(['CLIENT', 'KILL', 'TYPE', 'replica']);
    isInScript = true;
    // It is ended by its time limit.
    assert.throws(() => store.sync.send('EVAL', 'while true do end', 0));
    isInScript = false;
    assert.equal(store.replication?.state, 'connected', 'again');
    await killed;
    client.close();
    const stats = String(await ask(master.port, 'INFO', 'stats'));
    assert.match(stats, /sync_full:1\r\nsync_partial_ok:1\r\n/);
    await ask(master.port, 'SET', 'key', 'other');
    await store.replication?.catchUp();
    assert.equal(store.sync.get('key'), 'other');
    assert.ok(!called.includes(true));
  });

  it('reports what is wrong', async () => {
    const port = await freePort();
    await assert.rejects(open('memory:', { replicaOf: `redis://127.0.0.1:${port}` }), {
      code: 'UNREACHABLE',
    });
    await assert.rejects(open('memory:', { replicaOf: 'memory:' }), { code: 'OPTION' });
    await assert.rejects(open('memory:', { writes: 'forward' }), {
      code: 'OPTION',
      message: /only for stores with 'replicaOf'/,
    });
    await assert.rejects(open('memory:', { settings: { replicaof: '127.0.0.1 6379' } }), {
      code: 'OPTION',
      message: /replicaOf/,
    });
    await using server = await serve({ port, requirepass: 'secret' });
    await assert.rejects(
      open('memory:', { replicaOf: `redis://127.0.0.1:${server.port}`, connectTimeout: 500 }),
    );
  });
});
