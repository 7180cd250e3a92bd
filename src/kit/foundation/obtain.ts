import type { StoreTime } from '../../store/index.js';
import { KitError, throwIfAborted } from './kit-error.js';
import { RENEWALS_PER_LEASE } from './lease.js';
import type { Wait, Wakeups } from './wakeups.js';

/**
 * How often, in ms, a waiter says that it still waits. It looks for itself then, so this is also how long it takes to
 * recover from a message that was lost.
 */
const HEARTBEAT = 5_000;
/** How long, in ms, a waiter that is not heard of counts as alive. */
export const WAITER_ALIVE = 3 * HEARTBEAT;

/** What a claim came to: it is granted, or it may be worth another look after so many ms. */
export type ClaimReply<Granted> =
  | { readonly isGranted: true; readonly grant: Granted }
  | { readonly isGranted: false; readonly retryIn: number };

/** One attempt to get something. */
export interface Claim {
  /** Where to wake the claimer; empty: it does not join those who wait. */
  readonly channel: string;
  /** Counted from 1: before the first, it cannot have joined those who wait. */
  readonly attempt: number;
}

export interface ClaimOptions<Granted> {
  readonly time: StoreTime;
  readonly wakeups: Wakeups;
  /** Of the claim: what it is woken by. */
  readonly id: string;
  /** How long to wait in ms; 0 tries once. */
  readonly wait: number;
  readonly signal: AbortSignal | undefined;
  /** For so many ms it does not join those who wait, so that others may overtake it; then it looks again. Default 0. */
  readonly patience?: number;
  /** Asks for it; with a channel, also joins those who wait. Must bear repetition. */
  claim(claim: Claim): Promise<ClaimReply<Granted>>;
  /** Gives up: leaves the line, and gives back what may have been granted on the way. */
  withdraw(): Promise<unknown>;
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
 * Claims something until it is granted; undefined when the time is up. Rejects with `ABORTED` when the signal says so.
 * Without a grant the claim has been withdrawn.
 */
export async function obtain<Granted>(
  options: ClaimOptions<Granted>,
): Promise<Obtained<Granted> | undefined> {
  const { signal, wait } = options;
  throwIfAborted(signal);
  let obtained: Obtained<Granted> | undefined;
  try {
    obtained = await claimRepeatedly(options);
  } catch (error) {
    // It may have been granted although the answer was lost; if this fails too, its lease ends.
    await options.withdraw().catch(() => {});
    throw error;
  }
  if (obtained === undefined && wait > 0) await options.withdraw();
  return obtained;
}

export function timedOut(what: string, wait: number): KitError {
  const advice = 'raise `wait`, try again later, or see who holds it for so long';
  return new KitError('TIMEOUT', `${what} could not be had within ${wait} ms: ${advice}`);
}

async function claimRepeatedly<Granted>(
  options: ClaimOptions<Granted>,
): Promise<Obtained<Granted> | undefined> {
  const { time, wakeups, id, wait, signal, patience = 0 } = options;
  const start = time.monotonic();
  let place: Wait | undefined;
  try {
    for (let attempt = 1; ; attempt++) {
      const waits = wait > 0 && time.monotonic() - start >= patience;
      if (waits) place ??= wakeups.place(id);
      // The first who asks may not have to wait at all; who asks again had better be listening when its turn comes.
      if (place !== undefined && attempt > 1 && !place.isReady) await place.listen();
      const since = time.monotonic();
      const reply = await options.claim({ channel: waits ? wakeups.channel : '', attempt });
      throwIfAborted(signal);
      if (reply.isGranted) return { grant: reply.grant, since };
      const waited = time.monotonic() - start;
      if (waited >= wait) return undefined;
      const pause = Math.min(reply.retryIn, wait - waited);
      if (place === undefined) {
        await sleep(time, Math.min(pause, patience - waited), signal);
      } else if (place.isReady || (await place.listen())) {
        const woken = await place.next({ atMost: Math.max(1, Math.min(pause, HEARTBEAT)), signal });
        const grant = woken.kind === 'message' ? granted(options, attempt, since, woken.text) : undefined;
        if (grant !== undefined) return { grant, since };
      }
    }
  } finally {
    place?.close();
  }
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
