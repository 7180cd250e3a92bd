import type { ManagedNode } from './managed-node.js';
import { errorOf } from './manager-report.js';

/** Takes the slot away from whichever node this one takes for the owner. */
export async function unassign(node: ManagedNode, slot: number): Promise<void> {
  const refusal = errorOf(await node.try('CLUSTER', 'DELSLOTS', slot));
  if (refusal !== undefined && !refusal.includes('already unassigned')) throw node.refused(refusal);
  node.slots.delete(slot);
}

/** Makes the node the owner, under a new epoch, so that all others believe it. */
export async function makeOwner(node: ManagedNode, slot: number): Promise<void> {
  if (!node.slots.has(slot)) {
    await unassign(node, slot);
    await node.call('CLUSTER', 'ADDSLOTS', slot);
    node.slots.add(slot);
  }
  await node.call('CLUSTER', 'BUMPEPOCH');
}

/**
 * The node gives the slot up and waits for another owner. It imports the slot meanwhile: otherwise it would delete its keys when it
 * learns of that owner, and its MIGRATE would be redirected.
 */
export async function stepBack(node: ManagedNode, slot: number, owner: ManagedNode): Promise<void> {
  await unassign(node, slot);
  await node.call('CLUSTER', 'SETSLOT', slot, 'importing', owner.id);
}

/** The slot neither moves away nor arrives any more. */
export async function closeSlot(node: ManagedNode, slot: number): Promise<void> {
  await node.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
  node.migrating.delete(slot);
  node.importing.delete(slot);
}

/** Of these nodes, the master with the most keys in the slot; the first of several. */
export async function withMostKeys(
  nodes: readonly ManagedNode[],
  slot: number,
): Promise<ManagedNode | undefined> {
  let best: { readonly node: ManagedNode; readonly keys: number } | undefined;
  for (const node of nodes) {
    if (node.isReplica) continue;
    const keys = await node.countKeys(slot);
    if (best === undefined || keys > best.keys) best = { node, keys };
  }
  return best?.node;
}
