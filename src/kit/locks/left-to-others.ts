import { nextTick } from 'node:process';

/**
 * Locks that this process has released although clients wait. The waiters let others overtake, because this process often takes the lock again
 * at once, and need not be woken for that. If it has not asked for the lock when the code that follows the release has run, the
 * waiters are served. Should the process end before, they check by themselves when their patience ends.
 */
export class LeftToOthers {
  readonly #names = new Set<string>();
  /** Embedded calls may go on for thousands of locks before the tick: one callback for all. */
  #isPlanned = false;
  readonly #serve: (name: string) => Promise<unknown>;

  constructor(serve: (name: string) => Promise<unknown>) {
    this.#serve = serve;
  }

  /** Call it in the reaction to a promise: the tick follows when no more reactions are left. */
  add(name: string): void {
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
    for (const name of this.#names) this.#serve(name).catch(() => {});
    this.#names.clear();
  }
}
