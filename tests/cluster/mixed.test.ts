import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Cluster as Client } from 'ioredis';
import { seededRandom } from '../../src/bytes/random.js';
import { until } from '../replication/support.js';
import { type MemberKind, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { MixedCluster, manage, type NodeProcess } from './mixed-cluster.js';

after(stopAllServers);

const ROUNDS = Number(process.env['SORREL_CLUSTER_ROUNDS'] ?? 1);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);
const NODE_TIMEOUT_MS = Number(process.env['SORREL_CLUSTER_TIMEOUT'] ?? 3000);

/** The first is always the same: masters and replicas are of different kinds. */
function kindsOf(round: number): readonly MemberKind[] {
  if (round === 0) return ['sorrel', 'redis', 'sorrel', 'redis', 'sorrel', 'redis'];
  const random = seededRandom(SEED * 1000 + round);
  return Array.from({ length: random.integer(3) === 0 ? 9 : 6 }, () =>
    random.integer(2) === 0 ? 'sorrel' : 'redis',
  );
}

describe('nodes of ours and redis-servers, in one cluster,', whenRedisIsInstalled, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const kinds = kindsOf(round);
    it(`fail over, return and move slots while clients write: ${kinds.join(' ')}`, {
      timeout: 240_000,
    }, async () => {
      const cluster = await MixedCluster.create(kinds, kinds.length / 3 - 1, NODE_TIMEOUT_MS);
      const client = await connect(cluster);
      try {
        await drill(cluster, new Writer(client));
      } finally {
        client.disconnect();
        await cluster.stop();
      }
    });
  }
});

async function connect(cluster: MixedCluster): Promise<Client> {
  const client = new Client(
    cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port })),
    { slotsRefreshTimeout: 5000, clusterRetryStrategy: () => 100, redisOptions: { connectTimeout: 5000 } },
  );
  client.on('error', () => {});
  await client.set('first', 'value');
  return client;
}

/** Writes keys and remembers which were acknowledged. */
class Writer {
  readonly #client: Client;
  readonly #acknowledged = new Map<string, string>();
  #count = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async write(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const key = `key:${this.#count % 2000}`;
      const value = String(this.#count++);
      await this.#client.set(key, value);
      this.#acknowledged.set(key, value);
    }
  }

  /** Writes until `work` has ended. */
  async writeDuring(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    while (!isOver) await this.write(20);
    await ended;
  }

  /** Every acknowledged write is there, at the node that owns its slot. */
  async check(): Promise<void> {
    for (const [key, value] of this.#acknowledged) assert.equal(await this.#client.get(key), value, key);
  }
}

async function drill(cluster: MixedCluster, writer: Writer): Promise<void> {
  await writer.write(500);
  // A master of each kind crashes, and its replica takes over; it returns as a replica.
  for (const kind of ['redis', 'sorrel'] as const) {
    const master = (await cluster.masters()).find((node) => node.kind === kind);
    if (master !== undefined) await failOver(cluster, writer, master);
  }
  // A replica exchanges places with its master; nothing is lost although clients write.
  const [master] = (await cluster.masters()) as [NodeProcess];
  const [replica] = (await cluster.replicasOf(master)) as [NodeProcess];
  await writer.writeDuring(
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
  await writer.check();
  // Slots move while clients write.
  const [from, to] = (await cluster.masters()) as [NodeProcess, NodeProcess];
  const ids = ['--cluster-from', await from.id(), '--cluster-to', await to.id()];
  await writer.writeDuring(
    manage('reshard', `127.0.0.1:${from.port}`, ...ids, '--cluster-slots', '300', '--cluster-yes'),
  );
  await cluster.untilAgreed();
  await writer.check();
  assert.match(await manage('check', `127.0.0.1:${from.port}`), /\[OK\] All 16384 slots covered/);
  await loseShard(cluster);
}

async function failOver(cluster: MixedCluster, writer: Writer, master: NodeProcess): Promise<void> {
  const [replica] = (await cluster.replicasOf(master)) as [NodeProcess];
  // What the replicas have is not lost.
  for (const each of await cluster.masters()) await each.ask('WAIT', '1', '5000');
  master.kill();
  await until(
    `a replica of ${master.kind} takes over`,
    async () => Promise.all((await cluster.running).map((node) => node.isMaster())),
    (roles) => roles.filter((isMaster) => isMaster).length === 3 && cluster.running.includes(replica),
  );
  await until(
    'the cluster serves again',
    () => replica.ask('CLUSTER', 'INFO'),
    (info) => String(info).includes('cluster_state:ok'),
  );
  await writer.check();
  await writer.write(100);
  await master.restart();
  await cluster.untilAgreed();
  assert.match(String(await master.ask('ROLE')), /^slave/);
  await writer.check();
}

/** Master and replicas of one shard crash: the cluster is down for all. */
async function loseShard(cluster: MixedCluster): Promise<void> {
  const [master] = (await cluster.masters()) as [NodeProcess];
  const lost = [master, ...(await cluster.replicasOf(master))];
  for (const node of lost) node.kill();
  for (const node of cluster.running) {
    await until(
      'the cluster is down',
      () => node.ask('CLUSTER', 'INFO'),
      (info) => String(info).includes('cluster_state:fail'),
    );
    await assert.rejects(node.ask('GET', 'first'), /CLUSTERDOWN/);
  }
  for (const node of lost) await node.restart();
  await cluster.untilAgreed();
}
