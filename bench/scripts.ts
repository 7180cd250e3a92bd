/**
 * Scripts on our server and on redis-server, in alternating rounds: EVALSHA of a script that does nothing, one that
 * compares and deletes, one that calls a command 100 times, one that computes. Prints medians and the ratio ours : Redis.
 * Options: --rounds=5 --pipeline=16
 */
import { createHash } from 'node:crypto';
import { startRedis, startSorrel } from '../tests/support/fleet/index.js';
import { Loader } from './support/load.js';
import { median, option, printTable, progress, redisBenchmark, thousands } from './support/measure.js';

interface Case {
  readonly name: string;
  readonly script: string;
  /** The words after the number of keys. */
  readonly words: readonly string[];
  readonly keys: number;
  readonly requests: number;
  /** How many different keys the requests draw from. */
  readonly range?: number;
  /** Writes the data that a round removes. */
  readonly refill?: (client: Loader) => Promise<void>;
  /** Throws if the last round did not do what its name says. */
  readonly prove?: (client: Loader) => Promise<void>;
}

const LOCKS = 1_000_000;
const RELEASES = 100_000;

const CASES: readonly Case[] = [
  { name: 'return 1', script: 'return 1', keys: 0, words: [], requests: 200_000 },
  {
    name: 'compare and delete',
    script:
      'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end',
    keys: 1,
    words: ['lock:__rand_int__', 'token'],
    requests: RELEASES,
    // Ten locks for each request: only one in twenty is drawn twice and found gone.
    range: LOCKS,
    refill: (client) => client.send(LOCKS, (i) => ['SET', `lock:${String(i).padStart(12, '0')}`, 'token']),
    prove: async (client) => {
      const deleted = LOCKS - Number((await client.ask('DBSIZE')).slice(1, -2));
      if (deleted < RELEASES * 0.9) throw new Error(`only ${deleted} of ${RELEASES} calls deleted a lock`);
    },
  },
  {
    name: '100 HINCRBY',
    script: 'for i = 1, 100 do redis.call("hincrby", KEYS[1], "f" .. (i % 10), 1) end return 1',
    keys: 1,
    words: ['hash'],
    requests: 5_000,
    refill: async (client) => {
      await client.ask('FLUSHALL');
    },
    prove: async (client) => {
      const reply = await client.ask('HGET', 'hash', 'f1');
      const counted = Number(reply.split('\r\n')[1]);
      if (!(counted >= 50_000)) throw new Error(`5,000 calls counted to ${counted}, not to 50,000`);
    },
  },
  {
    name: '10,000 steps',
    script: 'local x = 0 for i = 1, 10000 do x = (x * 31 + i) % 1000003 end return x',
    keys: 0,
    words: [],
    requests: 5_000,
  },
];

const rounds = option('rounds', 5);
const pipeline = option('pipeline', 16);
const ours = await startSorrel();
const redis = await startRedis();

const clients = new Map<number, Loader>();
for (const { port } of [ours, redis]) clients.set(port, await Loader.connect(port));

async function measure(port: number, sha: string, one: Case): Promise<number> {
  const { keys, words, requests, range = 100_000, refill, prove } = one;
  const client = clients.get(port) as Loader;
  await refill?.(client);
  await client.ask('CONFIG', 'RESETSTAT');
  const test = ['EVALSHA', sha, `${keys}`, ...words];
  const rate = await redisBenchmark({ port, test, requests, pipeline, range });
  const stats = await client.ask('INFO', 'commandstats');
  const [calls, failed] =
    /^cmdstat_evalsha:calls=(\d+),.*failed_calls=(\d+)/m.exec(stats)?.slice(1).map(Number) ?? [];
  if (calls === undefined || calls < requests || failed !== 0) {
    throw new Error(`${one.name}: ${calls} calls of ${requests}, ${failed} failed`);
  }
  await prove?.(client);
  return rate;
}

const rows: string[][] = [];
for (const one of CASES) {
  const { name, script } = one;
  const sha = createHash('sha1').update(script).digest('hex');
  const rates = { ours: [] as number[], redis: [] as number[] };
  for (const client of clients.values()) {
    await client.ask('FLUSHALL');
    await client.ask('SCRIPT', 'LOAD', script);
  }
  // The first round warms the compiler up and is not counted; Redis gets the same.
  for (let round = 0; round <= rounds; round++) {
    progress(`${name}: round ${round} of ${rounds}`);
    const measured = { ours: await measure(ours.port, sha, one), redis: await measure(redis.port, sha, one) };
    if (round === 0) continue;
    rates.ours.push(measured.ours);
    rates.redis.push(measured.redis);
  }
  const [mine, theirs] = [median(rates.ours), median(rates.redis)];
  rows.push([name, thousands(mine), thousands(theirs), (mine / theirs).toFixed(2)]);
}
progress('');
console.log(`\nEVALSHA, pipeline ${pipeline}, requests a second`);
printTable(['script', 'sorrel', 'redis', 'ratio'], rows);
for (const client of clients.values()) client.close();
await ours.stop();
await redis.stop();
