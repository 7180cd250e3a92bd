import { ClusterSettings } from '../../src/cluster/cluster-settings.js';
import { ClusterNode, NodeFlag } from '../../src/cluster/node.js';
import { Redirection } from '../../src/cluster/redirection.js';
import { SLOTS } from '../../src/cluster/slot-set.js';
import { Topology } from '../../src/cluster/topology.js';
import type { ClusterPort, SlotChange } from '../../src/commands/cluster-port.js';
import type { Engine } from '../../src/engine/engine.js';

/** The address and id of a node. */
export interface FakeNode {
  readonly id: string;
  readonly port: number;
}

/** A node's view of a cluster without a bus: CLUSTER ADDSLOTS, SETSLOT and similar commands change only this node's view. */
export class FakeCluster implements ClusterPort {
  readonly topology: Topology;
  readonly redirection: Redirection;
  readonly #engine: Engine;

  constructor(engine: Engine, myself: FakeNode) {
    this.#engine = engine;
    this.topology = new Topology(nodeOf(myself, NodeFlag.myself | NodeFlag.master));
    const settings = new ClusterSettings(engine.settings, 0, (name, listener) => {
      engine.settings.onChange(name, listener);
    });
    this.redirection = new Redirection(engine, this.topology, settings);
    engine.attach({
      cluster: this,
      checks: this.redirection.checks,
      tick: () => this.redirection.reviewBlocked(),
    });
  }

  addMaster(node: FakeNode): ClusterNode {
    const added = nodeOf(node, NodeFlag.master);
    this.topology.add(added);
    return added;
  }

  get myself(): ClusterNode {
    return this.topology.myself;
  }

  get nodeCount(): number {
    return this.topology.nodeCount;
  }

  node(id: string): ClusterNode | undefined {
    return this.topology.node(id);
  }

  owner(slot: number): ClusterNode | undefined {
    return this.topology.owner(slot);
  }

  addSlots(slots: readonly number[]): void {
    for (const slot of slots) this.topology.assign(slot, this.myself);
    this.update();
  }

  deleteSlots(slots: readonly number[]): void {
    for (const slot of slots) this.topology.release(slot);
    this.update();
  }

  flushSlots(): void {
    this.topology.releaseAll(this.myself);
    this.update();
  }

  setSlot(slot: number, change: SlotChange): void {
    const { migratingTo, importingFrom } = this.topology;
    if (change.kind === 'stable') {
      migratingTo.delete(slot);
      importingFrom.delete(slot);
      return;
    }
    const node = change.node as ClusterNode;
    if (change.kind === 'migrating') migratingTo.set(slot, node);
    else if (change.kind === 'importing') importingFrom.set(slot, node);
    else {
      if (this.#engine.keyspace.slotKeys.count(slot) === 0) migratingTo.delete(slot);
      this.topology.move(slot, node);
      if (node.isMyself) importingFrom.delete(slot);
    }
    this.update();
  }

  /** The cluster is up if every slot has an owner. */
  update(): void {
    this.topology.isUp = Array.from({ length: SLOTS }, (_, slot) => this.owner(slot)).every(Boolean);
  }

  meet(ip: string, port: number): boolean {
    return /^[\d.]+$/.test(ip) && port > 0 && port < 65_536;
  }

  forget(node: ClusterNode): void {
    this.topology.remove(node);
  }

  replicate(node: ClusterNode): void {
    this.topology.makeReplica(this.myself, node);
  }

  setConfigEpoch(epoch: number): void {
    this.myself.configEpoch = epoch;
  }

  bumpEpoch(): boolean {
    this.myself.configEpoch++;
    return true;
  }

  failureReports(node: ClusterNode): number {
    return node.failureReports.size;
  }

  describe({ id }: ClusterNode): string {
    return id;
  }

  describeAll(): string {
    return [...this.topology.nodes].map(({ id }) => `${id}\n`).join('');
  }

  info(): readonly (readonly [string, string])[] {
    return [['cluster_state', this.topology.isUp ? 'ok' : 'fail']];
  }

  saveConfig(): void {}
  failover(): void {}
  reset(): void {}
  dropPackets(): void {}
  closeLinks(): void {}
  publish(): void {}
  replySlots(): void {}
  replyShards(): void {}
  replyLinks(): void {}
}

function nodeOf({ id, port }: FakeNode, flags: number): ClusterNode {
  const node = new ClusterNode(id, flags, 0);
  node.ip = '127.0.0.1';
  node.port = port;
  return node;
}
