import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { queue, type TaskQueue } from '../../src/kit/queue/index.js';
import { open, type Store } from '../../src/store/index.js';
import { startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { chore, QUEUE_OPTIONS } from './queue-task.js';

const LIMIT = { timeout: 240_000 };
const LEASE = 1_000;
const ROUNDS = Number(process.env['SORREL_TORTURE_ROUNDS'] ?? 12);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 20_240_101);

describe('Task queues of several processes', { skip: whenRedisIsInstalled.skip }, () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let store: Store;
  const children = new Set<ChildProcess>();
  let spawned = 0;

  before(async () => {
    redis = await startRedis();
    store = await open(`redis://127.0.0.1:${redis.port}`);
  });

  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await store?.close();
    await redis?.stop();
  });

  /** A worker's process; its clock is wrong by up to half a minute. */
  function startWorker(
    name: string,
    self = `worker-${++spawned}`,
  ): { readonly self: string; readonly child: ChildProcess } {
    const skew = [0, 30_000, -30_000][spawned % 3] ?? 0;
    const program = new URL('queue-worker.ts', import.meta.url).pathname;
    const words = [`redis://127.0.0.1:${redis.port}`, name, LEASE, skew, self];
    const child = spawn(process.execPath, ['--import', 'tsx', program, ...words.map(String)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return { self, child };
  }

  const logOf = async (name: string): Promise<string[]> =>
    (await store.send('LRANGE', `${name}:log`, 0, -1)) as string[];

  async function ready(name: string, self: string): Promise<void> {
    await until(`${self} is ready`, async () => (await logOf(name)).includes(`ready ${self}`));
  }

  async function kill(child: ChildProcess): Promise<void> {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async function stopGracefully(child: ChildProcess): Promise<void> {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null], 'a worker that is stopped ends by itself');
  }

  async function serverTime(): Promise<number> {
    const [seconds, micros] = (await store.send('TIME')) as [string, string];
    return Number(seconds) * 1_000 + Number(micros) / 1_000;
  }

  /** Until every lease that was given before now has ended, unless it was renewed. */
  async function leasesOver(): Promise<void> {
    const end = (await serverTime()) + LEASE;
    await until('the leases are over', async () => (await serverTime()) > end);
  }

  it('killed, stopped and cut off workers lose no task and complete none twice', LIMIT, async () => {
    const random = seeded(SEED);
    const mail = queue(store, 'chaos', QUEUE_OPTIONS);
    const workers = [startWorker('chaos'), startWorker('chaos'), startWorker('chaos')];
    const ids: string[] = [];
    const add = async (count: number): Promise<void> => {
      const texts = Array.from(
        { length: count },
        () => (random() < 0.2 ? 'fail' : 'work') + '.'.repeat(random() * 8),
      );
      const tasks = await Promise.all(texts.map((text) => mail.add(chore, text)));
      ids.push(...tasks.map((task) => task.id));
    };
    await add(200);
    for (const { self } of workers) await ready('chaos', self);
    for (let round = 0; round < ROUNDS; round++) {
      await add(20 + Math.floor(random() * 20));
      const chosen = Math.floor(random() * workers.length);
      const { child } = workers[chosen] as (typeof workers)[number];
      const action = random();
      if (action < 0.4) {
        await kill(child);
        workers[chosen] = startWorker('chaos');
      } else if (action < 0.7) {
        child.kill('SIGSTOP');
        await leasesOver();
        child.kill('SIGCONT');
      } else {
        await store.send('CLIENT', 'KILL', 'TYPE', 'normal');
      }
      const before = (await mail.counts()).completed;
      await until('work goes on', async () => {
        const { completed, waiting, active, delayed } = await mail.counts();
        return completed > before || waiting + active + delayed === 0;
      });
    }
    await until('all are completed', async () => {
      const { waiting, active, delayed } = await mail.counts();
      return waiting + active + delayed === 0;
    });
    assert.equal((await mail.counts()).dead, 0);
    assert.deepEqual(await completions(mail, ids.length), new Map(ids.map((id) => [id, 1])), `seed ${SEED}`);
    const begun = (await logOf('chaos')).filter((line) => line.startsWith('begin'));
    assert.ok(begun.length >= ids.length);
    for (const { self, child } of workers) {
      await ready('chaos', self);
      await stopGracefully(child);
    }
  });

  it('a process that was stopped longer than its lease is told that its task is gone', LIMIT, async () => {
    const mail = queue(store, 'paused', QUEUE_OPTIONS);
    const first = startWorker('paused');
    await ready('paused', first.self);
    const task = await mail.add(chore, 'hold');
    await until('it has the task', async () => (await logOf('paused')).includes(`begin hold ${first.self}`));
    first.child.kill('SIGSTOP');
    const second = startWorker('paused');
    await until('another one has it', async () =>
      (await logOf('paused')).includes(`begin hold ${second.self}`),
    );
    await store.send('RPUSH', 'paused:go', 'go');
    assert.equal(await task.result(), 'hold done');
    first.child.kill('SIGCONT');
    await until('it was told', async () => (await logOf('paused')).includes(`lost ${task.id} ${first.self}`));
    assert.deepEqual(await completions(mail, 1), new Map([[task.id, 1]]));
    for (const { self, child } of [first, second]) {
      await ready('paused', self);
      await stopGracefully(child);
    }
  });

  it('one worker after the other, each killed, keeps the order', LIMIT, async () => {
    const mail = queue(store, 'order', QUEUE_OPTIONS);
    const texts = Array.from({ length: 150 }, (_, i) => `sequence ${i}`);
    await mail.addAll(
      chore,
      texts.map((text) => [text]),
    );
    const begun = async (): Promise<string[]> => {
      const lines = (await logOf('order')).filter((line) => line.startsWith('begin'));
      return [...new Set(lines.map((line) => line.split(' ').slice(1, 3).join(' ')))];
    };
    for (let deaths = 0; deaths < 3; deaths++) {
      const { child } = startWorker('order', `single-${++spawned}`);
      await until('it works', async () => (await begun()).length > (deaths + 1) * 10);
      await kill(child);
      await leasesOver();
    }
    const { self, child } = startWorker('order', `single-${++spawned}`);
    await ready('order', self);
    await until('all are completed', async () => (await mail.counts()).completed === texts.length);
    assert.deepEqual(await begun(), texts);
    await stopGracefully(child);
  });
});

/** How often the completion of each task was accepted, by the stream of events. */
async function completions(mail: TaskQueue, expected: number): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  let total = 0;
  // What marks the end: nothing that happened before can come after it.
  await mail.pause();
  for await (const { type, id = '' } of mail.events({ from: 'start' })) {
    if (type === 'paused') break;
    if (type !== 'completed') continue;
    times.set(id, (times.get(id) ?? 0) + 1);
    total++;
  }
  await mail.resume();
  assert.equal(total, expected);
  return times;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 90_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < giveUpAt, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
