import type { CompleteBackoff } from '../options.js';

/** The delay in ms after the given number of failures. */
export function backoffDelay(
  backoff: CompleteBackoff | undefined,
  failures: number,
  random: () => number,
): number {
  if (backoff === undefined) return 0;
  const { kind, delay, max, jitter } = backoff;
  const whole = Math.min(max, kind === 'fixed' ? delay : delay * 2 ** Math.min(failures - 1, 60));
  return Math.round(whole - whole * jitter * random());
}
