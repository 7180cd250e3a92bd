import type { BusLink } from './bus-link.js';
import type { Cluster } from './cluster.js';
import { resolveEpochCollision } from './epochs.js';
import { clearFailureIfPossible, markFailed } from './failure-detection.js';
import { receiveGossip } from './gossip.js';
import { ClusterNode, NodeFlag } from './node.js';
import { isNodeId, type Packet, PacketFlag, type PacketHeader, PacketType } from './packet.js';
import { claimSlots } from './slot-claims.js';
import { slotsIn } from './slot-set.js';
import { considerVote } from './voting.js';

/**
 * Processes a packet. Only members are believed: a packet of an unknown sender has no effect but that a PING is answered, and
 * that a MEET begins a handshake.
 */
export function receivePacket(cluster: Cluster, link: BusLink, packet: Packet): void {
  const { header, body } = packet;
  const sender = senderOf(cluster, link, header);
  if (sender !== undefined) {
    sender.dataReceivedAt = cluster.now;
    if (!sender.isInHandshake) receiveHeader(cluster, sender, header);
  }
  switch (body.kind) {
    case 'ping':
      receivePing(cluster, link, sender, packet);
      return;
    case 'fail':
      if (sender !== undefined) receiveFail(cluster, sender, body.id);
      return;
    case 'publish':
      if (sender === undefined) return;
      cluster.deliver(header.type === PacketType.publish ? 'global' : 'shard', body.channel, body.message);
      return;
    case 'update': {
      const node = cluster.topology.node(body.id);
      if (sender === undefined || node === undefined || node.configEpoch >= body.configEpoch) return;
      cluster.topology.makeMaster(node);
      node.configEpoch = body.configEpoch;
      cluster.changed({ save: true, synced: true, state: true });
      claimSlots(cluster, node, body.configEpoch, body.slots);
      return;
    }
    case 'none':
      if (sender !== undefined) receiveSignal(cluster, link, sender, header);
  }
}

/** The member that has sent the packet. A node in handshake has no true id yet, so the packet's id counts. */
function senderOf(cluster: Cluster, link: BusLink, { id }: PacketHeader): ClusterNode | undefined {
  if (link.node !== undefined && !link.node.isInHandshake) return link.node;
  const sender = cluster.topology.node(id);
  if (sender !== undefined && link.node === undefined) cluster.bus.identify(link, sender);
  return sender;
}

function receiveHeader(cluster: Cluster, sender: ClusterNode, header: PacketHeader): void {
  const { topology } = cluster;
  topology.currentEpoch = Math.max(topology.currentEpoch, header.currentEpoch);
  if (header.configEpoch > sender.configEpoch) {
    sender.configEpoch = header.configEpoch;
    cluster.changed({ save: true, synced: true });
  }
  sender.offset = header.offset;
  sender.offsetAt = cluster.now;
  if ((header.messageFlags & PacketFlag.paused) !== 0) cluster.manualFailover.masterHasPaused(sender);
}

/** Packets without content. */
function receiveSignal(cluster: Cluster, link: BusLink, sender: ClusterNode, header: PacketHeader): void {
  switch (header.type) {
    case PacketType.voteRequest:
      considerVote(cluster, sender, header);
      return;
    case PacketType.vote:
      cluster.election.receiveVote(sender, header.currentEpoch);
      return;
    case PacketType.manualFailover:
      if (sender.master === cluster.topology.myself) cluster.manualFailover.requestedBy(sender, link);
  }
}

function receiveFail(cluster: Cluster, sender: ClusterNode, id: string): void {
  const node = cluster.topology.node(id);
  if (node === undefined || node.has(NodeFlag.failed | NodeFlag.myself)) return;
  cluster.log('notice', `FAIL message received from ${sender.id} about ${id}`);
  markFailed(cluster, node);
}

// ---- PING, PONG and MEET ----

function receivePing(cluster: Cluster, link: BusLink, sender: ClusterNode | undefined, packet: Packet): void {
  const { header, body } = packet;
  if (body.kind !== 'ping') return;
  if (header.type !== PacketType.pong) {
    learnOwnAddress(cluster, link, header);
    if (sender === undefined && header.type === PacketType.meet) {
      beginHandshake(cluster, link, header);
      receiveGossip(cluster, undefined, body.gossip);
    }
    cluster.bus.ping(link, PacketType.pong);
  }
  if (!link.isInbound && !confirmSender(cluster, link, sender, header)) return;
  // The node of the link may have got its id just now.
  const known = sender ?? (link.isInbound ? undefined : link.node);
  if (known !== undefined) receiveState(cluster, link, known, header);
  if (!link.isInbound && header.type === PacketType.pong && link.node !== undefined) {
    receivePong(cluster, link.node);
  }
  if (sender === undefined) return;
  receiveRole(cluster, sender, header);
  receiveSlots(cluster, sender, header);
  resolveEpochCollision(cluster, sender, header.configEpoch);
  receiveGossip(cluster, sender, body.gossip);
  if (sender.hostname !== body.hostname) {
    sender.hostname = body.hostname;
    cluster.changed({ save: true });
  }
}

/** Others know how to reach us: the address of the connection is ours. */
function learnOwnAddress(cluster: Cluster, link: BusLink, { type }: PacketHeader): void {
  const { topology, settings } = cluster;
  const { myself } = topology;
  if (settings.announcedIp !== '' || (type !== PacketType.meet && myself.ip !== '')) return;
  if (link.localHost === '' || link.localHost === myself.ip) return;
  myself.ip = link.localHost;
  cluster.log('warning', `IP address for this node updated to ${myself.ip}`);
  cluster.changed({ save: true });
}

/** A node that we do not know wants to be added. It is, when it has answered us. */
function beginHandshake(cluster: Cluster, link: BusLink, header: PacketHeader): void {
  const ip = header.ip === '' ? link.remoteHost : header.ip;
  if (cluster.isShakingHands(ip, header.port, header.busPort)) return;
  const node = new ClusterNode(cluster.newId(), NodeFlag.handshake, cluster.now);
  node.ip = ip;
  node.port = header.port;
  node.plainPort = header.plainPort;
  node.busPort = header.busPort;
  cluster.topology.add(node);
  cluster.changed({ save: true });
}

/** Whether the node that answers is the one that we connected to. It gets its true id if it was in handshake. */
function confirmSender(
  cluster: Cluster,
  link: BusLink,
  sender: ClusterNode | undefined,
  header: PacketHeader,
): boolean {
  const node = link.node as ClusterNode;
  if (node.isInHandshake) {
    if (sender !== undefined || !isNodeId(header.id)) {
      // We know it already, perhaps at another address.
      if (sender !== undefined) {
        cluster.log(
          'verbose',
          `Handshake: we already know node ${sender.id}, updating the address if needed.`,
        );
        updateAddress(cluster, sender, link, header);
      }
      cluster.remove(node);
      return false;
    }
    cluster.topology.rename(node, header.id);
    cluster.log('debug', `Handshake with node ${node.id} completed.`);
    node.set(NodeFlag.handshake, false);
    node.set(header.flags & (NodeFlag.master | NodeFlag.replica));
    cluster.changed({ save: true });
    return true;
  }
  if (node.id === header.id) return true;
  // Another node has this address now.
  cluster.log('debug', `PONG contains mismatching sender ID. About node ${node.id}`);
  node.set(NodeFlag.noAddress);
  node.ip = '';
  node.port = 0;
  node.plainPort = 0;
  node.busPort = 0;
  cluster.bus.close(link);
  cluster.changed({ save: true });
  return false;
}

function receiveState(cluster: Cluster, link: BusLink, sender: ClusterNode, header: PacketHeader): void {
  sender.set(NodeFlag.noFailover, (header.flags & NodeFlag.noFailover) !== 0);
  if (header.type === PacketType.ping && !sender.isInHandshake) {
    updateAddress(cluster, sender, link, header);
  }
}

/** A node that connects to us from another place, or announces other ports, has moved. */
function updateAddress(cluster: Cluster, node: ClusterNode, link: BusLink, header: PacketHeader): void {
  const ip = header.ip === '' ? link.remoteHost : header.ip;
  const { port, plainPort, busPort } = header;
  if (link === node.link || ip === '') return;
  const isSame =
    node.ip === ip && node.port === port && node.plainPort === plainPort && node.busPort === busPort;
  if (isSame) return;
  Object.assign(node, { ip, port, plainPort, busPort });
  if (node.link !== undefined) cluster.bus.close(node.link);
  node.set(NodeFlag.noAddress, false);
  cluster.log('warning', `Address updated for node ${node.id}, now ${ip}:${port}`);
  if (cluster.topology.myself.master === node) cluster.followMaster();
  cluster.changed({ save: true, state: true });
}

function receivePong(cluster: Cluster, node: ClusterNode): void {
  node.pongReceivedAt = cluster.now;
  node.pingSentAt = 0;
  if (node.isSuspected) {
    node.set(NodeFlag.suspected, false);
    cluster.changed({ save: true, state: true });
  } else if (node.isFailed) clearFailureIfPossible(cluster, node);
}

function receiveRole(cluster: Cluster, sender: ClusterNode, { masterId }: PacketHeader): void {
  const { topology } = cluster;
  if (masterId === '') {
    if (sender.isMaster) return;
    topology.makeMaster(sender);
    cluster.changed({ save: true, state: true });
    return;
  }
  const master = topology.node(masterId);
  if (sender.isMaster) {
    topology.releaseAll(sender);
    sender.set(NodeFlag.master | NodeFlag.migrateTo, false);
    sender.set(NodeFlag.replica);
    cluster.changed({ save: true, state: true });
  }
  if (master !== undefined && master !== sender && sender.master !== master) {
    topology.makeReplica(sender, master);
    cluster.changed({ save: true });
  }
}

/** Takes over what a master claims, and tells a sender that claims slots of a newer configuration. */
function receiveSlots(cluster: Cluster, sender: ClusterNode, { slots, configEpoch }: PacketHeader): void {
  const { topology, bus } = cluster;
  const master = sender.isMaster ? sender : sender.master;
  if (master === undefined || Buffer.compare(slots, master.slots.bytes) === 0) return;
  if (sender.isMaster) claimSlots(cluster, sender, configEpoch, slots);
  for (const slot of slotsIn(slots)) {
    const owner = topology.owner(slot);
    if (owner === undefined || owner === sender || topology.unclaimed.has(slot)) continue;
    if (owner.configEpoch <= configEpoch) continue;
    cluster.log(
      'verbose',
      `Node ${sender.id} has old slots configuration, sending an UPDATE message about ${owner.id}`,
    );
    bus.sendUpdate(sender.link, owner);
    return;
  }
}
