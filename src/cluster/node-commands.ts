import { isIP } from 'node:net';
import type { Bytes } from '../bytes/bytes.js';
import type {
  ClusterFailoverMode,
  ClusterLinks,
  ClusterMember,
  ClusterPort,
  SlotChange,
} from '../commands/cluster-port.js';
import type { ChannelKind } from '../commands/engine-port.js';
import type { Session } from '../commands/session.js';
import type { Reply } from '../resp/reply.js';
import type { Cluster } from './cluster.js';
import { replyLinks, replyShards, replySlots } from './descriptions.js';
import { bumpEpoch } from './epochs.js';
import { countFailureReports } from './failure-detection.js';
import { clusterInfo } from './info.js';
import { ClusterNode, NodeFlag } from './node.js';
import { nodeLine, nodeLines, nodesFile } from './node-lines.js';

/** What the commands of the CLUSTER family do. They have checked their arguments before. */
export class NodeCommands implements ClusterPort {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  get myself(): ClusterNode {
    return this.#cluster.topology.myself;
  }

  get nodeCount(): number {
    return this.#cluster.topology.nodeCount;
  }

  get isUp(): boolean {
    return this.#cluster.topology.isUp;
  }

  node(id: string): ClusterNode | undefined {
    return this.#cluster.topology.node(id);
  }

  owner(slot: number): ClusterNode | undefined {
    return this.#cluster.topology.owner(slot);
  }

  // ---- connections, for DEBUG ----

  dropPackets(type: number): void {
    this.#cluster.bus.droppedType = type;
  }

  closeLinks(node: ClusterNode, links: ClusterLinks): void {
    const { bus } = this.#cluster;
    if (node.link !== undefined && links !== 'from') bus.close(node.link);
    if (node.inboundLink !== undefined && links !== 'to') bus.close(node.inboundLink);
  }

  // ---- slots ----

  addSlots(slots: readonly number[]): void {
    const { topology } = this.#cluster;
    for (const slot of slots) {
      topology.importingFrom.delete(slot);
      topology.assign(slot, topology.myself);
    }
    this.#changed();
  }

  deleteSlots(slots: readonly number[]): void {
    const { topology } = this.#cluster;
    for (const slot of slots) {
      topology.importingFrom.delete(slot);
      topology.release(slot);
    }
    this.#changed();
  }

  flushSlots(): void {
    this.#cluster.topology.releaseAll(this.myself);
    this.#changed();
  }

  setSlot(slot: number, change: SlotChange): void {
    const { topology } = this.#cluster;
    switch (change.kind) {
      case 'migrating':
        topology.migratingTo.set(slot, change.node as ClusterNode);
        break;
      case 'importing':
        topology.importingFrom.set(slot, change.node as ClusterNode);
        break;
      case 'stable':
        topology.migratingTo.delete(slot);
        topology.importingFrom.delete(slot);
        break;
      case 'owner':
        this.#setOwner(slot, change.node as ClusterNode);
    }
    this.#changed();
  }

  #setOwner(slot: number, node: ClusterNode): void {
    const cluster = this.#cluster;
    const { topology, bus, settings } = cluster;
    const { myself } = topology;
    if (cluster.countKeys(slot) === 0) topology.migratingTo.delete(slot);
    const wasOurs = topology.owner(slot) === myself;
    topology.move(slot, node);
    if (wasOurs && node !== myself && myself.slots.count === 0 && settings.allowsMigration) {
      cluster.log(
        'warning',
        `Configuration change detected. Reconfiguring myself as a replica of ${node.id}`,
      );
      cluster.setMaster(node);
    }
    if (node !== myself || !topology.importingFrom.has(slot)) return;
    // The slot was moved to us: the others must believe us rather than its owner before.
    const isNewEpoch = bumpEpoch(cluster);
    if (isNewEpoch) cluster.log('warning', `configEpoch updated after importing slot ${slot}`);
    topology.importingFrom.delete(slot);
    // Written before the source gives the slot up.
    cluster.save(isNewEpoch);
    bus.broadcastPong('all');
  }

  // ---- members and roles ----

  meet(ip: string, port: number, busPort: number): boolean {
    const { topology, now } = this.#cluster;
    if (isIP(ip) === 0 || !isPort(port) || !isPort(busPort)) return false;
    if (this.#cluster.isShakingHands(ip, port, busPort)) return true;
    const node = new ClusterNode(this.#cluster.newId(), NodeFlag.handshake | NodeFlag.meet, now);
    Object.assign(node, { ip, port, busPort });
    topology.add(node);
    return true;
  }

  forget(node: ClusterMember): void {
    this.#cluster.forget(node as ClusterNode);
    this.#cluster.settle();
  }

  replicate(node: ClusterMember): void {
    this.#cluster.setMaster(node as ClusterNode);
    this.#cluster.settle();
  }

  failover(mode: ClusterFailoverMode): void {
    const cluster = this.#cluster;
    if (mode === 'takeover') {
      cluster.manualFailover.reset();
      cluster.log('warning', 'Taking over the master (user request).');
      bumpEpoch(cluster);
      cluster.replaceMaster();
    } else cluster.manualFailover.begin(mode);
    cluster.settle();
  }

  reset(isHard: boolean): void {
    const cluster = this.#cluster;
    const { topology } = cluster;
    const { myself } = topology;
    if (myself.isReplica) {
      topology.makeMaster(myself);
      cluster.replication.promote('MASTER MODE enabled (cluster reset)');
      cluster.engine.keyspace.empty();
    }
    topology.migratingTo.clear();
    topology.importingFrom.clear();
    cluster.manualFailover.reset();
    for (const node of [...topology.nodes]) {
      topology.releaseAll(node);
      if (node !== myself) cluster.remove(node);
    }
    if (isHard) {
      topology.currentEpoch = 0;
      topology.lastVoteEpoch = 0;
      myself.configEpoch = 0;
      cluster.log('warning', 'configEpoch set to 0 via CLUSTER RESET HARD');
      topology.rename(myself, cluster.newId());
      cluster.log('notice', `Node hard reset, now I'm ${myself.id}`);
    }
    cluster.changed({ save: true, synced: true, state: true });
    cluster.settle();
  }

  bumpEpoch(): boolean {
    const isBumped = bumpEpoch(this.#cluster);
    this.#cluster.settle();
    return isBumped;
  }

  setConfigEpoch(epoch: number): void {
    const { topology } = this.#cluster;
    this.myself.configEpoch = epoch;
    this.#cluster.log('warning', `configEpoch set to ${epoch} via CLUSTER SET-CONFIG-EPOCH`);
    topology.currentEpoch = Math.max(topology.currentEpoch, epoch);
    this.#changed();
  }

  saveConfig(): void {
    this.#cluster.world.saveNodes(nodesFile(this.#cluster.topology), true);
  }

  #changed(): void {
    this.#cluster.changed({ save: true, state: true });
    this.#cluster.settle();
  }

  // ---- what is known ----

  failureReports(node: ClusterMember): number {
    return countFailureReports(this.#cluster, node as ClusterNode);
  }

  describe(node: ClusterMember, session: Session): string {
    return nodeLine(this.#cluster.topology, node as ClusterNode, this.#usesPlainPorts(session));
  }

  describeAll(session: Session): string {
    return nodeLines(this.#cluster.topology, this.#usesPlainPorts(session));
  }

  info(): readonly (readonly [name: string, value: string | number])[] {
    return clusterInfo(this.#cluster);
  }

  replySlots(session: Session, reply: Reply): void {
    replySlots(this.#cluster, this.#usesPlainPorts(session), reply);
  }

  replyShards(_session: Session, reply: Reply): void {
    replyShards(this.#cluster, reply);
  }

  replyLinks(reply: Reply): void {
    replyLinks(this.#cluster, reply);
  }

  /** Clients without TLS get the plain ports of a cluster whose nodes use TLS. */
  #usesPlainPorts(session: Session): boolean {
    return this.#cluster.settings.usesTls && !session.isTls;
  }

  // ---- messages ----

  publish(kind: ChannelKind, channel: Bytes, message: Bytes): void {
    this.#cluster.bus.publish(kind, viewOf(channel), viewOf(message));
  }
}

function viewOf({ buf, start, end }: Bytes): Uint8Array {
  return buf.subarray(start, end);
}

function isPort(port: number): boolean {
  return port > 0 && port <= 65535;
}
