import { Holding, type HoldingOptions } from '../foundation/index.js';
import type { LockWish } from './lock-scripts.js';

/**
 * A lock that is held. Release it, or let `await using` do so.
 *
 * @example
 * await using lock = await locks(store).acquire('report');
 * await writeReport({ token: lock.token, signal: lock.signal });
 */
export interface Lock extends AsyncDisposable {
  readonly name: string;
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
  /** Whether it is still held, as far as this side can know without asking. */
  readonly isHeld: boolean;
  /** Aborts with a `LOST` error as reason when the lock is lost; not when it is released. */
  readonly signal: AbortSignal;
  /** Asks the server now for a new lease, of this length in ms or the usual one. False if the lock is lost. */
  renew(lease?: number): Promise<boolean>;
  /** Gives it back, in one atomic step and only if it is still held. False if it was lost before. Twice is no error. */
  release(): Promise<boolean>;
}

/** A holding that is a lock. */
export class HeldLock extends Holding implements Lock {
  readonly name: string;
  readonly holder: string;
  readonly isShared: boolean;
  readonly token: number;

  constructor({ name, holder, shared }: LockWish, token: number, options: Omit<HoldingOptions, 'what'>) {
    super({ ...options, what: `the lock '${name}'` });
    this.name = name;
    this.holder = holder;
    this.isShared = shared;
    this.token = token;
  }
}
