import type { BusLink } from './bus-link.js';
import { SlotSet } from './slot-set.js';

/** What is known of a node, as bits: the bus uses these numbers. */
export const NodeFlag = {
  master: 1,
  replica: 2,
  /** It did not answer us in time. */
  suspected: 4,
  /** The majority of masters agreed that it has failed. */
  failed: 8,
  myself: 16,
  /** Its first PONG has not arrived: its id is made up. */
  handshake: 32,
  noAddress: 64,
  /** It gets a MEET instead of a PING, so that it adds us. */
  meet: 128,
  /** It had replicas, so that replicas of other masters may move to it. */
  migrateTo: 256,
  /** A replica that does not stand for election. */
  noFailover: 512,
} as const;

/** A member of the cluster, as this node knows it. Times are in Unix ms; 0 is never. */
export class ClusterNode {
  /** 40 hexadecimal digits. */
  id: string;
  flags: number;
  readonly createdAt: number;
  configEpoch = 0;
  readonly slots = new SlotSet();
  /** Of a replica. Undefined if its master is not known. */
  master: ClusterNode | undefined;
  /** Of a master. */
  readonly replicas: ClusterNode[] = [];

  ip = '';
  hostname = '';
  /** The port for clients: that for TLS if `tls-cluster` is on. */
  port = 0;
  /** The plain port beside it, if `port` is for TLS; otherwise 0. */
  plainPort = 0;
  busPort = 0;

  /** When the PING that has not been answered was sent; 0 if all were answered. */
  pingSentAt = 0;
  pongReceivedAt = 0;
  /** When anything was received from it. */
  dataReceivedAt = 0;
  failedAt = 0;
  /** When we last voted for a replica of this master. */
  votedAt = 0;
  /** Its replication offset, and when it told us. */
  offset = 0;
  offsetAt = 0;
  /** Since when it has slots and no working replica; 0 if that is not so. */
  orphanedAt = 0;
  /** When it last got a MEET from us; 0 if it got none, or is known to have added us. */
  awaitedSince = 0;
  /** The masters that reported it as not reachable, and when. */
  readonly failureReports = new Map<ClusterNode, number>();

  /** The connection that we opened to it, and the one that it opened to us. */
  link: BusLink | undefined;
  inboundLink: BusLink | undefined;

  constructor(id: string, flags: number, now: number) {
    this.id = id;
    this.flags = flags;
    this.createdAt = now;
  }

  has(flag: number): boolean {
    return (this.flags & flag) !== 0;
  }

  set(flag: number, isSet = true): void {
    this.flags = isSet ? this.flags | flag : this.flags & ~flag;
  }

  get isMyself(): boolean {
    return this.has(NodeFlag.myself);
  }

  get isMaster(): boolean {
    return this.has(NodeFlag.master);
  }

  get isReplica(): boolean {
    return this.has(NodeFlag.replica);
  }

  get isFailed(): boolean {
    return this.has(NodeFlag.failed);
  }

  get isSuspected(): boolean {
    return this.has(NodeFlag.suspected);
  }

  get isInHandshake(): boolean {
    return this.has(NodeFlag.handshake);
  }

  get hasAddress(): boolean {
    return !this.has(NodeFlag.noAddress);
  }

  /** The master whose data this node has: itself, or that of a replica. */
  get shardMaster(): ClusterNode {
    return this.isReplica && this.master !== undefined ? this.master : this;
  }

  get workingReplicas(): number {
    return this.replicas.filter((replica) => !replica.isFailed).length;
  }

  addReplica(replica: ClusterNode): void {
    if (this.replicas.includes(replica)) return;
    this.replicas.push(replica);
    this.set(NodeFlag.migrateTo);
  }

  removeReplica(replica: ClusterNode): void {
    const at = this.replicas.indexOf(replica);
    if (at < 0) return;
    this.replicas.splice(at, 1);
    if (this.replicas.length === 0) this.set(NodeFlag.migrateTo, false);
  }
}
