import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SimulatedServer } from '../simulation/simulated-server.js';
import { Simulation } from '../simulation/simulation.js';
import { clusterOf, idOf, simulatedCluster } from './simulated.js';

const DROP = ['DEBUG', 'DROP-CLUSTER-PACKET-FILTER'] as const;
/** Types of packets. */
const PONG = 1;
const PUBLISH = 4;
const NONE = -1;

it('a MEET is sent again while the other node has not added us, although it is connected', async () => {
  const simulation = new Simulation(1);
  const settings = { 'cluster-enabled': 'yes', 'enable-debug-command': 'yes' };
  const first = simulation.addServer({ ...settings, 'cluster-node-timeout': '1000' });
  const second = simulation.addServer({ ...settings, 'cluster-node-timeout': '10000' });
  // Without a PONG, the second node's side of the handshake fails, but only after 10 seconds.
  second.run(...DROP, PONG);
  first.run('CLUSTER', 'MEET', '127.0.0.1', second.port);
  await simulation.passUntil(() => clusterOf(first).topology.node(idOf(second)) !== undefined);
  await simulation.pass(30_000);
  assert.equal(clusterOf(second).topology.node(idOf(first)), undefined);
  second.run(...DROP, NONE);
  await simulation.passUntil(() => clusterOf(second).topology.node(idOf(first)) !== undefined, 30_000);
  // From then on, there is no reason for another one.
  await simulation.pass(30_000);
  const meetsOf = (server: SimulatedServer): string | undefined =>
    /cluster_stats_messages_meet_sent:(\d+)/.exec(server.run('CLUSTER', 'INFO'))?.[1];
  const sent = meetsOf(first);
  await simulation.pass(60_000);
  assert.equal(meetsOf(first), sent);
  simulation.close();
});

it('DEBUG DROP-CLUSTER-PACKET-FILTER drops packets of one type, and -1 drops none', async () => {
  const { simulation, masters } = await simulatedCluster(0, { 'enable-debug-command': 'yes' });
  const [first, second] = masters as [SimulatedServer, SimulatedServer];
  assert.equal(first.run(...DROP, PUBLISH), '+OK\r\n');
  await simulation.pass(20_000);
  assert.ok(clusterOf(first).topology.isUp, 'PONGs arrive');
  assert.equal(first.run(...DROP, PONG), '+OK\r\n');
  await simulation.passUntil(() => clusterOf(first).topology.node(idOf(second))?.isSuspected === true);
  await simulation.passUntil(() => !clusterOf(first).topology.isUp);
  assert.ok(first.log.some((line) => line.endsWith('Dropping packet that matches debug drop filter')));
  assert.match(first.run(...DROP, 'x'), /^-ERR value is not an integer/);
  assert.equal(first.run(...DROP, NONE), '+OK\r\n');
  await simulation.passUntil(() => clusterOf(first).topology.isUp);
  simulation.close();
});
