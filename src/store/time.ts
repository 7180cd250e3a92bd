import { MAX_TIMEOUT } from '../engine/timers.js';
import { StoreError } from './store-error.js';

/** A store's clock. All waits use it, so that tests can control them with a manual clock. */
export interface StoreTime {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds since an arbitrary moment, to measure durations: changes of the system's clock do not affect it. */
  monotonic(): number;
  /**
   * Calls `work` once after this many ms. The returned function cancels it. The process stays alive until then, unless
   * `background` is set.
   */
  after(ms: number, work: () => void, options?: AlarmOptions): () => void;
  /** Resolves after this many ms; rejects with `ABORTED` when the signal aborts. */
  sleep(ms: number, options?: { readonly signal?: AbortSignal }): Promise<void>;
}

export interface AlarmOptions {
  /** With `true`, the timer does not keep the process alive. Default false. */
  readonly background?: boolean;
}

/** The interface of a clock; `timeOf` turns it into a `StoreTime`. */
export interface TimeSource {
  now(): number;
  /** Default: `now`. */
  monotonic?(): number;
  after(ms: number, work: () => void, options?: AlarmOptions): () => void;
}

export function timeOf(source: TimeSource): StoreTime {
  return {
    now: () => source.now(),
    monotonic: () => source.monotonic?.() ?? source.now(),
    after: (ms, work, options) => source.after(ms, work, options),
    sleep: (ms, { signal } = {}) => sleep(source, ms, signal),
  };
}

export const systemTime: StoreTime = timeOf({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, work, options) => waitUntil(performance.now() + ms, work, options?.background === true),
});

/** Uses the monotonic clock: if the system's clock is set back by an hour, timers must not be delayed. */
function waitUntil(end: number, work: () => void, isBackground: boolean): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    timer = setTimeout(tick, Math.min(Math.max(0, left), MAX_TIMEOUT));
    if (isBackground) timer.unref();
  };
  const tick = (): void => {
    const left = end - performance.now();
    if (left <= 0) work();
    else wait(left);
  };
  wait(end - performance.now());
  return () => clearTimeout(timer);
}

function sleep(source: TimeSource, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(aborted(signal));
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(aborted(signal as AbortSignal));
    };
    const cancel = source.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The error of a call that was ended by its signal. */
export function aborted(signal: AbortSignal, mayHaveRun = false): StoreError {
  return new StoreError('ABORTED', 'the call was aborted by its AbortSignal', {
    cause: signal.reason,
    mayHaveRun,
  });
}

/** Throws `OPTION` if the value of an option is no signal. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw new StoreError('OPTION', `option 'signal' must be an AbortSignal, not ${String(signal)}`);
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal);
}

/** The promise's result, or an error as soon as the signal aborts. A command that was sent is still executed. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(aborted(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
