import type { RandomSource } from '../../src/bytes/random.js';
import type { Master } from '../../src/sentinel/instance.js';
import type { SimulatedSentinel } from './simulated-sentinel.js';
import type { SimulatedServer } from './simulated-server.js';
import { Simulation } from './simulation.js';

export interface SentinelResult {
  readonly failovers: number;
  readonly events: number;
}

const NAME = 'primary';

/**
 * Runs a random history of servers and Sentinels. Throws if an invariant is violated, or if in the end, when everything works
 * again, the Sentinels do not agree on one master that all other servers follow; or if a majority of them, left alone with the
 * replicas, does not replace the master.
 */
export async function runSentinelHistory(seed: number, steps = 25): Promise<SentinelResult> {
  const simulation = new Simulation(seed);
  const { random } = simulation;
  const invariants = new SentinelInvariants();
  try {
    const servers = 2 + random.integer(3);
    for (let i = 0; i < servers; i++) simulation.addServer({ 'repl-timeout': '10' });
    for (const replica of simulation.servers.slice(1)) replica.run('REPLICAOF', '127.0.0.1', 7001);
    const sentinels = random.integer(3) === 0 ? 5 : 3;
    for (let i = 0; i < sentinels; i++) {
      const sentinel = simulation.addSentinel([
        `sentinel monitor ${NAME} 127.0.0.1 7001 ${Math.floor(sentinels / 2) + 1}`,
        `sentinel down-after-milliseconds ${NAME} ${1000 + random.integer(4000)}`,
        `sentinel failover-timeout ${NAME} ${5000 + random.integer(20_000)}`,
        `sentinel parallel-syncs ${NAME} ${1 + random.integer(2)}`,
      ]);
      invariants.watch(sentinel);
    }
    let events = 0;
    simulation.check = () => {
      events++;
      invariants.check(simulation.sentinels);
    };
    await simulation.pass(15_000);
    for (let i = 0; i < steps; i++) {
      disturb(simulation);
      await simulation.pass(random.integer(random.integer(3) === 0 ? 30_000 : 4000));
    }
    await converge(simulation);
    await loseMaster(simulation);
    await converge(simulation);
    return { failovers: invariants.failovers, events };
  } catch (error) {
    (error as Error).message = `seed ${seed}: ${(error as Error).message}`;
    throw error;
  } finally {
    simulation.close();
  }
}

/** What must hold after every event. */
class SentinelInvariants {
  failovers = 0;
  /** The leader elected in each epoch, and the votes of each Sentinel. */
  readonly #leaders = new Map<number, number>();
  readonly #votes = new Map<string, string>();
  /** SENTINEL FAILOVER asks no others: another failover of the same epoch may run elsewhere, as with Redis. */
  readonly #forced = new Set<number>();
  /** The master of each epoch. */
  readonly #addresses = new Map<number, string>();
  readonly #epochs = new Map<SimulatedSentinel, number>();
  #failure: string | undefined;

  watch(simulated: SimulatedSentinel): void {
    simulated.onLog = (message) => {
      const [type, ...words] = message.split(' ');
      if (type === '+elected-leader') this.#elected(simulated);
      if (type === '+vote-for-leader') this.#voted(simulated, words as [string, string]);
    };
  }

  /** At most one Sentinel is elected in an epoch. */
  #elected({ port, sentinel }: SimulatedSentinel): void {
    this.failovers++;
    const { failoverEpoch, isForced } = sentinel.masters.get(NAME) as Master;
    if (isForced) this.#forced.add(failoverEpoch);
    const other = this.#leaders.get(failoverEpoch);
    if (other !== undefined && other !== port && !this.#forced.has(failoverEpoch)) {
      this.#failure ??= `${port} and ${other} were both elected in epoch ${failoverEpoch}`;
    }
    this.#leaders.set(failoverEpoch, port);
  }

  /** A Sentinel votes once in an epoch, even if it crashed meanwhile. */
  #voted({ port }: SimulatedSentinel, [id, epoch]: [string, string]): void {
    const place = `${port} ${epoch}`;
    const earlier = this.#votes.get(place);
    if (earlier !== undefined && earlier !== id) {
      this.#failure ??= `${port} voted for ${earlier} and for ${id} in epoch ${epoch}`;
    }
    this.#votes.set(place, id);
  }

  check(sentinels: readonly SimulatedSentinel[]): void {
    for (const simulated of sentinels) {
      if (simulated.isRunning) this.#checkOne(simulated);
    }
    if (this.#failure === undefined) return;
    const logs = sentinels.map(({ port, log }) => `${port}\n    ${log.slice(-25).join('\n    ')}`);
    throw new Error(`${this.#failure}\n${logs.join('\n')}`);
  }

  /** The configuration of an epoch is the same for all, and epochs never go back. */
  #checkOne(simulated: SimulatedSentinel): void {
    const { port, sentinel } = simulated;
    const master = sentinel.masters.get(NAME) as Master;
    const before = this.#epochs.get(simulated) ?? 0;
    if (sentinel.epoch < before)
      this.#failure ??= `the epoch of ${port} went back from ${before} to ${sentinel.epoch}`;
    this.#epochs.set(simulated, sentinel.epoch);
    // From the promotion on, the leader tells clients the new address.
    const address = String(master.currentAddress.port);
    const known = this.#addresses.get(master.configEpoch);
    if (known === undefined) this.#addresses.set(master.configEpoch, address);
    else if (known !== address && !this.#forced.has(master.configEpoch)) {
      this.#failure ??= `in epoch ${master.configEpoch} the master is ${known}, and for ${port} it is ${address}`;
    }
  }
}

/** Something that happens to servers, Sentinels or the network. */
function disturb({ servers, sentinels, random, network }: Simulation): void {
  const all: readonly (SimulatedServer | SimulatedSentinel)[] = [...servers, ...sentinels];
  const one = pick(random, all);
  switch (random.integer(12)) {
    case 0:
    case 1:
      for (const server of servers)
        if (server.isRunning && server.replication.link === undefined) server.crash();
      break;
    case 2:
      one.crash();
      break;
    case 3:
    case 4:
      for (const each of all) if (!each.isRunning) each.start();
      break;
    case 5: {
      // As if the process were stopped.
      for (const other of all) network.silence(one.port, other.port);
      break;
    }
    case 6: {
      // A partition.
      const isHere = new Map(all.map((each) => [each, random.integer(2) === 0]));
      for (const a of all)
        for (const b of all) if (isHere.get(a) !== isHere.get(b)) network.silence(a.port, b.port);
      break;
    }
    case 7:
      network.sever(one.port, pick(random, all).port, true);
      break;
    case 8:
    case 9:
      network.heal();
      break;
    case 10:
      pick(random, sentinels).clockError = random.integer(3) === 0 ? 0 : random.integer(20_000) - 10_000;
      break;
    default: {
      const sentinel = pick(random, sentinels);
      if (sentinel.isRunning) sentinel.run('SENTINEL', 'FAILOVER', NAME);
    }
  }
}

/** Everything works again: within some minutes there is one master, and all agree on it. */
async function converge(simulation: Simulation): Promise<void> {
  const { servers, sentinels, network } = simulation;
  network.heal();
  for (const sentinel of sentinels) sentinel.clockError = 0;
  for (const each of [...servers, ...sentinels]) if (!each.isRunning) each.start();
  await simulation.passUntil(() => agreedMaster(simulation) !== undefined, MAX_FAILOVER_MS);
}

/** The master and a minority of the Sentinels are lost for good: those that are left replace it. */
async function loseMaster(simulation: Simulation): Promise<void> {
  const { servers, sentinels, random } = simulation;
  const former = await settledMaster(simulation);
  servers.find(({ port }) => port === former)?.crash();
  const minority = random.integer((sentinels.length - 1) / 2 + 1);
  for (let i = 0; i < minority; i++)
    pick(
      random,
      sentinels.filter(({ isRunning }) => isRunning),
    ).crash();
  await simulation.passUntil(() => agreedMaster(simulation) !== undefined, MAX_FAILOVER_MS);
}

/** The port of the master when the Sentinels have learnt that the replicas are connected. */
async function settledMaster(simulation: Simulation): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await simulation.pass(15_000);
    const port = agreedMaster(simulation);
    if (port !== undefined) return port;
    // Some messages take seconds, longer than a master may be silent: the Sentinels may be replacing it.
    await simulation.passUntil(() => agreedMaster(simulation) !== undefined, MAX_FAILOVER_MS);
  }
  throw new Error(`no master that stays, without any disturbance:\n${simulation.report()}`);
}

/** The port of the master that all running Sentinels name, if all other running servers follow it. */
function agreedMaster(simulation: Simulation): number | undefined {
  const servers = simulation.servers.filter(({ isRunning }) => isRunning);
  const sentinels = simulation.sentinels.filter(({ isRunning }) => isRunning);
  const ports = new Set(sentinels.map(({ sentinel }) => sentinel.masters.get(NAME)?.address.port));
  const [port] = ports;
  const isQuiet = sentinels.every(({ sentinel }) => sentinel.masters.get(NAME)?.isFailingOver === false);
  if (ports.size !== 1 || !isQuiet || servers.every((server) => server.port !== port)) return undefined;
  const isSettled = servers.every((server) => {
    const { link } = server.replication;
    return server.port === port ? link === undefined : link?.address.port === port && link?.isUp;
  });
  return isSettled ? port : undefined;
}

const MAX_FAILOVER_MS = 900_000;
/** A failover without a cause happens in one of thousands of histories. */
const MAX_ATTEMPTS = 5;

function pick<T>(random: RandomSource, from: readonly T[]): T {
  return from[random.integer(from.length)] as T;
}
