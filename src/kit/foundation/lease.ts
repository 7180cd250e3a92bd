import type { StoreTime } from '../../store/index.js';
import { KitError } from './kit-error.js';

export interface LeaseOptions {
  readonly time: StoreTime;
  /** What is held, for the error text: "the lock 'report'". */
  readonly what: string;
  /** How long the lease lasts from the moment the server grants or renews it, in ms. */
  readonly duration: number;
  /** `time.monotonic()` before the request that granted it was sent: the lease cannot have begun earlier. */
  readonly since: number;
  /** Asks the server for another `duration`; false if it is no longer held. Undefined: the lease is not renewed. */
  readonly renew: (() => Promise<boolean>) | undefined;
}

/** Renewed when a third of it is over, so that two attempts may fail. */
const RENEWALS_PER_LEASE = 3;
/** After a renewal that failed on the way, the next attempt comes sooner. */
const ATTEMPTS_PER_LEASE = 10;
/** Something that is held and forgotten must not keep a process from ending. */
const BACKGROUND = { background: true };

/**
 * Keeps something held by renewing its lease, and tells when it is lost. The server's clock decides how long a lease
 * lasts; here only lengths of time are measured, from before each request, so this side never believes in a lease longer
 * than the server does, whatever the clocks show.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #lost = new AbortController();
  #heldUntil: number;
  #isOver = false;
  #cancelTimer: () => void = () => {};

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#heldUntil = options.since + options.duration;
    this.#plan(options.duration / RENEWALS_PER_LEASE);
  }

  /** Aborts, with a `LOST` error as reason, when the lease is lost. Not when it is given back. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether the lease goes on, as far as this side can know. */
  get isHeld(): boolean {
    if (!this.#isOver && this.#options.time.monotonic() >= this.#heldUntil) this.lose();
    return !this.#isOver;
  }

  /** Until when, by `time.monotonic()`, it is certain to be held. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** A request sent at `since` was answered with another `duration`. */
  extend(since: number, duration = this.#options.duration): void {
    if (this.#isOver) return;
    this.#heldUntil = since + duration;
    this.#plan(duration / RENEWALS_PER_LEASE);
  }

  /** Ends the renewal: it is given back. */
  stop(): void {
    this.#isOver = true;
    this.#cancelTimer();
  }

  /** Somebody found out that it is gone. */
  lose(): void {
    if (this.#isOver) return;
    this.stop();
    this.#lost.abort(new KitError('LOST', `${this.#options.what} was lost: ${WHY_LOST}`));
  }

  #plan(delay: number): void {
    const { time, renew } = this.#options;
    this.#cancelTimer();
    const left = this.#heldUntil - time.monotonic();
    const work = renew === undefined ? () => this.#expire() : () => void this.#renew(renew);
    this.#cancelTimer = time.after(renew === undefined ? left : Math.min(delay, left), work, BACKGROUND);
  }

  #expire(): void {
    if (this.isHeld) this.#plan(0);
  }

  async #renew(renew: () => Promise<boolean>): Promise<void> {
    const { time, duration } = this.#options;
    if (!this.isHeld) return;
    const since = time.monotonic();
    // While the answer is under way the lease may end.
    this.#cancelTimer = time.after(this.#heldUntil - since, () => void this.isHeld, BACKGROUND);
    try {
      if (await renew()) this.extend(since);
      else this.lose();
    } catch {
      if (!this.#isOver) this.#plan(duration / ATTEMPTS_PER_LEASE);
    }
  }
}

const WHY_LOST =
  'its lease ended before it was renewed. The process was stopped or cut off for too long, or the data was removed; ' +
  'stop what depends on it, or ask for a longer `lease`';
