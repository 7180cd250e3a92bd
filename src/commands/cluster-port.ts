import type { Bytes } from '../bytes/bytes.js';
import type { Reply } from '../resp/reply.js';
import type { ChannelKind } from './engine-port.js';
import type { Session } from './session.js';

/** A member of the cluster, as far as commands need to know it. */
export interface ClusterMember {
  /** 40 hexadecimal digits. */
  readonly id: string;
  readonly isMyself: boolean;
  readonly isReplica: boolean;
  /** The majority of masters agreed that it has failed. */
  readonly isFailed: boolean;
  readonly configEpoch: number;
  readonly slots: { readonly count: number };
  /** Of a replica. Undefined if its master is not known. */
  readonly master: ClusterMember | undefined;
  readonly replicas: readonly ClusterMember[];
  /** The connection that we opened to it; undefined while there is none. */
  readonly link: unknown;
}

/** CLUSTER SETSLOT: what happens to a slot. Nodes are masters. */
export type SlotChange =
  | { readonly kind: 'migrating' | 'importing' | 'owner'; readonly node: ClusterMember }
  | { readonly kind: 'stable' };

/** CLUSTER FAILOVER: in agreement with the master, without it, or also without the other masters. */
export type ClusterFailoverMode = 'agreed' | 'forced' | 'takeover';

/** The connections between this node and another one: opened by this node, by the other one, or both. */
export type ClusterLinks = 'to' | 'from' | 'all';

/**
 * The cluster that the engine is a node of. The commands of the CLUSTER family check arguments and preconditions and reply
 * with Redis's errors; these methods only do what was checked. A node passed to a method is one that the port returned.
 */
export interface ClusterPort {
  readonly myself: ClusterMember;
  /** The number of known nodes, including this one. */
  readonly nodeCount: number;
  node(id: string): ClusterMember | undefined;
  owner(slot: number): ClusterMember | undefined;

  /** Takes unassigned slots. They are no longer imported. */
  addSlots(slots: readonly number[]): void;
  /** Makes assigned slots unassigned. They are no longer imported. */
  deleteSlots(slots: readonly number[]): void;
  /** Gives up all slots. The database is empty. */
  flushSlots(): void;
  setSlot(slot: number, change: SlotChange): void;

  /** Adds a node by its address. False if the address or a port is not valid. */
  meet(ip: string, port: number, busPort: number): boolean;
  /** Removes a node, which is neither this one nor its master. */
  forget(node: ClusterMember): void;
  /** Follows a master. This node has neither slots nor keys, or is a replica. */
  replicate(node: ClusterMember): void;
  /** Replaces the master of this replica. */
  failover(mode: ClusterFailoverMode): void;
  /** Forgets all nodes and slots. A hard reset also gives this node a new id and sets its epochs to 0. */
  reset(isHard: boolean): void;
  /** False if the epoch was the highest one before. */
  bumpEpoch(): boolean;
  /** Called only while no other node is known and the epoch is 0. */
  setConfigEpoch(epoch: number): void;
  /** Writes the node's file. Throws an Error with the system's reason. */
  saveConfig(): void;

  failureReports(node: ClusterMember): number;
  /** The line of CLUSTER NODES about a node, with the port that the session's client can use. Ends without line break. */
  describe(node: ClusterMember, session: Session): string;
  /** The reply of CLUSTER NODES. */
  describeAll(session: Session): string;
  /** The fields of CLUSTER INFO. */
  info(): readonly (readonly [name: string, value: string | number])[];
  replySlots(session: Session, reply: Reply): void;
  replyShards(session: Session, reply: Reply): void;
  replyLinks(reply: Reply): void;

  /** DEBUG: packets of this type are not processed; -1 is none. */
  dropPackets(type: number): void;
  /** DEBUG: closes connections. They are opened again. */
  closeLinks(node: ClusterMember, links: ClusterLinks): void;

  /** PUBLISH and SPUBLISH: passes a message on to other nodes: all of them, or those of this node's shard. Keeps neither argument. */
  publish(kind: ChannelKind, channel: Bytes, message: Bytes): void;
}
