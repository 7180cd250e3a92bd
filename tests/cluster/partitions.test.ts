import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../src/bytes/random.js';
import { until } from '../replication/support.js';
import { type MemberKind, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { ROUNDS_AT_ONCE } from '../support/rounds.js';
import type { NodeProcess } from './mixed-cluster.js';
import { SeparableCluster } from './separable-cluster.js';
import { Writers } from './writers.js';

after(stopAllServers);

const ROUNDS = Number(process.env['SORREL_PARTITION_ROUNDS'] ?? 1);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);
const NODE_TIMEOUT_MS = Number(process.env['SORREL_CLUSTER_TIMEOUT'] ?? 3000);

const DRILLS = [
  'a master is cut off with a replica of another',
  'a shard is cut off',
  'every node is alone',
  'a master is slow',
  'all links are slow',
] as const;
type Drill = (typeof DRILLS)[number];

interface Plan {
  readonly kinds: readonly MemberKind[];
  readonly drill: Drill;
}

/** The first one is always the same. */
function planOf(round: number): Plan {
  if (round === 0)
    return { kinds: ['sorrel', 'redis', 'redis', 'redis', 'sorrel', 'sorrel'], drill: DRILLS[0] };
  const random = seededRandom(SEED * 1000 + round);
  return {
    kinds: Array.from({ length: random.integer(3) === 0 ? 9 : 6 }, () =>
      random.integer(2) === 0 ? 'sorrel' : 'redis',
    ),
    drill: DRILLS[random.integer(DRILLS.length)] as Drill,
  };
}

describe('in a separated network,', { ...whenRedisIsInstalled, concurrency: ROUNDS_AT_ONCE }, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { kinds, drill } = planOf(round);
    it(`${kinds.join(' ')}: ${drill}`, { timeout: 240_000 }, async () => {
      const cluster = await SeparableCluster.start(kinds, NODE_TIMEOUT_MS);
      const writers = await Writers.connect(cluster.nodes.map(({ announcedPort }) => announcedPort));
      try {
        await writers.write(200);
        await cluster.untilReplicated();
        writers.remember();
        await run(cluster, writers, drill);
        await cluster.untilAgreed();
        await writers.checkSafe();
        await writers.write(50);
        await writers.check();
      } finally {
        await writers.close();
        await cluster.stop();
      }
    });
  }
});

async function run(cluster: SeparableCluster, writers: Writers, drill: Drill): Promise<void> {
  const [master, other] = cluster.nodes as [NodeProcess, NodeProcess];
  const replicas = await cluster.replicasOf(master);
  const [replicaOfOther] = (await cluster.replicasOf(other)) as [NodeProcess];
  switch (drill) {
    case 'a master is cut off with a replica of another':
      cluster.separate([master, replicaOfOther]);
      await writers.writeDuring(replaced(cluster, master, replicas));
      await assert.rejects(master.ask('GET', 'x'), /CLUSTERDOWN|MOVED/);
      cluster.heal();
      await becomesReplica(master);
      return;
    case 'a shard is cut off': {
      // No replica of it is left on the other side: the cluster is down on both sides, and all as before when it is whole again.
      const before = await owners(cluster);
      cluster.separate([master, ...replicas]);
      for (const node of cluster.nodes) await untilState(node, 'fail');
      await sleep(NODE_TIMEOUT_MS);
      cluster.heal();
      await cluster.untilAgreed();
      assert.deepEqual(await owners(cluster), before);
      return;
    }
    case 'every node is alone': {
      const before = await owners(cluster);
      cluster.isolate();
      for (const node of await cluster.masters()) await untilState(node, 'fail');
      await sleep(NODE_TIMEOUT_MS);
      assert.deepEqual(await owners(cluster), before);
      cluster.heal();
      return;
    }
    case 'a master is slow':
      cluster.slow(2 * NODE_TIMEOUT_MS, master);
      await writers.writeDuring(replaced(cluster, master, replicas));
      cluster.heal();
      await becomesReplica(master);
      return;
    case 'all links are slow': {
      // Slow, but within the limit: no node is replaced.
      const before = await owners(cluster);
      cluster.slow(NODE_TIMEOUT_MS / 10);
      await writers.writeDuring(sleep(3 * NODE_TIMEOUT_MS));
      assert.deepEqual(await owners(cluster), before);
      await writers.check();
      cluster.heal();
      return;
    }
  }
}

/** The masters, by their ports. */
async function owners(cluster: SeparableCluster): Promise<number[]> {
  return (await cluster.masters()).map(({ port }) => port);
}

async function untilState(node: NodeProcess, state: 'ok' | 'fail'): Promise<void> {
  await until(
    `the cluster is ${state} for ${node.port}`,
    () => node.ask('CLUSTER', 'INFO'),
    (info) => String(info).includes(`cluster_state:${state}`),
  );
}

/** One of the replicas has taken over, and the rest of the cluster serves. */
async function replaced(
  cluster: SeparableCluster,
  master: NodeProcess,
  replicas: readonly NodeProcess[],
): Promise<void> {
  const [chosen] = (await until(
    `a replica of ${master.port} takes over`,
    async () => {
      const roles = await Promise.all(replicas.map((node) => node.isMaster()));
      return replicas.filter((_, i) => roles[i]);
    },
    ({ length }) => length === 1,
  )) as [NodeProcess];
  await untilState(chosen, 'ok');
  assert.ok(cluster.running.includes(chosen));
}

async function becomesReplica(node: NodeProcess): Promise<void> {
  await until(
    'the former master is a replica',
    () => node.ask('ROLE'),
    (role) => /^slave/.test(String(role)),
  );
}
