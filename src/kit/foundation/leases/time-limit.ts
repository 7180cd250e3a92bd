import type { StoreTime } from '../../../store/index.js';
import { abortedBy } from '../kit-error.js';
import { type Alarm, Alarms } from './alarms.js';

/** The result of a promise that did not resolve in time. */
export const LATE: unique symbol = Symbol('late');

export interface TimeLimit {
  readonly time: StoreTime;
  /** The deadline, by `time.monotonic()`; `Infinity` for none. */
  readonly until: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns what the promise resolves to, or `LATE` at the deadline. Rejects with `ABORTED` when the signal aborts. In both
 * cases the promise is still pending, and the caller must handle its result.
 */
export function withinTime<T>(
  promise: Promise<T>,
  { time, until, signal }: TimeLimit,
): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const alarms = Alarms.of(time);
    const alarm: Alarm = { due: 0, ring: () => end(() => resolve(LATE)) };
    const onAbort = (): void => end(() => reject(abortedBy(signal as AbortSignal)));
    const end = (settle: () => void): void => {
      alarms.cancel(alarm);
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    if (until < Number.POSITIVE_INFINITY) alarms.set(alarm, until);
    signal?.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
