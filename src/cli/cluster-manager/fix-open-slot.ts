import type { ManagedNode } from './managed-node.js';
import type { Manager } from './manager.js';
import { moveSlot } from './move-slot.js';
import { closeSlot, makeOwner, stepBack, withMostKeys } from './slot-ownership.js';

/** Refuses to repair while masters do not answer: their slots would be given to others. */
export function refuseWithoutMasters({ options, unreachableMasters, report }: Manager, what: string): void {
  if (unreachableMasters === 0 || options.fixesWithUnreachableMasters) return;
  throw report.giveUp(
    `*** Fixing ${what} with ${unreachableMasters} unreachable masters is dangerous: redis-cli will assume that slots ` +
      'about masters that are not reachable are not covered, and will try to reassign them to the reachable nodes. This can ' +
      'cause data loss and is rarely what you want to do. If you really want to proceed use the ' +
      '--cluster-fix-with-unreachable-masters option.\n',
  );
}

/** Who has to do with a slot that is in between. */
interface OpenSlot {
  readonly slot: number;
  /** Owners, and nodes that have keys of it. */
  readonly claimants: ManagedNode[];
  readonly migrating: ManagedNode[];
  readonly importing: ManagedNode[];
}

/** Completes or undoes the move of a slot that was left in the middle. */
export async function fixOpenSlot(manager: Manager, slot: number): Promise<void> {
  const { report } = manager;
  refuseWithoutMasters(manager, 'open slots');
  report.info(`>>> Fixing open slot ${slot}\n`);
  const open = await survey(manager, slot);
  const owner = await settleOwner(manager, open);
  const { migrating, importing } = open;
  const [source] = migrating;
  const [target] = importing;
  if (migrating.length === 1 && importing.length === 1) {
    const [from, to] = [source, target] as [ManagedNode, ManagedNode];
    report.info(`>>> Case 1: Moving slot ${slot} from ${from.place} to ${to.place}\n`);
    await moveSlot(manager, slot, from, to);
  } else if (source === undefined && importing.length > 0) {
    await collectKeys(manager, open, owner);
  } else if (source !== undefined && migrating.length === 1 && importing.length > 1) {
    await chooseTarget(manager, open, source, owner);
  } else if (
    source !== undefined &&
    migrating.length === 1 &&
    (await hasNothingToMove(source, slot, owner))
  ) {
    report.info(`>>> Case 4: Closing slot ${slot} on ${source.place}\n`);
    await closeSlot(source, slot);
  } else throw unfixable(manager, open, owner);
}

/** Finds out which masters own the slot, move it, import it, or have keys of it. */
async function survey(manager: Manager, slot: number): Promise<OpenSlot> {
  const { report, masters } = manager;
  const keys = new Map<ManagedNode, number>();
  const claimants: ManagedNode[] = [];
  for (const node of masters) {
    keys.set(node, await node.countKeys(slot));
    if (node.slots.has(slot)) claimants.push(node);
    else if (keys.get(node) !== 0) {
      report.warn(`*** Found keys about slot ${slot} in non-owner node ${node.place}!\n`);
      claimants.push(node);
    }
  }
  const owner = claimants.length === 1 ? claimants[0] : undefined;
  const migrating = masters.filter((node) => node.migrating.has(slot));
  const importing: ManagedNode[] = [];
  for (const node of masters) {
    if (migrating.includes(node)) continue;
    const hasKeys = node !== owner && keys.get(node) !== 0;
    if (node.importing.has(slot)) importing.push(node);
    else if (hasKeys) {
      report.warn(`*** Found keys about slot ${slot} in node ${node.place}!\n`);
      importing.push(node);
    }
  }
  if (migrating.length > 0) report.print(`Set as migrating in: ${places(migrating)}\n`);
  if (importing.length > 0) report.print(`Set as importing in: ${places(importing)}\n`);
  return { slot, claimants, migrating, importing };
}

/** Leaves a single owner; all other claimants import the slot from then on. */
async function settleOwner(manager: Manager, open: OpenSlot): Promise<ManagedNode> {
  const { report } = manager;
  const { slot, claimants, migrating, importing } = open;
  if (claimants.length === 1) return claimants[0] as ManagedNode;
  report.info('>>> No single clear owner for the slot, selecting an owner by # of keys...\n');
  const owner = await withMostKeys(manager.nodes, slot);
  if (owner === undefined) throw report.giveUp("[ERR] Can't select a slot owner. Impossible to fix.\n");
  report.warn(`*** Configuring ${owner.place} as the slot owner\n`);
  const others = claimants.filter((node) => node !== owner);
  for (const node of others) await stepBack(node, slot, owner);
  await closeSlot(owner, slot);
  await makeOwner(owner, slot);
  remove(migrating, owner);
  remove(importing, owner);
  for (const node of others) {
    await node.call('CLUSTER', 'SETSLOT', slot, 'node', owner.id);
    remove(migrating, node);
    remove(importing, node);
    importing.push(node);
  }
  return owner;
}

/** Nodes import the slot and none sends it: their keys go to the owner. */
async function collectKeys(
  manager: Manager,
  { slot, importing }: OpenSlot,
  owner: ManagedNode,
): Promise<void> {
  const { report } = manager;
  report.info(`>>> Case 2: Moving all the ${slot} slot keys to its owner ${owner.place}\n`);
  for (const node of importing) {
    if (node === owner) continue;
    await moveSlot(manager, slot, node, owner, { isCold: true });
    report.info(`>>> Setting ${slot} as STABLE in ${node.place}\n`);
    await closeSlot(node, slot);
  }
  for (const node of manager.masters) {
    if (node !== owner) await node.call('CLUSTER', 'SETSLOT', slot, 'node', owner.id);
  }
}

/** Several nodes import the slot: the one that its owner names gets it, if the others have no keys. */
async function chooseTarget(
  manager: Manager,
  open: OpenSlot,
  source: ManagedNode,
  owner: ManagedNode,
): Promise<void> {
  const { report } = manager;
  const { slot, importing } = open;
  for (const node of importing) {
    if ((await node.countKeys(slot)) > 0) throw unfixable(manager, open, owner);
  }
  const target = importing.find(({ id }) => id === source.migrating.get(slot));
  if (target === undefined) {
    report.info(`>>> Case 3: Closing slot ${slot} on both migrating and importing nodes.\n`);
    await closeSlot(source, slot);
  } else {
    report.info(
      `>>> Case 3: Moving slot ${slot} from ${source.place} to ${target.place} and closing it on all the other importing nodes.\n`,
    );
    await moveSlot(manager, slot, source, target);
  }
  for (const node of importing) if (node !== target) await closeSlot(node, slot);
}

async function hasNothingToMove(node: ManagedNode, slot: number, owner: ManagedNode): Promise<boolean> {
  return node === owner || (await node.countKeys(slot)) === 0;
}

function unfixable({ report }: Manager, { migrating, importing }: OpenSlot, owner: ManagedNode): Error {
  return report.giveUp(
    "[ERR] Sorry, redis-cli can't fix this slot yet (work in progress). Slot is set as " +
      `migrating in ${places(migrating)}, as importing in ${places(importing)}, owner is ${owner.place}\n`,
  );
}

function places(nodes: readonly ManagedNode[]): string {
  return nodes.map(({ place }) => place).join(',');
}

function remove(nodes: ManagedNode[], node: ManagedNode): void {
  const at = nodes.indexOf(node);
  if (at >= 0) nodes.splice(at, 1);
}
