import type { Cluster } from './cluster.js';
import type { ClusterNode } from './node.js';

/** Takes a new configuration epoch without asking anyone, unless ours is the highest already. False then. */
export function bumpEpoch(cluster: Cluster): boolean {
  const { topology } = cluster;
  const { myself } = topology;
  if (myself.configEpoch !== 0 && myself.configEpoch === topology.maxEpoch) return false;
  topology.currentEpoch++;
  myself.configEpoch = topology.currentEpoch;
  cluster.log('warning', `New configEpoch set to ${myself.configEpoch}`);
  cluster.changed({ save: true, synced: true });
  return true;
}

/**
 * Two masters with the same configuration epoch: the one with the smaller id takes a new one. Epochs that were given out by an
 * election cannot collide, but those of resharding can, and all nodes of a new cluster begin with 0.
 */
export function resolveEpochCollision(cluster: Cluster, sender: ClusterNode, epoch: number): void {
  const { topology } = cluster;
  const { myself } = topology;
  if (!myself.isMaster || !sender.isMaster || epoch !== myself.configEpoch) return;
  if (sender.configEpoch !== myself.configEpoch || sender.id <= myself.id) return;
  topology.currentEpoch++;
  myself.configEpoch = topology.currentEpoch;
  cluster.save(true);
  cluster.log(
    'verbose',
    `WARNING: configEpoch collision with node ${sender.id}. configEpoch set to ${myself.configEpoch}`,
  );
}
