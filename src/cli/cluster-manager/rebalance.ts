import { SLOTS } from '../../bytes/crc16.js';
import { leadingNumber } from '../shell/server-options.js';
import { check } from './check.js';
import type { ManagedNode } from './managed-node.js';
import type { Manager } from './manager.js';
import { moveSlot } from './move-slot.js';
import { plannedMoves } from './reshard.js';

/** A master that takes part, and how many slots it has too many; below zero, too few. */
interface Balance {
  readonly node: ManagedNode;
  readonly weight: number;
  excess: number;
}

/** `rebalance`: moves slots so that masters have as many as their weights say. */
export async function rebalance(manager: Manager, isVerbose: boolean): Promise<boolean> {
  const { report, options } = manager;
  const weights = weightsOf(manager);
  if (weights === undefined) return false;
  const involved = manager.masters.filter(({ slots }) => options.usesEmptyMasters || slots.count > 0);
  await check(manager, true);
  if (report.problems.length > 0) {
    report.bad('*** Please fix your cluster problems before rebalancing\n');
    return false;
  }
  const totalWeight = involved.reduce((sum, node) => Math.fround(sum + (weights.get(node) ?? 1)), 0);
  const balances = involved.map((node): Balance => {
    const weight = weights.get(node) ?? 1;
    return { node, weight, excess: node.slots.count - expectedSlots(weight, totalWeight) };
  });
  if (!balances.some((balance) => isBeyond(balance, options.threshold))) {
    const threshold = options.threshold.toFixed(2);
    report.warn(`*** No rebalancing needed! All nodes are within the ${threshold}% threshold.\n`);
    return true;
  }
  evenOut(balances);
  balances.sort((a, b) => a.excess - b.excess);
  report.info(`>>> Rebalancing across ${balances.length} nodes. Total weight = ${totalWeight.toFixed(2)}\n`);
  if (isVerbose) {
    for (const { node, excess } of balances) report.print(`${node.place} balance is ${excess} slots\n`);
  }
  await moveExcess(manager, balances);
  return true;
}

/** `--cluster-weight node=weight`, where a node may be named by the beginning of its id. Undefined if that is wrong, which is printed. */
function weightsOf({ options, nodes, report }: Manager): ReadonlyMap<ManagedNode, number> | undefined {
  const weights = new Map<ManagedNode, number>();
  for (const text of options.weights) {
    const [, name = '', weight] = /^(.*?)=(.*)$/s.exec(text) ?? [];
    if (weight === undefined) {
      report.bad(`*** invalid input ${text}\n`);
      return undefined;
    }
    const node = nodes.find(({ id }) => id.startsWith(name.toLowerCase()));
    if (node === undefined || node.isReplica) {
      report.bad(`*** No such master node ${name}\n`);
      return undefined;
    }
    weights.set(node, Math.fround(leadingNumber(weight)));
  }
  return weights;
}

/** In single precision, as redis-cli computes it. */
function expectedSlots(weight: number, totalWeight: number): number {
  return Math.trunc(Math.fround(Math.fround(SLOTS / totalWeight) * weight));
}

function isBeyond({ node, excess }: Balance, threshold: number): boolean {
  const { count } = node.slots;
  const expected = count - excess;
  if (threshold <= 0) return false;
  if (count === 0) return expected > 1;
  return Math.abs(100 - (100 * expected) / count) > threshold;
}

/** Expected numbers are rounded down: masters that get slots get those that are left over. */
function evenOut(balances: readonly Balance[]): void {
  let left = balances.reduce((sum, { excess }) => sum + excess, 0);
  const receivers = balances.filter(({ excess }) => excess <= 0);
  for (let at = 0; left > 0 && receivers.length > 0; at++, left--) {
    (receivers[at % receivers.length] as Balance).excess--;
  }
}

/** From the masters with the most too many to those with the most too few. */
async function moveExcess(manager: Manager, balances: readonly Balance[]): Promise<void> {
  const { report, options } = manager;
  let to = 0;
  let from = balances.length - 1;
  while (to < from) {
    const [target, source] = [balances[to], balances[from]] as [Balance, Balance];
    const count = Math.min(Math.abs(target.excess), Math.abs(source.excess));
    if (count > 0) {
      report.print(`Moving ${count} slots from ${source.node.place} to ${target.node.place}\n`);
      for (const { slot } of plannedMoves([source.node], count)) {
        if (options.simulates) {
          source.node.slots.delete(slot);
        } else await moveSlot(manager, slot, source.node, target.node, { isQuiet: true });
        report.print('#');
      }
      report.print('\n');
    }
    target.excess += count;
    source.excess -= count;
    if (target.excess === 0) to++;
    if (source.excess === 0) from--;
  }
}
