import { StoreError, type StoreTime } from '../../../store/index.js';
import { abortedBy, KitError, throwIfAborted } from '../kit-error.js';
import { RENEWALS_PER_LEASE } from './lease.js';
import { LATE, withinTime } from './time-limit.js';
import type { Wait, Wakeups } from './wakeups.js';

/**
 * How often a waiter reports that it is alive, in ms. It also checks for a grant then, so this is the time to
 * recover from a lost message.
 */
const HEARTBEAT = 5_000;
/** How long a waiter counts as alive after its last report, in ms. */
export const WAITER_ALIVE = 3 * HEARTBEAT;

/** The outcome of a claim: it is granted, or the next try is after `retryIn` ms. */
export type ClaimReply<Granted> =
  | { readonly isGranted: true; readonly grant: Granted }
  | { readonly isGranted: false; readonly retryIn: number };

/** One attempt to acquire something. */
export interface Claim {
  /** The channel that wakes the claimer; empty if it does not join the queue. */
  readonly channel: string;
  /** Counted from 1: on the first attempt it cannot be in the queue yet. */
  readonly attempt: number;
}

export interface ClaimOptions<Granted> {
  /** What is claimed, for the error text: "the lock 'report'". */
  readonly what: string;
  readonly time: StoreTime;
  readonly wakeups: Wakeups;
  /** Id of the claim; messages are addressed to it. */
  readonly id: string;
  /** Timeout in ms; 0 tries once. */
  readonly wait: number;
  readonly signal: AbortSignal | undefined;
  /** For this many ms others may overtake it, also without handing it over; then it checks. Default 0. */
  readonly patience?: number;
  /** Claims it; with a channel, also joins the queue. Must be safe to repeat, unless there is `putBack`. */
  claim(claim: Claim): Promise<ClaimReply<Granted>>;
  /** Gives up: leaves the queue, and releases a grant that may have been made in between. */
  withdraw(): Promise<unknown>;
  /**
   * For things that are consumed, where a claim whose answer was lost must not be repeated: puts back what was
   * taken for a caller that is gone.
   */
  readonly putBack?: (grant: Granted) => Promise<unknown>;
  /**
   * For things that can be granted by message, `<attempt> <grant>`: parses the grant. The lease counts from the attempt,
   * so a grant that arrives late is not used: it is claimed again, which renews it.
   */
  readonly byMessage?: {
    /** In ms; 0 if a granted lease must have its full length. */
    readonly lease: number;
    grant(text: string): Granted;
  };
}

/** A grant, and the time at which its request was sent. */
export interface Obtained<Granted> {
  readonly grant: Granted;
  readonly since: number;
}

/**
 * How long a pending claim may still take after the timeout, in ms. Without it, a wait shorter than a round trip could
 * never succeed.
 */
const GRACE = 500;
/** Retry delay after a claim that could not be sent or was not answered, in ms. */
const PAUSE_AFTER_OUTAGE = 200;
/** How long the withdrawal of a claim is retried while the server cannot be reached, in ms. */
const WITHDRAW_FOR = 60_000;

/**
 * Claims something until it is granted; undefined at the timeout. Retries while the server is unreachable, and rejects with
 * `TIMEOUT` if it still is at the timeout; with `ABORTED` when the signal aborts. Without a grant the claim is
 * withdrawn. If the server is unreachable, the withdrawal is retried later; a lease granted meanwhile ends by itself.
 */
export async function obtain<Granted>(
  options: ClaimOptions<Granted>,
): Promise<Obtained<Granted> | undefined> {
  throwIfAborted(options.signal);
  const claims = new Claims(options);
  try {
    const obtained = await claims.repeat();
    if (obtained === undefined && options.wait > 0) await claims.withdraw();
    return obtained;
  } catch (error) {
    await claims.withdraw();
    throw error;
  }
}

/** @param outage why the last claim was not answered, if it was not */
export function timedOut(what: string, wait: number, outage?: unknown): KitError {
  if (outage === undefined) {
    const advice = 'raise `wait`, retry later, or check why it is held for so long';
    return new KitError('TIMEOUT', `${what} could not be acquired within ${wait} ms: ${advice}`);
  }
  const reason = outage instanceof Error ? outage.message : 'no answer';
  return new KitError('TIMEOUT', `${what} could not be acquired within ${wait} ms: ${reason}`, {
    cause: outage,
  });
}

/** The claims of one caller, one after the other. */
class Claims<Granted> {
  readonly #options: ClaimOptions<Granted>;
  readonly #start: number;
  /** The pending claim, or the one that was pending when the caller left. */
  #underWay: Promise<ClaimReply<Granted>> | undefined;
  #outage: unknown;

  constructor(options: ClaimOptions<Granted>) {
    this.#options = options;
    this.#start = options.time.monotonic();
  }

  async repeat(): Promise<Obtained<Granted> | undefined> {
    const { what, time, wakeups, id, wait, signal, patience = 0 } = this.#options;
    let place: Wait | undefined;
    try {
      for (let attempt = 1; ; attempt++) {
        // The first attempt may succeed at once. Later attempts must listen first, so that they miss no message. With patience, the
        // first attempt does not even expect one, which takes time: should it miss a message, it checks soon.
        if (wait > 0 && patience === 0) place ??= wakeups.place(id);
        if (place !== undefined && attempt > 1 && !place.isReady) await this.#listen(place);
        const since = time.monotonic();
        const reply = await this.#claim({ channel: wait > 0 ? wakeups.channel : '', attempt });
        if (reply?.isGranted === true) return { grant: reply.grant, since };
        const waited = this.#waited;
        if (waited >= wait) {
          if (this.#outage !== undefined) throw timedOut(what, wait, this.#outage);
          return undefined;
        }
        place ??= wakeups.place(id);
        const pause = Math.min(reply?.retryIn ?? PAUSE_AFTER_OUTAGE, wait - waited);
        if (reply === undefined) {
          await sleep(time, pause, signal);
        } else if (place.isReady || (await this.#listen(place))) {
          const isPatient = waited < patience || (attempt === 1 && patience > 0);
          const atMost = Math.max(1, Math.min(pause, isPatient ? patience - waited : HEARTBEAT));
          const woken = await place.next({ atMost, signal });
          const grant =
            woken.kind === 'message' ? granted(this.#options, attempt, since, woken.text) : undefined;
          if (grant !== undefined) return { grant, since };
        }
      }
    } finally {
      place?.close();
    }
  }

  get #waited(): number {
    return this.#options.time.monotonic() - this.#start;
  }

  /** The server's answer; undefined if it did not answer in time or cannot be reached. */
  async #claim(claim: Claim): Promise<ClaimReply<Granted> | undefined> {
    const { signal, wait, putBack } = this.#options;
    this.#outage = undefined;
    const underWay = this.#options.claim(claim);
    this.#underWay = underWay;
    try {
      const reply = await this.#inTime(underWay);
      if (reply === LATE) {
        this.#outage = 'late';
        return undefined;
      }
      if (signal?.aborted === true) throw abortedBy(signal);
      this.#underWay = undefined;
      return reply;
    } catch (error) {
      if (wait === 0 || !isOutage(error) || (putBack !== undefined && error.mayHaveRun)) throw error;
      this.#underWay = undefined;
      this.#outage = error;
      return undefined;
    }
  }

  /** Starts to listen; false if messages may have been missed, or if it does not listen yet. */
  async #listen(place: Wait): Promise<boolean> {
    try {
      return (await this.#inTime(place.listen())) === true;
    } catch (error) {
      if (!isOutage(error)) throw error;
      return false;
    }
  }

  /** Embedded stores answer at once, so no timeout is needed. */
  #inTime<T>(promise: Promise<T>): Promise<T | typeof LATE> {
    const { time, wait, signal, wakeups } = this.#options;
    if (!wakeups.isRemote) return promise;
    // A single attempt uses the store's timeout.
    const until =
      wait === 0 ? Number.POSITIVE_INFINITY : Math.max(this.#start + wait, time.monotonic() + GRACE);
    return withinTime(promise, { time, until, signal });
  }

  /**
   * Withdraws the claim: it may have been granted although the answer was lost. The caller waits only while the
   * server answers; otherwise this continues in the background.
   */
  async withdraw(): Promise<void> {
    const { time, wakeups } = this.#options;
    const isAway = this.#outage !== undefined || (this.#underWay !== undefined && wakeups.isRemote);
    const done = this.#withdraw();
    if (!isAway) await withinTime(done, { time, until: time.monotonic() + GRACE, signal: undefined });
  }

  async #withdraw(): Promise<void> {
    const { time, withdraw } = this.#options;
    const giveUpAt = time.monotonic() + WITHDRAW_FOR;
    // Wait for the pending claim first: it could be granted after its withdrawal.
    await this.#underWay?.then(
      (reply) => this.#putBack(reply),
      () => {},
    );
    for (;;) {
      try {
        await withdraw();
        return;
      } catch (error) {
        if (!isOutage(error) || time.monotonic() >= giveUpAt) return;
      }
      await new Promise<void>((resolve) => time.after(PAUSE_AFTER_OUTAGE, resolve, { background: true }));
    }
  }

  #putBack(reply: ClaimReply<Granted>): void {
    if (reply.isGranted) this.#options.putBack?.(reply.grant).catch(() => {});
  }
}

/** Whether the server could not be reached, or did not answer. */
export function isOutage(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.code === 'UNREACHABLE' || error.code === 'TIMEOUT');
}

/** Not in the background: this timer may be all that keeps the process running. */
async function sleep(time: StoreTime, ms: number, signal: AbortSignal | undefined): Promise<void> {
  await time.sleep(Math.max(1, ms), signal === undefined ? {} : { signal }).catch(() => {});
  throwIfAborted(signal);
}

/**
 * The grant in a message, if it answers this attempt. A message for an older attempt is void: a later claim was
 * refused, so that grant has ended. A grant starts after its attempt was sent, so its lease is counted from there.
 */
function granted<Granted>(
  { time, byMessage }: ClaimOptions<Granted>,
  attempt: number,
  since: number,
  text: string,
): Granted | undefined {
  if (byMessage === undefined || time.monotonic() - since >= byMessage.lease / RENEWALS_PER_LEASE) {
    return undefined;
  }
  const end = text.indexOf(' ');
  return end > 0 && text.slice(0, end) === `${attempt}` ? byMessage.grant(text.slice(end + 1)) : undefined;
}
