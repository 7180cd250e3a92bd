import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plain } from '../../oracle/support/reply.js';
import { ask, askUntil } from './asking.js';
import { type Server, startServer } from './server-process.js';
import { REDIS_SERVER, sorrelCommand, startRedis, startSorrel } from './standalone.js';

/** A master with replicas and three Sentinels, with a quorum of two. */
export interface SentinelGroup {
  /** The master's name for the Sentinels. */
  readonly name: string;
  readonly sentinelPorts: readonly number[];
  /** Master, replicas and Sentinels. */
  readonly servers: readonly Server[];
  /** The port of the current master, according to the Sentinels. */
  masterPort(): Promise<number>;
  /** Makes the Sentinels do a failover. Returns when all of them and both servers have completed it. */
  failover(): Promise<void>;
  /**
   * Kills the master with SIGKILL and returns when the Sentinels have replaced it with a replica. This works once for each
   * replica. Takes some seconds.
   */
  crashMaster(): Promise<void>;
  /** Empties the master, and with it the replica. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const NAME = 'primary';
const quorumOf = (sentinels: number): number => Math.floor(sentinels / 2) + 1;
/** While no server has crashed: on a busy machine, a slow master must not count as dead. */
const PATIENT_MS = 60_000;
/** After the master was killed. */
const IMPATIENT_MS = 1_000;

export type MemberKind = 'redis' | 'sorrel';

/**
 * Starts the kinds of servers, the first one as master, and the kinds of Sentinels; by default, real ones. Returns when every
 * Sentinel knows the replicas and the other Sentinels, and the replicas are connected.
 */
export async function startSentinelGroup(
  options: readonly string[] = [],
  kinds: readonly MemberKind[] = ['redis', 'redis'],
  sentinelKinds: readonly MemberKind[] = ['redis', 'redis', 'redis'],
): Promise<SentinelGroup> {
  const servers: Server[] = [];
  try {
    const group = await start(servers, options, kinds, sentinelKinds);
    return group;
  } catch (error) {
    await stopAll(servers);
    throw error;
  }
}

async function start(
  servers: Server[],
  options: readonly string[],
  [masterKind = 'redis', ...replicaKinds]: readonly MemberKind[],
  sentinelKinds: readonly MemberKind[],
): Promise<SentinelGroup> {
  const quickly = ['--repl-diskless-sync-delay', '0', ...options];
  const startMember = (kind: MemberKind, ...more: string[]): Promise<Server> =>
    (kind === 'redis' ? startRedis : startSorrel)([...quickly, ...more]);
  const master = await startMember(masterKind);
  servers.push(master);
  for (const kind of replicaKinds) {
    const replica = await startMember(kind, '--replicaof', `127.0.0.1 ${master.port}`);
    servers.push(replica);
    await untilFollowing(replica.port, master.port);
  }
  const members = servers.length;
  const sentinels = await Promise.allSettled(
    sentinelKinds.map((kind) => startSentinelOf(kind, master.port, quorumOf(sentinelKinds.length))),
  );
  for (const sentinel of sentinels) {
    if (sentinel.status === 'fulfilled') servers.push(sentinel.value);
  }
  for (const sentinel of sentinels) if (sentinel.status === 'rejected') throw sentinel.reason;
  const ports = servers.slice(members).map((sentinel) => sentinel.port);
  await Promise.all(ports.map((port) => untilAcquainted(port, members - 1, ports.length - 1)));
  return {
    name: NAME,
    sentinelPorts: ports,
    servers,
    masterPort: () => masterPort(ports[0]!),
    failover: () => failover(ports, members - 1),
    crashMaster: () => crashMaster(ports, servers),
    flush: async () => {
      await ask(await masterPort(ports[0]!), 'FLUSHALL');
    },
    stop: () => stopAll(servers),
  };
}

/** Starts a Sentinel with these lines in its configuration file. */
export function startSentinel(kind: MemberKind, lines: readonly string[] = []): Promise<Server> {
  return startServer('sentinel', ({ port, directory }) => {
    const file = join(directory, 'sentinel.conf');
    writeFileSync(file, `${[`port ${port}`, `dir ${directory}`, ...lines].join('\n')}\n`);
    return [...(kind === 'redis' ? [REDIS_SERVER] : sorrelCommand()), file, '--sentinel'];
  });
}

async function startSentinelOf(kind: MemberKind, masterPort: number, quorum: number): Promise<Server> {
  const sentinel = await startSentinel(kind, [
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} ${quorum}`,
    `sentinel down-after-milliseconds ${NAME} ${PATIENT_MS}`,
    `sentinel failover-timeout ${NAME} 10000`,
  ]);
  // Sentinels then exchange changes more often than every ten seconds, and ignore pauses of the machine.
  const pace = { 'info-period': 200, 'publish-period': 200, 'ask-period': 200, 'tilt-trigger': PATIENT_MS };
  await ask(sentinel.port, 'SENTINEL', 'DEBUG', ...Object.entries(pace).flat().map(String));
  return sentinel;
}

/** Whether the Sentinel on this port knows all others and the replicas, and considers them healthy. */
async function untilAcquainted(port: number, replicas: number, others: number): Promise<void> {
  await askUntil(port, ['SENTINEL', 'MASTER', NAME], (answer) => {
    const master = fieldsOf(answer);
    return (
      master.get('flags') === 'master' &&
      master.get('num-slaves') === `${replicas}` &&
      master.get('num-other-sentinels') === `${others}`
    );
  });
  await askUntil(port, ['SENTINEL', 'REPLICAS', NAME], (answer) =>
    listOf(answer).every((replica) => {
      const fields = fieldsOf(replica);
      return fields.get('flags') === 'slave' && fields.get('master-link-status') === 'ok';
    }),
  );
  await askUntil(port, ['SENTINEL', 'CKQUORUM', NAME], (answer) => String(answer).startsWith('OK'));
}

async function masterPort(sentinelPort: number): Promise<number> {
  const address = listOf(await ask(sentinelPort, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME));
  return Number(address[1]);
}

async function failover(sentinelPorts: readonly number[], replicas: number): Promise<void> {
  const former = await masterPort(sentinelPorts[0]!);
  await untilReplicated(former);
  // -NOGOODSLAVE or -INPROG while an earlier failover is not complete.
  await askUntil(sentinelPorts[0]!, ['SENTINEL', 'FAILOVER', NAME], () => true);
  const present = await untilChanged(sentinelPorts, former);
  await untilFollowing(former, present);
  await Promise.all(sentinelPorts.map((port) => untilAcquainted(port, replicas, sentinelPorts.length - 1)));
}

/** Waits until the replica has all earlier writes, so that the failover loses none of them. */
async function untilReplicated(master: number): Promise<void> {
  const [, written] = listOf(await ask(master, 'ROLE'));
  await askUntil(master, ['ROLE'], (role) => {
    const [kind, , replicas = null] = listOf(role);
    return (
      kind === 'master' && listOf(replicas).some((replica) => Number(listOf(replica)[2]) >= Number(written))
    );
  });
}

async function crashMaster(sentinelPorts: readonly number[], servers: readonly Server[]): Promise<void> {
  const former = await masterPort(sentinelPorts[0]!);
  await servers.find((server) => server.port === former)!.stop();
  await setPatience(sentinelPorts, IMPATIENT_MS);
  await untilChanged(sentinelPorts, former);
  await setPatience(sentinelPorts, PATIENT_MS);
}

async function setPatience(sentinelPorts: readonly number[], milliseconds: number): Promise<void> {
  for (const port of sentinelPorts) {
    await ask(port, 'SENTINEL', 'SET', NAME, 'down-after-milliseconds', `${milliseconds}`);
  }
}

/** Whether all Sentinels name the same new master, and that server has the role master. */
async function untilChanged(sentinelPorts: readonly number[], former: number): Promise<number> {
  const question = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME];
  for (const port of sentinelPorts) {
    await askUntil(port, question, (address) => listOf(address)[1] !== `${former}`);
  }
  const present = await masterPort(sentinelPorts[0]!);
  const settledBy = Date.now() + UNSETTLED_MS;
  let isReminded = false;
  await askUntil(present, ['ROLE'], (role) => {
    if (listOf(role)[0] === 'master') return true;
    // On a busy machine, a Sentinel that has missed the failover may revert it. Then it takes minutes.
    if (!isReminded && Date.now() > settledBy) {
      isReminded = true;
      void ask(present, 'REPLICAOF', 'NO', 'ONE').catch(() => {});
    }
    return false;
  });
  return present;
}

/** A failover normally takes much less. */
const UNSETTLED_MS = 15_000;

async function untilFollowing(replica: number, master: number): Promise<void> {
  await askUntil(replica, ['ROLE'], (role) => {
    const [kind, , port, state] = listOf(role);
    return kind === 'slave' && port === master && state === 'connected';
  });
}

function listOf(answer: Plain): Plain[] {
  return Array.isArray(answer) ? answer : [];
}

function fieldsOf(answer: Plain): Map<Plain, Plain> {
  const words = listOf(answer);
  return new Map(words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1] ?? null] as const] : [])));
}

async function stopAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
