import { SLOTS } from '../../bytes/crc16.js';
import { systemRandom } from '../../bytes/random.js';
import { ClusterNode, NodeFlag } from '../../cluster/node.js';
import { Topology } from '../../cluster/topology.js';
import { randomId } from '../../replication/world.js';

/** A node of a cluster that is about to start on the loopback address. */
export interface NewMember {
  readonly id: string;
  readonly port: number;
  readonly busPort: number;
}

/** Gives the nodes their ids. */
export function newMembers(places: readonly Omit<NewMember, 'id'>[]): NewMember[] {
  const random = systemRandom();
  return places.map(({ port, busPort }) => ({ id: randomId(random), port, busPort }));
}

/**
 * What a node of a new cluster knows, so that it can serve at once: all nodes, the owners of slots, and the masters of replicas. The
 * first `masters` members are masters.
 */
export function knownAtStart(members: readonly NewMember[], myself: number, masters: number): Topology {
  const now = Date.now();
  const nodes = members.map(({ id, port, busPort }, index) => {
    const flags = NodeFlag.master | (index === myself ? NodeFlag.myself : 0);
    return Object.assign(new ClusterNode(id, flags, now), { ip: HOST, port, busPort });
  });
  const topology = new Topology(nodes[myself] as ClusterNode);
  nodes.forEach((node, index) => {
    if (index !== myself) topology.add(node);
    if (index < masters) node.configEpoch = index + 1;
    else topology.makeReplica(node, nodes[index % masters]);
  });
  for (let slot = 0; slot < SLOTS; slot++) {
    topology.assign(slot, nodes[Math.floor((slot * masters) / SLOTS)] as ClusterNode);
  }
  topology.currentEpoch = masters;
  return topology;
}

/** All nodes are on this machine. */
export const HOST = '127.0.0.1';
