/**
 * Our server and redis-server side by side: redis-benchmark's tests at several pipeline depths, in alternating rounds.
 * Prints medians and the ratio ours : Redis. Options: --rounds=3 --growth=1 (0 skips the runs with growing data).
 */
import { startRedis, startSorrel } from '../tests/support/fleet/index.js';
import { Loader } from './support/load.js';
import { median, option, printTable, progress, redisBenchmark, thousands } from './support/measure.js';

const TESTS = [
  'set',
  'get',
  'incr',
  'lpush',
  'rpush',
  'lpop',
  'sadd',
  'hset',
  'spop',
  'zadd',
  'zpopmin',
  'lrange_100',
  'lrange_600',
  'mset',
];
const REQUESTS: Readonly<Record<number, number>> = { 1: 60_000, 16: 400_000, 100: 1_000_000 };
/** Tests whose commands do much more work take fewer requests. */
const HEAVY: Readonly<Record<string, number>> = { lrange_100: 10, lrange_600: 40, mset: 4 };
const GROWTH = [10_000, 1_000_000, 5_000_000];

const rounds = option('rounds', 3);
const ours = await startSorrel();
const redis = await startRedis();

async function flush(): Promise<void> {
  for (const port of [ours.port, redis.port]) {
    const client = await Loader.connect(port);
    await client.ask('FLUSHALL');
    client.close();
  }
}

async function compare(test: string, pipeline: number): Promise<{ ours: number; redis: number }> {
  const requests = Math.ceil((REQUESTS[pipeline] ?? 100_000) / (HEAVY[test] ?? 1));
  const rates = { ours: [] as number[], redis: [] as number[] };
  const run = (port: number): Promise<number> =>
    redisBenchmark({ port, test, requests, pipeline, range: 100_000 });
  // The first round of ours warms the compiler up and is not counted; Redis gets the same.
  await run(ours.port);
  await run(redis.port);
  for (let round = 0; round < rounds; round++) {
    progress(`${test}, pipeline ${pipeline}: round ${round + 1} of ${rounds}`);
    rates.ours.push(await run(ours.port));
    rates.redis.push(await run(redis.port));
  }
  return { ours: median(rates.ours), redis: median(rates.redis) };
}

for (const pipeline of [1, 16, 100]) {
  const rows: string[][] = [];
  const ratios: number[] = [];
  for (const test of TESTS) {
    if (test !== 'lpop' && test !== 'spop' && test !== 'zpopmin') await flush();
    const rates = await compare(test, pipeline);
    const ratio = rates.ours / rates.redis;
    ratios.push(ratio);
    rows.push([test, thousands(rates.ours), thousands(rates.redis), ratio.toFixed(2)]);
  }
  progress('');
  console.log(`\nPipeline ${pipeline}, requests a second`);
  printTable(['test', 'sorrel', 'redis', 'ratio'], rows);
  console.log(`median ratio ${median(ratios).toFixed(2)}, lowest ${Math.min(...ratios).toFixed(2)}`);
}

if (option('growth', 1) === 1) {
  const rows: string[][] = [];
  const pipeline = 16;
  for (const keys of GROWTH) {
    await flush();
    const client = await Loader.connect(ours.port);
    await client.send(
      keys,
      (i) => ['SET', `key:${String(i).padStart(12, '0')}`, 'xxx'],
      (done) => progress(`filling: ${thousands(done)} of ${thousands(keys)} keys`),
    );
    client.close();
    const rates: Record<string, number[]> = { set: [], get: [] };
    for (let round = 0; round < rounds; round++) {
      for (const test of ['set', 'get']) {
        rates[test]?.push(
          await redisBenchmark({ port: ours.port, test, requests: 400_000, pipeline, range: keys }),
        );
      }
    }
    rows.push([
      thousands(keys),
      thousands(median(rates['set'] ?? [])),
      thousands(median(rates['get'] ?? [])),
    ]);
  }
  progress('');
  console.log(`\nSorrel as data grows, pipeline ${pipeline}, requests a second`);
  printTable(['keys', 'SET', 'GET'], rows);
}

await ours.stop();
await redis.stop();
