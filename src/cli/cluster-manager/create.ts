import { lookup } from 'node:dns/promises';
import { SLOTS } from '../../bytes/crc16.js';
import { BUS_PORT_DISTANCE } from '../../cluster/cluster-settings.js';
import { check } from './check.js';
import { type ManagedNode, type NodeAddress, parseAddress } from './managed-node.js';
import type { Manager } from './manager.js';
import { errorOf, GivenUp } from './manager-report.js';
import { affinity, interleaved, placeReplicas, spreadReplicas } from './replica-placement.js';

/** `create host:port …`: makes a cluster of empty nodes. */
export async function create(manager: Manager, addresses: readonly string[]): Promise<boolean> {
  const { report, options } = manager;
  for (const text of addresses) {
    const address = parseAddress(text);
    if (address === undefined) {
      report.complain(`Invalid address format: ${text}`);
      throw new GivenUp();
    }
    manager.nodes.push(await emptyNode(manager, address));
  }
  const { nodes } = manager;
  const masterCount = Math.floor(nodes.length / (options.replicas + 1));
  if (masterCount < 3) {
    throw report.giveUp(
      '*** ERROR: Invalid configuration for cluster creation.\n*** Redis Cluster requires at least 3 master nodes.\n' +
        `*** This is not possible with ${nodes.length} nodes and ${options.replicas} replicas per node.\n` +
        `*** At least ${3 * (options.replicas + 1)} nodes are required.\n`,
    );
  }
  plan(manager, masterCount);
  manager.showNodes();
  if (!(await manager.confirm('Can I set the above configuration?'))) return true;
  await introduce(manager);
  await manager.joined();
  for (const node of nodes) if (node.masterId !== undefined) await replicate(node);
  await manager.reload();
  await check(manager);
  return true;
}

/** A node in cluster mode that has neither keys nor other nodes. */
export async function emptyNode(manager: Manager, address: NodeAddress): Promise<ManagedNode> {
  const node = await manager.connected(address);
  await node.load();
  if (await node.isEmpty()) return node;
  node.close();
  throw manager.report.giveUp(
    `[ERR] Node ${node.place} is not empty. Either the node already knows other nodes (check with CLUSTER NODES) or contains some key in database 0.\n`,
  );
}

/** Decides which nodes are masters of which slots, and which are their replicas. */
function plan({ nodes, options, report }: Manager, masterCount: number): void {
  report.info(`>>> Performing hash slots allocation on ${nodes.length} nodes...\n`);
  const order = interleaved(nodes);
  const masters = order.slice(0, masterCount);
  // In single precision, so that the slots are the same as with redis-cli.
  const perMaster = Math.fround(SLOTS / masterCount);
  let first = 0;
  let end = 0;
  masters.forEach((master, index) => {
    end = Math.fround(end + perMaster);
    const last = index === masterCount - 1 ? SLOTS - 1 : Math.round(Math.fround(end - 1));
    report.print(`Master[${index}] -> Slots ${first} - ${last}\n`);
    for (let slot = first; slot <= last; slot++) master.slots.add(slot);
    master.isDirty = true;
    first = last + 1;
  });
  placeReplicas(masters, order.slice(masterCount), options.replicas, (placed) => {
    if (placed === undefined) report.print('Adding extra replicas...\n');
    else report.print(`Adding replica ${placed.replica.place} to ${placed.master.place}\n`);
  });
  if (affinity(nodes) === 0) return;
  report.info('>>> Trying to optimize slaves allocation for anti-affinity\n');
  const score = spreadReplicas(nodes);
  if (score === 0) report.good('[OK] Perfect anti-affinity obtained!\n');
  else if (score >= 10_000) report.warn('[WARNING] Some slaves are in the same host as their master\n');
  else report.warn('[WARNING] Some slaves of the same master are in the same host\n');
}

/** Gives masters their slots, and all nodes an epoch and the address of the first. */
async function introduce({ nodes, report }: Manager): Promise<void> {
  for (const node of nodes) {
    if (node.masterId === undefined) await node.call('CLUSTER', 'ADDSLOTS', ...node.slots);
  }
  report.info('>>> Nodes configuration updated\n');
  report.info('>>> Assign a different config epoch to each node\n');
  for (const [index, node] of nodes.entries()) await node.try('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  report.info('>>> Sending CLUSTER MEET messages to join the cluster\n');
  const [first, ...others] = nodes as [ManagedNode, ...ManagedNode[]];
  const command = await meeting(first);
  if (command === undefined) {
    report.complain(`Invalid IP address or hostname specified: ${first.host}`);
    throw new GivenUp();
  }
  for (const node of others) await node.call(...command);
}

/** The command that makes a node meet this one; undefined if its host cannot be resolved. */
export async function meeting({ host, port, busPort }: ManagedNode): Promise<string[] | undefined> {
  try {
    const { address } = await lookup(host);
    // Servers before Redis 4 know no other bus port than this.
    const isUsual = busPort === undefined || busPort === port + BUS_PORT_DISTANCE;
    const ports = isUsual ? [port] : [port, busPort];
    return ['CLUSTER', 'MEET', address, ...ports.map(String)];
  } catch {
    return undefined;
  }
}

async function replicate(node: ManagedNode): Promise<void> {
  const refusal = errorOf(await node.try('CLUSTER', 'REPLICATE', node.masterId as string));
  if (refusal !== undefined) throw node.refused(refusal);
  node.isDirty = false;
}
