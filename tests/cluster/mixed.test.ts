import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../src/bytes/random.js';
import { until } from '../replication/support.js';
import { type MemberKind, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { ROUNDS_AT_ONCE } from '../support/rounds.js';
import { MixedCluster, manage, type NodeProcess } from './mixed-cluster.js';
import { Writers } from './writers.js';

after(stopAllServers);

const ROUNDS = Number(process.env['SORREL_CLUSTER_ROUNDS'] ?? 1);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);
const NODE_TIMEOUT_MS = Number(process.env['SORREL_CLUSTER_TIMEOUT'] ?? 3000);

/** How many slots move in a round; in the last one, half of them. */
const SLOTS = [300, 300, 1000, 8192];

/** The first is always the same: masters and replicas are of different kinds. */
function kindsOf(round: number): readonly MemberKind[] {
  if (round === 0) return ['sorrel', 'redis', 'sorrel', 'redis', 'sorrel', 'redis'];
  const random = seededRandom(SEED * 1000 + round);
  return Array.from({ length: random.integer(3) === 0 ? 9 : 6 }, () =>
    random.integer(2) === 0 ? 'sorrel' : 'redis',
  );
}

describe('nodes of ours and redis-servers, in one cluster,', {
  ...whenRedisIsInstalled,
  concurrency: ROUNDS_AT_ONCE,
}, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const kinds = kindsOf(round);
    it(`fail over, return and move slots while clients write: ${kinds.join(' ')}`, {
      timeout: 300_000,
    }, async () => {
      const cluster = await MixedCluster.create(kinds, kinds.length / 3 - 1, NODE_TIMEOUT_MS);
      const writers = await Writers.connect(cluster.nodes.map(({ port }) => port));
      try {
        await drill(cluster, writers, SLOTS[round % SLOTS.length] as number);
      } finally {
        await writers.close();
        await cluster.stop();
      }
    });
  }
});

async function drill(cluster: MixedCluster, writers: Writers, slots: number): Promise<void> {
  await writers.write(300);
  // A master of each kind crashes, and its replica takes over; it returns as a replica.
  for (const kind of ['redis', 'sorrel'] as const) {
    const master = (await cluster.masters()).find((node) => node.kind === kind);
    if (master !== undefined) await failOver(cluster, writers, master);
  }
  await loseReplica(cluster, writers);
  // A replica exchanges places with its master; nothing is lost although clients write.
  const [master] = (await cluster.masters()) as [NodeProcess];
  const [replica] = (await cluster.replicasOf(master)) as [NodeProcess];
  await writers.writeDuring(
    (async () => {
      await replica.ask('CLUSTER', 'FAILOVER');
      await until(
        'the replica takes over',
        () => replica.isMaster(),
        (isMaster) => isMaster,
      );
    })(),
  );
  await cluster.untilAgreed();
  await writers.check();
  // Slots of all other masters move to one while clients write.
  const [to] = (await cluster.masters()) as [NodeProcess];
  const [address, id] = [`127.0.0.1:${to.port}`, await to.id()];
  const ends = ['--cluster-from', 'all', '--cluster-to', id];
  await writers.writeDuring(
    manage('reshard', address, ...ends, '--cluster-slots', String(slots), '--cluster-yes'),
  );
  await cluster.untilAgreed();
  await writers.check();
  assert.match(await manage('check', address), /\[OK\] All 16384 slots covered/);
  await loseShard(cluster);
  await loseMajority(cluster);
}

async function failOver(cluster: MixedCluster, writers: Writers, master: NodeProcess): Promise<void> {
  const replicas = await cluster.replicasOf(master);
  await cluster.untilReplicated();
  writers.remember();
  const replaced = async (): Promise<void> => {
    master.kill();
    const chosen = await until(
      `a replica of ${master.kind} takes over`,
      async () => {
        const roles = await Promise.all(replicas.map((node) => node.isMaster()));
        return replicas.filter((_, i) => roles[i]);
      },
      ({ length }) => length === 1,
    );
    await until(
      'the cluster serves again',
      () => (chosen[0] as NodeProcess).ask('CLUSTER', 'INFO'),
      (info) => String(info).includes('cluster_state:ok'),
    );
  };
  await writers.writeDuring(replaced());
  await writers.write(50);
  await writers.checkSafe();
  await master.restart();
  await cluster.untilAgreed();
  assert.match(String(await master.ask('ROLE')), /^slave/);
  await writers.check();
}

/** A replica crashes: clients notice nothing. */
async function loseReplica(cluster: MixedCluster, writers: Writers): Promise<void> {
  const [master] = (await cluster.masters()) as [NodeProcess];
  const [replica] = (await cluster.replicasOf(master)) as [NodeProcess];
  const id = await replica.id();
  await writers.writeDuring(
    (async () => {
      replica.kill();
      await until(
        'all nodes know that it has failed',
        () => Promise.all(cluster.running.map((node) => node.ask('CLUSTER', 'NODES'))),
        (views) => views.every((view) => new RegExp(`^${id} \\S+ \\S*fail `, 'm').test(String(view))),
      );
    })(),
  );
  for (const node of cluster.running) {
    assert.match(String(await node.ask('CLUSTER', 'INFO')), /cluster_state:ok/);
  }
  await writers.check();
  await replica.restart();
  await cluster.untilAgreed();
  await writers.check();
}

async function untilDown(cluster: MixedCluster): Promise<void> {
  for (const node of cluster.running) {
    await until(
      'the cluster is down',
      () => node.ask('CLUSTER', 'INFO'),
      (info) => String(info).includes('cluster_state:fail'),
    );
    await assert.rejects(node.ask('GET', 'first'), /CLUSTERDOWN/);
  }
}

/** Master and replicas of one shard crash: the cluster is down for all. */
async function loseShard(cluster: MixedCluster): Promise<void> {
  const [master] = (await cluster.masters()) as [NodeProcess];
  const lost = [master, ...(await cluster.replicasOf(master))];
  for (const node of lost) node.kill();
  await untilDown(cluster);
  for (const node of lost) await node.restart();
  await cluster.untilAgreed();
}

/** Two of the three masters crash: no replica can be elected, until one of them is back. */
async function loseMajority(cluster: MixedCluster): Promise<void> {
  const masters = await cluster.masters();
  assert.equal(masters.length, 3);
  const lost = masters.slice(1);
  for (const node of lost) node.kill();
  await untilDown(cluster);
  // Longer than an election takes.
  await sleep(2 * NODE_TIMEOUT_MS);
  assert.deepEqual(await cluster.masters(), masters.slice(0, 1));
  for (const node of lost) await node.restart();
  await cluster.untilAgreed();
}
