import { Bytes } from '../bytes/bytes.js';
import type { ChannelKind } from '../commands/engine-port.js';
import type { LogLevel } from '../commands/host-port.js';
import type { Engine } from '../engine/engine.js';
import type { Replication } from '../replication/replication.js';
import { type Address, randomId } from '../replication/world.js';
import { Bus } from './bus.js';
import { ClusterSettings } from './cluster-settings.js';
import type { ClusterWorld } from './cluster-world.js';
import { Election } from './election.js';
import { watchNode } from './failure-detection.js';
import { Health } from './health.js';
import { ManualFailover } from './manual-failover.js';
import { ClusterNode, NodeFlag } from './node.js';
import { NodeCommands } from './node-commands.js';
import { nodesFile } from './node-lines.js';
import { PacketType } from './packet.js';
import { Redirection } from './redirection.js';
import { migrateIfNeeded } from './replica-migration.js';
import { SLOTS } from './slot-set.js';
import { Topology } from './topology.js';

export interface ClusterOptions {
  /** What the node's file says; undefined for a new node. */
  readonly topology?: Topology | undefined;
  /** How long a master that starts accepts no writes; in ms. Redis's constant is 2000. */
  readonly writableDelayMs?: number;
}

/** What has changed, and so must be done at the end of the step. */
export interface ClusterChange {
  /** The node's file must be written, soon; `synced`: it must be on disk at the end of the step. */
  readonly save?: boolean;
  readonly synced?: boolean;
  /** Whether the cluster is up must be decided again. */
  readonly state?: boolean;
  /** A failover may proceed. */
  readonly failover?: boolean;
}

/**
 * One node of a cluster. It watches the other nodes over the bus, agrees with them on who has failed and who owns which slot, and
 * redirects clients. It depends on time, chance, connections and its file only through a `ClusterWorld`.
 */
export class Cluster {
  readonly engine: Engine;
  readonly world: ClusterWorld;
  readonly replication: Replication;
  readonly topology: Topology;
  readonly settings: ClusterSettings;
  readonly bus: Bus;
  readonly election: Election;
  readonly manualFailover: ManualFailover;
  readonly redirection: Redirection;
  readonly #health: Health;
  readonly #detachments: (() => void)[] = [];
  #cancelTick: (() => void) | undefined;
  #ticks = 0;
  #todo: { save: boolean; synced: boolean; state: boolean; failover: boolean } = nothingToDo();
  /** When the node's file was last written, and whether it has changed since. */
  #savedAt = 0;
  #isSaveDue = false;
  isClosed = false;

  constructor(engine: Engine, world: ClusterWorld, replication: Replication, options: ClusterOptions = {}) {
    this.engine = engine;
    this.world = world;
    this.replication = replication;
    const { writableDelayMs = WRITABLE_DELAY_MS } = options;
    this.settings = new ClusterSettings(engine.settings, writableDelayMs, (name, listener) => {
      this.#detachments.push(engine.settings.onChange(name, listener));
    });
    this.topology = options.topology ?? this.#newTopology();
    this.bus = new Bus(this);
    this.election = new Election(this);
    this.manualFailover = new ManualFailover(this);
    this.#health = new Health(this);
    this.redirection = new Redirection(engine, this.topology, this.settings);
    this.#detachments.push(
      engine.attach({
        cluster: new NodeCommands(this),
        checks: this.redirection.checks,
        facts: {
          mem_cluster_links: () => this.bus.bytes,
          total_cluster_links_buffer_limit_exceeded: () => this.bus.overflows,
        },
      }),
    );
    this.#announce();
    for (const name of ANNOUNCED) {
      this.#detachments.push(engine.settings.onChange(name, () => this.#announce()));
    }
    if (options.topology === undefined) this.save(true);
  }

  #newTopology(): Topology {
    const id = randomId(this.world.random);
    this.log('notice', `No cluster configuration found, I'm ${id}`);
    return new Topology(new ClusterNode(id, NodeFlag.myself | NodeFlag.master, this.now));
  }

  /** Called when the data is loaded: begins to connect to the other nodes. */
  start(): void {
    this.#checkData();
    this.#wake();
  }

  close(): void {
    this.isClosed = true;
    this.#cancelTick?.();
    if (this.#isSaveDue) this.save(false);
    this.manualFailover.reset();
    this.bus.closeAll();
    for (const detach of this.#detachments.splice(0)) detach();
  }

  get now(): number {
    return this.world.clock.now();
  }

  /** The majority of masters with slots. */
  get quorum(): number {
    return Math.floor(this.topology.size / 2) + 1;
  }

  log(level: LogLevel, message: string): void {
    this.engine.host.log(level, message);
  }

  newId(): string {
    return randomId(this.world.random);
  }

  // ---- steps ----

  /** Runs a step that begins with something from outside, and then what its changes require. */
  act(step: () => void): void {
    this.engine.beginTurn();
    try {
      step();
      this.settle();
    } finally {
      this.engine.endTurn();
    }
  }

  changed(change: ClusterChange): void {
    const todo = this.#todo;
    todo.save ||= change.save === true;
    todo.synced ||= change.synced === true;
    todo.state ||= change.state === true;
    todo.failover ||= change.failover === true;
  }

  /** Does what the changes of a step require. */
  settle(): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const todo = this.#todo;
      if (!todo.save && !todo.state && !todo.failover) return;
      this.#todo = nothingToDo();
      if (todo.failover && this.topology.myself.isReplica) {
        this.manualFailover.advance();
        this.election.advance();
      }
      if (todo.state) this.#health.review();
      if (todo.save) this.#saveSoon(todo.synced);
    }
  }

  /**
   * What need not be on disk is written at once, unless the file was written just before: while slots are moved, it changes hundreds
   * of times a second, and replacing a file takes milliseconds.
   */
  #saveSoon(synced: boolean): void {
    if (synced || Math.abs(this.now - this.#savedAt) >= TICK_MS) this.save(synced);
    else this.#isSaveDue = true;
  }

  /** Writes the node's file now. A node that cannot remember its votes must stop. */
  save(synced: boolean): void {
    this.#isSaveDue = false;
    this.#savedAt = this.now;
    try {
      this.world.saveNodes(nodesFile(this.topology), synced);
    } catch (error) {
      this.log('warning', `Fatal: can't update cluster config file: ${(error as Error).message}`);
      this.world.die("Fatal: can't update cluster config file.");
    }
  }

  // ---- time ----

  #wake(): void {
    this.#cancelTick = this.world.timers.after(TICK_MS, () => {
      this.act(() => this.#tick());
      if (!this.isClosed) this.#wake();
    });
  }

  #tick(): void {
    const { topology, replication } = this;
    const { myself } = topology;
    this.#ticks++;
    this.#announce();
    for (const node of [...topology.nodes]) this.#connect(node);
    if (this.#ticks % TICKS_PER_RANDOM_PING === 0) this.#pingRandomNode();
    for (const node of topology.nodes) {
      if (!node.has(NodeFlag.myself | NodeFlag.noAddress | NodeFlag.handshake)) watchNode(this, node);
    }
    if (myself.isReplica && !replication.isReplica) this.followMaster();
    this.manualFailover.endIfDue();
    if (myself.isReplica) {
      this.manualFailover.advance();
      this.election.advance();
      if (myself.isReplica) migrateIfNeeded(this);
    }
    if (!topology.isUp) this.changed({ state: true });
    this.redirection.reviewBlocked();
    if (this.#isSaveDue) this.save(false);
  }

  /** Opens a link that is missing. A handshake that takes too long is given up. */
  #connect(node: ClusterNode): void {
    this.bus.enforceLimit(node);
    if (node.has(NodeFlag.myself | NodeFlag.noAddress)) return;
    const limit = Math.max(this.settings.nodeTimeout, MIN_HANDSHAKE_MS);
    if (node.isInHandshake && this.now - node.createdAt > limit) this.remove(node);
    else if (node.link === undefined) this.bus.open(node);
    else if (node.awaitedSince !== 0 && !node.isInHandshake) this.#awaitMembership(node, limit);
  }

  /**
   * A node that got a MEET from us connects to us, too. Until it is known to have added us, it gets another MEET each time the limit
   * has passed: its side of the handshake may have failed.
   */
  #awaitMembership(node: ClusterNode, limit: number): void {
    const { now } = this;
    const { link, inboundLink } = node;
    if (inboundLink?.isOfMember === true) node.awaitedSince = 0;
    else if (link !== undefined && now - node.awaitedSince > limit) {
      node.awaitedSince = now;
      this.bus.ping(link, PacketType.meet);
    }
  }

  /** Once a second, of five nodes drawn, the one that we have not heard of for longest. */
  #pingRandomNode(): void {
    const nodes = [...this.topology.nodes];
    let oldest: ClusterNode | undefined;
    for (let i = 0; i < PING_SAMPLE; i++) {
      const node = nodes[this.world.random.integer(nodes.length)] as ClusterNode;
      if (node.link?.isConnected !== true || node.pingSentAt !== 0 || node.isInHandshake) continue;
      if (oldest === undefined || node.pongReceivedAt < oldest.pongReceivedAt) oldest = node;
    }
    if (oldest?.link !== undefined) this.bus.ping(oldest.link, PacketType.ping);
  }

  /** The settings about ourselves, which may have changed. */
  #announce(): void {
    const { myself } = this.topology;
    const { ports, announcedIp, announcedHostname, neverFailsOver } = this.settings;
    Object.assign(myself, ports);
    if (announcedIp !== '') myself.ip = announcedIp;
    myself.hostname = announcedHostname;
    if (myself.has(NodeFlag.noFailover) === neverFailsOver) return;
    myself.set(NodeFlag.noFailover, neverFailsOver);
    this.changed({ save: true, state: true });
  }

  // ---- members ----

  remove(node: ClusterNode): void {
    this.bus.closeLinksOf(node);
    this.topology.remove(node);
  }

  /** Whether a handshake with this address is in progress. */
  isShakingHands(ip: string, port: number, busPort: number): boolean {
    for (const node of this.topology.nodes) {
      const isSame = node.ip.toLowerCase() === ip.toLowerCase() && node.port === port;
      if (node.isInHandshake && isSame && node.busPort === busPort) return true;
    }
    return false;
  }

  /** Whether gossip must not add the node: it was removed a short time ago. */
  isForgotten(id: string): boolean {
    const { forgotten } = this.topology;
    for (const [each, until] of forgotten) if (until < this.now) forgotten.delete(each);
    return forgotten.has(id);
  }

  forget(node: ClusterNode): void {
    this.topology.forgotten.set(node.id, this.now + FORGET_MS);
    this.remove(node);
    this.changed({ save: true, state: true });
  }

  // ---- roles ----

  /** Becomes a replica of the master, or of another master than before. We have no slots. */
  setMaster(master: ClusterNode): void {
    const { topology } = this;
    if (topology.myself.isMaster) {
      topology.migratingTo.clear();
      topology.importingFrom.clear();
    }
    topology.makeReplica(topology.myself, master);
    this.followMaster();
    this.manualFailover.reset();
    this.changed({ save: true, synced: true, state: true });
  }

  /** Lets replication follow the master's present address, if it is known. */
  followMaster(): void {
    const { masterAddress } = this;
    if (masterAddress !== undefined) this.replication.followAddress(masterAddress);
  }

  /** Of a replica: where its master is, if that is known. */
  get masterAddress(): Address | undefined {
    const { master } = this.topology.myself;
    if (master === undefined || !master.hasAddress || master.ip === '') return undefined;
    return { host: master.ip, port: master.port };
  }

  /** Takes the slots of our master, after an election or without one. */
  replaceMaster(): void {
    const { topology } = this;
    const { myself } = topology;
    const { master } = myself;
    if (myself.isMaster || master === undefined) return;
    topology.makeMaster(myself);
    this.replication.promote('MASTER MODE enabled (failover)');
    for (const slot of master.slots) topology.move(slot, myself);
    this.#health.review();
    this.save(true);
    this.bus.broadcastPong('all');
    this.manualFailover.reset();
  }

  /** How long we have been without our master, in ms. */
  get dataAge(): number {
    const { link } = this.replication;
    if (link === undefined) return this.now;
    return this.now - (link.isUp ? link.lastIoAt : link.downSince);
  }

  // ---- keys and messages ----

  countKeys(slot: number): number {
    return this.engine.keyspace.slotKeys.count(slot);
  }

  /** Deletes the keys of a slot that is not ours any more, here and on our replicas. */
  deleteKeys(slot: number): void {
    this.engine.keyspace.deleteSlot(slot);
  }

  deliver(kind: ChannelKind, channel: Uint8Array, message: Uint8Array): void {
    this.engine.pubsub.publish(kind, bytesOf(channel), bytesOf(message));
  }

  /** Keys of slots that are not ours: takes slots without an owner, and marks others as being imported, so that tools can repair it. */
  #checkData(): void {
    const { topology } = this;
    const { myself } = topology;
    if (myself.isReplica) return;
    let isWrong = false;
    for (let slot = 0; slot < SLOTS; slot++) {
      const owner = topology.owner(slot);
      if (this.countKeys(slot) === 0 || owner === myself || topology.importingFrom.has(slot)) continue;
      isWrong = true;
      if (owner === undefined) {
        this.log('warning', `I have keys for unassigned slot ${slot}. Taking responsibility for it.`);
        topology.assign(slot, myself);
        continue;
      }
      this.log(
        'warning',
        `I have keys for slot ${slot}, but the slot is assigned to another node. Setting it to importing state.`,
      );
      topology.importingFrom.set(slot, owner);
    }
    if (isWrong) this.save(true);
  }
}

function bytesOf(bytes: Uint8Array): Bytes {
  return new Bytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

function nothingToDo(): { save: boolean; synced: boolean; state: boolean; failover: boolean } {
  return { save: false, synced: false, state: false, failover: false };
}

/** Settings that CLUSTER NODES shows as soon as they are changed. */
const ANNOUNCED = [
  'cluster-announce-ip',
  'cluster-announce-port',
  'cluster-announce-tls-port',
  'cluster-announce-bus-port',
  'cluster-announce-hostname',
];
const TICK_MS = 100;
const TICKS_PER_RANDOM_PING = 10;
const PING_SAMPLE = 5;
const MIN_HANDSHAKE_MS = 1000;
const FORGET_MS = 60_000;
const WRITABLE_DELAY_MS = 2000;
/** A change can cause another one; more than a few rounds would be a mistake. */
const MAX_ROUNDS = 5;
