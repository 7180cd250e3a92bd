import { StoreError, type StoreTime } from '../../store/index.js';
import { throwIfAborted } from '../foundation/index.js';
import type { Oldest } from './session-scripts.js';

/** What a pass of cleaning needs of the sessions. */
export interface Cleanable {
  readonly limit: number;
  readonly shards: number;
  /** Lists the least recently seen sessions of every shard. */
  oldest(count: number): Promise<Oldest[]>;
  /** Removes sessions of a shard that were not seen since the moment of its listing. */
  drop(shard: number, ids: readonly string[], moment: string): Promise<number>;
}

/** How many sessions are listed at a time, of all shards. */
const BATCH = 8_000;
/** A script removes no more than that: other clients wait for it. */
const MAX_OF_SHARD = 1_000;

/**
 * Removes the sessions beyond the limit that were not seen for the longest time. A session that was seen after it was
 * listed stays: the script that removes it compares the times. Returns how many were removed.
 */
export async function cleanOnce(
  { limit, shards, oldest, drop }: Cleanable,
  signal: AbortSignal | undefined,
): Promise<number> {
  let removed = 0;
  const perShard = Math.min(MAX_OF_SHARD, Math.ceil(BATCH / shards));
  for (let count = 0; ; count = perShard) {
    throwIfAborted(signal);
    const listings = await oldest(count);
    const excess = listings.reduce((sum, listing) => sum + listing.count, 0) - limit;
    const forgotten = listings.reduce((sum, listing) => sum + listing.forgotten, 0);
    if (excess <= 0) {
      if (forgotten === 0) return removed;
      continue;
    }
    if (count === 0) continue;
    const chosen = choose(listings, excess);
    const dropped = await Promise.all(
      listings.map(async ({ moment }, shard) => {
        const ids = chosen.get(shard);
        return ids === undefined ? 0 : drop(shard, ids, moment);
      }),
    );
    const total = dropped.reduce((sum, count) => sum + count, 0);
    removed += total;
    // All of them came back: the others are newer.
    if (total === 0) return removed;
  }
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
