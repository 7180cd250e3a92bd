import { SLOTS } from '../../bytes/crc16.js';
import { textOf } from '../wire/reply.js';
import { fixCoverage } from './fix-coverage.js';
import { fixOpenSlot } from './fix-open-slot.js';
import { fixOwners } from './fix-owners.js';
import type { ManagedNode } from './managed-node.js';
import type { Manager } from './manager.js';
import { GivenUp } from './manager-report.js';

/** Checks that the nodes agree, that no slot is in between, and that every slot has an owner; with `fix`, repairs. Returns whether all is well. */
export async function check(manager: Manager, isQuiet = false): Promise<boolean> {
  const { report, nodes } = manager;
  const [first] = nodes as [ManagedNode];
  report.info(`>>> Performing Cluster Check (using node ${first.place})\n`);
  if (!isQuiet) manager.showNodes();
  let isWell = await manager.agree();
  if (isWell) report.good('[OK] All nodes agree about slots configuration.\n');
  else report.problem("[ERR] Nodes don't agree about configuration!");
  isWell = await checkOpenSlots(manager, isWell);
  isWell = await checkCoverage(manager, isWell);
  if (manager.options.searchesOwners) isWell = await checkOwners(manager, isWell);
  return isWell;
}

async function checkOpenSlots(manager: Manager, isWell: boolean): Promise<boolean> {
  const { report } = manager;
  report.info('>>> Check for open slots...\n');
  const open = new Set<number>();
  for (const { place, migrating, importing } of manager.nodes) {
    for (const [state, slots] of [
      ['migrating', migrating],
      ['importing', importing],
    ] as const) {
      if (slots.size === 0) continue;
      report.problem(`[WARNING] Node ${place} has slots in ${state} state ${[...slots.keys()].join(',')}.`);
      for (const slot of slots.keys()) open.add(slot);
    }
  }
  if (open.size === 0) return isWell;
  report.bad(`[WARNING] The following slots are open: ${[...open].join(',')}.\n`);
  if (!manager.isFixing) return false;
  return repaired(async () => {
    for (const slot of open) await fixOpenSlot(manager, slot);
  });
}

async function checkCoverage(manager: Manager, isWell: boolean): Promise<boolean> {
  const { report, nodes } = manager;
  report.info('>>> Check slots coverage...\n');
  const uncovered: number[] = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    if (!nodes.some(({ slots }) => slots.has(slot))) uncovered.push(slot);
  }
  if (uncovered.length === 0) {
    report.good(`[OK] All ${SLOTS} slots covered.\n`);
    return isWell;
  }
  report.problem(`[ERR] Not all ${SLOTS} slots are covered by nodes.\n`);
  if (!manager.isFixing) return false;
  let fixed = 0;
  const isDone = await repaired(async () => {
    fixed = await fixCoverage(manager, uncovered);
  });
  return isDone && fixed > 0;
}

/** Also when every slot has an owner, two nodes may take themselves for it, or have keys of it. */
async function checkOwners(manager: Manager, isWell: boolean): Promise<boolean> {
  const { report } = manager;
  report.info('>>> Check for multiple slot owners...\n');
  const keyCounts = await Promise.all(
    manager.masters.map(async (node) => ({ node, keys: await keysBySlot(node) })),
  );
  let result = isWell;
  let unfixed = 0;
  for (let slot = 0; slot < SLOTS; slot++) {
    const owners = keyCounts.filter(({ node, keys }) => node.slots.has(slot) || (keys[slot] as number) > 0);
    if (owners.length <= 1) continue;
    const nodes = owners.map(({ node }) => node);
    report.bad(`[WARNING] Slot ${slot} has ${nodes.length} owners:\n`);
    for (const { place } of nodes) report.bad(`    ${place}\n`);
    result = manager.isFixing && (await repaired(() => fixOwners(manager, slot, nodes)));
    if (result) continue;
    unfixed++;
    if (!manager.isFixing) continue;
    report.bad(`Failed to fix multiple owners for slot ${slot}\n`);
    break;
  }
  if (unfixed === 0) report.good('[OK] No multiple owners found.\n');
  return result && unfixed === 0;
}

async function keysBySlot(node: ManagedNode): Promise<number[]> {
  const commands = Array.from({ length: SLOTS }, (_, slot) => ['CLUSTER', 'COUNTKEYSINSLOT', slot]);
  return (await node.callAll(commands)).map((reply) => Number(textOf(reply)));
}

/** False if the work was given up, which has been printed. */
async function repaired(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    return false;
  }
}
