import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import type * as kit from '../../src/kit/queue/index.js';
import { built } from './built.js';
import type { Place } from './place.js';

const { defineTask, queue } = await built<typeof kit>('kit/queue/index.js');

export interface QueueContender {
  readonly name: string;
  open(place: Place): Promise<OpenQueue>;
}

export interface OpenQueue {
  add(n: number): Promise<unknown>;
  addAll(numbers: readonly number[]): Promise<unknown>;
  /** Processes `count` tasks, `concurrency` at a time; returns when all have been handled and the queue knows. */
  process(count: number, concurrency: number): Promise<void>;
  close(): Promise<void>;
}

const TASK = defineTask<{ readonly n: number }>('task');

/** Calls the returned function `count` times to make the promise resolve. */
function countdown(count: number): { readonly done: Promise<void>; readonly next: () => void } {
  let left = count;
  let resolve: () => void = () => {};
  const done = new Promise<void>((finish) => {
    resolve = finish;
  });
  return {
    done,
    next: () => {
      if (--left === 0) resolve();
    },
  };
}

const ours: QueueContender = {
  name: 'ours',
  open: async (place) => {
    const store = await place.openStore();
    const own = queue(store, randomUUID());
    return {
      add: (n) => own.add(TASK, { n }),
      addAll: (numbers) =>
        own.addAll(
          TASK,
          numbers.map((n) => [{ n }] as const),
        ),
      async process(count, concurrency) {
        const { done, next } = countdown(count);
        const worker = own.work(TASK.handle(next), { concurrency });
        await done;
        await worker.stop();
      },
      close: () => store.close(),
    };
  },
};

const bullmq: QueueContender = {
  name: 'BullMQ',
  open: async (place) => {
    // Both keep the last thousand completed tasks.
    const defaultJobOptions = { removeOnComplete: 1_000 };
    const { connection } = place;
    const own = new Queue(randomUUID(), { connection, defaultJobOptions });
    await own.waitUntilReady();
    return {
      add: (n) => own.add('task', { n }),
      addAll: (numbers) => own.addBulk(numbers.map((n) => ({ name: 'task', data: { n } }))),
      async process(count, concurrency) {
        const { done, next } = countdown(count);
        const worker = new Worker(own.name, async () => next(), { connection, concurrency });
        await done;
        await worker.close();
      },
      close: () => own.close(),
    };
  },
};

export const QUEUE_CONTENDERS: readonly QueueContender[] = [ours, bullmq];

/** What is measured, in tasks a second. */
export const QUEUE_MEASURES = [
  'add, one after the other',
  'add, 1,000 at once',
  'add, 1,000 in one call',
  'process, 1 at once',
  'process, 32 at once',
] as const;

export type QueueMeasure = (typeof QUEUE_MEASURES)[number];

/** Rates of one round, by a clock in ms: adds `tasks` tasks in each way, and works them off with 1 and with 32 at once. */
export async function measureQueue(
  contender: QueueContender,
  place: Place,
  tasks: number,
  now: () => number,
): Promise<Readonly<Record<QueueMeasure, number>>> {
  const own = await contender.open(place);
  const rate = async (count: number, work: () => Promise<unknown>): Promise<number> => {
    const begun = now();
    await work();
    return (count / (now() - begun)) * 1_000;
  };
  const waves = Math.ceil(tasks / 1_000);
  const wave = Array.from({ length: 1_000 }, (_, n) => n);
  const few = Math.ceil(tasks / 2);
  try {
    const one = await rate(few, async () => {
      for (let n = 0; n < few; n++) await own.add(n);
    });
    const together = await rate(waves * 1_000, async () => {
      for (let i = 0; i < waves; i++) await Promise.all(wave.map((n) => own.add(n)));
    });
    const single = await rate(few + waves * 1_000, () => own.process(few + waves * 1_000, 1));
    const bulk = await rate(waves * 1_000, async () => {
      for (let i = 0; i < waves; i++) await own.addAll(wave);
    });
    const many = await rate(waves * 1_000, () => own.process(waves * 1_000, 32));
    return {
      'add, one after the other': one,
      'add, 1,000 at once': together,
      'add, 1,000 in one call': bulk,
      'process, 1 at once': single,
      'process, 32 at once': many,
    };
  } finally {
    await own.close();
  }
}

/**
 * Calls a second, one after the other, of a script that does nothing with the arguments of one added task, by our store: no script can add tasks
 * faster.
 */
export async function measureFloor(place: Place, calls: number, now: () => number): Promise<number> {
  const store = await place.openStore();
  const keys = ['meta', 'tasks', 'waiting', 'wake', 'events'] as const;
  const args = ['call', 'sender', 'bound', 'renews', 'record'] as const;
  const script = store.script({ keys, args, lua: "return '1700000000000000'" });
  const name = randomUUID();
  const keyOf = (part: string): string => `queue:{${name}}:${part}`;
  try {
    const begun = now();
    for (let n = 0; n < calls; n++) {
      await script({
        ...{ meta: keyOf('meta'), tasks: keyOf('tasks'), waiting: keyOf('waiting'), wake: keyOf('wake') },
        ...{ events: keyOf('events'), call: String(n), sender: name, bound: 1_000, renews: '0' },
        record: `{"n":"task"}\n{"n":${n}}`,
      });
    }
    return (calls / (now() - begun)) * 1_000;
  } finally {
    await store.close();
  }
}

/** Bytes that the server needs for each of `tasks` waiting tasks of a contender. */
export async function measureMemory(contender: QueueContender, place: Place, tasks: number): Promise<number> {
  const client = place.newClient();
  const used = async (): Promise<number> =>
    Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1] ?? Number.NaN);
  await client.flushall();
  const own = await contender.open(place);
  try {
    const before = await used();
    const wave = Array.from({ length: 1_000 }, (_, n) => n);
    for (let added = 0; added < tasks; added += wave.length) await own.addAll(wave);
    return ((await used()) - before) / tasks;
  } finally {
    await own.close();
    client.disconnect();
  }
}
