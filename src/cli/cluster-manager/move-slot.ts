import { itemsOf, textOf, type WireReply } from '../wire/reply.js';
import type { ManagedNode } from './managed-node.js';
import type { Manager } from './manager.js';
import { errorOf } from './manager-report.js';

/** How a slot is moved. */
export interface MoveStyle {
  /** Only its keys: who owns the slot is not changed. */
  readonly isCold?: boolean;
  /** Nothing is printed. */
  readonly isQuiet?: boolean;
}

/** Moves a slot with its keys, while clients continue. Throws `GivenUp`. */
export async function moveSlot(
  manager: Manager,
  slot: number,
  source: ManagedNode,
  target: ManagedNode,
  { isCold = false, isQuiet = false }: MoveStyle = {},
): Promise<void> {
  const { report } = manager;
  if (!isQuiet) report.print(`Moving slot ${slot} from ${source.place} to ${target.place}: `);
  if (!isCold) {
    await target.call('CLUSTER', 'SETSLOT', slot, 'importing', source.id);
    await source.call('CLUSTER', 'SETSLOT', slot, 'migrating', target.id);
  }
  await moveKeys(manager, slot, source, target, !isQuiet);
  if (!isQuiet) report.print('\n');
  if (isCold) return;
  await tellOwner(manager, slot, source, target);
  source.slots.delete(slot);
  target.slots.add(slot);
}

/** The target first: if it stopped after others had been told, the slot would have no owner. */
async function tellOwner(
  manager: Manager,
  slot: number,
  source: ManagedNode,
  target: ManagedNode,
): Promise<void> {
  const command = ['CLUSTER', 'SETSLOT', slot, 'node', target.id] as const;
  await target.call(...command);
  const refusal = errorOf(await source.try(...command));
  // A master that has lost its last slot may have become a replica of the target already.
  if (refusal !== undefined && !refusal.startsWith('ERR Please use SETSLOT only with masters.'))
    throw source.refused(refusal);
  for (const node of manager.masters) if (node !== target && node !== source) await node.call(...command);
}

async function moveKeys(
  manager: Manager,
  slot: number,
  source: ManagedNode,
  target: ManagedNode,
  showsDots: boolean,
): Promise<void> {
  for (;;) {
    const reply = await source.call('CLUSTER', 'GETKEYSINSLOT', slot, manager.options.pipeline);
    const keys = itemsOf(reply).map(textOf);
    if (keys.length === 0) return;
    const refusal = errorOf(await migrate(manager, source, target, keys, false));
    if (refusal !== undefined) await moveAgain(manager, slot, source, target, keys, refusal);
    if (showsDots) manager.report.print('.'.repeat(keys.length));
  }
}

async function migrate(
  { options, server }: Manager,
  source: ManagedNode,
  target: ManagedNode,
  keys: readonly string[],
  replaces: boolean,
): Promise<WireReply> {
  const { user, password } = server;
  const credentials =
    password === undefined ? [] : user === undefined ? ['AUTH', password] : ['AUTH2', user, password];
  return source.try(
    'MIGRATE',
    target.host,
    target.port,
    '',
    0,
    options.timeoutMs,
    ...(replaces ? ['REPLACE'] : []),
    ...credentials,
    'KEYS',
    ...keys,
  );
}

/** MIGRATE was refused: removes the cause if it is known, and tries once more. */
async function moveAgain(
  manager: Manager,
  slot: number,
  source: ManagedNode,
  target: ManagedNode,
  keys: readonly string[],
  refusal: string,
): Promise<void> {
  const { report, options, isFixing } = manager;
  const isBusy = refusal.includes('BUSYKEY');
  const isUnserved = !isBusy && isFixing && !(await isServed(source, slot));
  if (isUnserved) {
    report.warn(`*** Slot was not served, setting owner to node ${target.place}.\n`);
    await source.call('CLUSTER', 'SETSLOT', slot, 'node', target.id);
  }
  if (isBusy) {
    report.warn('\n*** Target key exists\n');
    if (!options.replaces) await checkValues(manager, source, target, keys);
    report.warn('*** Replacing target keys...\n');
  }
  const again =
    isBusy || isUnserved ? errorOf(await migrate(manager, source, target, keys, isBusy)) : refusal;
  if (again === undefined) return;
  report.print('\n');
  throw source.refused(again);
}

/** Whether the node knows an owner of the slot. */
async function isServed(node: ManagedNode, slot: number): Promise<boolean> {
  const ranges = itemsOf(await node.call('CLUSTER', 'SLOTS')).map(itemsOf);
  return ranges.some(([start, end]) => Number(textOf(start)) <= slot && slot <= Number(textOf(end)));
}

/** Throws if a key has another value at the target: the user has to decide which is right. */
async function checkValues(
  { report }: Manager,
  source: ManagedNode,
  target: ManagedNode,
  keys: readonly string[],
): Promise<void> {
  report.warn('*** Checking key values on both nodes...\n');
  const replies = await Promise.all(
    [source, target].map((node) => node.try('DEBUG', 'DIGEST-VALUE', ...keys)),
  );
  for (const [index, reply] of replies.entries()) {
    const refusal = errorOf(reply);
    if (refusal === undefined) continue;
    const node = index === 0 ? source : target;
    report.bad(`Node ${node.place} replied with error:\n${refusal}\n`);
    throw report.giveUp('*** Value check failed!\n');
  }
  const [ours, theirs] = replies.map(itemsOf) as [readonly WireReply[], readonly WireReply[]];
  const none = '0'.repeat(40);
  const different = keys.filter((_, index) => {
    const there = textOf(theirs[index]);
    return there !== none && there !== textOf(ours[index]);
  });
  if (different.length === 0) return;
  throw report.giveUp(
    `*** Found ${different.length} key(s) in both source node and target node having different values.\n` +
      `    Source node: ${source.place}\n    Target node: ${target.place}\n    Keys(s):\n` +
      different.map((key) => `    - ${key}\n`).join('') +
      'Please fix the above key(s) manually and try again or relaunch the command \n' +
      'with --cluster-replace option to force key overriding.\n',
  );
}
