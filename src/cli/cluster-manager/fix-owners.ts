import type { ManagedNode } from './managed-node.js';
import type { Manager } from './manager.js';
import { moveSlot } from './move-slot.js';
import { closeSlot, makeOwner, stepBack, unassign, withMostKeys } from './slot-ownership.js';

/**
 * Several nodes take themselves for the owner of the slot, or have keys of it. The one with the most keys becomes the owner and gets
 * the keys of the others.
 */
export async function fixOwners(
  manager: Manager,
  slot: number,
  claimants: readonly ManagedNode[],
): Promise<void> {
  const { report } = manager;
  report.info(`>>> Fixing multiple owners for slot ${slot}...\n`);
  const owner = (await withMostKeys(claimants, slot)) as ManagedNode;
  report.info(`>>> Setting slot ${slot} owner: ${owner.place}\n`);
  await gather(manager, slot, owner, claimants);
  for (const node of manager.masters) {
    if (claimants.includes(node)) continue;
    await unassign(node, slot);
    await node.call('CLUSTER', 'SETSLOT', slot, 'node', owner.id);
  }
}

/** Makes a node the owner of a slot, and moves the keys of the slot that others have there. */
export async function gather(
  manager: Manager,
  slot: number,
  owner: ManagedNode,
  holders: readonly ManagedNode[],
): Promise<void> {
  const others = holders.filter((node) => node !== owner);
  for (const node of others) await stepBack(node, slot, owner);
  await makeOwner(owner, slot);
  for (const node of others) {
    await node.call('CLUSTER', 'SETSLOT', slot, 'node', owner.id);
    await moveSlot(manager, slot, node, owner, { isCold: true });
    await closeSlot(node, slot);
  }
}
