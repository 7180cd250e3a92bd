import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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
import { ROUNDS_AT_ONCE } from '../support/rounds.js';
import { Switches } from './switches.js';

after(stopAllServers);

const ROUNDS = Number(process.env['SORREL_SENTINEL_ROUNDS'] ?? 3);
/** After which time without a reply a Sentinel takes a server for down. */
const DOWN_AFTER_MS = 1000;
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);

const DRILLS = [
  'kill the master',
  'stop the master',
  'kill the leader',
  'kill a Sentinel and the master',
  'the clock of a Sentinel is wrong',
  // Each begins an election, so that their votes may be divided.
  'all Sentinels notice it at once',
] as const;
type Drill = (typeof DRILLS)[number];

interface Plan {
  readonly sentinels: readonly MemberKind[];
  readonly members: readonly MemberKind[];
  readonly drill: Drill;
}

/** The first three are always the same. */
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
  if (round === 2) {
    return {
      sentinels: ['sorrel', 'redis', 'redis'],
      members: ['redis', 'redis'],
      drill: 'the clock of a Sentinel is wrong',
    };
  }
  const random = seededRandom(SEED * 1000 + round);
  const kind = (): MemberKind => (random.integer(2) === 0 ? 'sorrel' : 'redis');
  return {
    sentinels: Array.from({ length: random.integer(3) === 0 ? 5 : 3 }, kind),
    members: Array.from({ length: 2 + random.integer(2) }, kind),
    drill: DRILLS[random.integer(DRILLS.length)] as Drill,
  };
}

describe('Sentinels of ours and real ones, in one group,', {
  ...whenRedisIsInstalled,
  concurrency: ROUNDS_AT_ONCE,
}, () => {
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
  using switches = await Switches.listen(group.sentinelPorts);
  for (const { port } of sentinels) {
    await ask(
      port,
      'SENTINEL',
      'SET',
      group.name,
      'down-after-milliseconds',
      String(DOWN_AFTER_MS),
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
  if (drill === 'the clock of a Sentinel is wrong') await confuse(sentinels[0] as Server);
  if (drill === 'all Sentinels notice it at once')
    for (const { process } of sentinels) process.kill('SIGSTOP');
  master.process.kill(drill === 'stop the master' ? 'SIGSTOP' : 'SIGKILL');
  if (drill === 'all Sentinels notice it at once') {
    await sleep(2 * DOWN_AFTER_MS);
    for (const { process } of sentinels) process.kill('SIGCONT');
  }
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
  await switches.check(
    living.map(({ port }) => port),
    former,
    present,
  );
  checkFiles(living, group.name, present);
}

/** Stops a Sentinel for so long that it does not trust its clock (TILT), and so does nothing for a while. */
async function confuse({ port, process }: Server): Promise<void> {
  await ask(port, 'SENTINEL', 'DEBUG', 'tilt-trigger', '500', 'tilt-period', '4000');
  process.kill('SIGSTOP');
  await sleep(1000);
  process.kill('SIGCONT');
  await until(
    'the Sentinel does not trust its clock',
    () => ask(port, 'INFO', 'sentinel'),
    (info) => /^sentinel_tilt:1/m.test(String(info)),
  );
  // The rest of the test may take long on a busy machine.
  await ask(port, 'SENTINEL', 'DEBUG', 'tilt-trigger', '60000');
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
