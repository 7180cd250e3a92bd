import type { Call } from '../call.js';
import type { ClusterFailoverMode, ClusterMember, ClusterPort } from '../cluster-port.js';
import { CommandError, errors, shownText, wrongSubcommandArguments } from '../errors.js';
import { unknownNode } from './slots.js';

/** CLUSTER MEET ip port [bus-port] */
export function meet(call: Call, cluster: ClusterPort): void {
  requireArguments(call, 5);
  const ip = call.text(2);
  const port = portArgument(call, 3, 'base');
  const busPort = call.argc > 4 ? portArgument(call, 4, 'bus') : port + BUS_PORT_OFFSET;
  if (!cluster.meet(ip, port, busPort)) {
    const address = `${shownText(ip)}:${shownText(call.text(3))}`;
    throw new CommandError(`ERR Invalid node address specified: ${address}`);
  }
  call.reply.ok();
}

function portArgument(call: Call, index: number, kind: string): number {
  const text = shownText(call.text(index));
  return call.integer(index, new CommandError(`ERR Invalid TCP ${kind} port specified: ${text}`));
}

export function forget(call: Call, cluster: ClusterPort): void {
  const node = nodeArgument(call, cluster);
  if (node.isMyself) throw FORGETS_ITSELF;
  if (cluster.myself.isReplica && cluster.myself.master === node) throw FORGETS_MASTER;
  cluster.forget(node);
  call.reply.ok();
}

export function replicate(call: Call, cluster: ClusterPort): void {
  const node = nodeArgument(call, cluster);
  const { myself } = cluster;
  if (node.isMyself) throw REPLICATES_ITSELF;
  if (node.isReplica) throw REPLICATES_REPLICA;
  if (!myself.isReplica && (myself.slots.count !== 0 || call.db.size !== 0)) throw NOT_EMPTY;
  cluster.replicate(node);
  call.reply.ok();
}

/** CLUSTER FAILOVER [FORCE | TAKEOVER] */
export function failover(call: Call, cluster: ClusterPort): void {
  requireArguments(call, 3);
  const mode = failoverMode(call);
  const { myself } = cluster;
  if (!myself.isReplica) throw FAILOVER_OF_MASTER;
  if (myself.master === undefined) throw MASTER_UNKNOWN;
  const isReachable = !myself.master.isFailed && myself.master.link !== undefined;
  if (mode === 'agreed' && !isReachable) throw MASTER_DOWN;
  cluster.failover(mode);
  call.reply.ok();
}

function failoverMode(call: Call): ClusterFailoverMode {
  if (call.argc === 2) return 'agreed';
  if (call.arg(2).is('force')) return 'forced';
  if (call.arg(2).is('takeover')) return 'takeover';
  throw errors.syntax;
}

/** CLUSTER RESET [HARD | SOFT] */
export function reset(call: Call, cluster: ClusterPort): void {
  requireArguments(call, 3);
  const isHard = call.argc === 3 && call.arg(2).is('hard');
  if (call.argc === 3 && !isHard && !call.arg(2).is('soft')) throw errors.syntax;
  if (!cluster.myself.isReplica && call.db.size !== 0) throw RESET_WITH_KEYS;
  cluster.reset(isHard);
  call.reply.ok();
}

export function bumpEpoch(call: Call, cluster: ClusterPort): void {
  const isBumped = cluster.bumpEpoch();
  call.reply.status(`${isBumped ? 'BUMPED' : 'STILL'} ${cluster.myself.configEpoch}`);
}

/** CLUSTER SET-CONFIG-EPOCH epoch */
export function setConfigEpoch(call: Call, cluster: ClusterPort): void {
  const epoch = call.integer64(2);
  if (epoch < 0n) throw new CommandError(`ERR Invalid config epoch specified: ${epoch}`);
  if (cluster.nodeCount > 1) throw KNOWS_OTHERS;
  if (cluster.myself.configEpoch !== 0) throw HAS_EPOCH;
  if (epoch > Number.MAX_SAFE_INTEGER) throw EPOCH_TOO_LARGE;
  cluster.setConfigEpoch(Number(epoch));
  call.reply.ok();
}

export function saveConfig(call: Call, cluster: ClusterPort): void {
  try {
    cluster.saveConfig();
  } catch (error) {
    throw new CommandError(`ERR error saving the cluster node config: ${(error as Error).message}`);
  }
  call.reply.ok();
}

export function countFailureReports(call: Call, cluster: ClusterPort): void {
  call.reply.integer(cluster.failureReports(nodeArgument(call, cluster)));
}

export function nodes(call: Call, cluster: ClusterPort): void {
  call.reply.verbatim('txt', cluster.describeAll(call.session));
}

export function replicas(call: Call, cluster: ClusterPort): void {
  const node = nodeArgument(call, cluster);
  if (node.isReplica) throw NOT_A_MASTER;
  call.reply.array(node.replicas.length);
  for (const replica of node.replicas) call.reply.bulkText(cluster.describe(replica, call.session));
}

export function info(call: Call, cluster: ClusterPort): void {
  const lines = cluster.info().map(([name, value]) => `${name}:${value}\r\n`);
  call.reply.verbatim('txt', lines.join(''));
}

function nodeArgument(call: Call, cluster: ClusterPort): ClusterMember {
  const id = call.text(2);
  const node = cluster.node(id);
  if (node === undefined) throw unknownNode(id);
  return node;
}

function requireArguments(call: Call, max: number): void {
  if (call.argc > max) throw wrongSubcommandArguments(call.text(1), 'cluster');
}

/** A node's port for other nodes, unless stated, is its port for clients plus this. */
const BUS_PORT_OFFSET = 10000;

const FORGETS_ITSELF = new CommandError("ERR I tried hard but I can't forget myself...");
const FORGETS_MASTER = new CommandError("ERR Can't forget my master!");
const REPLICATES_ITSELF = new CommandError("ERR Can't replicate myself");
const REPLICATES_REPLICA = new CommandError('ERR I can only replicate a master, not a replica.');
const NOT_EMPTY = new CommandError('ERR To set a master the node must be empty and without assigned slots.');
const FAILOVER_OF_MASTER = new CommandError('ERR You should send CLUSTER FAILOVER to a replica');
const MASTER_UNKNOWN = new CommandError("ERR I'm a replica but my master is unknown to me");
const MASTER_DOWN = new CommandError('ERR Master is down or failed, please use CLUSTER FAILOVER FORCE');
const RESET_WITH_KEYS = new CommandError(
  "ERR CLUSTER RESET can't be called with master nodes containing keys",
);
const KNOWS_OTHERS = new CommandError(
  'ERR The user can assign a config epoch only when the node does not know any other node.',
);
const HAS_EPOCH = new CommandError('ERR Node config epoch is already non-zero');
/** Our own limit: epochs are kept as numbers. */
const EPOCH_TOO_LARGE = new CommandError(
  `ERR Invalid config epoch specified: at most ${Number.MAX_SAFE_INTEGER} is possible`,
);
const NOT_A_MASTER = new CommandError('ERR The specified node is not a master');
