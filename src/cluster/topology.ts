import { type ClusterNode, NodeFlag } from './node.js';
import { SLOTS, SlotSet } from './slot-set.js';

/** The cluster as one node sees it: members, owners of slots, epochs. Only data: `Cluster` decides what changes. */
export class Topology {
  readonly myself: ClusterNode;
  readonly #nodes = new Map<string, ClusterNode>();
  readonly #owners: (ClusterNode | undefined)[] = new Array(SLOTS).fill(undefined);
  /** Slots of ours whose keys move to another node, and slots of others whose keys move to us. */
  readonly migratingTo = new Map<number, ClusterNode>();
  readonly importingFrom = new Map<number, ClusterNode>();
  /** Slots that their owner no longer claims. We do not tell others that it has them. */
  readonly unclaimed = new SlotSet();
  /** Whether the cluster serves clients, as this node sees it. */
  isUp = false;
  /** The number of masters with slots. */
  size = 1;
  currentEpoch = 0;
  lastVoteEpoch = 0;
  /** Removed nodes that gossip must not add again, and until when. */
  readonly forgotten = new Map<string, number>();
  /** Called before a slot is taken from its owner. */
  onRelease: ((slot: number, owner: ClusterNode) => void) | undefined;

  constructor(myself: ClusterNode) {
    this.myself = myself;
    this.#nodes.set(myself.id, myself);
  }

  // ---- members ----

  get nodes(): IterableIterator<ClusterNode> {
    return this.#nodes.values();
  }

  get nodeCount(): number {
    return this.#nodes.size;
  }

  node(id: string): ClusterNode | undefined {
    return this.#nodes.get(id);
  }

  add(node: ClusterNode): void {
    this.#nodes.set(node.id, node);
  }

  /** The id that a node in handshake has told us. */
  rename(node: ClusterNode, id: string): void {
    this.#nodes.delete(node.id);
    node.id = id;
    this.#nodes.set(id, node);
  }

  /** Removes a node with its slots, failure reports and replicas' links to it. */
  remove(node: ClusterNode): void {
    for (let slot = 0; slot < SLOTS; slot++) {
      if (this.migratingTo.get(slot) === node) this.migratingTo.delete(slot);
      if (this.importingFrom.get(slot) === node) this.importingFrom.delete(slot);
      if (this.#owners[slot] === node) this.release(slot);
    }
    for (const other of this.#nodes.values()) other.failureReports.delete(node);
    this.#nodes.delete(node.id);
    for (const replica of node.replicas) replica.master = undefined;
    if (node.isReplica) node.master?.removeReplica(node);
  }

  // ---- slots ----

  owner(slot: number): ClusterNode | undefined {
    return this.#owners[slot];
  }

  /** Gives an unassigned slot to a node. */
  assign(slot: number, node: ClusterNode): void {
    // A master that gets its first slot while others have replicas may get replicas from them.
    if (node.slots.add(slot) && node.slots.count === 1 && this.#mastersHaveReplicas()) {
      node.set(NodeFlag.migrateTo);
    }
    this.#owners[slot] = node;
    this.unclaimed.delete(slot);
  }

  /** Takes a slot from its owner. False if it had none. */
  release(slot: number): boolean {
    const owner = this.#owners[slot];
    if (owner === undefined) return false;
    this.onRelease?.(slot, owner);
    owner.slots.delete(slot);
    this.#owners[slot] = undefined;
    this.unclaimed.delete(slot);
    return true;
  }

  move(slot: number, node: ClusterNode): void {
    this.release(slot);
    this.assign(slot, node);
  }

  /** Returns the number of slots that the node had. */
  releaseAll(node: ClusterNode): number {
    const slots = [...node.slots];
    for (const slot of slots) this.release(slot);
    return slots.length;
  }

  #mastersHaveReplicas(): boolean {
    let replicas = 0;
    for (const node of this.nodes) if (node.isMaster) replicas += node.replicas.length;
    return replicas > 0;
  }

  // ---- roles and epochs ----

  makeMaster(node: ClusterNode): void {
    if (node.isMaster) return;
    if (node.master !== undefined) {
      node.master.removeReplica(node);
      if (!node.isMyself) node.set(NodeFlag.migrateTo);
    }
    node.set(NodeFlag.replica, false);
    node.set(NodeFlag.master);
    node.master = undefined;
  }

  makeReplica(node: ClusterNode, master: ClusterNode | undefined): void {
    node.set(NodeFlag.master | NodeFlag.migrateTo, false);
    node.set(NodeFlag.replica);
    if (node.master === master) return;
    node.master?.removeReplica(node);
    node.master = master;
    master?.addReplica(node);
  }

  get maxEpoch(): number {
    let max = this.currentEpoch;
    for (const node of this.nodes) max = Math.max(max, node.configEpoch);
    return max;
  }
}
