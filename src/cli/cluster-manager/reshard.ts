import { SLOTS } from '../../bytes/crc16.js';
import { leadingInteger } from '../shell/server-options.js';
import { check } from './check.js';
import type { ManagedNode } from './managed-node.js';
import type { Manager } from './manager.js';
import { GivenUp } from './manager-report.js';
import { moveSlot } from './move-slot.js';

/** A slot that will move. */
interface PlannedMove {
  readonly slot: number;
  readonly source: ManagedNode;
}

/** `reshard`: moves a number of slots from some masters to another. */
export async function reshard(manager: Manager): Promise<boolean> {
  const { report, options } = manager;
  await check(manager);
  if (report.problems.length > 0) {
    report.complain('*** Please fix your cluster problems before resharding');
    return false;
  }
  const count = await slotCount(manager);
  const target = master(manager, await targetId(manager));
  if (target === undefined) return false;
  const sources = await sourcesOf(manager, target);
  if (sources.length === 0) {
    report.complain('*** No source nodes given, operation aborted.');
    return false;
  }
  report.print(`\nReady to move ${count} slots.\n  Source nodes:\n`);
  for (const source of sources) report.print(`${source.description('    ')}\n`);
  report.print(`  Destination node:\n${target.description('    ')}\n`);
  const moves = plannedMoves(sources, count);
  report.print('  Resharding plan:\n');
  for (const { slot, source } of moves) report.print(`    Moving slot ${slot} from ${source.id}\n`);
  const question = 'Do you want to proceed with the proposed reshard plan (yes/no)? ';
  if (!options.isYes && !(await manager.confirmByHand(question))) return false;
  for (const { slot, source } of moves) await moveSlot(manager, slot, source, target);
  return true;
}

/** Each source gives slots in proportion to those it has, its lowest first. */
export function plannedMoves(sources: readonly ManagedNode[], count: number): PlannedMove[] {
  const total = sources.reduce((sum, { slots }) => sum + slots.count, 0);
  const largestFirst = [...sources].sort((a, b) => b.slots.count - a.slots.count);
  const moves: PlannedMove[] = [];
  largestFirst.forEach((source, index) => {
    // In single precision, so that the plan is that of redis-cli.
    const share = Math.fround(Math.fround(Math.fround(count) / total) * source.slots.count);
    const wanted = index === 0 ? Math.ceil(share) : Math.floor(share);
    const slots = [...source.slots].slice(0, Math.min(wanted, count - moves.length));
    for (const slot of slots) moves.push({ slot, source });
  });
  return moves;
}

async function slotCount(manager: Manager): Promise<number> {
  let count = manager.options.slots;
  while (count <= 0 || count > SLOTS) {
    count = leadingInteger(await manager.ask(`How many slots do you want to move (from 1 to ${SLOTS})? `));
  }
  return count;
}

async function targetId(manager: Manager): Promise<string> {
  let id = manager.options.to ?? '';
  while (id === '') id = await manager.ask('What is the receiving node ID? ');
  return id;
}

/** The master of this id. If there is none, that is printed. */
function master(manager: Manager, id: string): ManagedNode | undefined {
  const node = manager.node(id);
  if (node !== undefined && !node.isReplica) return node;
  manager.report.bad(`*** The specified node (${id}) is not known or not a master, please retry.\n`);
  return undefined;
}

/** The masters that the user names, or all but the target. */
async function sourcesOf(manager: Manager, target: ManagedNode): Promise<ManagedNode[]> {
  const { options } = manager;
  const sources: ManagedNode[] = [];
  for await (const id of options.from === undefined
    ? askedSources(manager, sources)
    : options.from.split(',')) {
    if (id === 'all') return manager.masters.filter((node) => node !== target);
    if (id === '') continue;
    const source = master(manager, id);
    if (source === undefined) throw new GivenUp();
    if (source !== target) sources.push(source);
    else manager.report.bad('*** It is not possible to use the target node as source node.\n');
  }
  return sources;
}

async function* askedSources(manager: Manager, sources: readonly ManagedNode[]): AsyncGenerator<string> {
  manager.report.print(
    "Please enter all the source node IDs.\n  Type 'all' to use all the nodes as source nodes for the hash slots.\n" +
      "  Type 'done' once you entered all the source nodes IDs.\n",
  );
  for (;;) {
    const id = await manager.ask(`Source node #${sources.length + 1}: `);
    if (id === 'done') return;
    yield id;
  }
}
