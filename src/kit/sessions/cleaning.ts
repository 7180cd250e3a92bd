import { StoreError, type StoreTime } from '../../store/index.js';
import { throwIfAborted } from '../foundation/index.js';
import type { Oldest } from './session-scripts.js';

/** What a pass of cleaning needs of the sessions. */
export interface Cleanable {
  readonly limit: number;
  readonly shards: number;
  /** Asks every shard for its least recently seen sessions. */
  oldest(request: OldestRequest): Promise<Oldest[]>;
  /** Removes the sessions of a shard that were last seen before a moment (µs), up to `MAX_OF_SHARD`. */
  dropUnseen(shard: number, before: number): Promise<number>;
  /** Removes sessions of a shard that were not seen since the moment of its listing. */
  drop(shard: number, ids: readonly string[], moment: number): Promise<number>;
}

/** What a shard is asked, apart from the number of its sessions. */
export interface OldestRequest {
  /** When the session with this rank was seen; 0: not asked. The one seen least recently has rank 0. */
  readonly rank: number;
  /** How many sessions are listed. */
  readonly count: number;
}

/** How many sessions are removed at a time, of all shards. */
const BATCH = 8_000;
/** A script removes no more than that: other clients wait for it. */
const MAX_OF_SHARD = 1_000;
/** With less, too few sessions are removed at a time by their times. */
const MIN_RANK = 32;

const COUNT_ONLY: OldestRequest = { rank: 0, count: 0 };

/**
 * Removes the sessions beyond the limit that were not seen for the longest time. Most are removed by time, so that their ids are
 * never sent; the last ones, of which some may have been seen at the same time, by their ids. A session that was seen after the shards were
 * asked stays: the scripts that remove sessions compare the times. Returns how many were removed.
 */
export async function cleanOnce(cleanable: Cleanable, signal: AbortSignal | undefined): Promise<number> {
  const { limit, shards, oldest } = cleanable;
  const perShard = Math.min(MAX_OF_SHARD, Math.ceil(BATCH / shards));
  let removed = 0;
  let byIds = false;
  for (let request = COUNT_ONLY; ; ) {
    throwIfAborted(signal);
    const answers = await oldest(request);
    const counts = answers.map(({ count }) => count);
    const excess = sumOf(counts) - limit;
    if (excess <= 0) {
      if (answers.every(({ forgotten }) => forgotten === 0)) return removed;
      request = COUNT_ONLY;
      continue;
    }
    const rank = commonRank(counts, excess, perShard);
    if (request === COUNT_ONLY || request.rank > rank) {
      byIds ||= rank < MIN_RANK;
      request = byIds ? { rank: 0, count: Math.min(perShard, excess) } : { rank, count: 0 };
      continue;
    }
    const total = await (byIds ? dropByIds(cleanable, answers, excess) : dropByTime(cleanable, answers));
    removed += total;
    // All of them came back: the others are newer.
    if (total === 0 && byIds) return removed;
    // None was seen before the others of its shard.
    if (total === 0) byIds = true;
    request = COUNT_ONLY;
  }
}

/** Removes the sessions that every shard has before the rank for which it was asked. */
async function dropByTime({ dropUnseen }: Cleanable, answers: readonly Oldest[]): Promise<number> {
  // All sessions that were seen before this time are among them, in every shard.
  const time = Math.min(...answers.map(({ timeAtRank }) => timeAtRank ?? Number.POSITIVE_INFINITY));
  return sumOf(
    await Promise.all(answers.map(({ moment }, shard) => dropUnseen(shard, Math.min(time, moment)))),
  );
}

async function dropByIds({ drop }: Cleanable, answers: readonly Oldest[], excess: number): Promise<number> {
  const chosen = choose(answers, excess);
  return sumOf(
    await Promise.all([...chosen].map(([shard, ids]) => drop(shard, ids, (answers[shard] as Oldest).moment))),
  );
}

/** The highest rank, up to `max`, before which all shards together have no more than `excess` sessions. */
export function commonRank(counts: readonly number[], excess: number, max: number): number {
  let [low, high] = [0, max];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sumOf(counts.map((count) => Math.min(count, middle))) <= excess) low = middle;
    else high = middle - 1;
  }
  return low;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** The ids to remove from each shard: the oldest of all. */
export function choose(listings: readonly Oldest[], excess: number): Map<number, string[]> {
  // A shard may have more sessions than it listed, all of them newer than the last one it listed.
  const horizons = listings.map(({ count, entries }) =>
    count > entries.length ? (entries.at(-1)?.seen ?? Number.NEGATIVE_INFINITY) : Number.POSITIVE_INFINITY,
  );
  const horizon = Math.min(...horizons);
  const candidates = listings.map(({ entries }) => entries.filter(({ seen }) => seen <= horizon));
  let { before, ties } = boundaryOf(candidates, excess);
  const chosen = new Map<number, string[]>();
  for (const [shard, entries] of candidates.entries()) {
    const ids: string[] = [];
    for (const { id, seen } of entries) {
      if (seen < before || (seen === before && ties-- > 0)) ids.push(id);
    }
    if (ids.length > 0) chosen.set(shard, ids);
  }
  return chosen;
}

/** The oldest `count` candidates are those that were seen before this time, and `ties` of those that were seen at it. */
function boundaryOf(
  candidates: readonly Oldest['entries'][],
  count: number,
): { before: number; ties: number } {
  const total = candidates.reduce((sum, { length }) => sum + length, 0);
  if (total <= count) return { before: Number.POSITIVE_INFINITY, ties: 0 };
  const times = new Float64Array(total);
  let at = 0;
  for (const entries of candidates) for (const { seen } of entries) times[at++] = seen;
  times.sort();
  const before = times[count - 1] as number;
  return { before, ties: count - times.indexOf(before) };
}

/** Repeated cleaning, until it is stopped. */
export interface SessionCleaner extends AsyncDisposable {
  /** Resolves when the current pass has ended. */
  stop(): Promise<void>;
}

export interface CleanerOptions {
  readonly time: StoreTime;
  readonly every: number;
  readonly signal: AbortSignal | undefined;
  readonly onError: (error: unknown) => void;
  clean(signal: AbortSignal): Promise<unknown>;
}

export function startCleaner({ time, every, signal, onError, clean }: CleanerOptions): SessionCleaner {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const goOn = (): void => {
        cancel();
        ending.signal.removeEventListener('abort', goOn);
        resolve();
      };
      const cancel = time.after(every, goOn, { background: true });
      ending.signal.addEventListener('abort', goOn, { once: true });
    });

  async function loop(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        await clean(ending.signal);
      } catch (error) {
        if (ending.signal.aborted) break;
        if (error instanceof StoreError && error.code === 'CLOSED') break;
        onError(error);
      }
      if (!ending.signal.aborted) await pause();
    }
    signal?.removeEventListener('abort', end);
  }

  const ended = loop();
  const stop = (): Promise<void> => {
    end();
    return ended;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}
