import type { CompleteBackoff } from './options.js';

/** How many ms to wait after a number of failures, the last of which has just happened. */
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
