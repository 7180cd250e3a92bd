import { leadingInteger } from '../shell/server-options.js';
import { itemsOf, textOf } from '../wire/reply.js';
import { check } from './check.js';
import { emptyNode, meeting } from './create.js';
import type { ManagedNode } from './managed-node.js';
import type { Manager } from './manager.js';
import { errorOf, GivenUp } from './manager-report.js';

/** `add-node new existing`: as a master without slots, or as a replica. */
export async function addNode(
  manager: Manager,
  [added = '', ...existing]: readonly string[],
): Promise<boolean> {
  const { report, options } = manager;
  const place = manager.addressIn(existing);
  const address = manager.addressIn([added]);
  report.info(`>>> Adding node ${address.host}:${address.port} to cluster ${place.host}:${place.port}\n`);
  await manager.load(place);
  if (!(await check(manager))) return false;
  const [first] = manager.nodes as [ManagedNode];
  const master = options.isReplica ? chosenMaster(manager) : undefined;
  const node = await emptyNode(manager, address);
  if (master === undefined) await copyFunctions(manager, first, node);
  manager.nodes.push(node);
  report.info(`>>> Send CLUSTER MEET to node ${node.place} to make it join the cluster.\n`);
  const command = await meeting(first);
  if (command === undefined) {
    report.complain(`Invalid IP address or hostname specified: ${first.host}`);
    throw new GivenUp();
  }
  await node.call(...command);
  if (master !== undefined) {
    await manager.joined();
    report.info(`>>> Configure node as replica of ${master.place}.\n`);
    await node.call('CLUSTER', 'REPLICATE', master.id);
  }
  report.good('[OK] New node added correctly.\n');
  return true;
}

function chosenMaster(manager: Manager): ManagedNode {
  const { report, options } = manager;
  if (options.masterId === undefined) {
    const master = manager.masterForReplica();
    report.print(`Automatically selected master ${master.place}\n`);
    return master;
  }
  const master = manager.node(options.masterId);
  if (master === undefined) throw report.giveUp(`[ERR] No such master ID ${options.masterId}\n`);
  return master;
}

/** A new master needs the functions that all others have; a replica gets them from its master. */
async function copyFunctions({ report }: Manager, from: ManagedNode, to: ManagedNode): Promise<void> {
  report.info('>>> Getting functions from cluster\n');
  const dump = await from.try('FUNCTION', 'DUMP');
  const refusal = errorOf(dump);
  if (refusal !== undefined) {
    report.info(
      `>>> Failed retrieving Functions from the cluster, skip this step as Redis version do not support function command (error = '${refusal}')\n`,
    );
    return;
  }
  report.info(`>>> Send FUNCTION LIST to ${to.place} to verify there is no functions in it\n`);
  const list = await to.try('FUNCTION', 'LIST');
  const failure = errorOf(list);
  if (failure !== undefined) throw report.giveUp(`>>> Failed on CLUSTER LIST (error = '${failure}')\r\n`);
  if (itemsOf(list).length > 0) {
    throw report.giveUp(
      '>>> New node already contains functions and can not be added to the cluster. Use FUNCTION FLUSH and try again.\r\n',
    );
  }
  report.info(`>>> Send FUNCTION RESTORE to ${to.place}\n`);
  const reason = errorOf(await to.try('FUNCTION', 'RESTORE', textOf(dump)));
  if (reason !== undefined)
    throw report.giveUp(`>>> Failed loading functions to the new node (error = '${reason}')\r\n`);
}

/** `del-node host:port id`: all others forget the node, and it forgets them. */
export async function deleteNode(
  manager: Manager,
  [place = '', id = '']: readonly string[],
): Promise<boolean> {
  const { report } = manager;
  const address = manager.addressIn([place]);
  report.info(`>>> Removing node ${id} from cluster ${address.host}:${address.port}\n`);
  await manager.load(address);
  const node = manager.node(id);
  if (node === undefined) throw report.giveUp(`[ERR] No such node ID ${id}\n`);
  if (node.slots.count > 0)
    throw report.giveUp(`[ERR] Node ${node.place} is not empty! Reshard data away and try again.\n`);
  report.info('>>> Sending CLUSTER FORGET messages to the cluster...\n');
  const others = manager.nodes.filter((each) => each !== node);
  for (const other of others) {
    if (other.masterId === node.id) await followAnother(manager, other, node);
    await other.call('CLUSTER', 'FORGET', node.id);
  }
  report.info('>>> Sending CLUSTER RESET SOFT to the deleted node.\n');
  await node.call('CLUSTER', 'RESET', 'SOFT');
  return true;
}

async function followAnother(manager: Manager, replica: ManagedNode, former: ManagedNode): Promise<void> {
  const master = manager.masterForReplica(former);
  manager.report.info(`>>> ${replica.place} as replica of ${master.place}\n`);
  await replica.call('CLUSTER', 'REPLICATE', master.id);
  master.replicaCount++;
}

/** `set-timeout host:port milliseconds`: on all nodes, for good. */
export async function setTimeouts(
  manager: Manager,
  [place = '', text = '']: readonly string[],
): Promise<boolean> {
  const { report } = manager;
  const address = manager.addressIn([place]);
  const milliseconds = leadingInteger(text);
  if (milliseconds < 100) {
    report.complain('Setting a node timeout of less than 100 milliseconds is a bad idea.');
    return false;
  }
  await manager.load(address);
  report.info('>>> Reconfiguring node timeout in every cluster node...\n');
  let changed = 0;
  for (const node of manager.nodes) {
    const replies = await node.tryAll([
      ['CONFIG', 'SET', 'cluster-node-timeout', milliseconds],
      ['CONFIG', 'REWRITE'],
    ]);
    const refusal = replies.map(errorOf).find((each) => each !== undefined);
    if (refusal !== undefined) {
      report.bad(`ERR setting node-timeout for ${node.place}: ${refusal}\n`);
      continue;
    }
    report.warn(`*** New timeout set for ${node.place}\n`);
    changed++;
  }
  report.info(`>>> New node timeout set. ${changed} OK, ${manager.nodes.length - changed} ERR.\n`);
  return true;
}
