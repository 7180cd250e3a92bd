import type { Cluster } from './cluster.js';
import { type ClusterNode, NodeFlag } from './node.js';
import { PacketType } from './packet.js';

/**
 * Failures are detected in two steps. A node that does not answer us within `cluster-node-timeout` is *suspected*: our own
 * opinion, which gossip spreads. When the majority of masters has reported it within twice that time, it has *failed*: everyone is told,
 * and its replicas may stand for election.
 */

/** A master's report is valid for this many node timeouts. */
const REPORT_TIMEOUTS = 2;
/** A failed master that answers again and still has its slots is accepted after this many node timeouts. */
const UNDO_TIMEOUTS = 2;

export function addFailureReport(cluster: Cluster, node: ClusterNode, reporter: ClusterNode): void {
  if (!node.failureReports.has(reporter)) {
    cluster.log('verbose', `Node ${reporter.id} reported node ${node.id} as not reachable.`);
  }
  node.failureReports.set(reporter, cluster.now);
}

export function removeFailureReport(cluster: Cluster, node: ClusterNode, reporter: ClusterNode): void {
  if (!node.failureReports.delete(reporter)) return;
  cluster.log('verbose', `Node ${reporter.id} reported node ${node.id} is back online.`);
}

/** The number of masters that have reported the node lately, without ourselves. */
export function countFailureReports(cluster: Cluster, node: ClusterNode): number {
  const oldest = cluster.now - cluster.settings.nodeTimeout * REPORT_TIMEOUTS;
  for (const [reporter, at] of node.failureReports) if (at < oldest) node.failureReports.delete(reporter);
  return node.failureReports.size;
}

/** Marks a suspected node as failed if the majority of masters agrees, and tells everyone. */
export function markFailedIfAgreed(cluster: Cluster, node: ClusterNode): void {
  if (!node.isSuspected || node.isFailed) return;
  const reports = countFailureReports(cluster, node) + (cluster.topology.myself.isMaster ? 1 : 0);
  if (reports < cluster.quorum) return;
  cluster.log('notice', `Marking node ${node.id} as failing (quorum reached).`);
  markFailed(cluster, node);
  cluster.bus.sendFail(node);
}

export function markFailed(cluster: Cluster, node: ClusterNode): void {
  node.set(NodeFlag.suspected, false);
  node.set(NodeFlag.failed);
  node.failedAt = cluster.now;
  cluster.changed({ save: true, state: true });
}

/** A failed node has answered. */
export function clearFailureIfPossible(cluster: Cluster, node: ClusterNode): void {
  const isWithoutSlots = node.isReplica || node.slots.count === 0;
  const isOldFailure = cluster.now - node.failedAt > cluster.settings.nodeTimeout * UNDO_TIMEOUTS;
  if (!isWithoutSlots && !isOldFailure) return;
  const reason = isWithoutSlots
    ? `${node.isReplica ? 'replica' : 'master without slots'} is reachable again.`
    : 'is reachable again and no node is serving its slots after some time.';
  cluster.log('notice', `Clear FAIL state for node ${node.id}: ${reason}`);
  node.set(NodeFlag.failed, false);
  cluster.changed({ save: true, state: true });
}

/** Called ten times a second for each other node. */
export function watchNode(cluster: Cluster, node: ClusterNode): void {
  const { now, bus, settings } = cluster;
  const { nodeTimeout } = settings;
  const pingDelay = now - node.pingSentAt;
  const silence = now - node.dataReceivedAt;
  const isUnanswered = node.pingSentAt !== 0;
  const { link } = node;
  const isLinkOld = link !== undefined && now - link.createdAt > nodeTimeout;
  // Perhaps only the connection is broken.
  if (isLinkOld && isUnanswered && pingDelay > nodeTimeout / 2 && silence > nodeTimeout / 2) {
    bus.close(link);
  }
  if (node.link?.isConnected === true) {
    const isDue = !isUnanswered && now - node.pongReceivedAt > nodeTimeout / 2;
    if (isDue || cluster.manualFailover.isReplicaOfOurs(node)) {
      bus.ping(node.link, PacketType.ping);
      return;
    }
  }
  if (!isUnanswered || Math.min(pingDelay, silence) <= nodeTimeout) return;
  if (node.has(NodeFlag.suspected | NodeFlag.failed)) return;
  cluster.log('debug', `*** NODE ${node.id} possibly failing`);
  node.set(NodeFlag.suspected);
  cluster.changed({ state: true });
}
