import { StoreError } from './store-error.js';

/** Time as a store sees it. Everything that waits uses it, so that a manual clock moves all of a program. */
export interface StoreTime {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds since some moment, not affected by changes of the system's clock: to measure lengths of time. */
  monotonic(): number;
  /**
   * Calls `work` once after this many ms; the returned function cancels it. Keeps the process running until then, unless
   * it is done in the background.
   */
  after(ms: number, work: () => void, options?: AlarmOptions): () => void;
  /** Resolves after this many ms; rejects with `ABORTED` when the signal aborts. */
  sleep(ms: number, options?: { readonly signal?: AbortSignal }): Promise<void>;
}

export interface AlarmOptions {
  /** With `true`, a process that has nothing else to do ends without waiting for it. Default false. */
  readonly background?: boolean;
}

/** The parts of a clock that a `StoreTime` is made of. */
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

/** Not by the system's clock: set back by an hour, it would delay everything by an hour. */
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

/** What setTimeout can hold. */
const MAX_TIMEOUT = 0x7fffffff;

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

/** The error of a wait that its signal has ended. */
export function aborted(signal: AbortSignal, mayHaveRun = false): StoreError {
  return new StoreError('ABORTED', 'the wait was ended by its AbortSignal', {
    cause: signal.reason,
    mayHaveRun,
  });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal);
}

/** The promise, or an error as soon as the signal aborts. What was sent is executed all the same. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(aborted(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
