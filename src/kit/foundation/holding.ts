import type { StoreTime } from '../../store/index.js';
import { Lease } from './lease.js';
import { milliseconds, resolveOptions } from './options.js';

/** Something that is held until it is released, or lost. */
export interface Held extends AsyncDisposable {
  readonly name: string;
  /** Whether it is still held, as far as this side can know without asking. */
  readonly isHeld: boolean;
  /** Aborts with a `LOST` error as reason when it is lost; not when it is released. */
  readonly signal: AbortSignal;
  /** Asks the server now for a new lease, of this length in ms or the default one. False if it is lost. */
  renew(lease?: number): Promise<boolean>;
  /** Gives it back, in one atomic step and only if it is still held. False if it was lost before. Twice is no error. */
  release(): Promise<boolean>;
}

export interface HoldingOptions {
  readonly time: StoreTime;
  /** How long a lease lasts by the server's clock, in ms. */
  readonly lease: number;
  /** `time.monotonic()` before the request was sent that was granted. */
  readonly since: number;
  /** Whether the lease is renewed by itself. */
  readonly renews: boolean;
  /** The part of a lease that can be relied on; default: all of it. */
  readonly certainPart?: (lease: number) => number;
  /** Asks the server for a new lease; false if it is held no longer. */
  extend(lease: number): Promise<boolean>;
  /** Gives it back; false if another client may have had it since. */
  giveBack(): Promise<boolean>;
}

/** What is held for as long as its lease is renewed, and given back at the end. */
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

  async renew(given?: number): Promise<boolean> {
    const { time, lease: defaultLease } = this.#options;
    const { lease } = resolveOptions(
      'renew',
      { lease: given },
      { lease: milliseconds(defaultLease, { min: 1 }) },
    );
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

  /** Past its lease it counts as lost, even if no client has had it since. If the server could not be told, the next call tries again. */
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
