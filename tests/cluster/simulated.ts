import type { Cluster } from '../../src/cluster/cluster.js';
import type { SimulatedServer } from '../simulation/simulated-server.js';
import { Simulation } from '../simulation/simulation.js';

/** Slots of each master, in three equal parts. */
const RANGES = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
] as const;

export interface SimulatedCluster {
  readonly simulation: Simulation;
  readonly masters: readonly SimulatedServer[];
  /** By master. */
  readonly replicas: readonly SimulatedServer[][];
}

/** A cluster of three masters in virtual time, each with this many replicas. The settings are those of all nodes. */
export async function simulatedCluster(
  replicas: number | readonly number[],
  settings: Readonly<Record<string, string>> = {},
): Promise<SimulatedCluster> {
  const simulation = new Simulation(1);
  const add = (): SimulatedServer =>
    simulation.addServer({ 'cluster-enabled': 'yes', 'cluster-node-timeout': '2000', ...settings });
  const masters = RANGES.map(add);
  masters.forEach((master, index) => {
    master.run('CLUSTER', 'ADDSLOTSRANGE', ...(RANGES[index] as readonly [number, number]));
    master.run('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  });
  const counts = typeof replicas === 'number' ? RANGES.map(() => replicas) : replicas;
  const byMaster = counts.map((count) => Array.from({ length: count }, add));
  const [first, ...others] = simulation.servers as [SimulatedServer, ...SimulatedServer[]];
  for (const { port } of others) first.run('CLUSTER', 'MEET', '127.0.0.1', port);
  await simulation.passUntil(() =>
    simulation.servers.every((server) => {
      const nodes = [...clusterOf(server).topology.nodes];
      return nodes.length === simulation.servers.length && nodes.every((node) => !node.isInHandshake);
    }),
  );
  byMaster.forEach((group, index) => {
    for (const replica of group) replica.run('CLUSTER', 'REPLICATE', idOf(masters[index] as SimulatedServer));
  });
  await simulation.passUntil(() =>
    simulation.servers.every((server) => {
      const { isUp, myself } = clusterOf(server).topology;
      return isUp && (myself.isMaster || server.replication.link?.isUp === true);
    }),
  );
  // All know all replicas.
  await simulation.pass(5000);
  return { simulation, masters, replicas: byMaster };
}

export function clusterOf({ cluster }: SimulatedServer): Cluster {
  return cluster as Cluster;
}

export function idOf(server: SimulatedServer): string {
  return clusterOf(server).topology.myself.id;
}

/** Sets a setting of a running node. */
export function configure(server: SimulatedServer, name: string, value: string): void {
  const reply = server.run('CONFIG', 'SET', name, value);
  if (reply !== '+OK\r\n') throw new Error(reply);
}
