import type { Cluster } from './cluster.js';
import { PACKET_NAMES } from './packet.js';
import { SLOTS } from './slot-set.js';

/** The fields of CLUSTER INFO. */
export function clusterInfo({ topology, bus }: Cluster): readonly (readonly [string, string | number])[] {
  const counts = { assigned: 0, ok: 0, suspected: 0, failed: 0 };
  for (let slot = 0; slot < SLOTS; slot++) {
    const owner = topology.owner(slot);
    if (owner === undefined) continue;
    counts.assigned++;
    if (owner.isFailed) counts.failed++;
    else if (owner.isSuspected) counts.suspected++;
    else counts.ok++;
  }
  return [
    ['cluster_state', topology.isUp ? 'ok' : 'fail'],
    ['cluster_slots_assigned', counts.assigned],
    ['cluster_slots_ok', counts.ok],
    ['cluster_slots_pfail', counts.suspected],
    ['cluster_slots_fail', counts.failed],
    ['cluster_known_nodes', topology.nodeCount],
    ['cluster_size', topology.size],
    ['cluster_current_epoch', topology.currentEpoch],
    ['cluster_my_epoch', topology.myself.shardMaster.configEpoch],
    ...messageCounts(bus.sent, 'sent'),
    ...messageCounts(bus.received, 'received'),
    ['total_cluster_links_buffer_limit_exceeded', bus.overflows],
  ];
}

function messageCounts(counts: readonly number[], direction: string): [string, number][] {
  const fields: [string, number][] = [];
  let total = 0;
  counts.forEach((count, type) => {
    total += count;
    if (count > 0) fields.push([`cluster_stats_messages_${PACKET_NAMES[type]}_${direction}`, count]);
  });
  return [...fields, [`cluster_stats_messages_${direction}`, total]];
}
