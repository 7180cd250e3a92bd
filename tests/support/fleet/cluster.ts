import { ask, askUntil } from './asking.js';
import { clusterEpochs, clusterMembers } from './cluster-nodes.js';
import type { Server } from './server-process.js';
import { startRedis, startSorrel } from './standalone.js';

/** Which servers a cluster consists of. */
export type ClusterMember = 'redis' | 'sorrel';

const ONLY_REDIS: readonly ClusterMember[] = ['redis', 'redis', 'redis'];
/** One node of Redis, two of ours. */
const MIXED: readonly ClusterMember[] = ['redis', 'sorrel', 'sorrel'];

/** A cluster of three masters, each with a third of the slots. */
export interface RedisCluster {
  readonly nodes: readonly Server[];
  readonly ports: readonly number[];
  /** Moves every key and slot of the range to the node with this index, while clients continue. */
  moveSlot(slot: number, to: number): Promise<void>;
  /** Empties all nodes. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const MASTERS = 3;

/** Returns when every node knows the others and serves. Takes about three seconds; two of them are a delay of Redis. */
export function startRedisCluster(options: readonly string[] = []): Promise<RedisCluster> {
  return startCluster(ONLY_REDIS, options);
}

/** A cluster of nodes of Redis and of ours. */
export function startMixedCluster(options: readonly string[] = []): Promise<RedisCluster> {
  return startCluster(MIXED, options);
}

async function startCluster(
  members: readonly ClusterMember[],
  options: readonly string[],
): Promise<RedisCluster> {
  const nodes = await startNodes(members, options);
  try {
    await join(nodes);
  } catch (error) {
    await stopAll(nodes);
    throw error;
  }
  return {
    nodes,
    ports: nodes.map((node) => node.port),
    moveSlot: (slot, to) => moveSlot(nodes, slot, to),
    flush: async () => {
      await Promise.all(nodes.map((node) => ask(node.port, 'FLUSHALL')));
    },
    stop: () => stopAll(nodes),
  };
}

async function startNodes(members: readonly ClusterMember[], options: readonly string[]): Promise<Server[]> {
  const settings = [
    '--cluster-enabled',
    'yes',
    '--cluster-announce-ip',
    '127.0.0.1',
    // On a busy machine, a slow node must not count as dead.
    '--cluster-node-timeout',
    '60000',
  ];
  const starting = members.map((member) =>
    (member === 'redis' ? startRedis : startSorrel)([...settings, ...options]),
  );
  const started = await Promise.allSettled(starting);
  const nodes = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = started.find((result) => result.status === 'rejected');
  if (failed === undefined) return nodes;
  await stopAll(nodes);
  throw failed.reason;
}

async function join(nodes: readonly Server[]): Promise<void> {
  for (const [index, { port }] of nodes.entries()) {
    const first = Math.floor((SLOTS * index) / MASTERS);
    const last = Math.floor((SLOTS * (index + 1)) / MASTERS) - 1;
    await ask(port, 'CLUSTER', 'ADDSLOTSRANGE', `${first}`, `${last}`);
    // Nodes with equal epochs would have to resolve that conflict first.
    await ask(port, 'CLUSTER', 'SET-CONFIG-EPOCH', `${index + 1}`);
  }
  for (const { port } of nodes.slice(1)) {
    await ask(nodes[0]!.port, 'CLUSTER', 'MEET', '127.0.0.1', `${port}`);
  }
  for (const { port } of nodes) {
    await askUntil(port, ['CLUSTER', 'INFO'], (info) => isWhole(String(info)));
    await askUntil(port, ['CLUSTER', 'NODES'], (table) => isSettled(String(table)));
  }
}

function isWhole(info: string): boolean {
  return (
    info.includes('cluster_state:ok') &&
    info.includes(`cluster_slots_ok:${SLOTS}`) &&
    info.includes(`cluster_known_nodes:${MASTERS}`)
  );
}

/** Whether every node is known by name and address, and connected in both directions. */
function isSettled(table: string): boolean {
  const lines = table.trim().split('\n');
  return lines.length === MASTERS && lines.every((line) => !/handshake|noaddr|fail|disconnected/.test(line));
}

async function moveSlot(nodes: readonly Server[], slot: number, to: number): Promise<void> {
  const names = await Promise.all(nodes.map(async ({ port }) => String(await ask(port, 'CLUSTER', 'MYID'))));
  const owners = await Promise.all(nodes.map(({ port }) => ownsSlot(port, slot)));
  const from = owners.indexOf(true);
  const target = nodes[to]!;
  if (from === to) return;
  const source = nodes[from]!;
  // The new owner takes the highest epoch only if it knows those of all others. With a lower one, a claim of the old owner that is still
  // on its way would win.
  await untilEpochsAreKnown(nodes);
  await ask(target.port, 'CLUSTER', 'SETSLOT', `${slot}`, 'IMPORTING', names[from]!);
  await ask(source.port, 'CLUSTER', 'SETSLOT', `${slot}`, 'MIGRATING', names[to]!);
  for (;;) {
    const keys = (await ask(source.port, 'CLUSTER', 'GETKEYSINSLOT', `${slot}`, '100')) as string[];
    if (keys.length === 0) break;
    await ask(source.port, 'MIGRATE', '127.0.0.1', `${target.port}`, '', '0', '30000', 'KEYS', ...keys);
  }
  for (const { port } of [target, source, ...nodes]) {
    await ask(port, 'CLUSTER', 'SETSLOT', `${slot}`, 'NODE', names[to]!);
  }
}

/** Returns when every node knows the present epochs of all. */
async function untilEpochsAreKnown(nodes: readonly Server[]): Promise<void> {
  const tables = await Promise.all(nodes.map(({ port }) => ask(port, 'CLUSTER', 'NODES')));
  const own = tables.map((table) => clusterMembers(table).find(({ isMyself }) => isMyself)!);
  for (const { port } of nodes) {
    await askUntil(port, ['CLUSTER', 'NODES'], (table) => {
      const known = clusterEpochs(table);
      return own.every(({ id, epoch }) => known.get(id) === epoch);
    });
  }
}

async function ownsSlot(port: number, slot: number): Promise<boolean> {
  const members = clusterMembers(await ask(port, 'CLUSTER', 'NODES'));
  const { slots } = members.find(({ isMyself }) => isMyself)!;
  return slots.some((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return first! <= slot && slot <= last!;
  });
}

async function stopAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
