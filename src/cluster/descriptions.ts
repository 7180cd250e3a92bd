import type { Reply } from '../resp/reply.js';
import type { BusLink } from './bus-link.js';
import type { Cluster } from './cluster.js';
import type { ClusterNode } from './node.js';
import { SLOTS } from './slot-set.js';

// ---- CLUSTER SLOTS ----

export function replySlots(cluster: Cluster, usesPlainPorts: boolean, reply: Reply): void {
  const { topology } = cluster;
  const mark = reply.defer();
  let count = 0;
  let start = 0;
  for (let slot = 1; slot <= SLOTS; slot++) {
    const owner = topology.owner(start);
    if (slot < SLOTS && topology.owner(slot) === owner) continue;
    if (owner !== undefined) {
      replyRange(cluster, usesPlainPorts, reply, owner, start, slot - 1);
      count++;
    }
    start = slot;
  }
  reply.finishArray(mark, count);
}

function replyRange(
  cluster: Cluster,
  usesPlainPorts: boolean,
  reply: Reply,
  owner: ClusterNode,
  start: number,
  end: number,
): void {
  const replicas = owner.replicas.filter((node) => !node.isFailed && offsetOf(cluster, node) !== 0);
  reply.array(3 + replicas.length);
  reply.integer(start);
  reply.integer(end);
  for (const node of [owner, ...replicas]) replyNode(cluster, usesPlainPorts, reply, node);
}

/** The endpoint, the port, the id, and the addresses that are not the endpoint. */
function replyNode(cluster: Cluster, usesPlainPorts: boolean, reply: Reply, node: ClusterNode): void {
  const { endpoint } = cluster.settings;
  const { ip, hostname, port, plainPort, id } = node;
  reply.array(4);
  if (endpoint === 'unknown-endpoint') reply.null();
  else if (endpoint === 'hostname') reply.bulkText(hostname === '' ? '?' : hostname);
  else reply.bulkText(ip);
  reply.integer(usesPlainPorts && plainPort !== 0 ? plainPort : port);
  reply.bulkText(id);
  const others: (readonly [string, string])[] = [];
  if (endpoint !== 'ip') others.push(['ip', ip]);
  if (endpoint !== 'hostname' && hostname !== '') others.push(['hostname', hostname]);
  reply.map(others.length);
  for (const [name, value] of others) {
    reply.bulkText(name);
    reply.bulkText(value);
  }
}

/** What a node has of the replication stream. */
function offsetOf({ replication }: Cluster, node: ClusterNode): number {
  return node.isMyself ? replication.dataOffset : node.offset;
}

// ---- CLUSTER SHARDS ----

export function replyShards(cluster: Cluster, reply: Reply): void {
  const masters = [...cluster.topology.nodes].filter((node) => node.isMaster);
  reply.array(masters.length);
  for (const master of masters) {
    const ranges = [...master.slots.ranges()];
    reply.map(2);
    reply.bulkText('slots');
    reply.array(ranges.length * 2);
    for (const { start, end } of ranges) {
      reply.integer(start);
      reply.integer(end);
    }
    const members = [master, ...master.replicas];
    reply.bulkText('nodes');
    reply.array(members.length);
    for (const node of members) replyMember(cluster, reply, node);
  }
}

function replyMember(cluster: Cluster, reply: Reply, node: ClusterNode): void {
  const { usesTls, endpoint } = cluster.settings;
  const offset = offsetOf(cluster, node);
  const plainPort = usesTls ? node.plainPort : node.port;
  const endpoints = {
    ip: node.ip,
    hostname: node.hostname === '' ? '?' : node.hostname,
    'unknown-endpoint': '',
  };
  const health = node.isFailed ? 'fail' : node.isReplica && offset === 0 ? 'loading' : 'online';
  const fields: (readonly [string, string | number])[] = [['id', node.id]];
  if (plainPort !== 0) fields.push(['port', plainPort]);
  if (usesTls && node.port !== 0) fields.push(['tls-port', node.port]);
  fields.push(['ip', node.ip], ['endpoint', endpoints[endpoint]]);
  if (node.hostname !== '') fields.push(['hostname', node.hostname]);
  fields.push(
    ['role', node.isReplica ? 'replica' : 'master'],
    ['replication-offset', offset],
    ['health', health],
  );
  replyFields(reply, fields);
}

// ---- CLUSTER LINKS ----

export function replyLinks({ topology }: Cluster, reply: Reply): void {
  const links: (readonly [ClusterNode, BusLink])[] = [];
  for (const node of topology.nodes) {
    for (const link of [node.link, node.inboundLink]) if (link !== undefined) links.push([node, link]);
  }
  reply.array(links.length);
  for (const [node, link] of links) {
    replyFields(reply, [
      ['direction', link.isInbound ? 'from' : 'to'],
      ['node', node.id],
      ['create-time', link.createdAt],
      ['events', link.unsent === 0 ? 'r' : 'rw'],
      ['send-buffer-allocated', link.unsent],
      ['send-buffer-used', link.unsent],
    ]);
  }
}

function replyFields(reply: Reply, fields: readonly (readonly [string, string | number])[]): void {
  reply.map(fields.length);
  for (const [name, value] of fields) {
    reply.bulkText(name);
    if (typeof value === 'string') reply.bulkText(value);
    else reply.integer(value);
  }
}
