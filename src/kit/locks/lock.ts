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
   * The fencing token: greater than the token of every earlier holder. Pass it to the resource that the lock protects, and
   * refuse there any token smaller than the last one seen. This keeps out even a holder that was paused and does not
   * know yet that it has lost the lock.
   */
  readonly token: number;
  /** The holder: pass it to `acquire` as `holder` to take the lock again. */
  readonly holder: string;
  /** Whether other clients may hold it at the same time. */
  readonly isShared: boolean;
}

/** The holding of a lock. */
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
