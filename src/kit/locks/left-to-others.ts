import { nextTick } from 'node:process';
import type { StoreTime } from '../../store/index.js';

/**
 * Locks that this process has released although clients wait. The waiters let others overtake, because this process often takes the lock again
 * at once, and need not be woken for that. If it has not asked for the lock when the code that follows the release has run, the
 * waiters are served. Should the process end before, they check by themselves when their patience ends.
 */
export class LeftToOthers {
  readonly #time: StoreTime;
  readonly #serve: (name: string) => Promise<unknown>;
  readonly #names = new Set<string>();
  /** Until when the first waiter of a lock lets others overtake, as far as known. Entries go with the next release. */
  readonly #patience = new Map<string, number>();
  /** Embedded calls may go on for thousands of locks before the tick: one callback for all. */
  #isPlanned = false;

  constructor(time: StoreTime, serve: (name: string) => Promise<unknown>) {
    this.#time = time;
    this.#serve = serve;
  }

  /** Whether the next release need not look who waits. */
  mayLeave(name: string): boolean {
    const until = this.#patience.get(name);
    if (until === undefined) return false;
    if (this.#time.monotonic() < until) return true;
    this.#patience.delete(name);
    return false;
  }

  /**
   * Call it in the reaction to a promise: the tick follows when no more reactions are left.
   *
   * @param ms for which the first waiter lets others overtake; 0 if not known
   */
  add(name: string, ms: number): void {
    if (ms > 0) this.#patience.set(name, this.#time.monotonic() + ms);
    this.#names.add(name);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    nextTick(() => this.#serveAll());
  }

  /** This process asks for it: if it is still free, it gets it, and serves the waiters when it releases it. */
  isTakenAgain(name: string): void {
    this.#names.delete(name);
  }

  #serveAll(): void {
    this.#isPlanned = false;
    for (const name of this.#names) {
      this.#patience.delete(name);
      this.#serve(name).catch(() => {});
    }
    this.#names.clear();
  }
}
