import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { open, type Store } from '../../src/store/index.js';
import type { Plain } from '../oracle/support/reply.js';
import { ask, type Server, startRedis, startSorrel } from '../support/fleet/index.js';

export type Kind = 'redis' | 'sorrel';

/** Full synchronisations begin at once, and no PING moves the offsets while they are compared. */
export const QUICK = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '3600'];

export function startServer(kind: Kind, options: readonly string[] = []): Promise<Server> {
  return (kind === 'redis' ? startRedis : startSorrel)([...QUICK, ...options]);
}

export async function follow(replica: Server, masterPort: number): Promise<void> {
  await ask(replica.port, 'REPLICAOF', '127.0.0.1', String(masterPort));
}

/** The fields of INFO replication, and those of INFO stats. */
export async function replicationOf(port: number): Promise<Map<string, string>> {
  const lines = [await ask(port, 'INFO', 'replication'), await ask(port, 'INFO', 'stats')]
    .join('\r\n')
    .split('\r\n');
  return new Map(
    lines
      .filter((line) => line.includes(':'))
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1)];
      }),
  );
}

/** Asks again until the check holds. The error has the last answer. */
export async function until<Answer>(
  what: string,
  question: () => Promise<Answer>,
  holds: (answer: Answer) => boolean,
): Promise<Answer> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  let last: unknown;
  while (Date.now() < giveUpAt) {
    try {
      const answer = await question();
      last = answer;
      if (holds(answer)) return answer;
    } catch (error) {
      last = error;
    }
    await sleep(20);
  }
  const shown =
    last instanceof Map ? [...last].map(([name, value]) => `${name}:${value}`).join('\n') : String(last);
  throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s. The last answer was ${shown}`);
}

export async function untilUp(replica: Server): Promise<void> {
  await until(
    `the link of ${replica.name} ${replica.port} is up`,
    () => replicationOf(replica.port),
    (info) => info.get('master_link_status') === 'up',
  );
}

/**
 * Waits until all servers have the master's history and offset, and checks that their data are equal. If a key expires on the
 * master meanwhile, which its offset shows, it is checked again.
 */
export async function untilEqual(master: Server, ...replicas: readonly Server[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const offset = await untilCaughtUp(master, replicas);
    const digests = await Promise.all([master, ...replicas].map(({ port }) => ask(port, 'DEBUG', 'DIGEST')));
    if (new Set(digests).size === 1) return;
    const after = (await replicationOf(master.port)).get('master_repl_offset');
    if (after !== offset && attempt < ATTEMPTS) continue;
    const differing = await Promise.all(replicas.map((replica) => differencesBetween(master, replica)));
    assert.fail(`the data differ at offset ${offset}: ${differing.join('; ')}`);
  }
}

/** Returns the offset that all of them have. */
async function untilCaughtUp(master: Server, replicas: readonly Server[]): Promise<string | undefined> {
  let offset: string | undefined;
  for (const replica of replicas) {
    await until(
      `${replica.name} ${replica.port} has what ${master.name} ${master.port} has`,
      async () => [await replicationOf(master.port), await replicationOf(replica.port)] as const,
      ([leading, following]) => {
        offset = leading.get('master_repl_offset');
        return (
          following.get('master_link_status') === 'up' &&
          ['master_replid', 'master_repl_offset'].every((name) => leading.get(name) === following.get(name))
        );
      },
    );
  }
  return offset;
}

/** The keys that differ, with their types. */
async function differencesBetween(master: Server, replica: Server): Promise<string> {
  const found: string[] = [];
  for (let db = 0; db < 3; db++) {
    await using leading = await open(`redis://127.0.0.1:${master.port}/${db}`);
    await using following = await open(`redis://127.0.0.1:${replica.port}/${db}`);
    const keys = new Set([...(await leading.keys('*')), ...(await following.keys('*'))]);
    for (const key of [...keys].sort()) {
      const [here, there] = await Promise.all([leading, following].map((store) => describeKey(store, key)));
      if (here !== there) found.push(`db ${db} ${key}: ${here} and ${there}`);
    }
  }
  return `${replica.name} ${replica.port}: ${found.slice(0, 20).join(', ') || 'no visible key differs'}`;
}

async function describeKey(store: Store, key: string): Promise<string> {
  const digest = await store.send('DEBUG', 'DIGEST-VALUE', key);
  return `${await store.type(key)} ${String(digest).slice(0, 8)} until ${await store.send('PEXPIRETIME', key)}`;
}

/** The reply, or the text of the error. */
export async function tryAsk(port: number, ...words: string[]): Promise<Plain> {
  try {
    return await ask(port, ...words);
  } catch (error) {
    return (error as Error).message.replace(/^.*?: /, '');
  }
}

/** Long, because the machine may be busy. */
const PATIENCE_MS = 90_000;
/** How often data are compared while keys expire. */
const ATTEMPTS = 50;
