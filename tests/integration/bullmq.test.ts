import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { type ConnectionOptions, type Job, Queue, QueueEvents, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type EmbeddedStore, open } from '../../src/store/index.js';
import { startSorrel } from '../support/fleet/index.js';

const JOBS = 1000;

interface Place {
  readonly connection: ConnectionOptions;
  stop(): Promise<unknown>;
}

/** The servers or engines that the queues run on. */
const PLACES: readonly (readonly [name: string, start: () => Promise<Place>])[] = [
  [
    'our server',
    async () => {
      const server = await startSorrel();
      return {
        connection: { host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null },
        stop: () => server.stop(),
      };
    },
  ],
  [
    'an engine of its own process, with no server',
    async () => {
      const store = await open();
      return {
        connection: { Connector: await store.connector(), maxRetriesPerRequest: null },
        stop: () => store.close(),
      };
    },
  ],
];

describe('BullMQ with given clients', { timeout: 60_000 }, () => {
  it('duplicates them for blocking calls, and closes all connections', async () => {
    await using store = await open();
    const connection = new Redis({ Connector: await store.connector(), maxRetriesPerRequest: null });
    const queue = new Queue('given', { connection });
    const events = new QueueEvents('given', { connection });
    const worker = new Worker('given', async (job) => job.data.number * 2, { connection });
    const job = await queue.add('double', { number: 21 });
    assert.equal(await job.waitUntilFinished(events, 50_000), 42);
    await worker.close();
    await events.close();
    await queue.close();
    await connection.quit();
    while ((await clients(store)).length > 0) await new Promise(setImmediate);
  });
});

/** The lines of CLIENT LIST, without the store's own. */
async function clients(store: EmbeddedStore): Promise<string[]> {
  const list = await store.send<string>('CLIENT', 'LIST');
  return list.split('\n').filter((line) => line.includes(' addr=embedded:0 '));
}

for (const [name, start] of PLACES) describe(`BullMQ runs on ${name}`, () => queuesRun(start));

function queuesRun(start: () => Promise<Place>): void {
  let place: Place;
  let connection: ConnectionOptions;

  before(async () => {
    place = await start();
    ({ connection } = place);
  });
  after(() => place.stop());

  it('a queue of jobs with retries, delays and priorities is processed completely', {
    timeout: 120_000,
  }, async () => {
    const queue = new Queue('mixed', { connection });
    const attempts = new Map<string, number>();
    const worker = new Worker(
      'mixed',
      async (job: Job<{ failures: number }>) => {
        const made = (attempts.get(job.id as string) ?? 0) + 1;
        attempts.set(job.id as string, made);
        if (made <= job.data.failures) throw new Error(`attempt ${made}`);
        return made;
      },
      { connection, concurrency: 20, autorun: false },
    );
    worker.on('error', (error) => assert.fail(error));
    const jobs = await queue.addBulk(
      Array.from({ length: JOBS }, (_, i) => ({
        name: 'job',
        data: { failures: i % 10 === 0 ? 2 : 0 },
        opts: {
          attempts: 3,
          backoff: { type: 'fixed', delay: 5 },
          ...(i % 7 === 0 ? { delay: 20 } : {}),
          ...(i % 3 === 0 ? { priority: 1 + (i % 5) } : {}),
        },
      })),
    );
    assert.equal(jobs.length, JOBS);
    const completed = new Promise<void>((resolve) => {
      let left = JOBS;
      worker.on('completed', () => {
        if (--left === 0) resolve();
      });
    });
    void worker.run();
    await completed;
    assert.deepEqual(
      await queue.getJobCounts('completed', 'failed', 'waiting', 'active', 'delayed', 'prioritized'),
      { completed: JOBS, failed: 0, waiting: 0, active: 0, delayed: 0, prioritized: 0 },
    );
    assert.equal([...attempts.values()].filter((made) => made === 3).length, JOBS / 10);
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
  });

  it('jobs of higher priority run first, and events report them', { timeout: 60_000 }, async () => {
    const queue = new Queue('ordered', { connection });
    const events = new QueueEvents('ordered', { connection });
    await events.waitUntilReady();
    const order: number[] = [];
    for (const priority of [5, 3, 1, 4, 2]) await queue.add('job', { priority }, { priority });
    const worker = new Worker('ordered', async (job) => void order.push(job.data.priority), {
      connection,
      autorun: false,
    });
    const drained = once(events, 'drained');
    void worker.run();
    await drained;
    assert.deepEqual(order, [1, 2, 3, 4, 5]);
    await worker.close();
    await events.close();
    await queue.close();
  });

  it('a job that has no attempts left stays failed and can be retried', { timeout: 60_000 }, async () => {
    const queue = new Queue('failing', { connection });
    let fails = true;
    const worker = new Worker(
      'failing',
      async () => {
        if (fails) throw new Error('no');
        return 'yes';
      },
      { connection },
    );
    const failed = once(worker, 'failed');
    const job = await queue.add('job', {});
    await failed;
    assert.equal(await job.getState(), 'failed');
    fails = false;
    const completed = once(worker, 'completed');
    await job.retry();
    await completed;
    assert.equal(await job.getState(), 'completed');
    await worker.close();
    await queue.close();
  });
}
