import type { StoreTime } from '../../../store/index.js';
import { KitError } from '../kit-error.js';
import { type Alarm, Alarms } from './alarms.js';

export interface LeaseOptions {
  readonly time: StoreTime;
  /** What is held, for the error text: "the lock 'report'". */
  readonly what: string;
  /** Length of the lease from the time at which the server grants or renews it, in ms. */
  readonly duration: number;
  /** `time.monotonic()` before the request that granted it was sent: the lease cannot have begun earlier. */
  readonly since: number;
  /** Asks the server for another `duration`; false if it is no longer held. Undefined: the lease is not renewed. */
  readonly renew: (() => Promise<boolean>) | undefined;
}

/** A lease is renewed after a third of it, so two attempts may fail. */
export const RENEWALS_PER_LEASE = 3;
/** After a failed renewal, the next attempt is sooner. */
const ATTEMPTS_PER_LEASE = 10;

/**
 * Renews a lease, and reports when it is lost. The server's clock decides when a lease ends. This process only measures
 * durations, starting before each request, so it never assumes a lease for longer than the server does, whatever the
 * clocks show.
 */
export class Lease implements Alarm {
  due = 0;
  readonly #options: LeaseOptions;
  readonly #alarms: Alarms;
  #heldUntil: number;
  #isOver = false;
  #isBeingRenewed = false;
  #loss: KitError | undefined;
  /** Created on first use: most signals are never used. */
  #lost: AbortController | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#alarms = Alarms.of(options.time);
    this.#heldUntil = options.since + options.duration;
    this.#plan(options.since + options.duration / RENEWALS_PER_LEASE);
  }

  /** Aborts, with a `LOST` error as reason, when the lease is lost. Not when it is released. */
  get signal(): AbortSignal {
    if (this.#lost === undefined) {
      this.#lost = new AbortController();
      if (this.#loss !== undefined) this.#lost.abort(this.#loss);
    }
    return this.#lost.signal;
  }

  /** Whether the lease is still valid, as far as this process knows. */
  get isHeld(): boolean {
    if (!this.#isOver && this.#options.time.monotonic() >= this.#heldUntil) this.lose();
    return !this.#isOver;
  }

  /** The time, by `time.monotonic()`, until which it is certainly held. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** The server has granted `duration` to a request sent at `since`. It does not shorten a longer lease. */
  extend(since: number, duration = this.#options.duration): void {
    if (this.#isOver) return;
    this.#heldUntil = Math.max(this.#heldUntil, since + duration);
    this.#plan(since + duration / RENEWALS_PER_LEASE);
  }

  /** Ends the renewal, because the lease is released. */
  stop(): void {
    this.#isOver = true;
    this.#alarms.cancel(this);
  }

  /** The server reports that the lease is gone. */
  lose(): void {
    if (this.#isOver) return;
    this.stop();
    this.#loss = new KitError('LOST', `${this.#options.what} was lost: ${WHY_LOST}`);
    this.#lost?.abort(this.#loss);
  }

  /** Plans the next renewal for this time, or for the end of the lease. */
  #plan(at: number): void {
    this.#alarms.cancel(this);
    const end = this.#heldUntil;
    this.#alarms.set(this, this.#options.renew === undefined ? end : Math.min(at, end));
  }

  ring(): void {
    const { renew } = this.#options;
    if (!this.isHeld) return;
    // The lease may end before the answer arrives.
    this.#plan(this.#heldUntil);
    if (renew !== undefined && !this.#isBeingRenewed) void this.#renew(renew);
  }

  async #renew(renew: () => Promise<boolean>): Promise<void> {
    const { time, duration } = this.#options;
    const since = time.monotonic();
    this.#isBeingRenewed = true;
    try {
      if (await renew()) this.extend(since);
      else this.lose();
    } catch {
      if (!this.#isOver) this.#plan(time.monotonic() + duration / ATTEMPTS_PER_LEASE);
    } finally {
      this.#isBeingRenewed = false;
    }
  }
}

const WHY_LOST =
  'its lease ended before it was renewed. The process was paused or disconnected for too long, or the data was removed; ' +
  'stop the work that depends on it, or use a longer `lease`';
