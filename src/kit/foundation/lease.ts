import type { StoreTime } from '../../store/index.js';
import { type Alarm, Alarms } from './alarms.js';
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
export const RENEWALS_PER_LEASE = 3;
/** After a renewal that failed on the way, the next attempt comes sooner. */
const ATTEMPTS_PER_LEASE = 10;

/**
 * Keeps something held by renewing its lease, and tells when it is lost. The server's clock decides how long a lease
 * lasts; here only lengths of time are measured, from before each request, so this side never believes in a lease longer
 * than the server does, whatever the clocks show.
 */
export class Lease implements Alarm {
  due = 0;
  readonly #options: LeaseOptions;
  readonly #alarms: Alarms;
  #heldUntil: number;
  #isOver = false;
  #isBeingRenewed = false;
  #loss: KitError | undefined;
  /** Created when the signal is asked for: most never are. */
  #lost: AbortController | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#alarms = Alarms.of(options.time);
    this.#heldUntil = options.since + options.duration;
    this.#plan(options.since + options.duration / RENEWALS_PER_LEASE);
  }

  /** Aborts, with a `LOST` error as reason, when the lease is lost. Not when it is given back. */
  get signal(): AbortSignal {
    if (this.#lost === undefined) {
      this.#lost = new AbortController();
      if (this.#loss !== undefined) this.#lost.abort(this.#loss);
    }
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
    this.#plan(since + duration / RENEWALS_PER_LEASE);
  }

  /** Ends the renewal: it is given back. */
  stop(): void {
    this.#isOver = true;
    this.#alarms.cancel(this);
  }

  /** The server has said that it is gone. */
  lose(): void {
    if (this.#isOver) return;
    this.stop();
    this.#loss = new KitError('LOST', `${this.#options.what} was lost: ${WHY_LOST}`);
    this.#lost?.abort(this.#loss);
  }

  /** Looks after it at this time, or when it ends. */
  #plan(at: number): void {
    this.#alarms.cancel(this);
    const end = this.#heldUntil;
    this.#alarms.set(this, this.#options.renew === undefined ? end : Math.min(at, end));
  }

  ring(): void {
    const { renew } = this.#options;
    if (!this.isHeld) return;
    // While the answer is under way the lease may end.
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
  'its lease ended before it was renewed. The process was stopped or cut off for too long, or the data was removed; ' +
  'stop what depends on it, or ask for a longer `lease`';
