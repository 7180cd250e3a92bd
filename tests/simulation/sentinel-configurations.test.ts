import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiveHello } from '../../src/sentinel/hello.js';
import type { Master, Replica } from '../../src/sentinel/instance.js';
import type { SimulatedSentinel } from './simulated-sentinel.js';
import type { SimulatedServer } from './simulated-server.js';
import { Simulation } from './simulation.js';

/** A Sentinel that watches 7001 with replicas 7002 and 7003, and knows another Sentinel, whose messages `hear` sends. */
async function watching(): Promise<{
  readonly simulation: Simulation;
  readonly sentinel: SimulatedSentinel;
  readonly master: Master;
  hear(masterPort: number, configEpoch: number): void;
}> {
  const simulation = new Simulation(1);
  for (let i = 0; i < 3; i++) simulation.addServer({});
  for (const replica of simulation.servers.slice(1)) replica.run('REPLICAOF', '127.0.0.1', 7001);
  const [sentinel, other] = [0, 1].map(() =>
    simulation.addSentinel(['sentinel monitor primary 127.0.0.1 7001 2']),
  ) as [SimulatedSentinel, SimulatedSentinel];
  await simulation.pass(15_000);
  const master = sentinel.sentinel.masters.get('primary') as Master;
  const hear = (masterPort: number, configEpoch: number): void =>
    receiveHello(
      sentinel.sentinel,
      `127.0.0.1,${other.port},${other.sentinel.id},${configEpoch},primary,127.0.0.1,${masterPort},${configEpoch}`,
    );
  return { simulation, sentinel, master, hear };
}

/** As if its failover had promoted the replica. */
function promote(master: Master, port: number, epoch: number): void {
  master.promoted = [...master.replicas.values()].find(({ address }) => address.port === port) as Replica;
  master.promoted.isPromoted = true;
  master.failoverEpoch = master.configEpoch = epoch;
  master.enter('reconf_slaves', 0);
}

test('a newer configuration with the old address ends the failover of another replica', async () => {
  const { simulation, sentinel, master, hear } = await watching();
  promote(master, 7002, 2);
  assert.equal(master.currentAddress.port, 7002);
  hear(7001, 3);
  assert.deepEqual([master.currentAddress.port, master.configEpoch, master.isFailingOver], [7001, 3, false]);
  assert.ok(
    sentinel.log.some((line) => line.endsWith('+switch-master primary 127.0.0.1 7002 127.0.0.1 7001')),
  );
  simulation.close();
});

test('an older configuration, and one of the same epoch, change nothing while the master answers', async () => {
  const { simulation, master, hear } = await watching();
  master.configEpoch = 3;
  hear(7002, 2);
  hear(7002, 3);
  assert.deepEqual([master.address.port, master.configEpoch], [7001, 3]);
  simulation.close();
});

test('of two configurations of one epoch, the one gives way whose master does not answer', async () => {
  const { simulation, master, hear } = await watching();
  master.configEpoch = 3;
  master.isSubjectivelyDown = true;
  hear(7002, 3);
  assert.deepEqual([master.address.port, master.configEpoch, master.isSubjectivelyDown], [7002, 3, false]);
  simulation.close();
});

test('if both masters of an epoch do not answer, all agree on the lower address', async () => {
  const { simulation, master, hear } = await watching();
  master.configEpoch = 3;
  const adopted: number[] = [];
  for (const port of [7002, 7001, 7002]) {
    master.isSubjectivelyDown = true;
    hear(port, 3);
    adopted.push(master.address.port);
  }
  assert.deepEqual(adopted, [7002, 7001, 7001]);
  simulation.close();
});

test('of two configurations of one epoch, the one gives way to a master that is back', async () => {
  const { simulation, master, hear } = await watching();
  master.configEpoch = 3;
  master.isSubjectivelyDown = true;
  // Neither answered, so 7001 was taken, the lower address.
  master.refuted.add('127.0.0.1:7002');
  const replica = [...master.replicas.values()].find(({ address }) => address.port === 7002) as Replica;
  const takes = (): number => {
    hear(7002, 3);
    return master.address.port;
  };
  assert.equal(takes(), 7001);
  replica.reportedRole = 'master';
  replica.isSubjectivelyDown = true;
  assert.equal(takes(), 7001);
  replica.isSubjectivelyDown = false;
  assert.equal(takes(), 7002);
  simulation.close();
});

test('servers that follow each other for longer than the Sentinels know get a master again', async () => {
  const simulation = new Simulation(1);
  const [first, second, third] = [0, 1, 2].map(() => simulation.addServer({})) as [
    SimulatedServer,
    SimulatedServer,
    SimulatedServer,
  ];
  second.run('REPLICAOF', '127.0.0.1', 7001);
  third.run('REPLICAOF', '127.0.0.1', 7001);
  const sentinels = [0, 1, 2].map(() =>
    simulation.addSentinel([
      'sentinel monitor primary 127.0.0.1 7001 2',
      'sentinel down-after-milliseconds primary 1000',
    ]),
  );
  await simulation.pass(15_000);
  for (const sentinel of sentinels) sentinel.crash();
  first.run('REPLICAOF', '127.0.0.1', 7002);
  await simulation.pass(600_000);
  for (const sentinel of sentinels) sentinel.start();
  const isMaster = ({ replication }: SimulatedServer): boolean => replication.link === undefined;
  await simulation.passUntil(() => [first, second, third].some(isMaster), 900_000);
  simulation.close();
});
