import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Redis } from 'ioredis';
import { type EngineWorker, ManualClock, openWorker, type Store } from '../../src/store/index.js';

const LIMIT = { timeout: 120_000 };

describe('an engine in its own thread', LIMIT, () => {
  let worker: EngineWorker;
  let store: Store;

  before(async () => {
    worker = await openWorker();
    store = await worker.open();
  });
  after(() => worker.close());

  it('returns short and long values unchanged', async () => {
    const bytes = Buffer.alloc(3_000_000, Buffer.from([0, 255, 13, 10]));
    await store.send('SET', 'bytes', bytes);
    await store.send('SET', 'text', 'häß €😀'.repeat(100_000));
    assert.ok(bytes.equals((await store.bytes.send('GET', 'bytes')) as Buffer));
    assert.equal(await store.send('GET', 'text'), 'häß €😀'.repeat(100_000));
  });

  it('replies to concurrent calls in order', async () => {
    const numbers = Array.from({ length: 2_000 }, (_, i) => String(i));
    const echoes = await Promise.all(
      numbers.map((text, i) =>
        i % 7 === 0 ? store.send('ECHO', Buffer.from(text)) : store.send('ECHO', text),
      ),
    );
    assert.deepEqual(echoes, numbers);
  });

  it('lets one call block while others continue', async () => {
    const waiting = store.send('BLPOP', 'list', '0');
    await store.send('RPUSH', 'list', 'a');
    assert.deepEqual(await waiting, ['list', 'a']);
  });

  it('sends the messages of a channel', async () => {
    const other = await worker.open();
    const news = await other.subscribe('news');
    await store.send('PUBLISH', 'news', 'rain');
    const { value } = await news[Symbol.asyncIterator]().next();
    assert.equal(value?.message, 'rain');
    await other.close();
  });

  it('is shared by threads', async () => {
    const threads = [startThread(), startThread()];
    const done = threads.map((thread) => once(thread, 'message'));
    for (const thread of threads) {
      const port = worker.port();
      thread.postMessage({ port, times: 500 }, [port]);
    }
    await Promise.all(done);
    assert.equal(await store.send('GET', 'counter'), '1000');
    for (const thread of threads) await thread.terminate();
  });

  it('has the databases that stores select', async () => {
    const second = await worker.open({ database: 2 });
    await second.send('SET', 'only', 'here');
    assert.equal(await store.send('EXISTS', 'only'), 0);
    await second.close();
  });

  it('serves ioredis, and ends its clients permanently when it is closed', async () => {
    const own = await openWorker();
    const redis = new Redis({ Connector: await own.connector() });
    const waiting = redis.duplicate();
    await redis.set('a', 1);
    const lost = assert.rejects(waiting.blpop('list', 0), /closed/);
    const stores = await own.open();
    const alsoLost = assert.rejects(stores.send('BLPOP', 'list', '0'), { code: 'CLOSED' });
    while (!/blocked_clients:2/.test((await redis.info('clients')) as string))
      await new Promise(setImmediate);
    const ended = Promise.all([once(redis, 'end'), once(waiting, 'end')]);
    await own.close();
    await Promise.all([ended, lost, alsoLost]);
    await assert.rejects(stores.send('GET', 'a'), { code: 'CLOSED' });
    await assert.rejects(own.open(), { name: 'StoreError' });
    await stores.close();
  });
});

describe('closing an engine in a thread', LIMIT, () => {
  it('ends blocked calls immediately, in stores and in their duplicates', async () => {
    const worker = await openWorker();
    const store = await worker.open();
    const duplicate = await store.duplicate();
    const third = await duplicate.duplicate();
    const waiting = [store, duplicate, third].map((each) =>
      assert.rejects(each.blpop('list', 0), { code: 'CLOSED' }),
    );
    const news = await duplicate.subscribe('news');
    const heard = assert.rejects(news.next(), { code: 'CLOSED' });
    await untilBlocked(store, 3);
    await worker.close();
    const closedAt = performance.now();
    await Promise.all([...waiting, heard]);
    // Reconnecting would take ten seconds.
    assert.ok(performance.now() - closedAt < 5_000);
    await assert.rejects(duplicate.get('a'), { code: 'CLOSED' });
    await assert.rejects(third.duplicate(), { code: 'CLOSED' });
    await assert.rejects(worker.open(), { code: 'CLOSED' });
  });

  it('releases stores that were closed before', async () => {
    await using worker = await openWorker();
    const store = await worker.open();
    for (let i = 0; i < 20; i++) await (await store.duplicate()).close();
    assert.equal(await store.ping(), 'PONG');
    const clients = await store.clientList();
    assert.ok(clients.length < 20, `${clients.length}`);
  });
});

describe('the clock of an engine in a thread', LIMIT, () => {
  it('follows the clock of this thread: keys expire, blocked calls time out, stores have its time', async () => {
    const clock = new ManualClock();
    await using worker = await openWorker('memory:', { clock });
    const store = await worker.open();
    assert.equal(store.time.now(), clock.now());
    await store.set('session', 'ann', { ex: 3600 });
    const popped = store.blpop('jobs', 30);
    await untilBlocked(store, 1);
    let rang = 0;
    store.time.after(20_000, () => rang++);
    clock.advance(29_999);
    assert.equal(rang, 1);
    assert.equal(await store.ttl('session'), 3570);
    clock.advance(1);
    assert.equal(await popped, null);
    clock.advance(3_600_000);
    assert.equal(await store.get('session'), null);
    const duplicate = await store.duplicate();
    assert.equal(duplicate.time.now(), clock.now());
  });

  it('may move before the thread is ready, and after it has ended', async () => {
    const clock = new ManualClock();
    const starting = openWorker('memory:', { clock });
    clock.advance(5_000);
    const worker = await starting;
    const store = await worker.open();
    assert.equal(Number((await store.send<readonly string[]>('TIME'))[0]) * 1000, clock.now());
    await worker.close();
    clock.advance(5_000);
  });
});

describe('starting an engine in a thread', LIMIT, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-worker-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps data in a folder, which is locked while the engine runs', async () => {
    const first = await openWorker(`file:${folder}`, { settings: { appendfsync: 'always' } });
    const store = await first.open();
    await store.send('SET', 'kept', 'yes');
    await assert.rejects(openWorker(`file:${folder}`), { name: 'StoreError', code: 'LOCKED' });
    await store.close();
    await first.close();
    await using second = await openWorker(`file:${folder}`);
    await using again = await second.open();
    assert.equal(await again.send('GET', 'kept'), 'yes');
  });

  it('fails with a reason if the address or an option is invalid', async () => {
    const given = (options: object): Promise<EngineWorker> => openWorker('memory:', options);
    await assert.rejects(openWorker('redis://host' as 'memory:'), {
      code: 'ADDRESS',
      message: /memory: or file:/,
    });
    await assert.rejects(given({ seeds: 1 }), { code: 'OPTION', message: /'seeds' is unknown/ });
    await assert.rejects(given({ clock: 5 }), { code: 'OPTION', message: /must be a ManualClock/ });
    await assert.rejects(given({ database: 1 }), { code: 'OPTION', message: /'database' is not for/ });
    await assert.rejects(given({ settings: { maxmemroy: 1 } }), { code: 'OPTION', message: /'maxmemroy'/ });
    await using worker = await openWorker();
    await assert.rejects(worker.open({ db: 1 } as object), { code: 'OPTION', message: /'db' is unknown/ });
  });
});

async function untilBlocked(store: Store, count: number): Promise<void> {
  while (Number((await store.info('clients')).blocked_clients) !== count) await new Promise(setImmediate);
}

function startThread(): Worker {
  const module = new URL('./support/counting-thread.ts', import.meta.url);
  const compiling = new URL('../../scripts/source-thread.mjs', import.meta.url);
  return new Worker(compiling, { argv: [module.href], execArgv: [] });
}
