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
  /** What follows the number of keys. */
  readonly words: readonly string[];
  readonly keys: number;
  readonly requests: number;
}

const CASES: readonly Case[] = [
  { name: 'return 1', script: 'return 1', keys: 0, words: [], requests: 200_000 },
  {
    name: 'compare and delete',
    script:
      'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end',
    keys: 1,
    words: ['lock:__rand_int__', 'token'],
    requests: 200_000,
  },
  {
    name: '100 HINCRBY',
    script: 'for i = 1, 100 do redis.call("hincrby", KEYS[1], "f" .. (i % 10), 1) end return 1',
    keys: 1,
    words: ['hash'],
    requests: 5_000,
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

async function load(port: number, script: string): Promise<void> {
  const client = await Loader.connect(port);
  await client.ask('SCRIPT', 'LOAD', script);
  client.close();
}

const rows: string[][] = [];
for (const { name, script, keys, words, requests } of CASES) {
  for (const { port } of [ours, redis]) await load(port, script);
  const sha = createHash('sha1').update(script).digest('hex');
  const run = (port: number): Promise<number> =>
    redisBenchmark({
      port,
      test: ['EVALSHA', sha, `${keys}`, ...words],
      requests,
      pipeline,
      range: 100_000,
    });
  const rates = { ours: [] as number[], redis: [] as number[] };
  await run(ours.port);
  await run(redis.port);
  for (let round = 0; round < rounds; round++) {
    progress(`${name}: round ${round + 1} of ${rounds}`);
    rates.ours.push(await run(ours.port));
    rates.redis.push(await run(redis.port));
  }
  const [mine, theirs] = [median(rates.ours), median(rates.redis)];
  rows.push([name, thousands(mine), thousands(theirs), (mine / theirs).toFixed(2)]);
}
progress('');
console.log(`\nEVALSHA, pipeline ${pipeline}, requests a second`);
printTable(['script', 'sorrel', 'redis', 'ratio'], rows);
await ours.stop();
await redis.stop();
