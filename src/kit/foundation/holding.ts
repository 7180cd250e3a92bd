import type { StoreTime } from '../../store/index.js';
import { Lease } from './lease.js';
import { milliseconds, resolveOptions } from './options.js';

export interface HoldingOptions {
  readonly time: StoreTime;
  /** What is held, for the error text: "the lock 'report'". */
  readonly what: string;
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
  /** Gives it back; false if it was held no longer. */
  giveBack(): Promise<boolean>;
}

/** Something that is held for as long as its lease is renewed, and given back at the end. */
export class Holding implements AsyncDisposable {
  readonly #options: HoldingOptions;
  readonly #lease: Lease;
  #released: Promise<boolean> | undefined;

  constructor(options: HoldingOptions) {
    const { time, what, lease, since, renews } = options;
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
    const { time, lease: usual, extend } = this.#options;
    const { lease } = resolveOptions('renew', { lease: given }, { lease: milliseconds(usual, { least: 1 }) });
    if (!this.isHeld) return false;
    const since = time.monotonic();
    if (await extend(lease)) this.#lease.extend(since, this.#certainPart(lease));
    else this.#lease.lose();
    return this.isHeld;
  }

  release(): Promise<boolean> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /** If the server could not be told, the next call tries again. */
  async #release(): Promise<boolean> {
    this.#lease.stop();
    try {
      return await this.#options.giveBack();
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
