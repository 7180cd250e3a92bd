import type { StoreTime } from '../../store/index.js';
import { integer, Lease, type Obtained, resolveOptions } from '../foundation/index.js';
import type { Lock } from './lock.js';
import type { LockSteps, LockWish } from './lock-scripts.js';

/** A lock on one store. */
export class HeldLock implements Lock {
  readonly token: number;
  readonly #wish: LockWish;
  readonly #steps: LockSteps;
  readonly #time: StoreTime;
  readonly #lease: Lease;
  #released: Promise<boolean> | undefined;

  constructor(
    wish: LockWish,
    { grant, since }: Obtained<number>,
    {
      steps,
      time,
      renews,
    }: { readonly steps: LockSteps; readonly time: StoreTime; readonly renews: boolean },
  ) {
    this.#wish = wish;
    this.#steps = steps;
    this.#time = time;
    this.token = grant;
    this.#lease = new Lease({
      time,
      what: `the lock '${wish.name}'`,
      duration: wish.lease,
      since,
      renew: renews ? () => steps.renew(wish, grant) : undefined,
    });
  }

  get name(): string {
    return this.#wish.name;
  }

  get holder(): string {
    return this.#wish.holder;
  }

  get isShared(): boolean {
    return this.#wish.shared;
  }

  get isHeld(): boolean {
    return this.#lease.isHeld;
  }

  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  async renew(given?: number): Promise<boolean> {
    const { lease } = resolveOptions(
      'renew',
      { lease: given },
      { lease: integer(this.#wish.lease, { least: 1 }) },
    );
    if (!this.isHeld) return false;
    const since = this.#time.now();
    if (await this.#steps.renew(this.#wish, this.token, lease)) this.#lease.extend(since, lease);
    else this.#lease.lose();
    return this.isHeld;
  }

  release(): Promise<boolean> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<boolean> {
    this.#lease.stop();
    try {
      return await this.#steps.release(this.#wish);
    } catch (error) {
      this.#released = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
