/**
 * Cluster mode: what it costs a node, how fast slots move, and how long a failover takes, ours beside redis-server in alternating
 * rounds; then the rate of several nodes together.
 * Options: --rounds=3 --requests=400000 --keys=100000 --node-timeout=2000
 */
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
import { median, option, printTable, progress, runRedisBenchmark, thousands } from './support/measure.js';

const rounds = option('rounds', 3);
const requests = option('requests', 400_000);
const keys = option('keys', 100_000);
const nodeTimeout = option('node-timeout', 2000);
const KINDS = ['sorrel', 'redis'] as const;
const MODES = ['alone', 'cluster'] as const;
const TESTS = ['set', 'get'] as const;

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

/** MIGRATE of all keys of a slot from one node to another, 100 at a time. */
async function measureMigration(): Promise<void> {
  const found: Record<MemberKind, number[]> = { sorrel: [], redis: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const kind of KINDS) {
      progress(`round ${round} of ${rounds}: ${kind} migrates`);
      const [source, target] = [await start(kind), await start(kind)];
      const loader = await Loader.connect(source.port);
      await loader.send(keys, (index) => ['SET', `key:${index}`, 'x'.repeat(100)]);
      const begun = performance.now();
      for (let at = 0; at < keys; at += 100) {
        const names = Array.from({ length: Math.min(100, keys - at) }, (_, index) => `key:${at + index}`);
        await ask(
          source.port,
          'MIGRATE',
          '127.0.0.1',
          String(target.port),
          '',
          '0',
          '60000',
          'KEYS',
          ...names,
        );
      }
      found[kind].push((performance.now() - begun) / 1000);
      const moved = [await ask(source.port, 'DBSIZE'), await ask(target.port, 'DBSIZE')];
      if (moved[0] !== 0 || moved[1] !== keys) throw new Error(`not all keys were moved: ${moved}`);
      loader.close();
      await Promise.all([source.stop(), target.stop()]);
    }
  }
  progress('');
  console.log(`\nMIGRATE of ${thousands(keys)} keys of 100 bytes, 100 at a time, seconds`);
  const [ours, theirs] = [median(found.sorrel), median(found.redis)];
  printTable(
    ['sorrel', 'redis', 'redis : ours'],
    [[ours.toFixed(2), theirs.toFixed(2), (theirs / ours).toFixed(2)]],
  );
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
  await measureModes();
  await measureMigration();
  await measureFailover();
} finally {
  await stopAllServers();
}
