import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { until } from '../replication/support.js';
import {
  ask,
  type MemberKind,
  type Server,
  startRedis,
  startSentinel,
  stopAllServers,
  whenRedisIsInstalled,
} from '../support/fleet/index.js';

after(stopAllServers);

/**
 * What a Sentinel of this kind publishes in a failover of its own, then in one by request, then when its settings change. On a busy machine a
 * master that answers late is replaced once more: then there is another failover than these two, and all of it is done again.
 */
async function eventsOf(kind: MemberKind): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const events: string[] = [];
    try {
      await drill(kind, events);
      if (countOf(events, '+switch-master') === 2 || tries === MAX_REPEATS) return inOneOrder(events);
    } catch (error) {
      if (!String(error).includes('INPROG') || tries === MAX_REPEATS) throw error;
    }
  }
}

const MAX_REPEATS = 3;

function countOf(events: readonly string[], start: string): number {
  return events.filter((event) => event.startsWith(start)).length;
}

async function drill(kind: MemberKind, events: string[]): Promise<void> {
  const quick = ['--repl-diskless-sync-delay', '0'];
  const master = await startRedis(quick);
  const follows = ['--replicaof', `127.0.0.1 ${master.port}`];
  const first = await startRedis([...quick, ...follows, '--replica-priority', '1']);
  const second = await startRedis([...quick, ...follows, '--replica-priority', '2']);
  const sentinel = await startSentinel(kind);
  const client = new Redis(sentinel.port);
  try {
    await publishAll(sentinel, client, [master, first, second], events);
  } finally {
    client.disconnect();
  }
}

async function publishAll(
  sentinel: Server,
  client: Redis,
  [master, first, second]: readonly [Server, Server, Server],
  events: string[],
): Promise<void> {
  const names: readonly (readonly [Server, string])[] = [
    [master, 'MASTER'],
    [first, 'FIRST'],
    [second, 'SECOND'],
  ];
  client.on('pmessage', (_pattern: string, channel: string, text: string) => {
    let shown = text.replace(/\b[0-9a-f]{40}\b/g, 'ID');
    for (const [{ port }, name] of names) shown = shown.replaceAll(String(port), name);
    events.push(`${channel} ${shown}`);
  });
  const say = (...words: string[]) => ask(sentinel.port, 'SENTINEL', ...words);
  const untilTold = (count: number, start: string) =>
    until(
      `the Sentinel publishes ${start}`,
      async () => countOf(events, start),
      (found) => found >= count,
    );
  await client.psubscribe('*');
  await say('DEBUG', 'info-period', '200', 'tilt-trigger', '60000');
  await say('MONITOR', 'm', '127.0.0.1', String(master.port), '1');
  await until(
    'both replicas are connected',
    () => say('REPLICAS', 'm'),
    (replicas) => String(replicas).split('master-link-status,ok').length === 3,
  );
  await say('SET', 'm', 'down-after-milliseconds', '1000');
  master.process.kill('SIGKILL');
  await untilTold(1, '+sdown slave 127.0.0.1:MASTER');
  await until(
    'the other replica is connected',
    () => say('REPLICAS', 'm'),
    (replicas) => String(replicas).includes('master-link-status,ok'),
  );
  await say('FAILOVER', 'm');
  await untilTold(2, '+switch-master');
  await untilTold(2, '+sdown slave 127.0.0.1:MASTER');
  for (const words of [
    ['SET', 'm', 'parallel-syncs', '3', 'auth-pass', 'secret'],
    ['RESET', 'm'],
    ['REMOVE', 'm'],
    ['MONITOR', 'n', '127.0.0.1', '1', '2'],
    ['CONFIG', 'SET', 'announce-port', '7000'],
  ]) {
    await say(...words);
  }
  await untilTold(1, '+monitor master n');
}

/** A real Sentinel names several replicas that it gets to know at once in any order. */
function inOneOrder(events: readonly string[]): string[] {
  const ordered: string[] = [];
  for (const event of events) {
    let at = ordered.length;
    while (event.startsWith('+slave ') && ordered[at - 1]?.startsWith('+slave ') && event < ordered[at - 1]!)
      at--;
    ordered.splice(at, 0, event);
  }
  return ordered;
}

describe('in a failover', whenRedisIsInstalled, () => {
  it('a Sentinel publishes what a real one does, in the same order', { timeout: 300_000 }, async () => {
    const [ours, real] = await Promise.all([eventsOf('sorrel'), eventsOf('redis')]);
    for (const event of [
      '+sdown',
      '+odown',
      '+elected-leader',
      '+slave-reconf-done',
      '+failover-end',
      '-monitor',
    ]) {
      assert.ok(
        real.some((text) => text.startsWith(event)),
        `${event} in ${real.join('\n')}`,
      );
    }
    assert.deepEqual(ours, real);
  });
});
