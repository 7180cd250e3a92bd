import { type Held, Holding, type HoldingOptions } from '../foundation/index.js';
import type { LockRequest } from './lock-scripts.js';

/**
 * A lock that is held. Release it, or let `await using` do so.
 *
 * @example
 * await using lock = await locks(store).acquire('report');
 * await writeReport({ token: lock.token, signal: lock.signal });
 */
export interface Lock extends Held {
  /**
   * The fencing token: greater than that of every holder before. Pass it on to what the lock protects, and refuse there
   * what comes with a smaller one than was seen before: this holds even against a holder that was stopped and does not
   * know yet that it has lost the lock.
   */
  readonly token: number;
  /** Who holds it: give it to `acquire` as `holder` to have the lock once more. */
  readonly holder: string;
  /** Whether others may hold it too. */
  readonly isShared: boolean;
}

/** A holding that is a lock. */
export class HeldLock extends Holding implements Lock {
  readonly holder: string;
  readonly isShared: boolean;
  readonly token: number;

  constructor({ name, holder, shared }: LockRequest, token: number, options: HoldingOptions) {
    super(name, `the lock '${name}'`, options);
    this.holder = holder;
    this.isShared = shared;
    this.token = token;
  }
}
