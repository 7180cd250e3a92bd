import { keySlot, SLOTS } from '../../src/bytes/crc16.js';
import type { RandomSource } from '../../src/bytes/random.js';
import type { Cluster } from '../../src/cluster/cluster.js';
import { slotsIn } from '../../src/cluster/slot-set.js';
import type { SimulatedServer } from './simulated-server.js';
import { Simulation } from './simulation.js';

export interface ClusterResult {
  readonly failovers: number;
  /** Slots that were moved while everything else happened. */
  readonly moved: number;
  readonly events: number;
}

/**
 * Runs a random history of a cluster: crashes, partitions, silent links, wrong clocks, manual failovers, slots on the move, writes. Throws if an
 * invariant is violated, or if in the end, when everything works again, the nodes do not agree.
 */
export async function runClusterHistory(seed: number, steps = 20): Promise<ClusterResult> {
  const simulation = new Simulation(seed);
  const { random } = simulation;
  const invariants = new ClusterInvariants();
  try {
    const masters = 3 + random.integer(2);
    const replicas = masters === 3 ? 1 + random.integer(2) : 1;
    const timeout = 1000 + random.integer(3000);
    for (let i = 0; i < masters * (1 + replicas); i++) {
      const server = simulation.addServer({
        'cluster-enabled': 'yes',
        'cluster-node-timeout': String(timeout),
        'repl-timeout': '10',
        'cluster-allow-replica-migration': random.integer(2) === 0 ? 'yes' : 'no',
      });
      invariants.watch(server);
    }
    let events = 0;
    simulation.check = () => {
      events++;
      invariants.check(simulation.servers);
    };
    await form(simulation, masters);
    let moved = 0;
    for (let i = 0; i < steps; i++) {
      write(simulation);
      if (random.integer(3) === 0) moved += await moveSlot(simulation);
      else disturb(simulation);
      await simulation.pass(random.integer(random.integer(3) === 0 ? 20_000 : 3000));
    }
    await converge(simulation);
    return { failovers: invariants.failovers, moved, events };
  } catch (error) {
    (error as Error).message = `seed ${seed}: ${(error as Error).message}`;
    throw error;
  } finally {
    simulation.close();
  }
}

/** As redis-cli --cluster create does. */
async function form(simulation: Simulation, masters: number): Promise<void> {
  const { servers } = simulation;
  servers.slice(0, masters).forEach((server, index) => {
    const start = Math.floor((SLOTS * index) / masters);
    const end = Math.floor((SLOTS * (index + 1)) / masters) - 1;
    server.run('CLUSTER', 'ADDSLOTSRANGE', start, end);
    server.run('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  });
  await introduceAll(simulation);
  servers.slice(masters).forEach((server, index) => {
    const master = servers[index % masters] as SimulatedServer;
    server.run('CLUSTER', 'REPLICATE', clusterOf(master).topology.myself.id);
  });
  await simulation.passUntil(
    () =>
      servers.every((server) => clusterOf(server).topology.isUp) &&
      servers.slice(masters).every(({ replication }) => replication.link?.isUp === true),
  );
}

/** A handshake may fail when packets take long: MEET is sent again until all know all. */
async function introduceAll(simulation: Simulation): Promise<void> {
  const { servers } = simulation;
  const isDone = (): boolean =>
    servers.every((server) => knowsAll(clusterOf(server).topology.nodes, servers.length));
  for (let round = 0; !isDone(); round++) {
    if (round === 60) throw new Error(`not all nodes know each other:\n${simulation.report()}`);
    const known = new Set([...clusterOf(firstOf(servers)).topology.nodes].map(({ port }) => port));
    for (const { port } of servers) {
      if (!known.has(port)) firstOf(servers).run('CLUSTER', 'MEET', '127.0.0.1', port);
    }
    await simulation.pass(5000);
  }
}

function knowsAll(nodes: Iterable<{ readonly isInHandshake: boolean }>, count: number): boolean {
  const known = [...nodes];
  return known.length === count && known.every(({ isInHandshake }) => !isInHandshake);
}

/** What must hold after every event. */
class ClusterInvariants {
  failovers = 0;
  /** The winner of each epoch's election, the votes of each node, and its last vote. */
  readonly #winners = new Map<number, number>();
  readonly #votes = new Map<string, string>();
  readonly #lastVotes = new Map<SimulatedServer, number>();
  #failure: string | undefined;

  watch(server: SimulatedServer): void {
    server.onLog = (message) => {
      const won = /^configEpoch set to (\d+) after successful failover$/.exec(message);
      if (won !== null) this.#won(server.port, Number(won[1]));
      const voted = /^Failover auth granted to (\w+) for epoch (\d+)$/.exec(message);
      if (voted !== null) this.#voted(server.port, voted[1] as string, Number(voted[2]));
    };
  }

  #won(port: number, epoch: number): void {
    this.failovers++;
    const other = this.#winners.get(epoch);
    if (other !== undefined) this.#failure ??= `${port} and ${other} both won the election of epoch ${epoch}`;
    this.#winners.set(epoch, port);
  }

  /** A master votes once in an epoch, even if it has crashed since. */
  #voted(port: number, id: string, epoch: number): void {
    const place = `${port} ${epoch}`;
    const earlier = this.#votes.get(place);
    if (earlier !== undefined) this.#failure ??= `${port} voted for ${earlier} and ${id} in epoch ${epoch}`;
    this.#votes.set(place, id);
  }

  check(servers: readonly SimulatedServer[]): void {
    for (const server of servers) if (server.isRunning) this.#checkNode(server);
    if (this.#failure === undefined) return;
    const logs = servers.map(({ port, log }) => `${port}\n    ${log.slice(-25).join('\n    ')}`);
    throw new Error(`${this.#failure}\n${logs.join('\n')}`);
  }

  #checkNode(server: SimulatedServer): void {
    const { topology } = clusterOf(server);
    const before = this.#lastVotes.get(server) ?? 0;
    if (topology.lastVoteEpoch < before)
      this.#failure ??= `${server.port} forgot its vote of epoch ${before}`;
    this.#lastVotes.set(server, topology.lastVoteEpoch);
    if (topology.myself.configEpoch > topology.currentEpoch) {
      this.#failure ??= `${server.port} has a configuration epoch after the current one`;
    }
  }
}

/** A client writes some keys, where the nodes take them. */
function write({ servers, random }: Simulation): void {
  for (let i = 0; i < 10; i++) {
    const server = pick(random, servers);
    if (server.isRunning) server.run('SET', `key:${random.integer(500)}`, random.integer(1000));
  }
}

/** Something that happens to nodes or the network. */
function disturb({ servers, random, network }: Simulation): void {
  const one = pick(random, servers);
  switch (random.integer(12)) {
    case 0:
      pick(random, mastersOf(servers))?.crash();
      break;
    case 1:
      one.crash();
      break;
    case 2:
    case 3:
      for (const each of servers) if (!each.isRunning) each.start();
      break;
    case 4:
      // As if the process were stopped.
      for (const other of servers) network.silence(one.port, other.port);
      break;
    case 5: {
      // A partition.
      const isHere = new Map(servers.map((each) => [each, random.integer(3) === 0]));
      for (const a of servers) {
        for (const b of servers) if (isHere.get(a) !== isHere.get(b)) network.silence(a.port, b.port);
      }
      break;
    }
    case 6:
      network.sever(one.port, pick(random, servers).port, true);
      break;
    case 7:
    case 8:
      network.heal();
      break;
    case 9:
      one.save();
      break;
    case 10:
      one.clockError = random.integer(20_000) - 10_000;
      break;
    default:
      if (one.isRunning) one.run('CLUSTER', 'FAILOVER', ...(random.integer(3) === 0 ? ['FORCE'] : []));
  }
}

/** Moves a slot with its keys as redis-cli does, step by step; what fails in the middle is left. Returns 1 if it was moved. */
async function moveSlot(simulation: Simulation): Promise<number> {
  const { servers, random } = simulation;
  const key = `key:${random.integer(500)}`;
  const slot = slotOf(key);
  const source = mastersOf(servers).find((server) => clusterOf(server).topology.myself.slots.has(slot));
  const target = pick(random, mastersOf(servers));
  if (source === undefined || target === undefined || source === target) return 0;
  const ids = [source, target].map((server) => clusterOf(server).topology.myself.id) as [string, string];
  const isUsable = (): boolean => source.isRunning && target.isRunning;
  const steps: (() => boolean)[] = [
    () => target.run('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[0]) === OK,
    () => source.run('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[1]) === OK,
    () => moveKeys(source, target, slot),
    () => target.run('CLUSTER', 'SETSLOT', slot, 'NODE', ids[1]) === OK,
    () => source.run('CLUSTER', 'SETSLOT', slot, 'NODE', ids[1]) === OK,
  ];
  for (const step of steps) {
    await simulation.pass(random.integer(500));
    if (!isUsable() || !step()) return 0;
  }
  return 1;
}

/** As MIGRATE: the key is at the target before it is deleted at the source. */
function moveKeys(source: SimulatedServer, target: SimulatedServer, slot: number): boolean {
  for (const key of keysOf(source, slot)) {
    // MIGRATE may read and delete also where the slot is only imported.
    source.run('ASKING');
    const value = /^\$\d+\r\n(.*)\r\n$/s.exec(source.run('GET', key))?.[1];
    if (value === undefined) return false;
    target.run('ASKING');
    if (target.run('SET', key, value) !== OK) return false;
    source.run('ASKING');
    source.run('DEL', key);
  }
  return true;
}

function keysOf(server: SimulatedServer, slot: number): string[] {
  const reply = server.run('CLUSTER', 'GETKEYSINSLOT', slot, 1000);
  return [...reply.matchAll(/\$\d+\r\n(.*?)\r\n/g)].map(([, key]) => key as string);
}

/** Everything works again: within some minutes all nodes agree, and replicas have the data of their masters. */
async function converge(simulation: Simulation): Promise<void> {
  const { servers, network } = simulation;
  network.heal();
  for (const each of servers) if (!each.isRunning) each.start();
  const isDone = seldom(simulation, () => {
    // A node does not believe others about a slot that it imports: a tool must close it.
    fixSlots(servers);
    return areViewsEqual(servers) && haveReplicasAll(servers);
  });
  try {
    await simulation.passUntil(isDone, 400_000);
  } catch (error) {
    const views = servers.map((server) => `view of ${server.port}:\n${viewOf(clusterOf(server))}`);
    throw new Error(`${(error as Error).message}\n${views.join('\n')}`);
  }
  for (const server of mastersOf(servers)) {
    const { myself } = clusterOf(server).topology;
    for (let slot = 0; slot < SLOTS; slot++) {
      if (!myself.slots.has(slot) && server.engine.keyspace.slotKeys.count(slot) > 0) {
        throw new Error(
          `${server.port} has keys of slot ${slot}, which is not its own\n${simulation.report()}`,
        );
      }
    }
  }
}

/** A condition that takes long to compute: it is not looked at after every event. */
function seldom({ time }: Simulation, holds: () => boolean): () => boolean {
  let next = 0;
  return () => {
    if (time.now() < next) return false;
    next = time.now() + 1000;
    return holds();
  };
}

/** As redis-cli --cluster fix: closes slots that a crash left open, and gives those that no master claims to one. */
function fixSlots(servers: readonly SimulatedServer[]): void {
  openSlotsOfStrayKeys(servers);
  closeOpenSlots(servers);
  const masters = mastersOf(servers);
  const unclaimed = new Set(
    masters.flatMap((server) => [...slotsIn(clusterOf(server).topology.unclaimed.bytes)]),
  );
  for (const slot of unclaimed) {
    if (masters.some((server) => clusterOf(server).topology.myself.slots.has(slot))) continue;
    // Its source has given it up, and its target crashed before its replica or its file knew of it.
    const [owner] = masters.toSorted((a, b) => keysOf(b, slot).length - keysOf(a, slot).length);
    owner?.run('CLUSTER', 'DELSLOTS', slot);
    owner?.run('CLUSTER', 'ADDSLOTS', slot);
    owner?.run('CLUSTER', 'BUMPEPOCH');
  }
}

/** A replica of a master that imported a slot has its keys, but does not know that the slot was open when it replaces the master. */
function openSlotsOfStrayKeys(servers: readonly SimulatedServer[]): void {
  for (const server of mastersOf(servers)) {
    const { topology } = clusterOf(server);
    const { slotKeys } = server.engine.keyspace;
    for (let slot = 0; slot < SLOTS; slot++) {
      const owner = topology.owner(slot);
      if (owner === undefined || owner === topology.myself || slotKeys.count(slot) === 0) continue;
      server.run('CLUSTER', 'SETSLOT', slot, 'IMPORTING', owner.id);
    }
  }
}

/** The keys of open slots go to their owners. */
function closeOpenSlots(servers: readonly SimulatedServer[]): void {
  for (const server of servers) {
    const { topology } = clusterOf(server);
    for (const slot of new Set([...topology.importingFrom.keys(), ...topology.migratingTo.keys()])) {
      const owner = mastersOf(servers).find((each) => clusterOf(each).topology.myself.slots.has(slot));
      if (owner !== undefined && owner !== server) moveKeys(server, owner, slot);
      server.run('CLUSTER', 'SETSLOT', slot, 'STABLE');
    }
  }
}

/** All nodes have the same view, in which each master has its own epoch. */
function areViewsEqual(servers: readonly SimulatedServer[]): boolean {
  const epochs = mastersOf(servers).map((server) => clusterOf(server).topology.myself.configEpoch);
  if (new Set(epochs).size !== epochs.length) return false;
  const views = new Set(servers.map((server) => viewOf(clusterOf(server))));
  return views.size === 1 && servers.every((server) => clusterOf(server).topology.isUp);
}

/** Slots, masters of replicas, and epochs. */
function viewOf({ topology }: Cluster): string {
  const lines = [...topology.nodes].map(({ id, isMaster, master, configEpoch, slots }) => {
    const ranges = [...slots.ranges()].map(({ start, end }) => `${start}-${end}`).join(' ');
    return isMaster ? `${id} ${configEpoch} ${ranges}` : `${id} of ${master?.id}`;
  });
  return lines.sort().join('\n');
}

function haveReplicasAll(servers: readonly SimulatedServer[]): boolean {
  return servers.every((server) => {
    const { myself } = clusterOf(server).topology;
    if (myself.isMaster) return true;
    const master = servers.find((each) => clusterOf(each).topology.myself.id === myself.master?.id);
    return (
      server.replication.link?.isUp === true &&
      master?.offset === server.offset &&
      master.digest === server.digest
    );
  });
}

function mastersOf(servers: readonly SimulatedServer[]): SimulatedServer[] {
  return servers.filter((server) => server.isRunning && clusterOf(server).topology.myself.isMaster);
}

function clusterOf({ cluster }: SimulatedServer): Cluster {
  return cluster as Cluster;
}

function slotOf(key: string): number {
  const bytes = Buffer.from(key);
  return keySlot(bytes, 0, bytes.length);
}

function firstOf<T>(from: readonly T[]): T {
  return from[0] as T;
}

function pick<T>(random: RandomSource, from: readonly T[]): T {
  return from[random.integer(from.length)] as T;
}

const OK = '+OK\r\n';
