import type { StoreTime } from '../../store/index.js';
import { anySignal, KitError, LATE, withinTime } from '../foundation/index.js';

/** What the sources that answered in time have returned. */
export interface Gathered<T> {
  /** By the name of the source, in the order of the sources. */
  readonly results: ReadonlyMap<string, T>;
  /** Sources that failed or did not answer in time, with their errors. */
  readonly missing: ReadonlyMap<string, Error>;
  /** Whether all have answered. */
  readonly isComplete: boolean;
}

export interface GatherLimits {
  readonly time: StoreTime;
  /** In ms. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Asks all sources at the same time, and waits for the last answer or until the time is over, whichever is first. Work that is late is
 * told by its signal. Errors of the caller (code `OPTION`) reject; those of a source make it missing.
 */
export async function gather<T>(
  sources: readonly string[],
  work: (source: string, signal: AbortSignal) => Promise<T>,
  { time, timeout, signal }: GatherLimits,
): Promise<Gathered<T>> {
  const late = new AbortController();
  const until = time.monotonic() + timeout;
  const workSignal = signal === undefined ? late.signal : anySignal(late.signal, signal);
  const asked = sources.map(async (source) => {
    try {
      return await withinTime(work(source, workSignal), { time, until, signal });
    } catch (error) {
      if (signal?.aborted === true || isCallersError(error)) throw error;
      return new Missing(error instanceof Error ? error : new Error(String(error)));
    }
  });
  try {
    const answers = await Promise.all(asked);
    const results = new Map<string, T>();
    const missing = new Map<string, Error>();
    for (const [i, answer] of answers.entries()) {
      const source = sources[i] as string;
      if (answer === LATE) missing.set(source, tooLate(source, timeout));
      else if (answer instanceof Missing) missing.set(source, answer.error);
      else results.set(source, answer as T);
    }
    return { results, missing, isComplete: missing.size === 0 };
  } finally {
    late.abort();
    for (const one of asked) one.catch(() => {});
  }
}

class Missing {
  readonly error: Error;

  constructor(error: Error) {
    this.error = error;
  }
}

function isCallersError(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'OPTION' || code === 'QUERY' || error instanceof TypeError;
}

function tooLate(source: string, timeout: number): KitError {
  return new KitError('TIMEOUT', `gather: '${source}' did not answer within ${timeout} ms`);
}
