/**
 * Five commands in every way a program can call them: an embedded store at once and awaited, ioredis on the embedded
 * engine, ioredis to redis-server (awaited one by one, auto-pipelined, in pipelines of 100), ioredis-mock. Alternating
 * rounds; prints medians, ratios and what is aimed at. Options: --rounds=5 --milliseconds=200
 */
import { Redis } from 'ioredis';
import RedisMock from 'ioredis-mock';
import type * as sorrel from '../src/store/index.js';
import { startRedis } from '../tests/support/fleet/index.js';
import { median, option, printTable, progress, thousands } from './support/measure.js';

/** Keys, fields and members are made beforehand: making strings is not what is measured. */
const NAMES = Array.from({ length: 10_000 }, (_, i) => `name:${i}`);
const SCORES = Array.from({ length: 1000 }, (_, i) => `${i}`);
const VALUE = 'a value of 24 characters';
const COMMANDS = ['GET', 'SET', 'HSET', 'ZADD', 'ZRANGE'] as const;
type CommandName = (typeof COMMANDS)[number];

/** Runs so many calls of a command; `first` numbers them. */
type Calls = (first: number, count: number) => void | Promise<void>;

interface Way {
  readonly name: string;
  /** How many calls to make between two looks at the clock. */
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
    for (let i = first; i < first + count; i++) call(i);
  };
}

function awaited(call: (i: number) => Promise<unknown>): Calls {
  return async (first, count) => {
    for (let i = first; i < first + count; i++) await call(i);
  };
}

function together(call: (i: number) => Promise<unknown>): Calls {
  return async (first, count) => {
    const replies: Promise<unknown>[] = [];
    for (let i = first; i < first + count; i++) replies.push(call(i));
    await Promise.all(replies);
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
      await pipeline.exec();
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

interface Rate {
  /** Calls a second. */
  readonly byClock: number;
  /** Calls a second of this process's computing: what others do on the machine hardly counts. */
  readonly byProcessor: number;
}

async function rateOf({ batch, calls }: Way, command: CommandName, milliseconds: number): Promise<Rate> {
  const run = calls[command];
  const processorBefore = process.cpuUsage();
  const startedAt = performance.now();
  let done = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    const result = run(done, batch);
    if (result !== undefined) await result;
    done += batch;
    elapsed = performance.now() - startedAt;
  }
  const { user, system } = process.cpuUsage(processorBefore);
  return { byClock: (done * 1000) / elapsed, byProcessor: (done * 1e6) / (user + system) };
}

/** All have the same data. */
async function fill({ calls }: Way): Promise<void> {
  for (const command of ['SET', 'HSET', 'ZADD'] as const) {
    for (let first = 0; first < NAMES.length; first += 100) await calls[command](first, 100);
  }
}

// As the build has it: what compiles the sources on the fly for this file would slow them down.
const built = new URL('../dist/store/index.js', import.meta.url).href;
const { open } = (await import(built)) as typeof sorrel;
const store = await open();
const server = await startRedis();
const { port } = server;
const embedded = new Redis({ Connector: await store.connector() });
const plain = new Redis({ port });
const automatic = new Redis({ port, enableAutoPipelining: true });
const mock = new RedisMock();
// ioredis-mock was written for ioredis 5, whose replies of ZRANGE were left as they are.
Redis.Command.setReplyTransformer('zrange', (reply) => reply);

const SYNC = 'store.sync';
const AWAITED = 'store, awaited';
const REMOTE = 'ioredis to redis-server, awaited';
const MOCK = 'ioredis-mock, awaited';
const ways: readonly Way[] = [
  { name: SYNC, batch: 1000, calls: syncCalls(store) },
  { name: AWAITED, batch: 1000, calls: awaitedCalls(store) },
  { name: 'ioredis on the engine, awaited', batch: 100, calls: ioredisCalls(embedded, awaited) },
  { name: REMOTE, batch: 100, calls: ioredisCalls(plain, awaited) },
  { name: 'ioredis to redis-server, auto-pipelined', batch: 100, calls: ioredisCalls(automatic, together) },
  { name: 'ioredis to redis-server, pipelines of 100', batch: 100, calls: ioredisPipelines(plain) },
  { name: MOCK, batch: 100, calls: ioredisCalls(mock, awaited) },
];

const rounds = option('rounds', 5);
const milliseconds = option('milliseconds', 200);
const rates = new Map<string, Rate>();
for (const way of ways) await fill(way);
for (const command of COMMANDS) {
  const measured = new Map(ways.map((way) => [way, [] as Rate[]]));
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    progress(`${command}: round ${round} of ${rounds}`);
    for (const [way, results] of measured) {
      const rate = await rateOf(way, command, milliseconds);
      if (round > 0) results.push(rate);
    }
  }
  for (const [way, results] of measured) {
    rates.set(`${command} ${way.name}`, {
      byClock: median(results.map(({ byClock }) => byClock)),
      byProcessor: median(results.map(({ byProcessor }) => byProcessor)),
    });
  }
}
progress('');

function rate(way: string, command: CommandName, by: keyof Rate = 'byClock'): number {
  const { [by]: figure } = rates.get(`${command} ${way}`) as Rate;
  return figure;
}

console.log('\nCalls a second');
printTable(
  ['', ...COMMANDS],
  ways.map((way) => [way.name, ...COMMANDS.map((command) => thousands(rate(way.name, command)))]),
);

interface Aim {
  readonly what: string;
  readonly of: (command: CommandName) => number;
  readonly unit: string;
  readonly goal: number;
  /** Below this it is not good enough. */
  readonly floor?: number;
}

const AIMS: readonly Aim[] = [
  {
    what: `${SYNC}, million a second`,
    of: (command) => rate(SYNC, command) / 1e6,
    unit: '',
    goal: 3,
    floor: 1.5,
  },
  {
    what: `${SYNC}, million a second of processor time`,
    of: (command) => rate(SYNC, command, 'byProcessor') / 1e6,
    unit: '',
    goal: 3,
    floor: 1.5,
  },
  {
    what: `${SYNC} : ioredis awaited`,
    of: (command) => rate(SYNC, command) / rate(REMOTE, command),
    unit: '×',
    goal: 100,
  },
  {
    what: 'store awaited : ioredis awaited',
    of: (command) => rate(AWAITED, command) / rate(REMOTE, command),
    unit: '×',
    goal: 20,
    floor: 10,
  },
  {
    what: 'store awaited : ioredis-mock',
    of: (command) => rate(AWAITED, command) / rate(MOCK, command),
    unit: '×',
    goal: 10,
  },
];

console.log('\nWhat is aimed at');
printTable(
  ['', ...COMMANDS, 'median', 'goal', 'floor', ''],
  AIMS.map(({ what, of, unit, goal, floor }) => {
    const figures = COMMANDS.map(of);
    const middle = median(figures);
    const verdict =
      middle >= goal ? 'reached' : floor !== undefined && middle < floor ? 'BELOW THE FLOOR' : 'missed';
    const show = (figure: number): string => `${figure.toFixed(figure < 10 ? 2 : 0)}${unit}`;
    return [
      what,
      ...figures.map(show),
      show(middle),
      `${goal}${unit}`,
      floor === undefined ? '' : `${floor}${unit}`,
      verdict,
    ];
  }),
);

for (const client of [embedded, plain, automatic, mock]) client.disconnect();
await store.close();
await server.stop();
