import { type Store, StoreError, type StoreTime } from '../../store/index.js';
import {
  anySignal,
  type Claim,
  callback,
  checkStore,
  EvictionGuard,
  KitError,
  keyNaming,
  milliseconds,
  newId,
  resolveOptions,
  throwIfAborted,
  timedOut,
  type Wait,
  Wakeups,
} from '../foundation/index.js';
import { HeldLock, type Lock } from './lock.js';
import { LOCK_PARTS, type LockRequest, type LockSteps, lockSteps } from './lock-scripts.js';
import { majorityAgrees } from './majority-agrees.js';
import {
  type CompleteLockOptions,
  LOCKS_RULES,
  type LockOptions,
  type LocksOptions,
  lockOptionsOver,
} from './options.js';

/** Options of `majorityLocks`. */
export interface MajorityLocksOptions extends Omit<LocksOptions, 'fair'> {
  /** Timeout of one store, in ms; a store that does not answer counts as refusing. At most a quarter of the lease. Default 1,000. */
  readonly patience?: number;
  /** Source of randomness for retry delays. Default `Math.random`. */
  readonly random?: () => number;
}

/** Options of one acquisition from a majority. There is no `fair`: waiters are not served in order. */
export type MajorityLockOptions = Omit<LockOptions, 'fair'>;

/** Locks that more than half of a set of independent stores must grant. Made by `majorityLocks`. */
export interface MajorityLocks {
  /** Waits for the lock and holds it. Rejects with `TIMEOUT` after `wait` ms. */
  acquire(name: string, options?: MajorityLockOptions): Promise<Lock>;
  /** Holds the lock if more than half of the stores grant it now; else undefined. */
  tryAcquire(name: string, options?: Omit<MajorityLockOptions, 'wait'>): Promise<Lock | undefined>;
}

/**
 * Locks over an odd number of stores on independent servers. A lock is held when more than half of them have granted it,
 * so it survives the loss of any minority. See the README for the limits of this algorithm.
 *
 * @example
 * const stores = await Promise.all(['redis://a', 'redis://b', 'redis://c'].map((address) => open(address)));
 * await using lock = await majorityLocks(stores).acquire('report');
 */
export function majorityLocks(stores: readonly Store[], options: MajorityLocksOptions = {}): MajorityLocks {
  if (!Array.isArray(stores)) {
    throw new KitError('OPTION', 'majorityLocks: the first argument must be a list of stores');
  }
  for (const store of stores) checkStore('majorityLocks', store);
  if (new Set(stores).size < 3 || stores.length % 2 === 0) {
    throw new KitError(
      'OPTION',
      `majorityLocks: give an odd number of different stores, at least 3, not ${stores.length}`,
    );
  }
  return new StoresLocks(stores, options);
}

/** One of the stores, and its wake-ups. */
interface Site {
  readonly steps: LockSteps;
  readonly wakeups: Wakeups;
}

const { fair: _, ...COMMON_RULES } = LOCKS_RULES;
const RULES = {
  ...COMMON_RULES,
  patience: milliseconds(1_000, { min: 1 }),
  random: callback<() => number>(() => Math.random()),
};

/** The maximum drift of a server's clock, as a fraction of the lease, and the resolution of the clock in ms. */
const DRIFT = 0.01;
const CLOCK_GRAIN = 2;

/** The part of a lease that is safe to use when several clocks measure it. */
function certainPart(lease: number): number {
  return Math.max(0, Math.floor(lease * (1 - DRIFT)) - CLOCK_GRAIN);
}

/** Of clients that try at the same time, none may get a majority. Each retries after a random delay, in ms. */
const MIN_RETREAT = 5;
const MAX_RETREAT = 50;

/** Retry delay after some stores could not be reached, in ms. */
const RETRY_AFTER_OUTAGE = 1_000;

/** The claim of a client that may already hold the lock or be in the queue, so not a first attempt. */
const ONCE_MORE: Claim = { channel: '', attempt: 2 };

class StoresLocks implements MajorityLocks {
  readonly #sites: readonly Site[];
  readonly #time: StoreTime;
  readonly #patience: number;
  readonly #random: () => number;
  readonly #keysOf;
  readonly #complete: (given: LockOptions | undefined) => CompleteLockOptions;

  constructor(stores: readonly Store[], given: MajorityLocksOptions) {
    const options = { ...resolveOptions('majorityLocks', given, RULES), fair: false };
    this.#sites = stores.map((store) => ({
      steps: lockSteps(store, options.fenceMemory, new EvictionGuard(store, 'majorityLocks', options)),
      wakeups: new Wakeups(store, options.prefix),
    }));
    this.#time = (stores[0] as Store).time;
    this.#patience = options.patience;
    this.#random = options.random;
    this.#keysOf = keyNaming('majorityLocks', options.prefix, LOCK_PARTS);
    this.#complete = lockOptionsOver(options);
  }

  async acquire(name: string, given?: MajorityLockOptions): Promise<Lock> {
    const options = this.#complete(given);
    const lock = await this.#acquire(name, options);
    if (lock === undefined) throw timedOut(`the lock '${name}'`, options.wait);
    return lock;
  }

  async tryAcquire(name: string, given?: Omit<MajorityLockOptions, 'wait'>): Promise<Lock | undefined> {
    return this.#acquire(name, { ...this.#complete(given), wait: 0 });
  }

  async #acquire(name: string, options: CompleteLockOptions): Promise<Lock | undefined> {
    const { lease, shared, holder = newId(), wait, signal, renew } = options;
    throwIfAborted(signal);
    const request: LockRequest = {
      name,
      keys: this.#keysOf(name),
      id: newId(),
      holder,
      lease,
      fair: shared,
      shared,
      // A lock of a minority would only block other clients.
      turn: 'woken',
      patience: 0,
    };
    const places = this.#sites.map(({ wakeups }) => wakeups.place(request.id));
    let lock: Lock | undefined;
    try {
      lock = await this.#attemptRepeatedly(request, { wait, signal, renews: renew, places });
    } finally {
      for (const place of places) place.close();
      if (lock === undefined) this.#withdraw(request);
    }
    return lock;
  }

  async #attemptRepeatedly(
    request: LockRequest,
    { wait, signal, renews, places }: Attempts,
  ): Promise<Lock | undefined> {
    const giveUpAt = this.#time.monotonic() + wait;
    for (let attempt = 1; ; attempt++) {
      const since = this.#time.monotonic();
      const { granted, retryIn } = await this.#ask(request, wait > 0, attempt);
      throwIfAborted(signal);
      const lock =
        granted.length * 2 > this.#sites.length
          ? await this.#confirm(request, granted, since, renews)
          : undefined;
      if (lock !== undefined) return lock;
      const left = giveUpAt - this.#time.monotonic();
      if (left <= 0) return undefined;
      await this.#pause(places, Math.max(1, Math.min(retryIn, left)), signal);
    }
  }

  /**
   * Asks all stores at once. Without a majority, releases what was granted, and stays in the queue of the stores that
   * refused, which wake it later.
   */
  async #ask(
    request: LockRequest,
    waits: boolean,
    attempt: number,
  ): Promise<{ granted: readonly number[]; retryIn: number }> {
    const granted: number[] = [];
    const refusing = new Set<Site>();
    let retryIn = request.lease;
    let refusal: KitError | undefined;
    let closed: StoreError | undefined;
    let closedStores = 0;
    const isAgreed = await this.#agreed(request, async (site) => {
      const reply = await site.steps
        .acquire(request, { channel: waits ? site.wakeups.channel : '', attempt })
        .catch((error: unknown) => {
          // A store that is unreachable now is asked again soon.
          retryIn = Math.min(retryIn, RETRY_AFTER_OUTAGE);
          if (error instanceof KitError) refusal = error;
          else if (error instanceof StoreError && error.code === 'CLOSED') {
            closed = error;
            closedStores++;
          }
          throw error;
        });
      if (reply.isGranted) {
        granted.push(reply.grant);
        return true;
      }
      refusing.add(site);
      retryIn = Math.min(retryIn, reply.retryIn);
      return false;
    });
    if (isAgreed) return { granted: [...granted], retryIn };
    if (refusal !== undefined) throw refusal;
    if (closed !== undefined && closedStores === this.#sites.length) throw closed;
    for (const site of this.#sites) if (!refusing.has(site)) site.steps.release(request).catch(() => {});
    return { granted: [], retryIn };
  }

  /**
   * Each store counts its own tokens, so the largest token is written to a majority before it is used. The next
   * holder asks at least one store of that majority, and gets a larger token.
   */
  async #confirm(
    request: LockRequest,
    granted: readonly number[],
    since: number,
    renews: boolean,
  ): Promise<Lock | undefined> {
    const token = Math.max(...granted);
    const lock = new HeldLock(request, token, {
      time: this.#time,
      lease: request.lease,
      since,
      renews,
      certainPart,
      extend: (lease) => this.#renew(request, token, lease),
      // Stores that do not answer keep the lock until its lease ends.
      giveBack: () => this.#agreed(request, async ({ steps }) => (await steps.release(request)) > 0),
    });
    if (await lock.renew()) return lock;
    await lock.release();
    return undefined;
  }

  /** A store that restarted empty is asked for the lock again, but only stores that kept the lock count. */
  #renew(request: LockRequest, token: number, lease: number): Promise<boolean> {
    return this.#agreed(request, async ({ steps }) => {
      if (await steps.renew(request, token, lease)) return true;
      steps.acquire(request, ONCE_MORE).catch(() => {});
      return false;
    });
  }

  /** Asks all stores. The timeout of each store leaves enough of the lease for the work. */
  #agreed({ lease }: LockRequest, ask: (site: Site) => Promise<boolean>): Promise<boolean> {
    return majorityAgrees(this.#time, Math.min(this.#patience, Math.ceil(lease / 4)), this.#sites, ask);
  }

  /** Waits until one of the stores sends a message, then for a random delay. */
  async #pause(places: readonly Wait[], atMost: number, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    const either = signal === undefined ? over.signal : anySignal(signal, over.signal);
    const waits = places.map(async (place) => {
      const hasMissedNothing = await place.listen();
      if (hasMissedNothing) await place.next({ atMost, signal: either });
    });
    try {
      // A store that does not answer, or only with an error, does not end the wait.
      await Promise.any([...waits, this.#time.sleep(atMost, { signal: either })]);
    } catch {
      // The signal ended all waits.
    }
    over.abort();
    throwIfAborted(signal);
    const retreat = MIN_RETREAT + this.#random() * (MAX_RETREAT - MIN_RETREAT);
    await this.#time.sleep(retreat);
  }

  /** Not awaited: a store that is down would delay the caller. */
  #withdraw(request: LockRequest): void {
    for (const { steps } of this.#sites) steps.release(request).catch(() => {});
  }
}

interface Attempts {
  readonly wait: number;
  readonly signal: AbortSignal | undefined;
  readonly renews: boolean;
  readonly places: readonly Wait[];
}
