import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RandomSource, seededRandom } from '../../src/bytes/random.js';
import { Live } from '../durability/support/live.js';
import { RandomCommands, type Target } from '../durability/support/random-commands.js';
import { ask, askUntil, type Server, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { Gateway } from '../support/outage/gateway.js';
import { runRounds } from '../support/rounds.js';
import { type Kind, replicationOf, startServer, untilEqual } from './support.js';

const ROUNDS = Number(process.env['SORREL_TOPOLOGY_ROUNDS'] ?? 2);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);

after(stopAllServers);

/** A server behind a gateway, whose port stays the same when the server is started again. */
class Member {
  readonly kind: Kind;
  readonly gateway: Gateway;
  readonly folder = mkdtempSync(join(tmpdir(), 'sorrel-topology-'));
  server: Server;
  /** The member that it follows; undefined for the master. */
  parent: Member | undefined;
  full = 0;
  partial = 0;

  private constructor(kind: Kind, server: Server, gateway: Gateway) {
    this.kind = kind;
    this.server = server;
    this.gateway = gateway;
  }

  static async start(kind: Kind): Promise<Member> {
    const server = await startServer(kind, ['--repl-timeout', '5']);
    return new Member(kind, server, await Gateway.before(server.port));
  }

  /** Starts all or none: what is left open would keep the test running. */
  static async startAll(kinds: readonly Kind[]): Promise<readonly Member[]> {
    const starts = await Promise.allSettled(kinds.map((kind) => Member.start(kind)));
    const members = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    const failed = starts.find((start) => start.status === 'rejected');
    if (failed === undefined) return members;
    await Promise.all(members.map((member) => member.stop()));
    throw failed.reason;
  }

  async follow(parent: Member | undefined): Promise<void> {
    this.parent = parent;
    const [host, port] = parent === undefined ? ['NO', 'ONE'] : ['127.0.0.1', String(parent.gateway.port)];
    // Refused while a snapshot is loaded.
    await askUntil(this.server.port, ['REPLICAOF', host as string, port as string], () => true);
  }

  /** Ends the process, `saved` or killed, and starts it again with what it has on disk. */
  async restart(isSaved: boolean, parent: Member | undefined): Promise<void> {
    await this.count();
    await ask(this.server.port, 'CONFIG', 'SET', 'dir', this.folder).catch(() => {});
    if (isSaved) await ask(this.server.port, 'SAVE').catch(() => {});
    await this.server.stop();
    this.parent = parent;
    const master = parent === undefined ? [] : ['--replicaof', `127.0.0.1 ${parent.gateway.port}`];
    this.server = await startServer(this.kind, ['--dir', this.folder, '--repl-timeout', '5', ...master]);
    this.gateway.target = this.server.port;
    this.gateway.cut();
  }

  async count(): Promise<void> {
    const info = await replicationOf(this.server.port).catch(() => new Map<string, string>());
    this.full += Number(info.get('sync_full') ?? 0);
    this.partial += Number(info.get('sync_partial_ok') ?? 0);
  }

  async stop(): Promise<void> {
    await this.gateway.close();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

interface Topology {
  readonly members: readonly Member[];
  readonly random: RandomSource;
  master: Member;
}

it(
  `${ROUNDS} topologies of ours and real servers agree after cuts, kills, stops and promotions`,
  whenRedisIsInstalled,
  async (t) => {
    const total = { full: 0, partial: 0 };
    await runRounds(ROUNDS, async (round) => {
      const seed = SEED * 1000 + round;
      try {
        const { full, partial } = await runRound(seed);
        total.full += full;
        total.partial += partial;
      } catch (error) {
        (error as Error).message = `seed ${seed}: ${(error as Error).message}`;
        throw error;
      }
    });
    t.diagnostic(`${total.full} full and ${total.partial} partial synchronisations`);
    assert.ok(total.full > 0);
  },
);

async function runRound(seed: number): Promise<{ full: number; partial: number }> {
  const random = seededRandom(seed);
  const count = 2 + random.integer(4);
  const kinds = Array.from(
    { length: count },
    (_, i): Kind => (i === 0 ? 'sorrel' : pick(random, ['redis', 'sorrel'])),
  );
  const members = await Member.startAll(kinds.sort(() => random.next() - 0.5));
  const topology: Topology = { members, random, master: members[0] as Member };
  const story: string[] = [kinds.join(' ')];
  try {
    for (let i = 1; i < count; i++) {
      const parent = members[random.integer(i)] as Member;
      await (members[i] as Member).follow(parent);
      story.push(`${i} follows ${members.indexOf(parent)}`);
    }
    for (let step = 0; step < 4; step++) {
      const writing = write(topology.master, random.integer(1 << 30));
      story.push(await disturb(topology));
      await writing;
    }
    await write(topology.master, seed);
    const others = members.filter((member) => member !== topology.master);
    await untilEqual(topology.master.server, ...others.map(({ server }) => server));
    for (const member of members) await member.count();
    const sum = (of: (member: Member) => number): number =>
      members.reduce((total, member) => total + of(member), 0);
    return { full: sum(({ full }) => full), partial: sum(({ partial }) => partial) };
  } catch (error) {
    const logs = members.map(({ kind, server }) => `${kind} ${server.port}: ${server.log().slice(-700)}`);
    (error as Error).message += `\n${story.join('; ')}\n${logs.join('\n')}`;
    throw error;
  } finally {
    await Promise.all(members.map((member) => member.stop()));
  }
}

/** Something that happens to a member, and what it was. */
async function disturb(topology: Topology): Promise<string> {
  const { members, random } = topology;
  const at = random.integer(members.length);
  const member = members[at] as Member;
  const isMaster = member === topology.master;
  switch (random.integer(6)) {
    case 0:
      member.gateway.cutAfter(random.integer(3000));
      return `the connections to ${at} are cut`;
    case 1:
      member.server.process.kill('SIGSTOP');
      await sleep(random.integer(1500));
      member.server.process.kill('SIGCONT');
      return `${at} is stopped for a while`;
    case 2: {
      // A master that is killed loses what it has not saved: another one must take its place first.
      if (isMaster) await promote(topology, other(topology, at));
      await member.restart(random.integer(2) === 0, member.parent);
      return `${at} is killed and started again`;
    }
    case 3: {
      const successor = other(topology, at);
      if (isMaster) await promote(topology, successor);
      return isMaster ? `${members.indexOf(successor)} is promoted` : 'nothing';
    }
    case 4: {
      if (isMaster) return 'nothing';
      await member.follow(topology.master);
      return `${at} follows the master`;
    }
    default:
      for (const { gateway } of members) gateway.cut();
      return 'all connections are cut';
  }
}

async function promote(topology: Topology, successor: Member): Promise<void> {
  const former = topology.master;
  await successor.follow(undefined);
  topology.master = successor;
  await former.follow(successor);
}

function other({ members, random }: Topology, at: number): Member {
  const others = members.filter((_, i) => i !== at);
  return pick(random, others);
}

/** Random commands of every family, with scripts, functions and transactions. Errors, as from a replica, do not matter. */
async function write({ server }: Member, seed: number): Promise<void> {
  try {
    const live = await Live.of(server);
    const random = seededRandom(seed);
    const commands = new RandomCommands(random);
    const names = commands.names.filter((name) => !/^(b[lrz]|xread)/.test(name));
    await live.pipeline((target) => {
      if (random.integer(2) === 0) commands.fill(target);
      for (let i = 0; i < 500; i++) {
        if (random.integer(30) === 0) special(target, random);
        commands.runCommand(target, pick(random, names));
      }
    });
    live.client.close();
  } catch {
    // The server was killed or stopped.
  }
}

function special(target: Target, random: RandomSource): void {
  switch (random.integer(8)) {
    case 0:
      target.run('EVAL', "redis.call('INCR', 'n') return redis.call('SPOP', 'set:3')", 0);
      break;
    case 1:
      target.run(
        'FUNCTION',
        'LOAD',
        'REPLACE',
        `#!lua name=lib\nredis.register_function('f', function() return ${random.integer(100)} end)`,
      );
      break;
    case 2:
      target.run('MULTI');
      target.run('INCR', 'n');
      target.run('PUBLISH', 'channel', 'message');
      target.run('RPUSH', 'l', random.integer(100));
      target.run('EXEC');
      break;
    case 3:
      target.run('SWAPDB', 0, 1);
      break;
    case 4:
      target.run('SELECT', random.integer(3));
      break;
    case 5:
      if (random.integer(5) === 0) target.run('FLUSHALL');
      break;
    case 6:
      // Some keys are evicted.
      if (random.integer(3) !== 0) break;
      target.run('CONFIG', 'SET', 'maxmemory', 1, 'maxmemory-policy', 'allkeys-random');
      target.run('INCR', 'n');
      target.run('CONFIG', 'SET', 'maxmemory', 0);
      break;
    default:
      target.run('PUBLISH', 'channel', 'message');
  }
}

function pick<T>(random: RandomSource, from: readonly T[]): T {
  return from[random.integer(from.length)] as T;
}
