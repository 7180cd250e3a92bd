import type { Bytes } from '../../bytes/bytes.js';
import { SLOTS } from '../../bytes/crc16.js';
import type { Address as ServerAddress } from '../../replication/world.js';
import type { Address } from '../address.js';
import type { ReplicationState, StoreReplication } from '../embedded-store.js';
import type { EmbeddedOptions } from '../options.js';
import { StoreError } from '../store-error.js';
import { systemTime } from '../time.js';
import type { CallOptions, Request } from '../transport.js';
import { commandNamed } from '../wire-command.js';
import {
  type ClusterMaster,
  type ClusterView,
  combineAnswers,
  type NodeAnswer,
  parseNodes,
} from './cluster-view.js';
import { NodeConnections, nameOf } from './node-connections.js';
import { ShardReplica } from './shard-replica.js';

export type ClusterAddress = Extract<Address, { kind: 'cluster' }>;

/**
 * Replicas of all masters of a Cluster, each in an engine of its own, so that each is exactly what its master has. A key is read from the
 * replica of the master that owns its slot. While a slot is moved, some of its keys are already at another master: a key that
 * its owner does not have is looked for there, as clients of a Cluster do when they are redirected.
 */
export class ClusterReplica implements StoreReplication {
  readonly connections: NodeConnections;
  /** The replicas of all masters. */
  shards: readonly ShardReplica[] = [];
  readonly #options: EmbeddedOptions;
  readonly #address: ClusterAddress;
  readonly #owners = new Array<ShardReplica | undefined>(SLOTS).fill(undefined);
  /** Keys that are at a master which neither owns their slot nor takes it over: clients of the Cluster do not see them. */
  readonly #leftovers = new Map<ShardReplica, ReadonlySet<number>>();
  readonly #listeners = new Set<(replication: StoreReplication) => void>();
  readonly #retirements = new Set<(shard: ShardReplica) => void>();
  /** Those whose masters own slots. */
  #serving: readonly ShardReplica[] = [];
  #view: ClusterView | undefined;
  #refreshing: Promise<void> | undefined;
  #cancelRefresh: (() => void) | undefined;
  #lastState: ReplicationState | undefined;
  #users = 0;
  #isClosed = false;
  readonly #onClose: () => Promise<void>;

  constructor(address: ClusterAddress, options: EmbeddedOptions, onClose: () => Promise<void>) {
    this.#address = address;
    this.#options = options;
    this.#onClose = onClose;
    this.connections = new NodeConnections(address, options.tls);
  }

  join(): void {
    this.#users++;
  }

  async leave(): Promise<void> {
    if (--this.#users === 0) await this.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelRefresh?.();
    this.connections.close();
    await Promise.all(this.shards.map((shard) => shard.close()));
    await this.#onClose();
  }

  // ---- the nodes ----

  /** Finds the masters and begins to follow them; keeps looking from now on. Rejects if no node answers. */
  async start(): Promise<void> {
    await this.refresh();
    this.#refreshLater();
  }

  #refreshLater(): void {
    if (this.#isClosed) return;
    const work = (): void => void this.refresh().then(again, again);
    const again = (): void => this.#refreshLater();
    this.#cancelRefresh = systemTime.after(REFRESH_MS, work, { background: true });
  }

  /** Asks the nodes who is master of which slots now. */
  async refresh(): Promise<void> {
    // An answer that is on its way may be older than the call.
    await this.#refreshing?.catch(() => {});
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const foreign = this.#foreignSlots();
    const answers = await this.#askNodes();
    if (this.#isClosed) return;
    this.#view = combineAnswers(answers, this.#view);
    this.#adopt(this.#view);
    this.#noteLeftovers(this.#view, foreign);
    this.connections.keep([...this.#view.nodes, ...this.#address.hosts]);
    this.#changed();
  }

  /** All masters are asked; if one does not answer, all other nodes as well. */
  async #askNodes(): Promise<NodeAnswer[]> {
    const masters = [...(this.#view?.masters.values() ?? [])].map(({ address }) => address);
    const [answers, problem] = await this.#askEach(masters);
    if (answers.length > 0 && problem === undefined) return answers;
    const asked = new Set(masters.map(nameOf));
    const others = [...(this.#view?.nodes ?? []), ...this.#address.hosts];
    const [more, reason] = await this.#askEach(others.filter((at) => !asked.has(nameOf(at))));
    if (answers.length + more.length > 0) return [...answers, ...more];
    throw reason ?? problem ?? new StoreError('UNREACHABLE', 'no node of the Cluster is known');
  }

  async #askEach(nodes: readonly ServerAddress[]): Promise<[answers: NodeAnswer[], problem: unknown]> {
    const answers: NodeAnswer[] = [];
    let problem: unknown;
    const ask = async (at: ServerAddress): Promise<void> => {
      try {
        answers.push(parseNodes(String(await this.connections.ask(at, ASK_NODES)), at));
      } catch (error) {
        problem = error;
      }
    };
    await Promise.all(nodes.map(ask));
    return [answers, problem];
  }

  /** Follows new masters and successors, and notes who owns which slots. */
  #adopt(view: ClusterView): void {
    const owning = new Set(view.owners);
    const byMaster = new Map(this.shards.map((shard) => [shard.master.id, shard]));
    const replaced = new Set(this.shards.filter(({ master }) => !owning.has(master.id)));
    for (const master of view.masters.values()) {
      const shard = byMaster.get(master.id) ?? this.#predecessorOf(master.id, view, replaced);
      if (shard === undefined) continue;
      replaced.delete(shard);
      byMaster.delete(shard.master.id);
      byMaster.set(master.id, shard);
      shard.follow(master);
    }
    for (const master of view.masters.values()) {
      if (!byMaster.has(master.id)) byMaster.set(master.id, this.#newShard(master));
    }
    for (let slot = 0; slot < SLOTS; slot++) {
      const id = view.owners[slot];
      this.#owners[slot] = id === undefined ? undefined : byMaster.get(id);
    }
    const serving = new Set(this.#owners);
    const retired = this.shards.filter(({ master }) => !view.masters.has(master.id));
    this.#serving = this.shards.filter((shard) => serving.has(shard));
    if (retired.length > 0) void this.#retire(retired);
  }

  /** The replica of a master that has lost all its slots, if this master has taken over some of them. */
  #predecessorOf(
    id: string,
    view: ClusterView,
    replaced: ReadonlySet<ShardReplica>,
  ): ShardReplica | undefined {
    return [...replaced].find(
      (shard) =>
        shard.master.id !== id &&
        this.#owners.some((owner, slot) => owner === shard && view.owners[slot] === id),
    );
  }

  #newShard(master: ClusterMaster): ShardReplica {
    const shard = new ShardReplica(master, this.#options, this.#address, this.connections);
    this.shards = [...this.shards, shard];
    shard.followed.on('change', () => this.#changed());
    return shard;
  }

  /** Their keys may not have arrived yet at the replicas of the masters that have them now. */
  async #retire(retired: readonly ShardReplica[]): Promise<void> {
    try {
      await this.catchUpAll();
    } catch {
      // They stay until the nodes are asked again.
      return;
    }
    const leaving = retired.filter((shard) => this.shards.includes(shard) && !this.#serving.includes(shard));
    this.shards = this.shards.filter((shard) => !leaving.includes(shard));
    for (const shard of leaving) {
      this.#leftovers.delete(shard);
      for (const listener of this.#retirements) listener(shard);
      await shard.close();
    }
  }

  /** Calls `listener` with each replica that is not needed any more; its engine is closed when nothing uses it. */
  onRetired(listener: (shard: ShardReplica) => void): () => void {
    this.#retirements.add(listener);
    return () => this.#retirements.delete(listener);
  }

  // ---- where keys are ----

  /** For each replica, the slots of which it has keys without owning them. */
  #foreignSlots(): Map<ShardReplica, Set<number>> {
    const foreign = new Map<ShardReplica, Set<number>>();
    for (const shard of this.shards) {
      const slots = new Set<number>();
      for (let slot = 0; slot < SLOTS; slot++) {
        if (shard.keysIn(slot) > 0 && this.#owners[slot] !== shard) slots.add(slot);
      }
      foreign.set(shard, slots);
    }
    return foreign;
  }

  /** `foreign`: the slots that had such keys before the nodes were asked, and are therefore not being moved only since. */
  #noteLeftovers({ moving }: ClusterView, foreign: ReadonlyMap<ShardReplica, ReadonlySet<number>>): void {
    this.#leftovers.clear();
    for (const [shard, slots] of foreign) {
      const left = [...slots].filter((slot) => !moving.has(slot) && this.#owners[slot] !== shard);
      if (left.length > 0) this.#leftovers.set(shard, new Set(left));
    }
  }

  ownerOf(slot: number): ShardReplica {
    const owner = this.#owners[slot];
    if (owner === undefined) throw new StoreError('CLUSTERDOWN', 'CLUSTERDOWN Hash slot not served');
    if (owner.isReady) return owner;
    throw new StoreError('LOADING', `LOADING The data of ${owner.followed.master} has not arrived yet`);
  }

  /** The replica to read these keys of a slot from. */
  holderOf(slot: number, keys: readonly Bytes[], count: number): ShardReplica {
    const owner = this.ownerOf(slot);
    for (const shard of this.shards) {
      if (shard !== owner && this.#mayServe(shard, slot)) return this.#holderAmong(owner, slot, keys, count);
    }
    return owner;
  }

  #mayServe(shard: ShardReplica, slot: number): boolean {
    return shard.keysIn(slot) > 0 && this.#leftovers.get(shard)?.has(slot) !== true;
  }

  #holderAmong(owner: ShardReplica, slot: number, keys: readonly Bytes[], count: number): ShardReplica {
    const found = countIn(owner, keys, count);
    if (found === count) return owner;
    for (const shard of this.shards) {
      if (shard === owner || !this.#mayServe(shard, slot) || countIn(shard, keys, count) === 0) continue;
      if (found === 0) return shard;
      throw new StoreError('TRYAGAIN', 'TRYAGAIN Multiple keys request during rehashing of slot');
    }
    return owner;
  }

  /**
   * Whether the keys are at no replica, but may be on their way: a master that gives a slot away removes its keys, and they have perhaps not
   * arrived yet at the replica of the other. They have if everything is here that its master had when they were removed.
   */
  mayBeOnTheWay(slot: number, keys: readonly Bytes[], count: number): boolean {
    const { shards } = this;
    for (const shard of shards) if (countIn(shard, keys, count) > 0) return false;
    return shards.some((from) => {
      const removedAt = from.removedAt(slot);
      return shards.some((to) => to !== from && to.followed.freshAt < removedAt);
    });
  }

  /** Whether clients of the Cluster see this key of the replica. */
  isVisible(shard: ShardReplica, slot: number, key: Bytes): boolean {
    const owner = this.#owners[slot];
    if (shard === owner) return true;
    return this.#mayServe(shard, slot) && owner?.has(key) !== true;
  }

  /** The number of keys of a replica that clients of the Cluster see. */
  visibleKeys(shard: ShardReplica): number {
    let { size } = shard;
    for (let slot = 0; slot < SLOTS; slot++) {
      if (this.#owners[slot] === shard || shard.keysIn(slot) === 0) continue;
      shard.visitKeysIn(slot, (key) => {
        if (!this.isVisible(shard, slot, key)) size--;
      });
    }
    return size;
  }

  // ---- as the program sees it ----

  get state(): ReplicationState {
    const states = this.#serving.map(({ followed }) => followed.state);
    if (states.length === 0 || states.includes('connecting')) return 'connecting';
    return states.includes('synchronizing') ? 'synchronizing' : 'connected';
  }

  get master(): string {
    return this.#serving.map(({ followed }) => followed.master).join(',');
  }

  get offset(): number {
    return this.#serving.reduce((sum, { followed }) => sum + followed.offset, 0);
  }

  get lag(): number {
    return Math.max(0, ...this.#serving.map(({ followed }) => followed.lag));
  }

  async catchUp(options: CallOptions = {}): Promise<void> {
    await this.refresh();
    await this.catchUpAll(options);
  }

  /**
   * Waits until keys of a slot that have left one master have arrived at the replica of another. Rejects if a master that may have
   * them does not answer.
   */
  async settle(slot: number, options: CallOptions = {}): Promise<void> {
    await this.refresh();
    const owner = this.#owners[slot];
    const isMoving = this.#view?.moving.has(slot) === true;
    const receivers =
      isMoving || owner === undefined ? this.shards.filter((shard) => this.#isMaster(shard)) : [owner];
    await Promise.all(receivers.map(({ followed }) => followed.catchUp(options)));
  }

  #isMaster({ master }: ShardReplica): boolean {
    return this.#view?.masters.has(master.id) === true;
  }

  /** Without looking for new masters. */
  async catchUpAll(options: CallOptions = {}): Promise<void> {
    const reached = this.shards.map((shard) => {
      const caughtUp = shard.followed.catchUp(options);
      return this.#serving.includes(shard) ? caughtUp : caughtUp.catch(() => {});
    });
    await Promise.all(reached);
  }

  on(name: 'change', listener: (replication: StoreReplication) => void): () => void {
    if (name !== 'change' || typeof listener !== 'function') {
      throw new StoreError('MISUSE', "on() takes 'change' and a function");
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    const { state } = this;
    if (state === this.#lastState) return;
    this.#lastState = state;
    for (const listener of this.#listeners) listener(this);
  }
}

function countIn(shard: ShardReplica, keys: readonly Bytes[], count: number): number {
  let found = 0;
  for (let i = 0; i < count; i++) if (shard.has(keys[i] as Bytes)) found++;
  return found;
}

const ASK_NODES: Request = { command: commandNamed('CLUSTER NODES'), args: [] };
const REFRESH_MS = 1000;
