import { Redis } from 'ioredis';
import type * as sorrel from '../../src/store/index.js';

/** Keys, fields and members are made beforehand: making strings is not what is measured. */
const NAMES = Array.from({ length: 10_000 }, (_, i) => `name:${i}`);
const SCORES = Array.from({ length: 1000 }, (_, i) => `${i}`);
const VALUE = 'a value of 24 characters';
export const COMMANDS = ['GET', 'SET', 'HSET', 'ZADD', 'ZRANGE'] as const;
export type CommandName = (typeof COMMANDS)[number];

/** Makes `count` calls of a command, numbered from `first`. Returns the last reply. */
type Calls = (first: number, count: number) => unknown;

export interface Way {
  /** How many calls to make between two readings of the clock. */
  readonly batch: number;
  readonly calls: Readonly<Record<CommandName, Calls>>;
}

function name(i: number): string {
  return NAMES[i % NAMES.length] as string;
}

function score(i: number): string {
  return SCORES[i % SCORES.length] as string;
}

function atOnce(call: (i: number) => unknown): Calls {
  return (first, count) => {
    let reply: unknown;
    for (let i = first; i < first + count; i++) reply = call(i);
    return reply;
  };
}

function awaited(call: (i: number) => Promise<unknown>): Calls {
  return async (first, count) => {
    let reply: unknown;
    for (let i = first; i < first + count; i++) reply = await call(i);
    return reply;
  };
}

function together(call: (i: number) => Promise<unknown>): Calls {
  return async (first, count) => {
    const replies: Promise<unknown>[] = [];
    for (let i = first; i < first + count; i++) replies.push(call(i));
    return (await Promise.all(replies)).at(-1);
  };
}

function ioredisCalls(client: Redis, how: (call: (i: number) => Promise<unknown>) => Calls): Way['calls'] {
  return {
    GET: how((i) => client.get(name(i))),
    SET: how((i) => client.set(name(i), VALUE)),
    HSET: how((i) => client.hset('hash', name(i), VALUE)),
    ZADD: how((i) => client.zadd('ranking', score(i), name(i))),
    ZRANGE: how(() => client.zrange('ranking', '0', '9')),
  };
}

function ioredisPipelines(client: Redis): Way['calls'] {
  const calls = (queue: (pipeline: ReturnType<Redis['pipeline']>, i: number) => void): Calls => {
    return async (first, count) => {
      const pipeline = client.pipeline();
      for (let i = first; i < first + count; i++) queue(pipeline, i);
      const replies = await pipeline.exec();
      return replies?.at(-1)?.[1];
    };
  };
  return {
    GET: calls((pipeline, i) => pipeline.get(name(i))),
    SET: calls((pipeline, i) => pipeline.set(name(i), VALUE)),
    HSET: calls((pipeline, i) => pipeline.hset('hash', name(i), VALUE)),
    ZADD: calls((pipeline, i) => pipeline.zadd('ranking', score(i), name(i))),
    ZRANGE: calls((pipeline) => pipeline.zrange('ranking', '0', '9')),
  };
}

function syncCalls({ sync }: sorrel.EmbeddedStore): Way['calls'] {
  return {
    GET: atOnce((i) => sync.get(name(i))),
    SET: atOnce((i) => sync.set(name(i), VALUE)),
    HSET: atOnce((i) => sync.hset('hash', name(i), VALUE)),
    ZADD: atOnce((i) => sync.zadd('ranking', score(i), name(i))),
    ZRANGE: atOnce(() => sync.zrange('ranking', '0', '9')),
  };
}

function awaitedCalls(store: sorrel.Store): Way['calls'] {
  return {
    GET: awaited((i) => store.get(name(i))),
    SET: awaited((i) => store.set(name(i), VALUE)),
    HSET: awaited((i) => store.hset('hash', name(i), VALUE)),
    ZADD: awaited((i) => store.zadd('ranking', score(i), name(i))),
    ZRANGE: awaited(() => store.zrange('ranking', '0', '9')),
  };
}

/** The ways to call, by the names that the table has. */
export const SYNC = 'store.sync';
export const AWAITED = 'store, awaited';
export const REMOTE = 'ioredis to redis-server, awaited';
export const MOCK = 'ioredis-mock, awaited';

/** Each way runs in its own process, so that the compiler does not optimise shared code for another one. */
export const WAYS: Readonly<Record<string, (port: number) => Promise<Way>>> = {
  [SYNC]: async () => ({ batch: 1000, calls: syncCalls(await openBuilt()) }),
  [AWAITED]: async () => ({ batch: 1000, calls: awaitedCalls(await openBuilt()) }),
  'ioredis on the engine, awaited': async () => {
    const client = new Redis({ Connector: await (await openBuilt()).connector() });
    return { batch: 100, calls: ioredisCalls(client, awaited) };
  },
  [REMOTE]: async (port) => ({ batch: 100, calls: ioredisCalls(new Redis({ port }), awaited) }),
  'ioredis to redis-server, auto-pipelined': async (port) => {
    const client = new Redis({ port, enableAutoPipelining: true });
    return { batch: 100, calls: ioredisCalls(client, together) };
  },
  'ioredis to redis-server, pipelines of 100': async (port) => ({
    batch: 100,
    calls: ioredisPipelines(new Redis({ port })),
  }),
  [MOCK]: async () => {
    // It was written for ioredis 5, whose replies of ZRANGE were left as they are.
    Redis.Command.setReplyTransformer('zrange', (reply) => reply);
    const { default: RedisMock } = await import('ioredis-mock');
    return { batch: 100, calls: ioredisCalls(new RedisMock(), awaited) };
  },
};

/** As the build has it: what compiles the sources on the fly for this file would slow them down. */
async function openBuilt(): Promise<sorrel.EmbeddedStore> {
  const built = new URL('../../dist/store/index.js', import.meta.url).href;
  const { open } = (await import(built)) as typeof sorrel;
  return open();
}

export interface Rate {
  /** Calls a second. */
  readonly byClock: number;
  /** Calls a second of this process's computing: what others do on the machine hardly counts. */
  readonly byProcessor: number;
}

export async function rateOf(
  { batch, calls }: Way,
  command: CommandName,
  milliseconds: number,
): Promise<Rate> {
  const run = calls[command];
  const processorBefore = process.cpuUsage();
  const startedAt = performance.now();
  let done = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    const reply = run(done, batch);
    // An await costs too much where there is no promise.
    if (reply instanceof Promise) await reply;
    done += batch;
    elapsed = performance.now() - startedAt;
  }
  const { user, system } = process.cpuUsage(processorBefore);
  return { byClock: (done * 1000) / elapsed, byProcessor: (done * 1e6) / (user + system) };
}

/** Lays the same data for each way. */
export async function fill({ calls }: Way): Promise<void> {
  for (const command of ['SET', 'HSET', 'ZADD'] as const) {
    for (let first = 0; first < NAMES.length; first += 100) await calls[command](first, 100);
  }
}

/** Throws unless the calls find the data: a call that finds nothing is faster. */
export async function prove({ calls }: Way): Promise<void> {
  for (const first of [0, NAMES.length - 100]) {
    const value = await calls.GET(first, 100);
    if (value !== VALUE) throw new Error(`GET gives ${JSON.stringify(value)}`);
  }
  const members = await calls.ZRANGE(0, 100);
  if (!Array.isArray(members) || members.length !== 10) {
    throw new Error(`ZRANGE gives ${JSON.stringify(members)}`);
  }
  const added = [await calls.HSET(0, 100), await calls.ZADD(0, 100)];
  if (added.some((count) => count !== 0)) throw new Error(`HSET and ZADD added ${added}: nothing was there`);
}
