import { type BusConnection, BusLink } from './bus-link.js';
import type { Cluster } from './cluster.js';
import type { BusEvents } from './cluster-world.js';
import { composePing } from './gossip.js';
import { type ClusterNode, NodeFlag } from './node.js';
import {
  decodePacket,
  encodePacket,
  PACKET_NAMES,
  type PacketBody,
  PacketError,
  PacketFlag,
  type PacketHeader,
  PacketType,
  packetType,
} from './packet.js';
import { receivePacket } from './reception.js';

const NO_BODY: PacketBody = { kind: 'none' };

/** The connections to and from all other nodes. */
export class Bus {
  readonly #cluster: Cluster;
  /** Packets by type. */
  readonly sent = new Array<number>(PACKET_NAMES.length).fill(0);
  readonly received = new Array<number>(PACKET_NAMES.length).fill(0);
  /** Links closed because of `cluster-link-sendbuf-limit`. */
  overflows = 0;
  /** DEBUG CLUSTER: packets of this type are not processed; -1 is none. */
  droppedType = -1;
  readonly #inbound = new Set<BusLink>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  // ---- connections ----

  /** Opens a link to the node. A node that cannot be reached counts as having an unanswered PING. */
  open(node: ClusterNode): void {
    const { world } = this.#cluster;
    const link = new BusLink(node, this.#cluster.now);
    node.link = link;
    link.connection = world.connectBus(
      { host: node.ip, port: node.busPort },
      {
        connected: () => this.#connected(node, link),
        received: (chunk) => this.#receive(link, chunk),
        closed: () => {
          if (node.pingSentAt === 0) node.pingSentAt = this.#cluster.now;
          this.close(link);
        },
      },
    );
  }

  #connected(node: ClusterNode, link: BusLink): void {
    link.isConnected = true;
    // A PING that was not answered before stays unanswered since then.
    const unansweredSince = node.pingSentAt;
    this.ping(link, node.has(NodeFlag.meet) ? PacketType.meet : PacketType.ping);
    if (unansweredSince !== 0) node.pingSentAt = unansweredSince;
    if (node.has(NodeFlag.meet)) node.awaitedSince = this.#cluster.now;
    node.set(NodeFlag.meet, false);
  }

  /** Another node has connected. Its name is known from its first packet. */
  accept(connection: BusConnection): Omit<BusEvents, 'connected'> {
    const link = new BusLink(undefined, this.#cluster.now);
    link.connection = connection;
    this.#inbound.add(link);
    return {
      received: (chunk) => this.#receive(link, chunk),
      closed: () => this.close(link),
    };
  }

  close(link: BusLink): void {
    link.close();
    this.#inbound.delete(link);
    const { node } = link;
    if (node?.link === link) node.link = undefined;
    if (node?.inboundLink === link) node.inboundLink = undefined;
  }

  /** The sender of an inbound link is known now. An older link of the same node is closed: the node has connected again. */
  identify(link: BusLink, node: ClusterNode): void {
    if (node.inboundLink === link) return;
    if (node.inboundLink !== undefined) this.close(node.inboundLink);
    node.inboundLink = link;
    link.node = node;
  }

  closeLinksOf(node: ClusterNode): void {
    if (node.link !== undefined) this.close(node.link);
    if (node.inboundLink !== undefined) this.close(node.inboundLink);
  }

  closeAll(): void {
    for (const link of [...this.#inbound]) this.close(link);
    for (const node of this.#cluster.topology.nodes) this.closeLinksOf(node);
  }

  #receive(link: BusLink, chunk: Buffer): void {
    const cluster = this.#cluster;
    if (cluster.isClosed) return;
    const packets = link.receive(chunk, cluster.settings.maxPacketBytes);
    if (packets === undefined) {
      cluster.log('warning', 'Bad message length or signature received from Cluster bus.');
      this.close(link);
      return;
    }
    cluster.act(() => {
      for (const bytes of packets) {
        this.#receivePacket(link, bytes);
        // A packet may have ended the link.
        if (!link.isConnected) return;
      }
    });
  }

  #receivePacket(link: BusLink, bytes: Buffer): void {
    // Damaged packets count as well, as in Redis.
    const type = packetType(bytes);
    if (type !== undefined) this.received[type] = (this.received[type] as number) + 1;
    try {
      const packet = decodePacket(bytes);
      if (packet === undefined) return;
      if (packet.header.type === this.droppedType) {
        this.#cluster.log('warning', 'Dropping packet that matches debug drop filter');
        return;
      }
      receivePacket(this.#cluster, link, packet);
    } catch (error) {
      if (!(error instanceof PacketError)) throw error;
      this.#cluster.log('warning', error.message);
    }
  }

  /** Called ten times a second: closes links that let too much pile up. */
  enforceLimit(node: ClusterNode): void {
    const limit = this.#cluster.settings.linkLimit;
    if (limit === 0) return;
    for (const link of [node.link, node.inboundLink]) {
      if (link === undefined || link.unsent <= limit) continue;
      this.#cluster.log(
        'warning',
        `Freeing cluster link(${link.isInbound ? 'from' : 'to'} node ${node.id}, used memory: ${link.unsent}) due to exceeding send buffer memory limit.`,
      );
      this.close(link);
      this.overflows++;
    }
  }

  /** Memory of all links. */
  get bytes(): number {
    let bytes = 0;
    for (const { link, inboundLink } of this.#cluster.topology.nodes) {
      bytes += (link?.bytes ?? 0) + (inboundLink?.bytes ?? 0);
    }
    return bytes;
  }

  // ---- sending ----

  /** Sends a PING, PONG or MEET with gossip about other nodes. */
  ping(link: BusLink, type: PacketType): void {
    const cluster = this.#cluster;
    if (!link.isInbound && type === PacketType.ping && link.node !== undefined) {
      link.node.pingSentAt = cluster.now;
    }
    this.#send(link, type, composePing(cluster));
  }

  /** Tells all nodes, or only the replicas of our shard, our state at once. */
  broadcastPong(to: 'all' | 'shard' = 'all'): void {
    const { myself, nodes } = this.#cluster.topology;
    for (const node of nodes) {
      if (node.link === undefined || node === myself || node.isInHandshake) continue;
      const isOfShard = node.isReplica && node.master !== undefined && node.master === myself.shardMaster;
      if (to === 'all' || isOfShard) this.ping(node.link, PacketType.pong);
    }
  }

  sendFail(failed: ClusterNode): void {
    this.#broadcast(PacketType.fail, { kind: 'fail', id: failed.id });
  }

  sendUpdate(link: BusLink | undefined, owner: ClusterNode): void {
    if (link === undefined) return;
    const { unclaimed } = this.#cluster.topology;
    const slots = owner.slots.bytes.map((byte, at) => byte & ~(unclaimed.bytes[at] as number));
    const { id, configEpoch } = owner;
    this.#send(link, PacketType.update, { kind: 'update', id, configEpoch, slots });
  }

  requestVotes(isManual: boolean): void {
    this.#broadcast(PacketType.voteRequest, NO_BODY, isManual ? PacketFlag.forced : 0);
  }

  sendVote(candidate: ClusterNode): void {
    if (candidate.link !== undefined) this.#send(candidate.link, PacketType.vote, NO_BODY);
  }

  requestManualFailover(master: ClusterNode): void {
    if (master.link !== undefined) this.#send(master.link, PacketType.manualFailover, NO_BODY);
  }

  /** A message for the subscribers of all nodes, or of a shard's. */
  publish(kind: 'global' | 'shard', channel: Uint8Array, message: Uint8Array): void {
    const { nodes, myself } = this.#cluster.topology;
    const body: PacketBody = { kind: 'publish', channel, message };
    if (kind === 'global') {
      this.#broadcast(PacketType.publish, body);
      return;
    }
    for (const node of nodes) {
      if (node === myself || node.isInHandshake || node.link === undefined) continue;
      if (node.shardMaster === myself.shardMaster) this.#send(node.link, PacketType.publishShard, body);
    }
  }

  #broadcast(type: PacketType, body: PacketBody, messageFlags = 0): void {
    for (const node of this.#cluster.topology.nodes) {
      if (node.isMyself || node.isInHandshake || node.link === undefined) continue;
      this.#send(node.link, type, body, messageFlags);
    }
  }

  #send(link: BusLink, type: PacketType, body: PacketBody, messageFlags = 0): void {
    if (!link.isConnected) return;
    this.sent[type] = (this.sent[type] as number) + 1;
    link.send(encodePacket(this.#header(type, messageFlags), body));
  }

  #header(type: PacketType, messageFlags: number): PacketHeader {
    const { topology, settings, manualFailover } = this.#cluster;
    const { myself } = topology;
    const master = myself.shardMaster;
    const paused = myself.isMaster && manualFailover.isActive ? PacketFlag.paused : 0;
    return {
      type,
      id: myself.id,
      port: myself.port,
      plainPort: myself.plainPort,
      busPort: myself.busPort,
      ip: settings.announcedIp,
      flags: myself.flags,
      isUp: topology.isUp,
      currentEpoch: topology.currentEpoch,
      configEpoch: master.configEpoch,
      slots: master.slots.bytes,
      offset: this.#cluster.replication.dataOffset,
      masterId: myself.master?.id ?? '',
      messageFlags: messageFlags | paused,
    };
  }
}
