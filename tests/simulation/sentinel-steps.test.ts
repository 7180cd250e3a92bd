import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Master } from '../../src/sentinel/instance.js';
import type { SimulatedSentinel } from './simulated-sentinel.js';
import type { SimulatedServer } from './simulated-server.js';
import { Simulation } from './simulation.js';

const NAME = 'primary';

interface Group {
  readonly simulation: Simulation;
  /** The first one is the master. */
  readonly servers: readonly SimulatedServer[];
  readonly sentinel: SimulatedSentinel;
  readonly master: Master;
}

interface GroupOptions {
  readonly replicas?: number;
  readonly sentinels?: number;
  readonly quorum?: number;
  readonly lines?: readonly string[];
}

/** A master on port 7001, replicas and Sentinels, which know each other. */
async function open({
  replicas = 3,
  sentinels = 1,
  quorum = 1,
  lines = [],
}: GroupOptions = {}): Promise<Group> {
  const simulation = new Simulation(1);
  // While a reply is late, requests are sent again, and a server may count as down.
  simulation.network.isQuick = true;
  for (let i = 0; i <= replicas; i++) simulation.addServer();
  for (const replica of simulation.servers.slice(1)) replica.run('REPLICAOF', '127.0.0.1', 7001);
  for (let i = 0; i < sentinels; i++) {
    simulation.addSentinel([
      `sentinel monitor ${NAME} 127.0.0.1 7001 ${quorum}`,
      `sentinel down-after-milliseconds ${NAME} 3000`,
      ...lines,
    ]);
  }
  await simulation.pass(30_000);
  const [sentinel] = simulation.sentinels as [SimulatedSentinel];
  const master = sentinel.sentinel.masters.get(NAME) as Master;
  assert.equal(master.replicas.size, replicas);
  return { simulation, servers: simulation.servers, sentinel, master };
}

/** The times, in ms, at which the Sentinel told the event. */
function timesOf({ log }: SimulatedSentinel, event: string): number[] {
  return log.filter((line) => line.split(' ')[1] === event).map((line) => Number(line.split(' ')[0]));
}

async function untilTold({ simulation, sentinel }: Group, event: string): Promise<void> {
  await simulation.passUntil(() => timesOf(sentinel, event).length > 0);
}

/** Kills the master, and returns the port of the replica that is promoted. */
async function replaceMaster(group: Group): Promise<number> {
  group.servers[0]?.crash();
  await untilTold(group, '+switch-master');
  return group.master.address.port;
}

/** How often each command was called while this much time passed. */
async function callsWithin(
  simulation: Simulation,
  server: SimulatedServer,
  ms: number,
): Promise<Map<string, number>> {
  server.run('CONFIG', 'RESETSTAT');
  await simulation.pass(ms);
  const stats = server.run('INFO', 'commandstats').matchAll(/cmdstat_([\w|]+):calls=(\d+)/g);
  return new Map([...stats].map(([, name, calls]) => [String(name), Number(calls)]));
}

function assertAbout(actual: number | undefined, expected: number): void {
  assert.ok(Math.abs((actual ?? 0) - expected) <= expected * 0.1 + 1, `${actual} instead of ${expected}`);
}

describe('a Sentinel', () => {
  it('sends PING every second, hello every two, INFO every ten, and every second in a failover', async () => {
    const { simulation, servers, sentinel } = await open();
    const [first, second] = servers as [SimulatedServer, SimulatedServer];
    const calm = await callsWithin(simulation, first, 100_000);
    assertAbout(calm.get('ping'), 100);
    assertAbout(calm.get('publish'), 50);
    assertAbout(calm.get('info'), 10);
    first.crash();
    // A replica that cannot be promoted keeps the failover from ending.
    for (const replica of servers.slice(1)) replica.run('CONFIG', 'SET', 'replica-priority', '0');
    await simulation.passUntil(() => timesOf(sentinel, '+sdown').length > 0);
    assertAbout((await callsWithin(simulation, second, 100_000)).get('info'), 100);
    simulation.close();
  });

  it('promotes the replica with the lowest priority, and never one with priority 0', async () => {
    const group = await open();
    const [, second, third, fourth] = group.servers as [
      SimulatedServer,
      SimulatedServer,
      SimulatedServer,
      SimulatedServer,
    ];
    second.run('CONFIG', 'SET', 'replica-priority', '0');
    third.run('CONFIG', 'SET', 'replica-priority', '50');
    fourth.run('CONFIG', 'SET', 'replica-priority', '20');
    await group.simulation.pass(15_000);
    assert.equal(await replaceMaster(group), fourth.port);
    group.simulation.close();
  });

  it('of equal priorities, promotes the replica with the most data', async () => {
    const group = await open();
    const { simulation, servers } = group;
    for (const behind of [servers[1], servers[3]] as SimulatedServer[])
      simulation.network.silence(7001, behind.port);
    servers[0]?.run('SET', 'a', 'x'.repeat(100));
    await simulation.pass(500);
    assert.equal(await replaceMaster(group), servers[2]?.port);
    simulation.close();
  });

  it('of equal data, promotes the replica with the lowest run id', async () => {
    const group = await open();
    const [lowest] = group.servers.slice(1).sort((a, b) => (a.engine.runId < b.engine.runId ? -1 : 1)) as [
      SimulatedServer,
    ];
    assert.equal(await replaceMaster(group), lowest.port);
    group.simulation.close();
  });

  it('does not promote a replica that does not answer, or was without its master for long', async () => {
    const group = await open();
    const { simulation, servers, sentinel } = group;
    const [, second, third, fourth] = servers as [
      SimulatedServer,
      SimulatedServer,
      SimulatedServer,
      SimulatedServer,
    ];
    second.run('CONFIG', 'SET', 'replica-priority', '1');
    third.run('CONFIG', 'SET', 'replica-priority', '2');
    simulation.network.silence(sentinel.port, second.port);
    simulation.network.sever(7001, third.port, true);
    await simulation.pass(60_000);
    assert.equal(await replaceMaster(group), fourth.port);
    simulation.close();
  });

  it('replaces a master that has been down for long when the Sentinel is started again', async () => {
    const group = await open();
    const { simulation, servers, sentinel } = group;
    sentinel.crash();
    servers[0]?.crash();
    await simulation.pass(120_000);
    sentinel.start();
    await untilTold(group, '+switch-master');
    simulation.close();
  });

  it('gives up if no replica is fit, and tries again after twice failover-timeout', async () => {
    const group = await open({ replicas: 1, lines: [`sentinel failover-timeout ${NAME} 20000`] });
    const { simulation, servers, sentinel } = group;
    servers[1]?.run('CONFIG', 'SET', 'replica-priority', '0');
    await simulation.pass(15_000);
    servers[0]?.crash();
    await untilTold(group, '-failover-abort-no-good-slave');
    await simulation.passUntil(() => timesOf(sentinel, '+try-failover').length === 2);
    const [first, second] = timesOf(sentinel, '+try-failover') as [number, number];
    assertAbout(second - first, 40_000);
    servers[1]?.run('CONFIG', 'SET', 'replica-priority', '1');
    await untilTold(group, '+switch-master');
    simulation.close();
  });

  it('gives up without the votes of a majority, though the quorum agrees', async () => {
    const group = await open({ sentinels: 3, quorum: 1, lines: [`sentinel failover-timeout ${NAME} 20000`] });
    const { simulation, sentinel } = group;
    for (const other of simulation.sentinels.slice(1)) other.crash();
    group.servers[0]?.crash();
    await untilTold(group, '-failover-abort-not-elected');
    assert.deepEqual(timesOf(sentinel, '+elected-leader'), []);
    const [began] = timesOf(sentinel, '+try-failover') as [number];
    // Ten seconds, and up to one more by which it begins later than others.
    assertAbout((timesOf(sentinel, '-failover-abort-not-elected')[0] as number) - began, 10_500);
    simulation.sentinels[1]?.start();
    await untilTold(group, '+switch-master');
    simulation.close();
  });

  it('needs the votes of the quorum if that is more than a majority', async () => {
    const group = await open({ sentinels: 5, quorum: 4 });
    const { simulation, sentinel } = group;
    for (const other of simulation.sentinels.slice(3)) other.crash();
    group.servers[0]?.crash();
    await simulation.pass(120_000);
    assert.deepEqual(timesOf(sentinel, '+odown'), []);
    simulation.sentinels[3]?.start();
    await simulation.passUntil(() => group.master.address.port !== 7001);
    simulation.close();
  });

  it('gives up if the selected replica does not become a master in time, and keeps the old one', async () => {
    const group = await open({ replicas: 1, lines: [`sentinel failover-timeout ${NAME} 20000`] });
    const { simulation, sentinel } = group;
    sentinel.onLog = (text) => {
      if (text.startsWith('+selected-slave')) simulation.network.silence(sentinel.port, 7002);
    };
    group.servers[0]?.crash();
    await untilTold(group, '-failover-abort-slave-timeout');
    assert.equal(group.master.currentAddress.port, 7001);
    simulation.close();
  });

  for (const limit of [1, 2]) {
    it(`attaches ${limit} of the other replicas to the new master at a time`, async () => {
      const group = await open({ replicas: 5, lines: [`sentinel parallel-syncs ${NAME} ${limit}`] });
      const { simulation, servers, master } = group;
      let maxAtOnce = 0;
      simulation.check = () => {
        const onTheWay = [...master.replicas.values()].filter(
          ({ reconfiguration }) => reconfiguration === 'sent' || reconfiguration === 'inprog',
        );
        maxAtOnce = Math.max(maxAtOnce, onTheWay.length);
      };
      const present = await replaceMaster(group);
      assert.equal(maxAtOnce, limit);
      const others = servers.slice(1).filter(({ port }) => port !== present);
      await simulation.passUntil(() =>
        others.every(({ replication: { link } }) => link?.address.port === present && link.isUp),
      );
      simulation.close();
    });
  }

  it('makes a master that returns a replica of the new one', async () => {
    const group = await open();
    const present = await replaceMaster(group);
    const [former] = group.servers as [SimulatedServer];
    former.start();
    await group.simulation.passUntil(() => former.replication.link?.address.port === present);
    assert.equal(timesOf(group.sentinel, '+convert-to-slave').length, 1);
    group.simulation.close();
  });

  it('decides nothing for half a minute after its clock has jumped', async () => {
    const group = await open({ lines: [`sentinel down-after-milliseconds ${NAME} 1000`] });
    const { simulation, sentinel } = group;
    sentinel.clockError = 60_000;
    await simulation.pass(1000);
    const [tilted] = timesOf(sentinel, '+tilt') as [number];
    group.servers[0]?.crash();
    await untilTold(group, '+try-failover');
    const [ended] = timesOf(sentinel, '-tilt') as [number];
    assertAbout(ended - tilted, 30_000);
    assert.ok((timesOf(sentinel, '+try-failover')[0] as number) >= ended);
    // The replicas have been without a master for longer than it counts as down, but not than it is silent.
    await untilTold(group, '+switch-master');
    assert.deepEqual(timesOf(sentinel, '-failover-abort-no-good-slave'), []);
    simulation.close();
  });
});
