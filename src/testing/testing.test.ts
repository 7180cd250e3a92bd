import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Queue, Worker } from 'bullmq';
import * as ioredis from 'ioredis';
import * as nodeRedis from 'redis';
import { type EmbeddedStore, open } from '../store/index.js';
import { replaceIoredis, replaceNodeRedis, setupStore, sharedStore } from './index.js';

describe('A replacement of ioredis', () => {
  it('leads every client to the store, whatever its arguments', async () => {
    await using store = await open();
    const { Redis } = replaceIoredis(ioredis, store);
    const clients = [
      new Redis(),
      new Redis(6390, 'nowhere.invalid'),
      new Redis(6390, 'nowhere.invalid', { connectionName: 'third' }),
      new Redis('redis://user:secret@nowhere.invalid:6390/0'),
      new Redis('rediss://nowhere.invalid', { keyPrefix: '' }),
      new Redis({ host: 'nowhere.invalid', password: 'secret', tls: {} }),
      new Redis({ sentinels: [{ host: 'nowhere.invalid', port: 1 }], name: 'mymaster' }),
      new Redis('/nowhere/socket'),
      new Redis({ lazyConnect: true }),
    ];
    for (const [at, client] of clients.entries()) {
      await client.set(`key ${at}`, at);
      assert.equal(await store.get(`key ${at}`), `${at}`);
      assert.ok(client instanceof Redis);
    }
    const copy = (clients[0] as ioredis.Redis).duplicate();
    assert.equal(await copy.get('key 1'), '1');
    for (const client of [...clients, copy]) client.disconnect();
  });

  it('keeps the options that are not an address: database, prefix, scripts', async () => {
    await using store = await open();
    const { Redis } = replaceIoredis(ioredis, store);
    const other = new Redis('redis://nowhere.invalid/2', {
      keyPrefix: 'app:',
      scripts: { twice: { numberOfKeys: 1, lua: "return redis.call('INCRBY', KEYS[1], 2)" } },
    });
    await (other as unknown as { twice(key: string): Promise<number> }).twice('n');
    assert.equal(await store.dbsize(), 0);
    assert.equal(await other.get('n'), '2');
    const plain = new Redis({ db: 2 });
    assert.deepEqual(await plain.keys('*'), ['app:n']);
    plain.disconnect();
    other.disconnect();
  });

  it('has the shape of the module, also for `require`, and a Cluster of one node', async () => {
    await using store = await open();
    const replaced = replaceIoredis(ioredis, store);
    const required = replaced.default as unknown as Record<string, unknown>;
    assert.equal(required['Redis'], replaced.Redis);
    assert.equal(required['default'], replaced.Redis);
    assert.equal(required['Command'], ioredis.Command);
    const again = replaceIoredis(required, store) as unknown as typeof ioredis;
    assert.equal(typeof again.Redis, 'function');
    const cluster = new replaced.Cluster([{ host: 'nowhere.invalid', port: 7000 }], {
      redisOptions: { keyPrefix: 'c:' },
    });
    await cluster.set('key', 1);
    assert.equal(await store.get('c:key'), '1');
    assert.equal(cluster.nodes('master').length, 1);
    cluster.disconnect();
  });

  it('works for libraries that take a client, and ends with the store', async () => {
    const store = await open();
    const { Redis } = replaceIoredis(ioredis, store);
    const connection = new Redis({ maxRetriesPerRequest: null });
    const queue = new Queue('q', { connection });
    const done = new Promise((resolve) => {
      const worker = new Worker('q', async ({ data }) => data, { connection });
      worker.on('completed', (job) => worker.close().then(() => resolve(job.data)));
    });
    await queue.add('task', 7);
    assert.equal(await done, 7);
    await queue.close();
    const ended = new Promise((resolve) => connection.once('end', resolve));
    await store.close();
    await ended;
  });

  it('can be disconnected before it has connected', async () => {
    await using store = await open();
    const { Redis } = replaceIoredis(ioredis, store);
    const client = new Redis();
    client.disconnect();
    await assert.rejects(client.get('key'), /Connection is closed/);
  });
});

describe('A replacement of node-redis', () => {
  it('leads clients to the store, whatever their address', async () => {
    await using store = await open();
    const { createClient, createClientPool, createCluster } = replaceNodeRedis(nodeRedis, store);
    const options = [
      {},
      { url: 'redis://user:secret@nowhere.invalid:6390' },
      { socket: { host: 'nowhere.invalid', port: 6390 }, password: 'secret' },
      { url: 'rediss://nowhere.invalid/1' },
    ];
    for (const [at, option] of options.entries()) {
      const client = await createClient(option).connect();
      await client.set('key', `${at}`);
      assert.equal(await client.get('key'), `${at}`);
      client.destroy();
    }
    assert.equal(await store.get('key'), '2', 'the last one has used database 1');
    const client = await createClient().connect();
    const copy = await client.duplicate().connect();
    assert.deepEqual(await copy.multi().incr('n').incr('n').exec(), [1, 2]);
    copy.destroy();
    client.destroy();
    const pool = createClientPool({ url: 'redis://nowhere.invalid' });
    await pool.connect();
    assert.equal(await pool.get('n'), '2');
    pool.destroy();
    assert.throws(() => createCluster({ rootNodes: [] }), { code: 'MISUSE' });
  });
});

/** A runner with one list of tests, as far as hooks are concerned. */
class Runner {
  readonly #each: (() => void)[] = [];
  readonly #ends: (() => Promise<void>)[] = [];
  readonly beforeEach = (work: () => void): void => void this.#each.push(work);
  readonly afterAll = (work: () => Promise<void>): void => void this.#ends.push(work);

  async test(body: () => unknown): Promise<void> {
    for (const work of this.#each) assert.equal(work(), undefined, 'Vitest would take it for a clean-up');
    await body();
  }

  async end(): Promise<void> {
    for (const work of this.#ends) await work();
  }
}

describe('The setup of a store', () => {
  it('restores before each test what was there before the first, and closes the store', async () => {
    const runner = new Runner();
    const store: EmbeddedStore = setupStore(runner);
    await store.set('seed', 'from beforeAll');
    await runner.test(() => store.set('seed', 'changed'));
    await runner.test(async () => {
      assert.equal(await store.get('seed'), 'from beforeAll');
      await store.flushall();
    });
    await runner.test(async () => assert.equal(await store.get('seed'), 'from beforeAll'));
    await runner.end();
    await assert.rejects(store.get('seed'), { code: 'CLOSED' });
  });

  it('uses the shared store, which is opened once', async () => {
    const runner = new Runner();
    const store = sharedStore({ seed: 1 });
    assert.throws(() => sharedStore({ seed: 2 }), { code: 'OPTION', message: /open already/ });
    assert.equal(setupStore({ beforeEach: runner.beforeEach, after: runner.afterAll }), store);
    const { Redis } = replaceIoredis(ioredis);
    const client = new Redis();
    await client.set('key', 1);
    assert.equal(await store.get('key'), '1');
    await runner.end();
    assert.notEqual(sharedStore(), store);
    await sharedStore().close();
  });

  it('says what to pass', () => {
    assert.throws(() => setupStore({} as never), { code: 'OPTION', message: /pass the hooks/ });
    assert.throws(() => setupStore({ beforeEach: () => {} }), { code: 'OPTION' });
    assert.throws(() => setupStore(undefined as never), { code: 'OPTION' });
  });
});
