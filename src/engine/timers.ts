// Imported, since the globals may be a test runner's fake timers, which must not stop the event loop.
import { clearImmediate, setImmediate } from 'node:timers';

/** Schedules work. Injected, so that tests can control time. */
export interface Timers {
  /** Calls `work` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, work: () => void): () => void;
  /** Calls `work` after the events that are waiting now, such as input. */
  soon(work: () => void): () => void;
  /** Measures how long work takes, in ms, instead of `performance.now`: in virtual time, work takes none. */
  elapsed?(): number;
}

/** Timers that do not keep the process running by themselves. */
export const systemTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, Math.min(ms, MAX_TIMEOUT));
    timer.unref();
    return () => clearTimeout(timer);
  },
  soon(work) {
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  },
};

/** Starts a timer that keeps the process running until it is cleared, as an open socket would. */
export function keepRunning(): NodeJS.Timeout {
  return setInterval(() => {}, MAX_TIMEOUT);
}

/** The maximum of setTimeout and setInterval, in ms. A longer wait ends early, and the caller waits again. */
export const MAX_TIMEOUT = 0x7fffffff;
