/**
 * Replication, ours against redis-server as master; all replicas are redis-servers, so that only the master differs: the
 * rate of SET with 0, 1 and 2 replicas, and the master's processor time; a full synchronisation while clients write steadily (its time, how
 * long they wait, and how long they do without it, extra memory); catching up with a backlog; the time until a replica has confirmed a write. Then the other way: a replica, ours or redis-server, that
 * receives a large snapshot from a redis-server (its time, and the memory beyond what the data needs). Then reads from an embedded replica and from
 * a local redis-server. Rounds alternate; medians and the ratio ours : Redis are printed.
 * Options: --keys=2000000 --rate=20000 (writes a second) --rounds=3 --syncs=5 (a round) --requests=1000000 --backlog=100 (MB) --snapshot=500 (MB)
 * --only=rates,sync,replica,reads
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { Redis } from 'ioredis';
import type * as sorrel from '../src/store/index.js';
import { built } from './support/built.js';
import { Loader } from './support/load.js';
import {
  median,
  option,
  percentile,
  printTable,
  processorMicros,
  progress,
  redisBenchmark,
  residentBytes,
  textOption,
  thousands,
} from './support/measure.js';
import { PROGRAMS, type Program, RestartableServer } from './support/restartable-server.js';
import { SteadyWriter, summary, type Waits } from './support/steady-writer.js';

const keys = option('keys', 2_000_000);
const rate = option('rate', 20_000);
const rounds = option('rounds', 3);
const syncs = option('syncs', 5);
const requests = option('requests', 1_000_000);
const backlogMegabytes = option('backlog', 100);
const snapshotMegabytes = option('snapshot', 500);

type Figures = Record<string, number>;

const QUICK = ['--repl-diskless-sync-delay', '0', '--repl-backlog-size', '1gb'];
const NO_LIMIT = ['--client-output-buffer-limit', 'replica 0 0 0'];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function started(program: Program): Promise<RestartableServer> {
  const server = new RestartableServer(program, [...QUICK, ...NO_LIMIT]);
  await server.start();
  return server;
}

/** A replica gets the processors only when the others leave them idle: it would have a machine of its own. */
async function startedReplica(): Promise<RestartableServer> {
  const replica = await started('redis-server');
  setPriority(replica.pid, constants.priority.PRIORITY_LOW);
  return replica;
}

async function info(client: Loader, section: string, field: string): Promise<string | undefined> {
  return new RegExp(`^${field}:(.*)\\r$`, 'm').exec(await client.ask('INFO', section))?.[1];
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(5);
}

/** Makes the replica follow the master. Returns the seconds until it had all data. */
async function follow(replica: RestartableServer, master: RestartableServer): Promise<number> {
  const client = await Loader.connect(replica.port);
  const begin = performance.now();
  await client.ask('REPLICAOF', '127.0.0.1', master.port);
  await until(async () => (await info(client, 'replication', 'master_link_status')) === 'up');
  client.close();
  return (performance.now() - begin) / 1000;
}

/** SETs a second with some replicas, and the processor time that each takes the master. */
async function measureRates(program: Program): Promise<Figures> {
  const master = await started(program);
  const figures: Figures = {};
  const replicas: RestartableServer[] = [];
  for (let count = 0; count <= 2; count++) {
    if (count > 0) {
      const replica = await startedReplica();
      replicas.push(replica);
      await follow(replica, master);
    }
    for (const pipeline of [1, 16]) {
      progress(`${program}, ${count} replicas, pipeline ${pipeline}`);
      const run = {
        port: master.port,
        test: 'set',
        requests: pipeline === 1 ? requests / 4 : requests,
        pipeline,
        range: 100_000,
      };
      await redisBenchmark(run);
      const before = processorMicros(master.pid);
      figures[`pipeline ${pipeline}, ${count} replicas: SET/s`] = await redisBenchmark(run);
      const micros = processorMicros(master.pid) - before;
      figures[`pipeline ${pipeline}, ${count} replicas: µs of the master for a SET`] = micros / run.requests;
    }
  }
  for (const server of [master, ...replicas]) await removed(server);
  return figures;
}

async function measureSync(program: Program): Promise<Figures> {
  const master = await started(program);
  const replica = await startedReplica();
  const client = await Loader.connect(master.port);
  await client.send(
    keys,
    (i) => ['SET', `key:${i}`, `value of ${i} with some more text`],
    (done) => progress(`${program}: ${thousands(done)} of ${thousands(keys)}`),
  );
  const words = ['SET', `key:{${keys}}`, 'other {1000000000}'];
  const writer = await SteadyWriter.connect(master.port, rate, words);
  await pause(2000);
  await writer.take();
  await pause(FLOOR_MS);
  const undisturbed = summary(await writer.take());
  const busy = busyProcess();
  await pause(FLOOR_MS);
  const beside = summary(await writer.take());
  busy.kill('SIGKILL');
  const synced = await measureSyncs(program, master, replica, writer);
  const copied =
    program === 'redis-server' ? Number(await info(client, 'persistence', 'rdb_last_cow_size')) : 0;
  writer.stop();
  await pause(500);
  const latencies = await confirmations(master.port);
  const catchUp = await measureCatchUp(client, replica);
  client.close();
  for (const server of [master, replica]) await removed(server);
  return {
    'full sync: time, s': synced.seconds,
    'full sync: p99.9, ms': synced.others.p999,
    'the first of the process: p99.9, ms': synced.first.p999,
    'the same without it: p99.9, ms': undisturbed.p999,
    'beside a process that computes, instead: p99.9, ms': beside.p999,
    'full sync: longest, ms': Math.max(synced.first.longest, synced.others.longest),
    'full sync: extra memory, MB': (synced.extraBytes + copied) / 1e6,
    'SET and WAIT 1: p50, ms': percentile(latencies, 50),
    'SET and WAIT 1: p99, ms': percentile(latencies, 99),
    [`catching up ${backlogMegabytes} MB, s`]: catchUp,
  };
}

interface Synchronised {
  /** The median time of one. */
  readonly seconds: number;
  /** The waits of clients during the first one, while the code of the master is cold, and during the others together. */
  readonly first: Waits;
  readonly others: Waits;
  readonly extraBytes: number;
}

/** The replica synchronises several times: of the two thousand waits of one synchronisation, the two longest would decide alone. */
async function measureSyncs(
  program: Program,
  master: RestartableServer,
  replica: RestartableServer,
  writer: SteadyWriter,
): Promise<Synchronised> {
  const before = residentBytes(master.pid);
  let most = before;
  const times: number[] = [];
  const waits: number[][] = [];
  const client = await Loader.connect(replica.port);
  for (let i = 1; i <= syncs; i++) {
    await client.ask('REPLICAOF', 'NO', 'ONE');
    await client.ask('FLUSHALL', 'SYNC');
    // What was begun before the synchronisation ends: the last one, freeing the data.
    await pause(500);
    progress(`${program}: full synchronisation ${i} of ${syncs}`);
    const watch = setInterval(() => {
      most = Math.max(most, residentBytes(master.pid));
    }, 10);
    await writer.take();
    times.push(await follow(replica, master));
    waits.push(await writer.take());
    clearInterval(watch);
  }
  client.close();
  const [first = [], ...others] = waits;
  return {
    seconds: median(times),
    first: summary(first),
    others: summary(others.flat()),
    extraBytes: most - before,
  };
}

/** How long the waits without a full synchronisation are measured. */
const FLOOR_MS = 5000;

/** Uses a processor, as a replica that loads its data does. What clients wait meanwhile is due to the machine, not to the master. */
function busyProcess(): ChildProcess {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
}

/** Confirmed writes before the measured ones: a server that has just started compiles its code, and so does the client. */
const WARM_UP = 2000;

/** How long it takes until a replica has confirmed a write. */
async function confirmations(port: number): Promise<number[]> {
  const client = new Redis(port);
  const latencies: number[] = [];
  for (let i = 0; i < WARM_UP + 3000; i++) {
    const begin = performance.now();
    const replies = (await client.pipeline().set('confirmed', i).wait(1, 1000).exec()) ?? [];
    if (replies[1]?.[1] !== 1) throw new Error('no replica has confirmed');
    if (i >= WARM_UP) latencies.push(performance.now() - begin);
  }
  client.disconnect();
  return latencies;
}

/** The replica is stopped while the master writes, and then has to catch up. */
async function measureCatchUp(client: Loader, replica: RestartableServer): Promise<number> {
  process.kill(replica.pid, 'SIGSTOP');
  const value = 'x'.repeat(10_000);
  await client.send(backlogMegabytes * 100, (i) => ['SET', `large:${i % 100}`, value]);
  const offset = Number(await info(client, 'replication', 'master_repl_offset'));
  const begin = performance.now();
  process.kill(replica.pid, 'SIGCONT');
  const other = await Loader.connect(replica.port);
  await until(async () => Number(await info(other, 'replication', 'slave_repl_offset')) >= offset);
  other.close();
  return (performance.now() - begin) / 1000;
}

/** A replica that receives a large snapshot, with each way of loading it. */
async function measureReplica(program: Program): Promise<Figures> {
  const settings = [...QUICK, ...NO_LIMIT, '--enable-debug-command', 'yes', '--rdbcompression', 'no'];
  const master = new RestartableServer('redis-server', settings);
  await master.start();
  const client = await Loader.connect(master.port);
  await client.ask('DEBUG', 'POPULATE', snapshotMegabytes * 1000, 'key', 1000);
  client.close();
  const figures: Figures = {};
  for (const mode of ['disabled', 'on-empty-db', 'swapdb']) {
    progress(`${program}: receives a snapshot, repl-diskless-load ${mode}`);
    const replica = new RestartableServer(program, [...QUICK, '--repl-diskless-load', mode]);
    await replica.start();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, residentBytes(replica.pid));
    }, 10);
    figures[`${mode}: time, s`] = await follow(replica, master);
    clearInterval(watch);
    await pause(1000);
    figures[`${mode}: extra memory, MB`] = Math.max(0, most - residentBytes(replica.pid)) / 1e6;
    await removed(replica);
  }
  await removed(master);
  return figures;
}

async function removed(server: RestartableServer): Promise<void> {
  await server.kill();
  server.remove();
}

/** GETs a second from an embedded replica, and from a local redis-server. */
async function compareReads(): Promise<void> {
  const master = await started('redis-server');
  const { open } = await built<typeof sorrel>('store/index.js');
  const client = new Redis(master.port);
  for (let i = 0; i < 10_000; i++) void client.set(`name:${i}`, 'a value of 24 characters');
  await client.ping();
  const store = await open('memory:', { replicaOf: `redis://127.0.0.1:${master.port}` });
  const names = Array.from({ length: 10_000 }, (_, i) => `name:${i}`);
  const rateOf = async (get: (name: string) => unknown): Promise<number> => {
    let count = 0;
    const begin = performance.now();
    while (performance.now() - begin < 2000) {
      for (let i = 0; i < 100; i++) await get(names[count++ % names.length] as string);
    }
    return count / ((performance.now() - begin) / 1000);
  };
  const syncRate = (): number => {
    let count = 0;
    const begin = performance.now();
    while (performance.now() - begin < 2000) {
      for (let i = 0; i < 1000; i++) store.sync.get(names[count++ % names.length] as string);
    }
    return count / ((performance.now() - begin) / 1000);
  };
  const all: number[][] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    all[0]?.push(await rateOf((name) => client.get(name)));
    all[1]?.push(await rateOf((name) => store.get(name)));
    all[2]?.push(syncRate());
  }
  const [remote, promised, direct] = all.map(median) as [number, number, number];
  console.log(`\nGETs a second, one after the other, medians of ${rounds}`);
  printTable(
    ['', 'GET/s', 'times ioredis'],
    [
      ['ioredis to a local redis-server', thousands(remote), '1'],
      ['embedded replica, store.get', thousands(promised), (promised / remote).toFixed(0)],
      ['embedded replica, store.sync.get', thousands(direct), (direct / remote).toFixed(0)],
    ],
  );
  await store.close();
  client.disconnect();
  await removed(master);
}

async function compare(title: string, measure: (program: Program) => Promise<Figures>): Promise<void> {
  const all = new Map<Program, Figures[]>(PROGRAMS.map((program) => [program, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [program, figures] of all) figures.push(await measure(program));
  }
  progress('');
  const figure = (program: Program, name: string): number =>
    median((all.get(program) ?? []).map((figures) => figures[name] as number));
  console.log(`\n${title}, medians of ${rounds}`);
  const rows = Object.keys(all.get('sorrel')?.[0] ?? {}).map((name) => {
    const ours = figure('sorrel', name);
    const redis = figure('redis-server', name);
    const show = (value: number): string => (value > 1000 ? thousands(value) : value.toFixed(2));
    return [name, show(ours), show(redis), (ours / redis).toFixed(2)];
  });
  printTable(['', 'sorrel', 'redis', 'ratio'], rows);
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  rates: () => compare('Rate of a master', measureRates),
  sync: () => compare(`${thousands(keys)} keys, ${thousands(rate)} writes a second`, measureSync),
  replica: () => compare(`A replica receives ${snapshotMegabytes} MB`, measureReplica),
  reads: compareReads,
};
const only = textOption('only', Object.keys(PARTS).join()).split(',');
for (const [name, measure] of Object.entries(PARTS)) if (only.includes(name)) await measure();
process.exit(0);
