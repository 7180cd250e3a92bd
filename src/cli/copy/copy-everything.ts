import { open } from '../../store/index.js';
import { ValueComparison } from './copy-comparison.js';
import { copyFunctions, librariesAt } from './copy-functions.js';
import { copyKeys, deleteKeys, forEachBatch, missingKeys, repairKeys } from './copy-keys.js';
import type { CopyPlace } from './copy-place.js';
import type { CopyState } from './copy-state.js';

export interface CopyOptions {
  /** Keys at the target may be overwritten. */
  readonly replace: boolean;
  /** Keys that only the target has are deleted there. */
  readonly delete: boolean;
  /** Ends the copy between two batches. */
  readonly signal: AbortSignal;
  /** Told after every batch. */
  onProgress(phase: 'copied' | 'compared', done: number, total: number): void;
}

export interface CopyReport {
  readonly keys: number;
  readonly databases: number;
  readonly libraries: number;
  /** Keys that were found to differ after all had been copied, and were copied again. */
  readonly repaired: number;
  /** Keys that still differed after the last comparison. */
  readonly differing: number;
  /** Keys that only the target had: they were deleted there, or are still there. */
  readonly surplus: number;
}

/** If keys still differ after this many comparisons, another client keeps writing to the source. */
const COMPARISONS = 5;

/** Copies everything at the source to the target, then compares all of it and copies again what differs. */
export async function copyEverything(
  source: CopyPlace,
  target: CopyPlace,
  state: CopyState,
  options: CopyOptions,
): Promise<CopyReport> {
  const databases = [...(await source.sizes()).keys()];
  await checkTarget(source, target, databases, state, options);
  state.begin();
  if (!state.isCopied) await copyOnce(source, target, state.isResumed, options);
  const libraries = await copyFunctions(source, target);
  state.copied();
  const compared = await compareUntilEqual(source, target, options);
  const surplus = await findSurplus(source, target, databases, options);
  return { ...compared, libraries, surplus };
}

async function checkTarget(
  source: CopyPlace,
  target: CopyPlace,
  databases: readonly number[],
  state: CopyState,
  { replace }: CopyOptions,
): Promise<void> {
  if (target.named !== undefined && databases.length > 1) {
    throw new Error(
      `${source.shown} has keys in the databases ${databases.join(', ')}, and ${target.shown} is one: ` +
        'name the database to copy in the first address, or none in the second',
    );
  }
  const other = databases.find((database) => targetOf(target, database) !== 0);
  if (target.isCluster && other !== undefined) {
    throw new Error(`${source.shown} has keys in database ${other}, and a Cluster has only database 0`);
  }
  if (replace || state.isResumed) return;
  const sizes = await target.sizes();
  const isTaken = databases.some((database) => (sizes.get(targetOf(target, database)) ?? 0) > 0);
  if (isTaken || (await librariesAt(target)).size > 0) {
    throw new Error(
      `${target.shown} is not empty: --replace overwrites what has the same name, and keeps the rest`,
    );
  }
}

function targetOf(target: CopyPlace, database: number): number {
  return target.named ?? database;
}

async function copyOnce(
  source: CopyPlace,
  target: CopyPlace,
  isResumed: boolean,
  { signal, onProgress }: CopyOptions,
): Promise<void> {
  const sizes = await source.sizes();
  const total = sum(sizes.values());
  let done = 0;
  for (const database of sizes.keys()) {
    const [from, to] = await Promise.all([source.keys(database), target.keys(targetOf(target, database))]);
    await forEachBatch(await source.servers(database), signal, async (keys) => {
      // What an earlier run has brought is compared later.
      const wanted = isResumed ? await missingKeys(to, keys) : keys;
      const bytes = await copyKeys(from, to, wanted);
      done += keys.length;
      onProgress('copied', done, total);
      return bytes;
    });
  }
}

async function compareUntilEqual(
  source: CopyPlace,
  target: CopyPlace,
  options: CopyOptions,
): Promise<Pick<CopyReport, 'keys' | 'databases' | 'repaired' | 'differing'>> {
  await using scratch = await open('memory:', { settings: { 'enable-debug-command': true } });
  const comparison = new ValueComparison(scratch);
  let repaired = 0;
  for (let round = 1; ; round++) {
    const { keys, databases, differing } = await compareOnce(source, target, comparison, options);
    if (differing === 0 || round === COMPARISONS) return { keys, databases, repaired, differing };
    repaired += differing;
  }
}

async function compareOnce(
  source: CopyPlace,
  target: CopyPlace,
  comparison: ValueComparison,
  { signal, onProgress }: CopyOptions,
): Promise<{ keys: number; databases: number; differing: number }> {
  const sizes = await source.sizes();
  const total = sum(sizes.values());
  let done = 0;
  let differing = 0;
  for (const database of sizes.keys()) {
    const [from, to] = await Promise.all([source.keys(database), target.keys(targetOf(target, database))]);
    await forEachBatch(await source.servers(database), signal, async (keys) => {
      const result = await repairKeys(from, to, keys, comparison);
      differing += result.differing;
      done += keys.length;
      onProgress('compared', done, total);
      return result.bytes;
    });
  }
  return { keys: total, databases: sizes.size, differing };
}

/**
 * Keys of the target that the source does not have: deleted at the source meanwhile, or at the target before. Only in
 * databases in which the source had keys: the others are left alone.
 */
async function findSurplus(
  source: CopyPlace,
  target: CopyPlace,
  atFirst: readonly number[],
  options: CopyOptions,
): Promise<number> {
  const { signal } = options;
  let surplus = 0;
  for (const database of new Set([...atFirst, ...(await source.sizes()).keys()])) {
    const [from, to] = await Promise.all([source.keys(database), target.keys(targetOf(target, database))]);
    await forEachBatch(await target.servers(targetOf(target, database)), signal, async (keys) => {
      const suspects = await missingKeys(from, keys);
      // A key whose time was up between the two questions is missing at both places by now.
      const gone = suspects.length === 0 ? [] : await missingKeys(to, suspects);
      surplus += suspects.length - gone.length;
      if (options.delete) await deleteKeys(to, suspects);
      return 0;
    });
  }
  return surplus;
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
