/**
 * Cluster mode: what it costs a node, how fast slots move, and how long a failover takes, ours beside redis-server in alternating
 * rounds; then the rate of several nodes together.
 * Options: --rounds=3 --requests=400000 --keys=100000 --node-timeout=2000 --only=modes,migration,failover,threads
 */
import { availableParallelism } from 'node:os';
import { serveCluster } from '../src/server/index.js';
import { MixedCluster, type NodeProcess } from '../tests/cluster/mixed-cluster.js';
import { until } from '../tests/replication/support.js';
import {
  ask,
  type MemberKind,
  type Server,
  startRedis,
  startSorrel,
  stopAllServers,
} from '../tests/support/fleet/index.js';
import { Loader } from './support/load.js';
import {
  median,
  option,
  printTable,
  progress,
  runRedisBenchmark,
  textOption,
  thousands,
} from './support/measure.js';

const rounds = option('rounds', 3);
const requests = option('requests', 400_000);
const keys = option('keys', 100_000);
const nodeTimeout = option('node-timeout', 2000);
const KINDS = ['sorrel', 'redis'] as const;
const MODES = ['alone', 'cluster'] as const;
const TESTS = ['set', 'get'] as const;
const BATCHES = [10, 100];
const THREADS = [1, 2, 4];
const PARTS = {
  modes: measureModes,
  migration: measureMigration,
  failover: measureFailover,
  threads: measureThreads,
};
const only = textOption('only', Object.keys(PARTS).join()).split(',');

function start(kind: MemberKind, options: readonly string[] = []): Promise<Server> {
  return (kind === 'redis' ? startRedis : startSorrel)(options);
}

/** A node with all slots; without cluster mode, a plain server. */
async function startNode(kind: MemberKind, mode: (typeof MODES)[number]): Promise<Server> {
  if (mode === 'alone') return start(kind);
  const server = await start(kind, ['--cluster-enabled', 'yes']);
  await ask(server.port, 'CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await until(
    'the node serves',
    () => ask(server.port, 'CLUSTER', 'INFO'),
    (info) => String(info).includes('cluster_state:ok'),
  );
  return server;
}

async function measureModes(): Promise<void> {
  const rates = new Map<string, number[]>();
  for (let round = 1; round <= rounds; round++) {
    for (const kind of KINDS) {
      for (const mode of MODES) {
        progress(`round ${round} of ${rounds}: ${kind}, ${mode}`);
        const server = await startNode(kind, mode);
        for (const test of TESTS) {
          // Every GET finds its key: SET has written all of them.
          const { rate } = await runRedisBenchmark({
            port: server.port,
            test,
            requests,
            pipeline: 16,
            range: 10_000,
          });
          const name = `${kind} ${mode} ${test}`;
          rates.set(name, [...(rates.get(name) ?? []), rate]);
        }
        const stats = String(await ask(server.port, 'INFO', 'stats'));
        if (!/keyspace_misses:0\r/.test(stats)) throw new Error(`GET has missed keys: ${stats}`);
        await server.stop();
      }
    }
  }
  progress('');
  console.log('\nOne node, requests a second, pipeline 16');
  const of = (name: string): number => median(rates.get(name) as number[]);
  printTable(
    ['', 'alone', 'in cluster mode', 'ratio'],
    KINDS.flatMap((kind) =>
      TESTS.map((test) => {
        const [alone, cluster] = [of(`${kind} alone ${test}`), of(`${kind} cluster ${test}`)];
        return [
          `${kind}, ${test.toUpperCase()}`,
          thousands(alone),
          thousands(cluster),
          (cluster / alone).toFixed(2),
        ];
      }),
    ),
  );
}

/** MIGRATE of all keys from one server to another: 10 at a time, as redis-cli does, and 100. */
async function measureMigration(): Promise<void> {
  const found = new Map<string, number[]>();
  for (let round = 1; round <= rounds; round++) {
    for (const batch of BATCHES) {
      for (const kind of KINDS) {
        progress(`round ${round} of ${rounds}: ${kind} migrates ${batch} keys at a time`);
        const name = `${kind} ${batch}`;
        found.set(name, [...(found.get(name) ?? []), await migrationSeconds(kind, batch)]);
      }
    }
  }
  progress('');
  console.log(`\nMIGRATE of ${thousands(keys)} keys of 100 bytes, seconds`);
  printTable(
    ['keys at a time', 'sorrel', 'redis', 'redis : ours'],
    BATCHES.map((batch) => {
      const [ours, theirs] = KINDS.map((kind) => median(found.get(`${kind} ${batch}`) as number[])) as [
        number,
        number,
      ];
      return [String(batch), ours.toFixed(2), theirs.toFixed(2), (theirs / ours).toFixed(2)];
    }),
  );
}

async function migrationSeconds(kind: MemberKind, batch: number): Promise<number> {
  const [source, target] = [await start(kind), await start(kind)];
  const loader = await Loader.connect(source.port);
  await loader.send(keys, (index) => ['SET', `key:${index}`, 'x'.repeat(100)]);
  const begun = performance.now();
  for (let at = 0; at < keys; at += batch) {
    const names = Array.from({ length: Math.min(batch, keys - at) }, (_, index) => `key:${at + index}`);
    await loader.ask('MIGRATE', '127.0.0.1', target.port, '', 0, 60_000, 'KEYS', ...names);
  }
  const seconds = (performance.now() - begun) / 1000;
  const moved = [await ask(source.port, 'DBSIZE'), await ask(target.port, 'DBSIZE')];
  if (moved[0] !== 0 || moved[1] !== keys) throw new Error(`not all keys were moved: ${moved}`);
  loader.close();
  await Promise.all([source.stop(), target.stop()]);
  return seconds;
}

/** Nodes in threads: the rate that all of them reach together, and the processor time that a request takes them. */
async function measureThreads(): Promise<void> {
  const rows: string[][] = [];
  for (const nodes of THREADS) {
    for (const test of TESTS) {
      const rates: number[] = [];
      const micros: number[] = [];
      for (let round = 1; round <= rounds; round++) {
        progress(`round ${round} of ${rounds}: ${nodes} nodes in threads, ${test}`);
        await using cluster = await serveCluster({ nodes });
        const [port] = cluster.ports as [number];
        const run = { port, requests, pipeline: 16, range: 10_000, isCluster: nodes > 1, threads: 2 };
        // The first requests of a node are slow: its code is not compiled yet.
        for (const each of TESTS) await runRedisBenchmark({ ...run, test: each });
        const before = process.cpuUsage();
        // With threads, redis-benchmark looks at the clock four times a second only: a short run would be measured roughly.
        const many = 10 * requests;
        const { rate } = await runRedisBenchmark({ ...run, test, requests: many });
        const { user, system } = process.cpuUsage(before);
        rates.push(rate);
        micros.push((user + system) / many);
      }
      rows.push([`${nodes}, ${test.toUpperCase()}`, thousands(median(rates)), median(micros).toFixed(2)]);
    }
  }
  progress('');
  console.log(`\nNodes in threads of one process, ${availableParallelism()} processors, pipeline 16`);
  printTable(['nodes', 'requests a second', 'µs of processor time a request'], rows);
}

async function measureFailover(): Promise<void> {
  const found: Record<MemberKind, number[]> = { sorrel: [], redis: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const kind of KINDS) {
      progress(`round ${round} of ${rounds}: ${kind} fails over`);
      const cluster = await MixedCluster.create(
        Array.from({ length: 6 }, () => kind),
        1,
        nodeTimeout,
      );
      try {
        const [master] = (await cluster.masters()) as [NodeProcess];
        const [replica] = (await cluster.replicasOf(master)) as [NodeProcess];
        master.kill();
        const killedAt = performance.now();
        await until(
          'the replica takes over',
          () => replica.isMaster(),
          (isMaster) => isMaster,
        );
        found[kind].push(performance.now() - killedAt);
      } finally {
        await cluster.stop();
      }
    }
  }
  progress('');
  console.log(`\nFrom the end of a master to its replica as master, cluster-node-timeout ${nodeTimeout}, ms`);
  printTable(
    ['nodes', 'median', 'longest'],
    KINDS.map((kind) => [kind, median(found[kind]).toFixed(0), Math.max(...found[kind]).toFixed(0)]),
  );
}

try {
  for (const [name, measure] of Object.entries(PARTS)) if (only.includes(name)) await measure();
} finally {
  await stopAllServers();
}
