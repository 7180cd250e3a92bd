import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { seededRandom } from '../../src/bytes/random.js';
import { until } from '../replication/support.js';
import { type MemberKind, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { ROUNDS_AT_ONCE } from '../support/rounds.js';
import { ask, type Member, NAME, SeparableGroup } from './separable-group.js';
import { Switches } from './switches.js';

after(stopAllServers);

const ROUNDS = Number(process.env['SORREL_PARTITION_ROUNDS'] ?? 1);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);

type Drill = 'the master is cut off with a minority' | 'a minority is cut off' | 'the master is slow';

interface Plan {
  readonly members: readonly MemberKind[];
  readonly sentinels: readonly MemberKind[];
  readonly drill: Drill;
}

/** The first one is always the same. */
function planOf(round: number): Plan {
  if (round === 0) {
    return {
      members: ['sorrel', 'redis', 'sorrel'],
      sentinels: ['sorrel', 'redis', 'sorrel'],
      drill: 'the master is cut off with a minority',
    };
  }
  const random = seededRandom(SEED * 1000 + round);
  const kind = (): MemberKind => (random.integer(2) === 0 ? 'sorrel' : 'redis');
  const drills: readonly Drill[] = [
    'the master is cut off with a minority',
    'a minority is cut off',
    'the master is slow',
  ];
  return {
    members: Array.from({ length: 2 + random.integer(2) }, kind),
    sentinels: Array.from({ length: random.integer(3) === 0 ? 5 : 3 }, kind),
    drill: drills[random.integer(drills.length)] as Drill,
  };
}

describe('in a separated network,', { ...whenRedisIsInstalled, concurrency: ROUNDS_AT_ONCE }, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { members, sentinels, drill } = planOf(round);
    it(`${sentinels.join(' ')} over ${members.join(' ')}: ${drill}`, { timeout: 120_000 }, async () => {
      const group = await SeparableGroup.start(members, sentinels);
      try {
        await untilAcquainted(group);
        const ports = group.sentinels.map(({ server }) => server.port);
        using switches = await Switches.listen(ports);
        const [former] = group.servers as [Member];
        const present = await run(group, drill);
        await switches.check(ports, former.port, present.port);
        await checkUsers(group);
      } finally {
        await group.stop();
      }
    });
  }
});

/** Returns the master after it. */
async function run(group: SeparableGroup, drill: Drill): Promise<Member> {
  const [former] = group.servers as [Member];
  await ask(former, 'SET', 'confirmed', '1');
  assert.ok(Number(await ask(former, 'WAIT', '1', '60000')) >= 1);
  for (const sentinel of group.sentinels) {
    await ask(sentinel, 'SENTINEL', 'SET', NAME, 'down-after-milliseconds', '1500');
  }
  const minority = group.sentinels.slice(0, (group.sentinels.length - 1) / 2);
  const majority = group.sentinels.slice(minority.length);
  switch (drill) {
    case 'the master is cut off with a minority': {
      group.separate([former, ...minority]);
      const present = await untilReplaced(group, majority, former);
      // Those that are cut off cannot replace it, and clients that ask them write what will be lost.
      for (const sentinel of minority) assert.equal(await masterOf(sentinel), former.port);
      await ask(former, 'SET', 'written by a minority', '1');
      await ask(present, 'SET', 'written by the majority', '1');
      group.heal();
      await untilAgreed(group, present);
      assert.equal(await ask(former, 'EXISTS', 'written by a minority'), 0);
      return present;
    }
    case 'a minority is cut off': {
      group.separate(minority);
      for (const sentinel of minority) {
        await until(
          'a Sentinel that is cut off takes the master for down',
          () => fieldsOf(sentinel),
          (fields) => /s_down/.test(fields.get('flags') ?? ''),
        );
      }
      group.heal();
      await untilAgreed(group, former);
      for (const sentinel of group.sentinels) {
        assert.equal((await fieldsOf(sentinel)).get('config-epoch'), '0');
      }
      return former;
    }
    case 'the master is slow': {
      group.slow(former, 4000);
      const present = await untilReplaced(group, group.sentinels, former);
      await ask(present, 'SET', 'written by the majority', '1');
      group.heal();
      await untilAgreed(group, present);
      return present;
    }
  }
}

async function masterOf(sentinel: Member): Promise<number> {
  const address = await ask(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME);
  return Number(Array.isArray(address) ? address[1] : 0);
}

/** What a Sentinel knows about the master. */
async function fieldsOf(sentinel: Member): Promise<Map<string, string>> {
  const reply = (await ask(sentinel, 'SENTINEL', 'MASTER', NAME)) as string[];
  const fields = new Map<string, string>();
  for (let i = 0; i < reply.length; i += 2) fields.set(String(reply[i]), String(reply[i + 1]));
  return fields;
}

async function untilAcquainted(group: SeparableGroup): Promise<void> {
  for (const sentinel of group.sentinels) {
    await until(
      'a Sentinel knows all others',
      () => fieldsOf(sentinel),
      (fields) =>
        fields.get('flags') === 'master' &&
        fields.get('num-slaves') === String(group.servers.length - 1) &&
        fields.get('num-other-sentinels') === String(group.sentinels.length - 1),
    );
    await until(
      'the replicas are connected',
      () => ask(sentinel, 'SENTINEL', 'REPLICAS', NAME),
      (replicas) =>
        Array.isArray(replicas) &&
        replicas.every((replica) => Array.isArray(replica) && replica.includes('ok')),
    );
  }
}

/** Returns the new master, when these Sentinels agree about it and it has that role. */
async function untilReplaced(
  group: SeparableGroup,
  sentinels: readonly Member[],
  former: Member,
): Promise<Member> {
  const [port] = (await until(
    'the Sentinels have switched to one other master',
    () => Promise.all(sentinels.map(masterOf)),
    (ports) => new Set(ports).size === 1 && ports[0] !== former.port,
  )) as [number];
  const present = group.byPort(port) as Member;
  assert.equal(await ask(present, 'GET', 'confirmed'), '1');
  await until(
    'it is a master',
    () => ask(present, 'ROLE'),
    (role) => Array.isArray(role) && role[0] === 'master',
  );
  return present;
}

/** The network is whole: one master, which all others follow, in every Sentinel and in its file. */
async function untilAgreed(group: SeparableGroup, master: Member): Promise<void> {
  await until(
    'all Sentinels name one master',
    () => Promise.all(group.sentinels.map(masterOf)),
    (ports) => ports.every((port) => port === master.port),
  );
  for (const server of group.servers) {
    if (server === master) continue;
    await until(
      'all other servers are its replicas',
      () => ask(server, 'ROLE'),
      (role) =>
        Array.isArray(role) && role[0] === 'slave' && role[2] === master.port && role[3] === 'connected',
    );
    assert.equal(await ask(server, 'GET', 'confirmed'), '1');
  }
  await until(
    'all files say the same',
    async () => group.sentinels.map(({ server }) => fileOf(server.directory)),
    (files) => {
      const [first] = files;
      return files.every(({ monitor, epoch }) => {
        return (
          monitor.startsWith(`sentinel monitor ${NAME} 127.0.0.1 ${master.port} `) && epoch === first?.epoch
        );
      });
    },
  );
}

function fileOf(directory: string): { readonly monitor: string; readonly epoch: string } {
  const text = readFileSync(join(directory, 'sentinel.conf'), 'utf8');
  return {
    monitor: /^sentinel monitor .*$/m.exec(text)?.[0] ?? '',
    epoch: /^sentinel config-epoch .*$/m.exec(text)?.[0] ?? '',
  };
}

/** The Sentinels and replicas have used their own users, and needed no other permission. */
async function checkUsers(group: SeparableGroup): Promise<void> {
  for (const server of group.servers) {
    const clients = String(await ask(server, 'CLIENT', 'LIST'));
    const sentinels = clients.split('\n').filter((line) => /name=sentinel-/.test(line));
    assert.ok(sentinels.length > 0);
    for (const line of sentinels) assert.match(line, / user=watcher /);
    const log = (await ask(server, 'ACL', 'LOG')) as unknown[];
    assert.deepEqual(log, [], `${server.server.name} has refused something`);
  }
}
