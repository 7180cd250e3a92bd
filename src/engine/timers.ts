// Not the globals: fake timers of test runners hold time back, but must not hold back turns of the event loop.
import { clearImmediate, setImmediate } from 'node:timers';

/** Waking up later. Passed in, so that a test's clock can decide when "later" is. */
export interface Timers {
  /** Calls `work` once after so many ms; the returned function cancels it. */
  after(ms: number, work: () => void): () => void;
  /** Calls `work` when what is waiting now (input above all) has had its turn. */
  soon(work: () => void): () => void;
}

/** Timers that do not keep the process running by themselves. */
export const systemTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, Math.min(ms, LONGEST_TIMEOUT));
    timer.unref();
    return () => clearTimeout(timer);
  },
  soon(work) {
    const immediate = setImmediate(work);
    return () => clearImmediate(immediate);
  },
};

/** What setTimeout can hold; whoever waits longer is woken early and waits again. */
const LONGEST_TIMEOUT = 0x7fffffff;
