import type { Cluster } from './cluster.js';
import type { ClusterNode } from './node.js';
import { PacketFlag, type PacketHeader } from './packet.js';
import { slotsIn } from './slot-set.js';

/** A replica asks for our vote. A master votes once an epoch, for a replica of a failed master whose configuration is the newest. */
export function considerVote(cluster: Cluster, candidate: ClusterNode, request: PacketHeader): void {
  const { topology } = cluster;
  const { myself } = topology;
  if (myself.isReplica || myself.slots.count === 0) return;
  const refusal = refusalOf(cluster, candidate, request);
  if (refusal !== undefined) {
    cluster.log('warning', `Failover auth denied to ${candidate.id}: ${refusal}`);
    return;
  }
  const master = candidate.master as ClusterNode;
  topology.lastVoteEpoch = topology.currentEpoch;
  master.votedAt = cluster.now;
  // On disk before it is sent: after a crash we must not vote again in this epoch.
  cluster.save(true);
  cluster.bus.sendVote(candidate);
  cluster.log('warning', `Failover auth granted to ${candidate.id} for epoch ${topology.currentEpoch}`);
}

function refusalOf(cluster: Cluster, candidate: ClusterNode, request: PacketHeader): string | undefined {
  const { topology, now, settings } = cluster;
  const { currentEpoch, lastVoteEpoch } = topology;
  if (request.currentEpoch < currentEpoch) {
    return `reqEpoch (${request.currentEpoch}) < curEpoch(${currentEpoch})`;
  }
  if (lastVoteEpoch === currentEpoch) return `already voted for epoch ${currentEpoch}`;
  if (candidate.isMaster) return 'it is a master node';
  const { master } = candidate;
  if (master === undefined) return "I don't know its master";
  const isForced = (request.messageFlags & PacketFlag.forced) !== 0;
  if (!master.isFailed && !isForced) return 'its master is up';
  const wait = settings.nodeTimeout * 2 - (now - master.votedAt);
  if (wait > 0) return `can't vote about this master before ${wait} milliseconds`;
  for (const slot of slotsIn(request.slots)) {
    const owner = topology.owner(slot);
    if (owner === undefined || topology.unclaimed.has(slot)) continue;
    if (owner.configEpoch > request.configEpoch) {
      return `slot ${slot} epoch (${owner.configEpoch}) > reqEpoch (${request.configEpoch})`;
    }
  }
  return undefined;
}
