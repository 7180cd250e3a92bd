import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { seededRandom } from '../../src/bytes/random.js';
import { open } from '../../src/store/index.js';
import { until } from '../replication/support.js';
import {
  ask,
  type MemberKind,
  type SentinelGroup,
  type Server,
  startSentinelGroup,
  stopAllServers,
  whenRedisIsInstalled,
} from '../support/fleet/index.js';

after(stopAllServers);

const ROUNDS = Number(process.env['SORREL_SENTINEL_ROUNDS'] ?? 2);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);

type Drill = 'kill the master' | 'stop the master' | 'kill the leader' | 'kill a Sentinel and the master';

interface Plan {
  readonly sentinels: readonly MemberKind[];
  readonly members: readonly MemberKind[];
  readonly drill: Drill;
}

/** The first two are always the same: a mixed group, and one of ours alone. */
function planOf(round: number): Plan {
  if (round === 0) {
    return {
      sentinels: ['sorrel', 'redis', 'sorrel'],
      members: ['redis', 'sorrel'],
      drill: 'stop the master',
    };
  }
  if (round === 1) {
    return {
      sentinels: ['sorrel', 'sorrel', 'sorrel'],
      members: ['sorrel', 'redis'],
      drill: 'kill the leader',
    };
  }
  const random = seededRandom(SEED * 1000 + round);
  const kind = (): MemberKind => (random.integer(2) === 0 ? 'sorrel' : 'redis');
  const drills: readonly Drill[] = [
    'kill the master',
    'stop the master',
    'kill the leader',
    'kill a Sentinel and the master',
  ];
  return {
    sentinels: Array.from({ length: random.integer(3) === 0 ? 5 : 3 }, kind),
    members: Array.from({ length: 2 + random.integer(2) }, kind),
    drill: drills[random.integer(drills.length)] as Drill,
  };
}

describe('Sentinels of ours and real ones, in one group,', whenRedisIsInstalled, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { sentinels, members, drill } = planOf(round);
    it(`${sentinels.join(' ')} over ${members.join(' ')}: ${drill}`, async () => {
      const group = await startSentinelGroup([], members, sentinels);
      try {
        await run(group, drill);
      } finally {
        for (const { process } of group.servers) process.kill('SIGCONT');
        await group.stop();
      }
    });
  }
});

async function run(group: SentinelGroup, drill: Drill): Promise<void> {
  const former = await group.masterPort();
  const master = group.servers.find(({ port }) => port === former) as Server;
  const sentinels = group.servers.filter(({ port }) => group.sentinelPorts.includes(port));
  const hosts = group.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
  await using store = await open(`redis+sentinel://${hosts}/${group.name}`, { commandTimeout: 2000 });
  await store.set('before', '1');
  for (const { port } of sentinels) {
    await ask(
      port,
      'SENTINEL',
      'SET',
      group.name,
      'down-after-milliseconds',
      '1000',
      'failover-timeout',
      '4000',
    );
    if (drill === 'kill the leader') {
      await ask(port, 'SENTINEL', 'SIMULATE-FAILURE', 'crash-after-election');
    }
  }
  const dead = new Set<Server>();
  if (drill === 'kill a Sentinel and the master') {
    const [first] = sentinels as [Server];
    dead.add(first);
    first.process.kill('SIGKILL');
  }
  master.process.kill(drill === 'stop the master' ? 'SIGSTOP' : 'SIGKILL');
  if (drill === 'kill the leader') {
    const leader = await until(
      'the elected leader has crashed',
      async () => sentinels.find(({ running }) => !running),
      (found) => found !== undefined,
    );
    dead.add(leader as Server);
    for (const { port, running } of sentinels)
      if (running) await ask(port, 'SENTINEL', 'SIMULATE-FAILURE', 'help');
  }
  const living = sentinels.filter((sentinel) => !dead.has(sentinel));
  const present = await untilAgreed(group, living, former);
  // Clients follow.
  await until(
    'the store writes to the new master',
    () => store.set('after', '2'),
    () => true,
  );
  assert.equal(await ask(present, 'GET', 'after'), '2');
  if (drill === 'stop the master') {
    master.process.kill('SIGCONT');
    await until(
      'the former master is a replica of the new one',
      () => ask(former, 'ROLE'),
      (role) => Array.isArray(role) && role[0] === 'slave' && role[2] === present,
    );
  }
  checkFiles(living, group.name, present);
}

/** Whether all living Sentinels name the same new master, which has that role. */
async function untilAgreed(group: SentinelGroup, living: readonly Server[], former: number): Promise<number> {
  const ports = await until(
    'all Sentinels have switched to one other master',
    () =>
      Promise.all(
        living.map(async ({ port }) => {
          const address = await ask(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group.name);
          return Number(Array.isArray(address) ? address[1] : 0);
        }),
      ),
    (all) => new Set(all).size === 1 && all[0] !== former,
  );
  const present = ports[0] as number;
  await until(
    'it is a master',
    () => ask(present, 'ROLE'),
    (role) => Array.isArray(role) && role[0] === 'master',
  );
  return present;
}

/** The same outcome in every configuration file, of one failover. */
function checkFiles(living: readonly Server[], name: string, port: number): void {
  const lines = living.map(({ directory }) => {
    const text = readFileSync(join(directory, 'sentinel.conf'), 'utf8');
    const monitor = /^sentinel monitor .*$/m.exec(text)?.[0];
    return { monitor, epoch: /^sentinel config-epoch .*$/m.exec(text)?.[0] };
  });
  for (const line of lines) {
    assert.match(line.monitor ?? '', new RegExp(`^sentinel monitor ${name} 127.0.0.1 ${port} `));
    assert.equal(line.epoch, lines[0]?.epoch);
  }
}
