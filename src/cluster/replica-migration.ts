import type { Cluster } from './cluster.js';
import { type ClusterNode, NodeFlag } from './node.js';

/**
 * A master that had replicas and has none that works gets one of those of the master with the most. The replica with the smallest id
 * among them moves, if its master keeps `cluster-migration-barrier` others.
 */
export function migrateIfNeeded(cluster: Cluster): void {
  const { topology, settings } = cluster;
  const { myself } = topology;
  const { master } = myself;
  if (!settings.allowsMigration || master === undefined) return;
  const masters = [...topology.nodes].filter((node) => node.isMaster && isMember(node));
  const working = masters.filter((node) => !node.isFailed);
  const maxReplicas = Math.max(0, ...working.map((node) => node.workingReplicas));
  const orphans = working.filter((node) => isOrphaned(node) && node.slots.count > 0);
  const isOurs = working.includes(master) && master.workingReplicas === maxReplicas;
  if (orphans.length === 0 || maxReplicas < 2 || !isOurs) return;
  migrate(cluster, masters, orphans[0] as ClusterNode, maxReplicas);
}

function migrate(
  cluster: Cluster,
  masters: readonly ClusterNode[],
  target: ClusterNode,
  maxReplicas: number,
): void {
  const { topology, now, settings } = cluster;
  const { myself } = topology;
  const reachable = (myself.master as ClusterNode).replicas.filter(
    (node) => !node.has(NodeFlag.failed | NodeFlag.suspected),
  );
  if (!topology.isUp || reachable.length <= settings.migrationBarrier) return;
  let candidate = myself;
  for (const node of masters) {
    if (!isOrphaned(node) || node.isFailed) node.orphanedAt = 0;
    else if (node.orphanedAt === 0) node.orphanedAt = now;
    if (node.workingReplicas !== maxReplicas) continue;
    for (const replica of node.replicas) if (replica.id < candidate.id) candidate = replica;
  }
  // During a failover the master's own replicas get time to follow it.
  if (candidate !== myself || now - target.orphanedAt <= DELAY_MS) return;
  cluster.log('warning', `Migrating to orphaned master ${target.id}`);
  cluster.setMaster(target);
}

function isMember(node: ClusterNode): boolean {
  return !node.has(NodeFlag.noAddress | NodeFlag.handshake);
}

function isOrphaned(node: ClusterNode): boolean {
  return node.has(NodeFlag.migrateTo) && node.workingReplicas === 0;
}

const DELAY_MS = 5000;
