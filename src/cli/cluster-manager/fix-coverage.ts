import { SlotSet } from '../../cluster/slot-set.js';
import { refuseWithoutMasters } from './fix-open-slot.js';
import { gather } from './fix-owners.js';
import { type ManagedNode, shownSlots } from './managed-node.js';
import type { Manager } from './manager.js';
import { makeOwner, withMostKeys } from './slot-ownership.js';

/** Gives slots without owner to nodes: those that have keys of them, otherwise to any. Asks first. Returns how many slots have one now. */
export async function fixCoverage(manager: Manager, uncovered: readonly number[]): Promise<number> {
  const { report } = manager;
  refuseWithoutMasters(manager, 'slots coverage');
  report.info('>>> Fixing slots coverage...\n');
  const holders = await holdersOf(manager, uncovered);
  const without = uncovered.filter((slot) => holders.get(slot)?.length === 0);
  const withOne = uncovered.filter((slot) => holders.get(slot)?.length === 1);
  const withSeveral = uncovered.filter((slot) => (holders.get(slot)?.length ?? 0) > 1);
  const holdersIn = (slot: number): ManagedNode[] => holders.get(slot) as ManagedNode[];
  let fixed = 0;

  const none = 'The following uncovered slots have no keys across the cluster:';
  if (await agreed(manager, without, none, 'Fix these slots by covering with a random node?')) {
    for (const slot of without) await cover(manager, slot, anyMaster(manager));
    fixed += without.length;
  }
  const one = 'The following uncovered slots have keys in just one node:';
  if (await agreed(manager, withOne, one, 'Fix these slots by covering with those nodes?')) {
    for (const slot of withOne) await cover(manager, slot, holdersIn(slot)[0] as ManagedNode);
    fixed += withOne.length;
  }
  const several = 'The following uncovered slots have keys in multiple nodes:';
  if (await agreed(manager, withSeveral, several, 'Fix these slots by moving keys into a single node?')) {
    for (const slot of withSeveral) {
      const target = (await withMostKeys(holdersIn(slot), slot)) as ManagedNode;
      report.info(`>>> Covering slot ${slot} moving keys to ${target.place}\n`);
      await gather(manager, slot, target, holdersIn(slot));
    }
    fixed += withSeveral.length;
  }
  return fixed;
}

/** Which masters have keys of each slot. */
async function holdersOf(
  { masters }: Manager,
  slots: readonly number[],
): Promise<ReadonlyMap<number, ManagedNode[]>> {
  const holders = new Map<number, ManagedNode[]>(slots.map((slot) => [slot, []]));
  for (const node of masters) {
    const replies = await node.callAll(slots.map((slot) => ['CLUSTER', 'COUNTKEYSINSLOT', slot]));
    slots.forEach((slot, index) => {
      const reply = replies[index];
      if (reply?.kind === 'integer' && reply.text !== '0') holders.get(slot)?.push(node);
    });
  }
  return holders;
}

/** Lists the slots and asks. False if there are none. */
async function agreed(
  manager: Manager,
  slots: readonly number[],
  title: string,
  question: string,
): Promise<boolean> {
  if (slots.length === 0) return false;
  const listed = new SlotSet();
  for (const slot of slots) listed.add(slot);
  manager.report.print(`${title}\n${shownSlots(listed)}\n`);
  return manager.confirm(question);
}

async function cover({ report }: Manager, slot: number, node: ManagedNode): Promise<void> {
  report.info(`>>> Covering slot ${slot} with ${node.place}\n`);
  await makeOwner(node, slot);
}

function anyMaster({ masters, random }: Manager): ManagedNode {
  return masters[random.integer(masters.length)] as ManagedNode;
}
