import type { StoreTime } from '../../store/index.js';
import { Lease } from '../foundation/index.js';
import type { Lock } from './lock.js';
import type { LockSteps, LockWish } from './lock-scripts.js';

/** How much faster than ours a server's clock may run, as a part of the lease, and what its grain may hide, in ms. */
const DRIFT = 0.01;
const CLOCK_GRAIN = 2;

/** The part of a lease that can be relied on where it is measured by several clocks. */
function certainPart(lease: number): number {
  return Math.max(0, Math.floor(lease * (1 - DRIFT)) - CLOCK_GRAIN);
}

export interface MajorityLockParts {
  readonly sites: readonly LockSteps[];
  readonly time: StoreTime;
  /** When the requests were sent that were granted. */
  readonly since: number;
  readonly renews: boolean;
  /** How long a store may take to answer. */
  readonly patience: number;
}

/** A lock that more than half of several stores have granted. */
export class MajorityLock implements Lock {
  readonly token: number;
  readonly #wish: LockWish;
  readonly #parts: MajorityLockParts;
  readonly #lease: Lease;
  #released: Promise<boolean> | undefined;

  constructor(wish: LockWish, token: number, parts: MajorityLockParts) {
    this.#wish = wish;
    this.#parts = parts;
    this.token = token;
    this.#lease = new Lease({
      time: parts.time,
      what: `the lock '${wish.name}'`,
      duration: certainPart(wish.lease),
      since: parts.since,
      renew: parts.renews ? () => this.#renewMajority(wish.lease) : undefined,
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

  async renew(lease = this.#wish.lease): Promise<boolean> {
    if (!this.isHeld) return false;
    const since = this.#parts.time.now();
    if (await this.#renewMajority(lease)) this.#lease.extend(since, certainPart(lease));
    else this.#lease.lose();
    return this.isHeld;
  }

  /** A store that came back empty is asked for the lock anew; but only those count that have had it all along. */
  async #renewMajority(lease: number): Promise<boolean> {
    const { sites, time, patience } = this.#parts;
    return mostAgree(time, patience, sites, async (steps) => {
      if (await steps.renew(this.#wish, this.token, lease)) return true;
      steps.acquire(this.#wish, '').catch(() => {});
      return false;
    });
  }

  release(): Promise<boolean> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /** Stores that do not answer keep the lock until its lease ends. */
  #release(): Promise<boolean> {
    const { sites, time, patience } = this.#parts;
    this.#lease.stop();
    return mostAgree(time, patience, sites, (steps) => steps.release(this.#wish));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}

/** Whether more than half say yes; known as soon as it can be. Who fails or does not answer in time says no. */
export function mostAgree<Site>(
  time: StoreTime,
  patience: number,
  sites: readonly Site[],
  ask: (site: Site) => Promise<boolean>,
): Promise<boolean> {
  return new Promise((resolve) => {
    let yes = 0;
    let no = 0;
    const end = (isAgreed: boolean): void => {
      cancel();
      resolve(isAgreed);
    };
    const cancel = time.after(patience, () => end(false));
    const count = (isYes: boolean): void => {
      if (isYes) yes++;
      else no++;
      if (yes * 2 > sites.length) end(true);
      else if (no * 2 >= sites.length) end(false);
    };
    for (const site of sites) ask(site).then(count, () => count(false));
  });
}
