import { setTimeout as sleep } from 'node:timers/promises';
import { keySlot, SLOTS } from '../../bytes/crc16.js';
import type { ClusterNode } from '../../cluster/node.js';
import type { SlotRange } from '../../cluster/slot-set.js';
import type { Topology } from '../../cluster/topology.js';
import { freePorts } from '../free-ports.js';
import { ServeError } from '../serve.js';
import { type ConnectorClass, connectorTo } from './local-connector.js';
import { LocalNode, MovableClock } from './local-node.js';
import { LocalPorts } from './local-ports.js';
import { moveSlot } from './move-slot.js';
import { HOST, knownAtStart, newMembers } from './new-cluster.js';
import { SeparableNetwork } from './separable-world.js';

export interface ClusterOptions {
  /** How many masters, which share the slots; 3 by default. */
  readonly masters?: number;
  /** How many replicas each master has; 0 by default. */
  readonly replicas?: number;
  /** After this many ms without an answer, a node considers another one dead. Default 500. */
  readonly nodeTimeout?: number;
  /**
   * Whether the nodes listen on ports of the loopback address; true by default. Without, no socket is opened: the nodes talk to each other
   * within the process, and clients connect through `connector` and `openOptions`. The ports are only names then.
   */
  readonly ports?: boolean;
}

/** A node, as the other nodes see it. */
export interface ClusterNodeForTests {
  readonly host: string;
  readonly port: number;
  readonly id: string;
  readonly isRunning: boolean;
  readonly isMaster: boolean;
  /** The port of its master; undefined for a master. */
  readonly masterPort: number | undefined;
  /** Of a master. */
  readonly slots: readonly SlotRange[];
}

/** A cluster in this process, for tests. */
export interface ClusterForTests {
  /** For `open`: `redis+cluster://127.0.0.1:…,127.0.0.1:…` */
  readonly address: string;
  /** For `open`: `open(cluster.address, cluster.openOptions)` needs no sockets, whether there are ports or not. */
  readonly openOptions: {
    readonly ioredis: { readonly redisOptions: { readonly Connector: ConnectorClass } };
  };
  /** For ioredis: `new Cluster([{ host: '127.0.0.1', port }], { redisOptions: { Connector: cluster.connector } })` needs no sockets. */
  readonly connector: ConnectorClass;
  /** All nodes, also those that have crashed. */
  readonly nodes: readonly ClusterNodeForTests[];
  /** The ports of all nodes: first the masters of the start, then their replicas. */
  readonly ports: readonly number[];
  /** The port of the master that has the key's slot. */
  masterOf(key: string): number;
  /** Ends a node as a crash would. One of its replicas takes its place; the method does not wait for that (`settled` does). */
  crash(port: number): Promise<void>;
  /** Starts a node again that has crashed, without its data. It knows the other nodes. */
  restart(port: number): Promise<void>;
  /** Exchanges a running master for this replica, without loss. Returns when that is done. */
  failover(replicaPort: number): Promise<void>;
  /** Cuts the connections between these nodes and the others. Clients still reach all of them. */
  partition(ports: readonly number[]): void;
  /** Ends a partition. */
  heal(): void;
  /** Moves slots with their keys to another master, while clients continue. */
  moveSlots(slots: Iterable<number> | SlotRange, toPort: number): Promise<void>;
  /** Returns when all running nodes that are connected agree who has which slot, and serve clients. */
  settled(): Promise<void>;
  /** Moves the time of keys forward, as if this many ms had passed: keys expire, blocked clients time out. */
  advance(ms: number): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the nodes of a cluster inside this process, each on its own port of the loopback address or without any sockets, for tests of
 * programs that use a cluster. They know each other from the start, so that the cluster serves at once.
 *
 * @example
 * import { open } from 'sorrel';
 * import { openCluster } from 'sorrel/server';
 *
 * const cluster = await openCluster({ masters: 3, replicas: 1 });
 * const store = await open(cluster.address);
 * await store.set('greeting', 'hello');
 * await cluster.crash(cluster.masterOf('greeting'));
 * await cluster.settled();
 * console.log(await store.get('greeting')); // hello
 * await store.close();
 * await cluster.close();
 */
export async function openCluster(options: ClusterOptions = {}): Promise<ClusterForTests> {
  const cluster = new LocalCluster(checked(options));
  try {
    await cluster.start();
  } catch (error) {
    await cluster.close();
    throw error;
  }
  return cluster;
}

const DEFAULTS: Required<ClusterOptions> = { masters: 3, replicas: 0, nodeTimeout: 500, ports: true };
/** The min values of numbers. */
const LIMITS = { masters: 1, replicas: 0, nodeTimeout: 50 };

function checked(options: ClusterOptions): Required<ClusterOptions> {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(DEFAULTS, name)) throw new ServeError(name, `openCluster has no option '${name}'`);
    if (name === 'ports') {
      if (typeof value === 'boolean') continue;
      throw new ServeError(name, `openCluster: 'ports' must be true or false, not ${String(value)}`);
    }
    const min = LIMITS[name as keyof typeof LIMITS];
    if (!Number.isInteger(value) || value < min) {
      throw new ServeError(
        name,
        `openCluster: '${name}' must be an integer of at least ${min}, not ${String(value)}`,
      );
    }
  }
  return { ...DEFAULTS, ...options };
}

class LocalCluster implements ClusterForTests {
  readonly #options: Required<ClusterOptions>;
  readonly #network = new SeparableNetwork();
  readonly #localPorts = new LocalPorts();
  readonly connector = connectorTo(this.#localPorts);
  readonly openOptions = { ioredis: { redisOptions: { Connector: this.connector } } };
  readonly #clock = new MovableClock();
  readonly #members: LocalNode[] = [];

  constructor(options: Required<ClusterOptions>) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { masters, replicas, nodeTimeout, ports: hasPorts } = this.#options;
    const count = masters * (1 + replicas);
    const ports = hasPorts ? await freePorts(count * 2) : numbers(FIRST_LOCAL_PORT, count * 2);
    const surroundings = {
      network: this.#network,
      localPorts: this.#localPorts,
      hasPorts,
      clock: this.#clock,
      nodeTimeout,
      engineOn: (port: number) => this.#members.find((node) => node.port === port)?.engine,
    };
    for (let i = 0; i < count; i++) {
      const [port, busPort] = [ports[i] as number, ports[count + i] as number];
      this.#network.add(port, busPort);
      this.#members.push(new LocalNode(port, busPort, surroundings));
    }
    const members = newMembers(this.#members);
    await Promise.all(this.#members.map((node, index) => node.start(knownAtStart(members, index, masters))));
    await this.settled();
  }

  // ---- what is there ----

  get address(): string {
    return `redis+cluster://${this.ports.map((port) => `${HOST}:${port}`).join(',')}`;
  }

  get ports(): readonly number[] {
    return this.#members.map(({ port }) => port);
  }

  get nodes(): readonly ClusterNodeForTests[] {
    const { topology } = this.#viewer.cluster;
    return this.#members.map(({ port, id, isRunning }) => {
      const node = topology.node(id);
      const master = node?.master;
      return {
        host: HOST,
        port,
        id,
        isRunning,
        isMaster: node?.isMaster ?? false,
        masterPort: master === undefined ? undefined : this.#memberAs(master).port,
        slots: [...(node?.slots.ranges() ?? [])],
      };
    });
  }

  masterOf(key: string): number {
    const bytes = Buffer.from(key);
    const owner = this.#viewer.cluster.topology.owner(keySlot(bytes, 0, bytes.length));
    if (owner === undefined) throw new Error(`no node has the slot of '${key}'`);
    return this.#memberAs(owner).port;
  }

  /** A node whose view is taken for that of all: the first that runs and sees the cluster up. */
  get #viewer(): LocalNode {
    const running = this.#running;
    const viewer = running.find(({ cluster }) => cluster.topology.isUp) ?? running[0];
    if (viewer === undefined) throw new Error('no node of this cluster is running');
    return viewer;
  }

  get #running(): LocalNode[] {
    return this.#members.filter(({ isRunning }) => isRunning);
  }

  #member(port: number): LocalNode {
    const node = this.#members.find((each) => each.port === port);
    if (node === undefined) throw new RangeError(`no node of this cluster has the port ${port}`);
    return node;
  }

  /** The member that a node of a topology stands for. Not found by its port: a node may announce another one than it listens on. */
  #memberAs({ id }: ClusterNode): LocalNode {
    const node = this.#members.find((each) => each.id === id);
    if (node === undefined) throw new Error(`no node of this cluster has the id ${id}`);
    return node;
  }

  // ---- what a test can do ----

  async crash(port: number): Promise<void> {
    const node = this.#member(port);
    if (!node.isRunning) throw new RangeError(`the node on port ${port} is not running`);
    await node.stop();
  }

  async restart(port: number): Promise<void> {
    const node = this.#member(port);
    if (node.isRunning) throw new RangeError(`the node on port ${port} is running`);
    await node.start();
  }

  async failover(replicaPort: number): Promise<void> {
    const replica = this.#member(replicaPort);
    replica.command('CLUSTER', 'FAILOVER');
    await this.#until(`the replica on port ${replicaPort} is a master`, () => {
      return replica.isRunning && replica.cluster.topology.myself.isMaster;
    });
    await this.settled();
  }

  partition(ports: readonly number[]): void {
    for (const port of ports) this.#member(port);
    this.#network.separate(ports);
  }

  heal(): void {
    this.#network.heal();
  }

  async moveSlots(slots: Iterable<number> | SlotRange, toPort: number): Promise<void> {
    const target = this.#member(toPort);
    for (const slot of listed(slots)) {
      if (!Number.isInteger(slot) || slot < 0 || slot >= SLOTS) {
        throw new RangeError(`a slot is an integer from 0 to ${SLOTS - 1}, not ${slot}`);
      }
      const owner = target.cluster.topology.owner(slot);
      if (owner === undefined) throw new RangeError(`no node has the slot ${slot}`);
      const holder = this.#memberAs(owner);
      if (holder !== target) await moveSlot(slot, holder, target, this.#running);
    }
    await this.settled();
  }

  async settled(): Promise<void> {
    await this.#until('all nodes agree and serve', () => this.#agrees());
  }

  /** Whether the running nodes on the side of the majority see the same owners, which run, know each other's roles, and are up. */
  #agrees(): boolean {
    const sides = this.#running.filter((node) => this.#network.isInLargerPart(node.port, this.ports));
    const views = sides.map(({ cluster }) => cluster.topology);
    const running = new Set(sides.map(({ id }) => id));
    const [first] = views;
    if (first === undefined) return false;
    for (let slot = 0; slot < SLOTS; slot++) {
      const owner = first.owner(slot);
      if (owner === undefined || !running.has(owner.id)) return false;
      if (views.some((view) => view.owner(slot)?.id !== owner.id)) return false;
    }
    const areRolesKnown = views.every(({ myself }) => views.every((view) => knowsRole(view, myself)));
    return areRolesKnown && views.every(({ isUp }) => isUp) && sides.every(isFollowing);
  }

  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`time can only be moved forward, not by ${ms} ms`);
    this.#clock.advance(ms);
    for (const { engine } of this.#running) engine?.background.clockMoved();
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!holds()) {
      if (performance.now() > end) {
        throw new Error(`openCluster: not within ${PATIENCE_MS / 1000} s: ${what}`);
      }
      await sleep(5);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((node) => node.stop()));
    this.#localPorts.close();
    this.#network.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Whether a view has the role that the node itself has. */
function knowsRole(view: Topology, node: ClusterNode): boolean {
  const known = view.node(node.id);
  return known?.isMaster === node.isMaster && known.master?.id === node.master?.id;
}

/** A replica has its master's data. */
function isFollowing({ cluster }: LocalNode): boolean {
  return cluster.topology.myself.isMaster || cluster.replication.link?.isUp === true;
}

function listed(slots: Iterable<number> | SlotRange): Iterable<number> {
  if (Symbol.iterator in slots) return slots;
  const { start, end } = slots;
  return numbers(start, end - start + 1);
}

function numbers(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/** Names of nodes without real ports. */
const FIRST_LOCAL_PORT = 7001;
const PATIENCE_MS = 30_000;
