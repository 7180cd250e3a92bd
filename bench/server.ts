/**
 * Our server and redis-server side by side: redis-benchmark's tests at several pipeline depths, in alternating rounds.
 * Prints medians and the ratio ours : Redis. Options: --rounds=3 --growth=1 (0 skips the runs with growing data).
 */
import { type Server, startRedis, startSorrel } from '../tests/support/fleet/index.js';
import { Loader } from './support/load.js';
import { median, option, printTable, progress, redisBenchmark, thousands } from './support/measure.js';

const TESTS = process.env['ONLY_GROWTH']
  ? []
  : [
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

if (option('growth', 1) === 1) await measureGrowth();

await ours.stop();
await redis.stop();

/** A server for each size, of either kind, and rounds that go through all of them: the machine is not equally fast all day. */
async function measureGrowth(): Promise<void> {
  const pipeline = 16;
  const places: { name: string; keys: number; server: Server; rates: Record<string, number[]> }[] = [];
  for (const [name, start] of [['sorrel', startSorrel] as const, ['redis', startRedis] as const]) {
    for (const keys of GROWTH) {
      const server = await start();
      const client = await Loader.connect(server.port);
      await client.send(
        keys,
        (i) => ['SET', `key:${String(i).padStart(12, '0')}`, 'xxx'],
        (done) => progress(`filling ${name}: ${thousands(done)} of ${thousands(keys)} keys`),
      );
      client.close();
      places.push({ name, keys, server, rates: { set: [], get: [] } });
    }
  }
  // The first round is for the compiler.
  for (let round = 0; round <= rounds * 2; round++) {
    progress(`growing data: round ${round} of ${rounds * 2}`);
    for (const { keys, server, rates } of places) {
      for (const test of ['set', 'get']) {
        const { port } = server;
        const rate = await redisBenchmark({ port, test, requests: 400_000, pipeline, range: keys });
        if (round > 0) rates[test]?.push(rate);
      }
    }
  }
  progress('');
  console.log(`\nAs data grows, pipeline ${pipeline}, requests a second`);
  const rows = places.map(({ name, keys, rates }) => {
    const [first] = places.filter((place) => place.name === name);
    const cells = ['set', 'get'].flatMap((test) => {
      const rate = median(rates[test] ?? []);
      return [thousands(rate), (rate / median(first?.rates[test] ?? [])).toFixed(2)];
    });
    return [name, thousands(keys), ...cells];
  });
  printTable(['server', 'keys', 'SET', 'of first', 'GET', 'of first'], rows);
  for (const { server } of places) await server.stop();
}
