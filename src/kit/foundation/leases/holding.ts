import type { StoreTime } from '../../../store/index.js';
import { milliseconds, resolveOptions } from '../options.js';
import { Lease } from './lease.js';

/** A lock or permit that is held until it is released or lost. */
export interface Held extends AsyncDisposable {
  readonly name: string;
  /** Whether it is still held, as far as this process knows without asking the server. */
  readonly isHeld: boolean;
  /** Aborts with a `LOST` error as reason when it is lost; not when it is released. */
  readonly signal: AbortSignal;
  /** Renews the lease now, as it happens by itself unless `renew` is false. False if it is lost. */
  renew(): Promise<boolean>;
  /**
   * Makes the lease last for at least this number of ms from now, also without renewals: for example before work that blocks
   * the event loop. A lease that lasts longer is not shortened. False if it is lost.
   */
  extend(ms: number): Promise<boolean>;
  /** Releases it, atomically and only if it is still held. False if it was lost before. May be called twice. */
  release(): Promise<boolean>;
}

export interface HoldingOptions {
  readonly time: StoreTime;
  /** Length of the lease on the server's clock, in ms. */
  readonly lease: number;
  /** `time.monotonic()` before the granted request was sent. */
  readonly since: number;
  /** Whether the lease is renewed automatically. */
  readonly renews: boolean;
  /** The part of a lease that is safe to use. Default: all of it. */
  readonly certainPart?: (lease: number) => number;
  /** Asks the server for a new lease; false if it is no longer held. */
  extend(lease: number): Promise<boolean>;
  /** Releases it; false if another client may have held it since. */
  giveBack(): Promise<boolean>;
}

/** Something held by a lease, which is renewed until it is released. */
export class Holding implements Held {
  readonly name: string;
  readonly #options: HoldingOptions;
  readonly #lease: Lease;
  #released: Promise<boolean> | undefined;

  /** @param what for the error text: "the lock 'report'" */
  constructor(name: string, what: string, options: HoldingOptions) {
    const { time, lease, since, renews } = options;
    this.name = name;
    this.#options = options;
    this.#lease = new Lease({
      time,
      what,
      duration: this.#certainPart(lease),
      since,
      renew: renews ? () => options.extend(lease) : undefined,
    });
  }

  get isHeld(): boolean {
    return this.#lease.isHeld;
  }

  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  async renew(): Promise<boolean> {
    return this.#extend(this.#options.lease);
  }

  async extend(given: number): Promise<boolean> {
    const { ms } = resolveOptions('extend', { ms: given }, { ms: milliseconds(undefined, { min: 1 }) });
    return this.#extend(ms);
  }

  async #extend(lease: number): Promise<boolean> {
    const { time } = this.#options;
    if (!this.isHeld) return false;
    const since = time.monotonic();
    if (await this.#options.extend(lease)) this.#lease.extend(since, this.#certainPart(lease));
    else this.#lease.lose();
    return this.isHeld;
  }

  release(): Promise<boolean> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /** After its lease it counts as lost, even if no other client held it since. If the server cannot be reached, the next call retries. */
  async #release(): Promise<boolean> {
    const wasHeld = this.isHeld;
    this.#lease.stop();
    try {
      const isGivenBack = await this.#options.giveBack();
      return isGivenBack && wasHeld;
    } catch (error) {
      this.#released = undefined;
      throw error;
    }
  }

  #certainPart(lease: number): number {
    return this.#options.certainPart?.(lease) ?? lease;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
