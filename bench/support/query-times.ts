import { option } from './measure.js';
import type { Place } from './place.js';

const seconds = option('seconds', 0.3);
const isElapsed = option('elapsed', 0) === 1;

export type Clock = () => number;

/**
 * Milliseconds of processor time of this process, and of the server if there is one: they depend little on what else the machine does. With
 * `--elapsed=1` milliseconds that have passed.
 */
export function clockOf(place?: Place): Clock {
  if (isElapsed) return () => performance.now();
  if (place !== undefined) return () => place.processorTime();
  return () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
}

/** Calls that are measured at least, unless they take longer than this many ms more. */
const MIN_CALLS = 5;
const MAX_EXTRA_MS = 1_000;

/** The time of one call in µs: the average of `--seconds`, after half as long to warm up. */
export async function microsOf<T>(
  now: Clock,
  list: readonly T[],
  call: (one: T) => Promise<unknown>,
): Promise<number> {
  const warm = performance.now() + seconds * 500;
  for (let i = 0; performance.now() < warm; i++) await call(list[i % list.length] as T);
  const end = performance.now() + seconds * 1_000;
  const start = now();
  let calls = 0;
  for (let at = 0; at < end || (calls < MIN_CALLS && at < end + MAX_EXTRA_MS); at = performance.now()) {
    await call(list[calls++ % list.length] as T);
  }
  return ((now() - start) * 1_000) / calls;
}

/** A time as tables show it. */
export function shown(micros: number | undefined): string {
  if (micros === undefined) return '';
  return micros >= 1_000
    ? `${(micros / 1_000).toFixed(micros >= 10_000 ? 0 : 1)} ms`
    : `${micros.toFixed(0)} µs`;
}

/** The exponent with which a value grows when the size is ten times as large: 0 it stays, 1 it grows in proportion. */
export function exponent(small: number, large: number): string {
  return Math.log10(large / small).toFixed(2);
}

/** Calls `work` for all items, some at the same time, in order. */
export async function inBulk<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce) {
    onProgress(at);
    await Promise.all(items.slice(at, at + atOnce).map(work));
  }
}
