import { StoreError, type StoreTime } from '../../store/index.js';
import { abortedBy, KitError, throwIfAborted } from './kit-error.js';
import { RENEWALS_PER_LEASE } from './lease.js';
import { LATE, withinTime } from './time-limit.js';
import type { Wait, Wakeups } from './wakeups.js';

/**
 * How often, in ms, a waiter says that it still waits. It looks for itself then, so this is also how long it takes to
 * recover from a message that was lost.
 */
const HEARTBEAT = 5_000;
/** How long, in ms, a waiter that is not heard of counts as alive. */
export const WAITER_ALIVE = 3 * HEARTBEAT;

/** The outcome of a claim: it is granted, or it may be worth another look after `retryIn` ms. */
export type ClaimReply<Granted> =
  | { readonly isGranted: true; readonly grant: Granted }
  | { readonly isGranted: false; readonly retryIn: number };

/** One attempt to get something. */
export interface Claim {
  /** Where to wake the claimer; empty: it does not join the line. */
  readonly channel: string;
  /** Counted from 1: before the first, it cannot have joined the line. */
  readonly attempt: number;
}

export interface ClaimOptions<Granted> {
  /** What is claimed, for the error text: "the lock 'report'". */
  readonly what: string;
  readonly time: StoreTime;
  readonly wakeups: Wakeups;
  /** Of the claim: what it is woken by. */
  readonly id: string;
  /** How long to wait in ms; 0 tries once. */
  readonly wait: number;
  readonly signal: AbortSignal | undefined;
  /** For this many ms it does not join the line, so that others may overtake it; then it looks again. Default 0. */
  readonly patience?: number;
  /** Asks for it; with a channel, also joins the line. Must bear repetition, unless there is `putBack`. */
  claim(claim: Claim): Promise<ClaimReply<Granted>>;
  /** Gives up: leaves the line, and gives back what may have been granted on the way. */
  withdraw(): Promise<unknown>;
  /**
   * For what is taken once and for all, so that a claim whose answer was lost must not be repeated: gives back what was
   * taken for a caller that had gone.
   */
  readonly putBack?: (grant: Granted) => Promise<unknown>;
  /**
   * For what can be granted by message, `<attempt> <grant>`: makes a grant of its text. The lease counts from the attempt,
   * so a grant that comes late is not relied on: it is claimed once more, which renews it.
   */
  readonly byMessage?: {
    /** In ms; 0 if it is to be as long as it can be. */
    readonly lease: number;
    grant(text: string): Granted;
  };
}

/** A grant, and when the request that brought it was sent. */
export interface Obtained<Granted> {
  readonly grant: Granted;
  readonly since: number;
}

/**
 * How long, in ms, a claim that is under way when the time is up may still take: its answer may be on its way. Without it,
 * a wait shorter than a round trip could never be granted anything.
 */
const GRACE = 500;
/** After a claim that could not be sent, or was not answered, the next one comes after this time, in ms. */
const PAUSE_AFTER_OUTAGE = 200;
/** For how long, in ms, a claim that was given up without the server's knowledge is withdrawn again and again. */
const WITHDRAW_FOR = 60_000;

/**
 * Claims something until it is granted; undefined when the time is up. Goes on while the server is away, and rejects with
 * `TIMEOUT` if it still is when the time is up; with `ABORTED` when the signal aborts. Without a grant the claim is
 * withdrawn; if the server cannot be told now, it is told later, and what was granted meanwhile ends with its lease.
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
    const advice = 'raise `wait`, try again later, or see who holds it for so long';
    return new KitError('TIMEOUT', `${what} could not be had within ${wait} ms: ${advice}`);
  }
  const reason = outage instanceof Error ? outage.message : 'no answer came';
  return new KitError('TIMEOUT', `${what} could not be had within ${wait} ms: ${reason}`, { cause: outage });
}

/** The claims of one caller, one after the other. */
class Claims<Granted> {
  readonly #options: ClaimOptions<Granted>;
  readonly #start: number;
  /** The claim that is under way, or was when the caller left. */
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
        const waits = wait > 0 && this.#waited >= patience;
        if (waits) place ??= wakeups.place(id);
        // The first attempt may not have to wait at all; a later one had better be listening when its turn comes.
        if (place !== undefined && attempt > 1 && !place.isReady) await this.#listen(place);
        const since = time.monotonic();
        const reply = await this.#claim({ channel: waits ? wakeups.channel : '', attempt });
        if (reply?.isGranted === true) return { grant: reply.grant, since };
        const waited = this.#waited;
        if (waited >= wait) {
          if (this.#outage !== undefined) throw timedOut(what, wait, this.#outage);
          return undefined;
        }
        const pause = Math.min(reply?.retryIn ?? PAUSE_AFTER_OUTAGE, wait - waited);
        if (place === undefined || reply === undefined) {
          await sleep(
            time,
            place === undefined ? Math.min(pause, Math.max(1, patience - waited)) : pause,
            signal,
          );
        } else if (place.isReady || (await this.#listen(place))) {
          const woken = await place.next({ atMost: Math.max(1, Math.min(pause, HEARTBEAT)), signal });
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

  /** What the server says; undefined if it did not answer in time or cannot be reached. */
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

  /** Messages come; false if some may have been missed, or if they do not come yet. */
  async #listen(place: Wait): Promise<boolean> {
    try {
      return (await this.#inTime(place.listen())) === true;
    } catch (error) {
      if (!isOutage(error)) throw error;
      return false;
    }
  }

  /** Embedded stores answer at once: there is nothing to wait for. */
  #inTime<T>(promise: Promise<T>): Promise<T | typeof LATE> {
    const { time, wait, signal, wakeups } = this.#options;
    if (!wakeups.isRemote) return promise;
    // A single attempt has the store's own time limit.
    const until =
      wait === 0 ? Number.POSITIVE_INFINITY : Math.max(this.#start + wait, time.monotonic() + GRACE);
    return withinTime(promise, { time, until, signal });
  }

  /**
   * Takes the claim back: it may have been granted although the answer was lost. The caller is kept waiting only while the
   * server answers; else this goes on in the background.
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
    // What is under way comes first: it would be granted after its withdrawal.
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
function isOutage(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.code === 'UNREACHABLE' || error.code === 'TIMEOUT');
}

/** Not in the background, as nothing else may keep the process running. */
async function sleep(time: StoreTime, ms: number, signal: AbortSignal | undefined): Promise<void> {
  await time.sleep(Math.max(1, ms), signal === undefined ? {} : { signal }).catch(() => {});
  throwIfAborted(signal);
}

/**
 * What a message grants, if it answers this attempt: an older one was overtaken by a claim that was refused, so it has
 * ended since. A grant began after its attempt was sent; from there on its lease can be relied on.
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
