import assert from 'node:assert/strict';
import { it } from 'node:test';
import { receiveGossip } from '../../src/cluster/gossip.js';
import { type ClusterNode, NodeFlag } from '../../src/cluster/node.js';
import type { SimulatedServer } from '../simulation/simulated-server.js';
import { clusterOf, idOf, simulatedCluster } from './simulated.js';

it("a replica follows its master to another address that it learns from others' gossip", async () => {
  const { simulation, masters, replicas } = await simulatedCluster([1, 0, 0]);
  const [, other] = masters as [SimulatedServer, SimulatedServer];
  const replica = replicas[0]?.[0] as SimulatedServer;
  const cluster = clusterOf(replica);
  const master = cluster.topology.myself.master as ClusterNode;
  const sender = cluster.topology.node(idOf(other));
  const { id, ip, busPort } = master;
  const gossip = {
    id,
    ip,
    busPort,
    port: 9999,
    plainPort: 0,
    flags: NodeFlag.master,
    pingSent: 0,
    pongReceived: 0,
  };
  // While it is reachable, only what it says itself counts.
  receiveGossip(cluster, sender, [gossip]);
  assert.equal(replica.replication.link?.address.port, master.port);
  master.set(NodeFlag.failed);
  receiveGossip(cluster, sender, [gossip]);
  assert.equal(replica.replication.link?.address.port, 9999);
  simulation.close();
});
