import type { Cluster } from './cluster.js';
import { addFailureReport, markFailedIfAgreed, removeFailureReport } from './failure-detection.js';
import { ClusterNode, NodeFlag } from './node.js';
import { type Gossip, isNodeId, type PacketBody } from './packet.js';

const UNREACHABLE = NodeFlag.suspected | NodeFlag.failed;

// ---- sending ----

/** A PING's content: what we know of some other nodes, drawn at random, and of all that did not answer us. */
export function composePing({ topology, world }: Cluster): PacketBody {
  const { myself, nodeCount } = topology;
  const nodes = [...topology.nodes];
  const wanted = Math.min(Math.max(MIN_GOSSIP, Math.floor(nodeCount / 10)), nodeCount - 2);
  const told = new Set<ClusterNode>();
  for (let tries = wanted * 3; tries > 0 && told.size < wanted; tries--) {
    const node = nodes[world.random.integer(nodes.length)] as ClusterNode;
    if (node !== myself && !node.isSuspected && isWorthTelling(node)) told.add(node);
  }
  // So that a failure is agreed on soon.
  for (const node of nodes) {
    if (node.isSuspected && !node.has(NodeFlag.handshake | NodeFlag.noAddress)) told.add(node);
  }
  return { kind: 'ping', gossip: [...told].map(gossipAbout), hostname: myself.hostname };
}

function isWorthTelling(node: ClusterNode): boolean {
  if (node.has(NodeFlag.handshake | NodeFlag.noAddress)) return false;
  return node.link !== undefined || node.slots.count > 0;
}

function gossipAbout(node: ClusterNode): Gossip {
  const { id, ip, port, busPort, plainPort, flags } = node;
  const pingSent = Math.floor(node.pingSentAt / 1000);
  const pongReceived = Math.floor(node.pongReceivedAt / 1000);
  return { id, ip, port, busPort, plainPort, flags, pingSent, pongReceived };
}

const MIN_GOSSIP = 3;

// ---- receiving ----

/** What a node says about others. `sender` is undefined for a MEET from a node that we do not know yet. */
export function receiveGossip(
  cluster: Cluster,
  sender: ClusterNode | undefined,
  gossip: readonly Gossip[],
): void {
  for (const each of gossip) {
    const node = cluster.topology.node(each.id);
    if (node !== undefined) receiveAbout(cluster, sender, node, each);
    else if (sender !== undefined) addFromGossip(cluster, each);
  }
}

function receiveAbout(
  cluster: Cluster,
  sender: ClusterNode | undefined,
  node: ClusterNode,
  gossip: Gossip,
): void {
  const isReportedDown = (gossip.flags & UNREACHABLE) !== 0;
  // Only masters decide together who has failed.
  if (sender?.isMaster === true && !node.isMyself) {
    if (isReportedDown) {
      addFailureReport(cluster, node, sender);
      markFailedIfAgreed(cluster, node);
    } else removeFailureReport(cluster, node, sender);
  }
  if (isReportedDown) return;
  if (node.pingSentAt === 0 && node.failureReports.size === 0) {
    // Another node has heard from it: we do not have to ask ourselves so soon.
    const pongAt = gossip.pongReceived * 1000;
    if (pongAt > node.pongReceivedAt && pongAt <= cluster.now + MAX_CLOCK_DIFFERENCE_MS) {
      node.pongReceivedAt = pongAt;
    }
  }
  const hasMoved =
    node.ip.toLowerCase() !== gossip.ip.toLowerCase() ||
    node.port !== gossip.port ||
    node.busPort !== gossip.busPort;
  // We cannot reach it, and the sender can at another address.
  if (node.has(UNREACHABLE) && (gossip.flags & NodeFlag.noAddress) === 0 && hasMoved) {
    if (node.link !== undefined) cluster.bus.close(node.link);
    takeAddress(node, gossip);
    node.set(NodeFlag.noAddress, false);
    if (cluster.topology.myself.master === node) cluster.followMaster();
    cluster.changed({ save: true });
  }
}

/** A node that we trust knows another member. */
function addFromGossip(cluster: Cluster, gossip: Gossip): void {
  const { topology, now } = cluster;
  if ((gossip.flags & NodeFlag.noAddress) !== 0 || !isNodeId(gossip.id)) return;
  if (cluster.isForgotten(gossip.id)) return;
  const node = new ClusterNode(gossip.id, gossip.flags & KNOWN_FLAGS, now);
  takeAddress(node, gossip);
  topology.add(node);
}

function takeAddress(node: ClusterNode, { ip, port, busPort, plainPort }: Gossip): void {
  node.ip = ip;
  node.port = port;
  node.busPort = busPort;
  node.plainPort = plainPort;
}

/** A node of gossip is never this node itself, whatever its flags say. */
const KNOWN_FLAGS = ~NodeFlag.myself;
const MAX_CLOCK_DIFFERENCE_MS = 500;
