import type { Cluster } from './cluster.js';
import type { ClusterNode } from './node.js';
import { hasSlot, SLOTS } from './slot-set.js';

/**
 * A master claims slots under an epoch: it gets those whose owner has an older one. If that took all slots of our shard, we become its
 * replica. Keys of single slots that we lost are deleted.
 */
export function claimSlots(
  cluster: Cluster,
  claimant: ClusterNode,
  epoch: number,
  claimed: Uint8Array,
): void {
  const { topology } = cluster;
  const { myself } = topology;
  if (claimant === myself) {
    cluster.log('warning', 'Discarding UPDATE message about myself.');
    return;
  }
  const ourMaster = myself.shardMaster;
  const lostWithKeys: number[] = [];
  let claims = 0;
  let takenFromUs = 0;
  for (let slot = 0; slot < SLOTS; slot++) {
    const owner = topology.owner(slot);
    if (!hasSlot(claimed, slot)) {
      // It stays the owner for clients until another node claims the slot.
      if (owner === claimant) topology.unclaimed.add(slot);
      continue;
    }
    claims++;
    if (owner === claimant) {
      topology.unclaimed.delete(slot);
      continue;
    }
    // A slot that is being imported is closed by the tool that moves it.
    if (topology.importingFrom.has(slot)) continue;
    if (owner !== undefined && !topology.unclaimed.has(slot) && owner.configEpoch >= epoch) continue;
    if (owner === myself && cluster.countKeys(slot) > 0) lostWithKeys.push(slot);
    if (owner === ourMaster) takenFromUs++;
    topology.move(slot, claimant);
    // Not synchronised: a node that has forgotten it learns it again, since the claimant's epoch is higher.
    cluster.changed({ save: true, state: true });
  }
  followOwner(cluster, claimant, ourMaster, takenFromUs, claims, lostWithKeys);
}

function followOwner(
  cluster: Cluster,
  claimant: ClusterNode,
  ourMaster: ClusterNode,
  takenFromUs: number,
  claims: number,
  lostWithKeys: readonly number[],
): void {
  const { myself } = cluster.topology;
  const isShardTaken = takenFromUs > 0 && ourMaster.slots.count === 0;
  if (isShardTaken && (cluster.settings.allowsMigration || claims === takenFromUs)) {
    cluster.log(
      'warning',
      `Configuration change detected. Reconfiguring myself as a replica of ${claimant.id}`,
    );
    cluster.setMaster(claimant);
    return;
  }
  const grandmaster = myself.master?.master;
  if (grandmaster !== undefined && grandmaster !== myself) {
    cluster.log(
      'warning',
      `I'm a sub-replica! Reconfiguring myself as a replica of grandmaster ${grandmaster.id}`,
    );
    cluster.setMaster(grandmaster);
    return;
  }
  for (const slot of lostWithKeys) cluster.deleteKeys(slot);
}
