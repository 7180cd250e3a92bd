import type { RandomSource } from '../../src/bytes/random.js';
import { Invariants } from './invariants.js';
import type { SimulatedServer } from './simulated-server.js';
import { Simulation } from './simulation.js';

export interface HistoryResult {
  readonly full: number;
  readonly partial: number;
  readonly events: number;
}

/** Runs a random history of servers, and throws if an invariant is violated or the servers do not agree at the end. */
export async function runHistory(seed: number, steps = 60): Promise<HistoryResult> {
  const simulation = new Simulation(seed);
  const { random } = simulation;
  try {
    const count = 2 + random.integer(6);
    for (let i = 0; i < count; i++) {
      simulation.addServer({
        'repl-backlog-size': String([16_384, 65_536, 1_048_576][random.integer(3)]),
        'repl-timeout': String(5 + random.integer(30)),
        'repl-diskless-load': ['disabled', 'swapdb', 'on-empty-db'][random.integer(3)] as string,
        'repl-diskless-sync': random.integer(4) === 0 ? 'no' : 'yes',
        'repl-diskless-sync-delay': String(random.integer(3)),
        'repl-ping-replica-period': String(1 + random.integer(10)),
      });
    }
    const invariants = new Invariants(simulation);
    let events = 0;
    simulation.check = () => {
      events++;
      invariants.check();
    };
    for (let i = 0; i < steps; i++) {
      disturb(simulation);
      write(simulation);
      await simulation.pass(random.integer(random.integer(5) === 0 ? 20_000 : 500));
    }
    await converge(simulation);
    const sum = (of: (server: SimulatedServer) => number): number =>
      simulation.servers.reduce((total, server) => total + of(server), 0);
    return {
      full: sum(({ replication }) => replication.replicas.counts.full),
      partial: sum(({ replication }) => replication.replicas.counts.partial),
      events,
    };
  } catch (error) {
    (error as Error).message = `seed ${seed}: ${(error as Error).message}`;
    throw error;
  } finally {
    simulation.close();
  }
}

/** Something that happens to servers or the network. */
function disturb({ servers, random, network }: Simulation): void {
  const server = pick(random, servers);
  const other = pick(random, servers);
  switch (random.integer(14)) {
    case 0:
    case 1:
    case 2:
      if (server.isRunning && server !== other) server.run('REPLICAOF', '127.0.0.1', other.port);
      break;
    case 3:
      if (server.isRunning) server.run('REPLICAOF', 'NO', 'ONE');
      break;
    case 4:
    case 5:
      network.cut(server.port, other.port);
      break;
    case 6:
      network.sever(server.port, other.port, true);
      break;
    case 7:
      network.heal();
      break;
    case 8:
      if (random.integer(2) === 0) server.save();
      server.crash();
      break;
    case 9:
    case 10:
      for (const each of servers) if (!each.isRunning) each.start();
      break;
    case 11:
      if (server.isRunning) server.run('FAILOVER', 'TIMEOUT', 1 + random.integer(5000));
      break;
    case 12:
      if (server.isRunning) server.save();
      break;
    default:
      if (server.isRunning) server.run('CLIENT', 'KILL', 'TYPE', pick(random, ['replica', 'master']));
  }
}

/** A few changes on some servers; replicas refuse them. */
function write({ servers, random }: Simulation): void {
  for (const server of servers) {
    if (!server.isRunning || random.integer(3) === 0) continue;
    for (let n = random.integer(8); n > 0; n--) change(server, random);
  }
}

function change(server: SimulatedServer, random: RandomSource): void {
  const key = `k${random.integer(12)}`;
  switch (random.integer(12)) {
    case 0:
      server.run('SET', key, 'x'.repeat(random.integer(6000)));
      break;
    case 1:
      server.run('SET', key, random.integer(1000), 'PX', 1 + random.integer(5000));
      break;
    case 2:
      server.run('DEL', key);
      break;
    case 3:
      server.run('SELECT', random.integer(3));
      break;
    case 4:
      server.run('MULTI');
      server.run('INCR', 'n');
      server.run('SADD', 's', random.integer(50));
      server.run('SELECT', random.integer(3));
      server.run('INCR', 'n');
      server.run('EXEC');
      break;
    case 5:
      server.run('SPOP', 's');
      break;
    case 6:
      server.run('RPUSH', 'l', random.integer(1000));
      break;
    case 7:
      server.run('LPOP', 'l');
      break;
    case 8:
      server.run('XADD', 'stream', 'MAXLEN', 10, '*', 'field', random.integer(1000));
      break;
    case 9:
      server.run('ZADD', 'z', random.integer(100), `m${random.integer(30)}`);
      break;
    case 10:
      server.run('PUBLISH', 'channel', 'message');
      break;
    default:
      if (random.integer(6) === 0) server.run(pick(random, ['FLUSHALL', 'FLUSHDB']));
      else if (random.integer(4) === 0) server.run('SWAPDB', 0, 1);
      else server.run('INCR', 'n');
  }
}

/** Ends all disturbances, makes one server the master of the others, and checks that all have its data. */
async function converge(simulation: Simulation): Promise<void> {
  const { servers, random, network } = simulation;
  network.heal();
  for (const server of servers) if (!server.isRunning) server.start();
  // A server that loads a snapshot, or whose failover is not over, refuses REPLICAOF.
  await simulation.passUntil(() =>
    servers.every(({ engine }) => !engine.isLoading && !engine.isAsyncLoading),
  );
  for (const server of servers) server.run('FAILOVER', 'ABORT');
  const order = [...servers].sort(() => random.next() - 0.5);
  const master = order[0] as SimulatedServer;
  master.run('REPLICAOF', 'NO', 'ONE');
  order.forEach((server, i) => {
    if (i === 0) return;
    const above = order[random.integer(2) === 0 ? 0 : i - 1] as SimulatedServer;
    const reply = server.run('REPLICAOF', '127.0.0.1', above.port);
    if (!reply.startsWith('+OK')) throw new Error(`REPLICAOF was answered with ${reply}`);
  });
  master.run('INCR', 'last');
  await simulation.passUntil(() => {
    return servers.every(
      (server) =>
        server.historyId === master.historyId &&
        server.offset === master.offset &&
        (server === master || server.replication.link?.isUp === true),
    );
  });
  for (const server of servers) {
    if (server.digest !== master.digest)
      throw new Error(`${server.port} differs at the end\n${simulation.report()}`);
  }
}

function pick<T>(random: RandomSource, from: readonly T[]): T {
  return from[random.integer(from.length)] as T;
}
