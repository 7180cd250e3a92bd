/**
 * Saving, rewriting and loading, ours against redis-server: how long clients that write steadily wait while a BGSAVE and
 * a BGREWRITEAOF go on, how long these take, and how long a start with the files takes; the same with one large sorted
 * set. Then throughput with an append-only file. Rounds alternate; medians and the ratio ours : Redis are printed.
 * Options: --keys=2000000 --members=1000000 --rate=20000 (writes a second) --rounds=3 --throughput=1 (0 skips it)
 * --requests=100000 (of one measurement of throughput).
 */
import { Loader, type Words } from './support/load.js';
import { median, option, printTable, progress, redisBenchmark, thousands } from './support/measure.js';
import { PROGRAMS, type Program, RestartableServer } from './support/restartable-server.js';
import { SteadyWriter, summary, type Waits } from './support/steady-writer.js';

const keys = option('keys', 2_000_000);
const members = option('members', 1_000_000);
const rate = option('rate', 20_000);
const rounds = option('rounds', 3);
const requests = option('requests', 100_000);

/** The results of one round on one server. */
type Figures = Record<string, number>;

interface Workload {
  readonly title: string;
  readonly count: number;
  readonly fill: (i: number) => Words;
  /** The words of a command that changes it, as `SteadyWriter` takes them. */
  readonly change: readonly string[];
}

const random = (below: number): number => Math.floor(Math.random() * below);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function untilInfo(client: Loader, text: string): Promise<void> {
  while (!(await client.ask('INFO', 'persistence')).includes(text)) await pause(10);
}

/** The waits of clients during a background job, which is repeated until there are enough of them, and its median duration. */
async function measureJob(
  client: Loader,
  writer: SteadyWriter,
  command: string,
  field: string,
): Promise<{ waits: Waits; seconds: number }> {
  const waits: number[] = [];
  const times: number[] = [];
  while (waits.length < ENOUGH_WAITS) {
    // Earlier work must have ended: a disk that is still busy would be measured.
    await pause(2000);
    await writer.take();
    const begin = performance.now();
    await client.ask(command);
    await untilInfo(client, `${field}:0`);
    times.push((performance.now() - begin) / 1000);
    waits.push(...(await writer.take()));
  }
  return { waits: summary(waits), seconds: median(times) };
}

/** Three waits are then longer than 99.9 % of them. */
const ENOUGH_WAITS = 3000;

async function measure(program: Program, { count, fill, change }: Workload): Promise<Figures> {
  const server = new RestartableServer(program);
  await server.start();
  const client = await Loader.connect(server.port);
  await client.send(count, fill, (done) => progress(`${program}: ${thousands(done)} of ${thousands(count)}`));
  const writer = await SteadyWriter.connect(server.port, rate, change);
  await pause(1000);
  await writer.take();
  await pause(3000);
  const quiet = summary(await writer.take());
  const save = await measureJob(client, writer, 'BGSAVE', 'rdb_bgsave_in_progress');
  const megabytes = server.fileBytes / 1e6;
  await client.ask('CONFIG', 'SET', 'appendonly', 'yes');
  await untilInfo(client, 'aof_rewrite_in_progress:0');
  const rewrite = await measureJob(client, writer, 'BGREWRITEAOF', 'aof_rewrite_in_progress');
  writer.stop();
  client.close();
  await server.kill();
  const loadAof = await server.start('--appendonly', 'yes');
  await server.kill();
  const loadRdb = await server.start();
  await server.kill();
  server.remove();
  progress('');
  return {
    'quiet: p99.9, ms': quiet.p999,
    'quiet: longest, ms': quiet.longest,
    'BGSAVE: p99.9, ms': save.waits.p999,
    'BGSAVE: longest, ms': save.waits.longest,
    'BGSAVE: time, s': save.seconds,
    'rewrite: p99.9, ms': rewrite.waits.p999,
    'rewrite: longest, ms': rewrite.waits.longest,
    'rewrite: time, s': rewrite.seconds,
    'start with RDB, s': loadRdb / 1000,
    'start with AOF, s': loadAof / 1000,
    'file, MB': megabytes,
  };
}

async function compare(workload: Workload): Promise<void> {
  const all = new Map<Program, Figures[]>(PROGRAMS.map((program) => [program, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [program, figures] of all) figures.push(await measure(program, workload));
  }
  console.log(`\n${workload.title}, ${thousands(rate)} writes a second, medians of ${rounds}`);
  printMedians(all);
}

function printMedians(all: ReadonlyMap<Program, readonly Figures[]>): void {
  const figure = (program: Program, name: string): number =>
    median((all.get(program) ?? []).map((figures) => figures[name] as number));
  const names = Object.keys(all.get('sorrel')?.[0] ?? {});
  const rows = names.map((name) => {
    const ours = figure('sorrel', name);
    const redis = figure('redis-server', name);
    return [name, ours.toFixed(2), redis.toFixed(2), (ours / redis).toFixed(2)];
  });
  printTable(['', 'sorrel', 'redis', 'ratio'], rows);
}

/** SETs a second without an append-only file and under each policy, on servers that run side by side. */
async function compareThroughput(): Promise<void> {
  const policies = ['without', 'everysec', 'always'];
  for (const pipeline of [1, 16]) {
    const rates = new Map<string, number[]>();
    const servers = new Map<string, RestartableServer>();
    for (const program of PROGRAMS) {
      for (const policy of policies) {
        const settings = policy === 'without' ? [] : ['--appendonly', 'yes', '--appendfsync', policy];
        const server = new RestartableServer(program, settings);
        await server.start();
        servers.set(`${program} ${policy}`, server);
        rates.set(`${program} ${policy}`, []);
      }
    }
    // The first round warms the compiler up and is not counted.
    for (let round = 0; round <= rounds; round++) {
      for (const [name, { port }] of servers) {
        progress(`${name}, pipeline ${pipeline}: round ${round} of ${rounds}`);
        const measured = await redisBenchmark({ port, test: 'set', requests, pipeline, range: 100_000 });
        if (round > 0) rates.get(name)?.push(measured);
      }
    }
    progress('');
    for (const server of servers.values()) {
      await server.kill();
      server.remove();
    }
    const rateOf = (program: Program, policy: string): number =>
      median(rates.get(`${program} ${policy}`) as number[]);
    const share = (program: Program, policy: string): string =>
      (rateOf(program, policy) / rateOf(program, 'without')).toFixed(2);
    console.log(`\nSET by 50 clients, pipeline ${pipeline}, a second, medians of ${rounds}`);
    printTable(
      ['append-only file', 'sorrel', 'of without', 'redis', 'of without', 'ratio'],
      policies.map((policy) => [
        policy,
        thousands(rateOf('sorrel', policy)),
        share('sorrel', policy),
        thousands(rateOf('redis-server', policy)),
        share('redis-server', policy),
        (rateOf('sorrel', policy) / rateOf('redis-server', policy)).toFixed(2),
      ]),
    );
  }
}

if (keys > 0) {
  await compare({
    title: `${thousands(keys)} keys`,
    count: keys,
    fill: (i) => ['SET', `key:${i}`, `value:${i}`],
    change: ['SET', `key:{${keys}}`, `changed:{${keys}}`],
  });
}
if (members > 0) {
  await compare({
    title: `a sorted set of ${thousands(members)}`,
    count: members,
    fill: (i) => ['ZADD', 'zset', random(1_000_000), `member:${i}`],
    change: ['ZADD', 'zset', '{1000000}', `member:{${members}}`],
  });
}
if (option('throughput', 1) === 1) await compareThroughput();
process.exit();
