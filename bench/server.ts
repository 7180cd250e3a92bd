/**
 * Our server and redis-server side by side: the commands of bench/support/server-tests.ts at several pipeline depths, in
 * alternating rounds. After each round the server's own counters must prove that it did what the row says (hits, lengths,
 * no errors): a round that did not ends the benchmark. Prints medians of rates, processor time and p99, and ratios. The
 * processor time of a request hardly depends on what else the machine does.
 * Options: --rounds=3 --growth=1 (0 skips the runs with growing data) --tests=1 (0 skips the others) --only=GET,SADD
 */
import { type Server, startRedis, startSorrel } from '../tests/support/fleet/index.js';
import { Loader } from './support/load.js';
import {
  type BenchmarkResult,
  median,
  option,
  printTable,
  processorMicros,
  progress,
  runRedisBenchmark,
  textOption,
  thousands,
} from './support/measure.js';
import { provenRound } from './support/proof.js';
import { RANGE, SERVER_TESTS, type ServerTest } from './support/server-tests.js';

const REQUESTS: Readonly<Record<number, number>> = { 1: 60_000, 16: 400_000, 100: 1_000_000 };
const GROWTH = [10_000, 1_000_000, 5_000_000];

const rounds = option('rounds', 3);
const only = textOption('only', '').toUpperCase().split(',').filter(Boolean);
const tests = SERVER_TESTS.filter(
  ({ name }) => only.length === 0 || only.some((wanted) => name.startsWith(wanted)),
);
const NAMES = ['ours', 'redis'] as const;
type Name = (typeof NAMES)[number];

interface Side {
  readonly port: number;
  readonly pid: number;
  readonly client: Loader;
}

interface Figures extends BenchmarkResult {
  /** Microseconds of processor time for each request. */
  readonly micros: number;
}

/** Medians of one row. */
type Row = Readonly<Record<Name, Figures>>;

async function compare(
  sides: Readonly<Record<Name, Side>>,
  test: ServerTest,
  pipeline: number,
): Promise<Row> {
  const requests = Math.ceil((REQUESTS[pipeline] ?? 100_000) / (test.fewer ?? 1));
  const found: Record<Name, Figures[]> = { ours: [], redis: [] };
  for (const { client } of Object.values(sides)) {
    await client.ask('FLUSHALL');
    await test.fill?.(client);
  }
  // The first round warms the compiler up and is not counted; Redis gets the same.
  for (let round = 0; round <= rounds; round++) {
    progress(`${test.name}, pipeline ${pipeline}: round ${round} of ${rounds}`);
    for (const name of NAMES) {
      const { client, port, pid } = sides[name];
      await test.refill?.(client, requests);
      const figures = await provenRound(client, test, requests, async () => {
        const before = processorMicros(pid);
        const result = await runRedisBenchmark({ port, test: test.words, requests, pipeline, range: RANGE });
        return { ...result, micros: (processorMicros(pid) - before) / requests };
      });
      if (round > 0) found[name].push(figures);
    }
  }
  return { ours: medians(found.ours), redis: medians(found.redis) };
}

function medians(figures: readonly Figures[]): Figures {
  const of = (part: keyof Figures): number => median(figures.map((figure) => figure[part]));
  return { rate: of('rate'), p99: of('p99'), micros: of('micros') };
}

async function connectTo({ port, process }: Server): Promise<Side> {
  return { port, pid: process.pid as number, client: await Loader.connect(port) };
}

async function measureTests(): Promise<void> {
  const servers = { ours: await startSorrel(), redis: await startRedis() };
  const sides = { ours: await connectTo(servers.ours), redis: await connectTo(servers.redis) };
  for (const pipeline of [1, 16, 100]) {
    const ratios: number[] = [];
    const rows: string[][] = [];
    for (const test of tests) {
      const { ours, redis } = await compare(sides, test, pipeline);
      const ratio = ours.rate / redis.rate;
      ratios.push(ratio);
      const processor = [ours.micros, redis.micros, redis.micros / ours.micros];
      rows.push([
        test.name,
        ...[thousands(ours.rate), thousands(redis.rate), ratio.toFixed(2)],
        ...[...processor, ours.p99, redis.p99].map((figure) => figure.toFixed(2)),
      ]);
    }
    progress('');
    console.log(
      `\nPipeline ${pipeline}: requests a second, processor time of a request in µs, p99 of a pipeline in ms`,
    );
    printTable(
      ['test', 'sorrel', 'redis', 'ratio', 'sorrel µs', 'redis µs', 'ratio', 'sorrel p99', 'redis p99'],
      rows,
    );
    console.log(`median ratio ${median(ratios).toFixed(2)}, lowest ${Math.min(...ratios).toFixed(2)}`);
  }
  for (const name of NAMES) {
    sides[name].client.close();
    await servers[name].stop();
  }
}

/** A server for each size, of either kind, and rounds that go through all of them: the machine is not equally fast all day. */
async function measureGrowth(): Promise<void> {
  const pipeline = 16;
  const requests = 400_000;
  const growing = SERVER_TESTS.filter(({ name }) => name === 'SET' || name === 'GET');
  interface Place {
    readonly name: string;
    readonly keys: number;
    readonly server: Server;
    readonly client: Loader;
    readonly rates: Map<ServerTest, number[]>;
  }
  const places: Place[] = [];
  for (const [name, start] of [['sorrel', startSorrel] as const, ['redis', startRedis] as const]) {
    for (const keys of GROWTH) {
      const server = await start();
      const client = await Loader.connect(server.port);
      await client.send(
        keys,
        (i) => ['SET', `key:${String(i).padStart(12, '0')}`, 'xxx'],
        (done) => progress(`filling ${name}: ${thousands(done)} of ${thousands(keys)} keys`),
      );
      places.push({ name, keys, server, client, rates: new Map(growing.map((test) => [test, []])) });
    }
  }
  // The first round is for the compiler.
  for (let round = 0; round <= rounds * 2; round++) {
    progress(`growing data: round ${round} of ${rounds * 2}`);
    for (const { keys, server, client, rates } of places) {
      for (const [test, measured] of rates) {
        const { port } = server;
        const { rate } = await provenRound(client, test, requests, () =>
          runRedisBenchmark({ port, test: test.words, requests, pipeline, range: keys }),
        );
        if (round > 0) measured.push(rate);
      }
    }
  }
  progress('');
  console.log(`\nAs data grows, pipeline ${pipeline}, requests a second`);
  const rows = places.map(({ name, keys, rates }) => {
    const [first] = places.filter((place) => place.name === name);
    const cells = growing.flatMap((test) => {
      const rate = median(rates.get(test) ?? []);
      return [thousands(rate), (rate / median(first?.rates.get(test) ?? [])).toFixed(2)];
    });
    return [name, thousands(keys), ...cells];
  });
  printTable(['server', 'keys', 'SET', 'of first', 'GET', 'of first'], rows);
  for (const { server, client } of places) {
    client.close();
    await server.stop();
  }
}

if (option('tests', 1) === 1) await measureTests();
if (option('growth', 1) === 1) await measureGrowth();
