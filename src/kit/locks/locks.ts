import type { Store } from '../../store/index.js';
import {
  Acquirer,
  type Acquisition,
  checkStore,
  EvictionGuard,
  isReplica,
  keyNaming,
  newId,
  Wakeups,
} from '../foundation/index.js';
import { LeftToOthers } from './left-to-others.js';
import { HeldLock, type Lock } from './lock.js';
import { LOCK_PARTS, type LockRequest, type LockStatus, type LockSteps, lockSteps } from './lock-scripts.js';
import {
  type CompleteLockOptions,
  type ForceReleaseOptions,
  forceReleaseOptions,
  type LockOptions,
  type LocksOptions,
  lockOptionsOver,
  resolveLocksOptions,
} from './options.js';
import { acquireInOrder, type LockSet } from './several.js';

/** Locks by name, in one store. Made by `locks`. */
export interface Locks {
  /**
   * Waits for the lock and holds it. Rejects with `TIMEOUT` after `wait` ms.
   *
   * @example
   * await using lock = await locks(store).acquire('report', { wait: 60_000 });
   */
  acquire(name: string, options?: LockOptions): Promise<Lock>;

  /**
   * Holds the lock if it is free now; else undefined.
   *
   * @example
   * await using lock = await locks(store).tryAcquire('nightly-cleanup');
   * if (lock === undefined) return; // another process holds it
   */
  tryAcquire(name: string, options?: Omit<LockOptions, 'wait'>): Promise<Lock | undefined>;

  /**
   * Holds several locks at once. They are taken in the order of their names, not in the order given, so that two
   * clients never wait for each other. `wait` is the limit for all locks together.
   *
   * @example
   * await using both = await locks(store).acquireAll(['account:1', 'account:2']);
   * both.get('account:1').token;
   */
  acquireAll(names: readonly string[], options?: LockOptions): Promise<LockSet>;

  /**
   * Runs a function while holding the lock. The function gets the lock, and should stop when `lock.signal` aborts. Rejects
   * with `LOST` if the lock is lost meanwhile, even if the function succeeds.
   *
   * @example
   * const total = await locks(store).run('stock', async (lock) => countStock(lock.signal));
   */
  run<Result>(
    name: string,
    work: (lock: Lock) => Result | Promise<Result>,
    options?: LockOptions,
  ): Promise<Result>;

  /**
   * The lock of this name as a read-write lock: many readers or one writer, in order of arrival.
   *
   * @example
   * const catalogue = locks(store).readWrite('catalogue');
   * await using reading = await catalogue.read(); // others may read too
   */
  readWrite(name: string): ReadWriteLock;

  /**
   * Who holds the lock and for how long, and how many wait for it. The answer may be out of date when it arrives: to take the
   * lock if it is free, use `tryAcquire`.
   *
   * @example
   * await locks(store).status('report'); // { holders: [], waiting: 0 }
   */
  status(name: string): Promise<LockStatus>;

  /**
   * Takes the lock away from one holder or from all, and gives it to the next waiter: for operators, when a holder hangs but
   * renews its lease. Former holders learn of it at their next renewal (`LOST`); until then only the token keeps them out.
   * Returns how many holders lost it.
   *
   * @example
   * const { holders: [stuck] } = await locks(store).status('report');
   * if (stuck !== undefined) await locks(store).forceRelease('report', { holder: stuck.holder });
   */
  forceRelease(name: string, options?: ForceReleaseOptions): Promise<number>;
}

/** The read and write side of one lock. */
export interface ReadWriteLock {
  /** Waits until there is no writer. Other clients may read at the same time. */
  read(options?: Omit<LockOptions, 'shared' | 'fair'>): Promise<Lock>;
  /** Waits until there is no other reader or writer. A single reader may upgrade to a writer. */
  write(options?: Omit<LockOptions, 'shared' | 'fair'>): Promise<Lock>;
}

/**
 * Locks across processes: at most one holder per name at a time. The lease of a holder is renewed while its process
 * lives.
 *
 * @example
 * import { open } from 'sorrel';
 * import { locks } from 'sorrel/kit/locks';
 *
 * await using store = await open();
 * await using lock = await locks(store).acquire('report');
 * lock.token; // greater than the token of any earlier holder
 */
export function locks(store: Store, options: LocksOptions = {}): Locks {
  checkStore('locks', store);
  return new StoreLocks(store, options);
}

/**
 * How long a client that waits for an unfair lock lets others overtake it, in ms. For short work, one client that keeps taking the lock has two or three times the
 * throughput of several that hand it over each time (measured on redis-server and embedded, with 2 to 10 clients).
 */
const PATIENCE = 5;

class StoreLocks extends Acquirer<LockOptions, CompleteLockOptions, number, Lock> implements Locks {
  readonly #steps: LockSteps;
  readonly #keysOf;
  readonly #leftToOthers: LeftToOthers;

  constructor(store: Store, given: LocksOptions) {
    const options = resolveLocksOptions(given);
    super(store, new Wakeups(store, options.prefix), lockOptionsOver(options));
    this.#steps = lockSteps(store, options.fenceMemory, new EvictionGuard(store, 'locks', options));
    this.#keysOf = keyNaming('locks', options.prefix, LOCK_PARTS);
    this.#leftToOthers = new LeftToOthers(store.time, (name) => this.#steps.serve(this.#keysOf(name)));
  }

  protected describe(name: string): string {
    return `the lock '${name}'`;
  }

  protected request(name: string, options: CompleteLockOptions): Acquisition<number, Lock> {
    const steps = this.#steps;
    const request = this.#requestFor(name, options);
    return {
      id: request.id,
      patience: request.patience,
      claim: (claim) => {
        if (!request.fair) this.#leftToOthers.isTakenAgain(name);
        return steps.acquire(request, claim);
      },
      grantIn: Number,
      renew: (token, lease) => steps.renew(request, token, lease),
      release: () =>
        steps.release(request, this.#leftToOthers.mayLeave(name)).then((outcome) => {
          if (outcome >= 2) this.#leftToOthers.add(name, (outcome - 2) / 1_000);
          return outcome > 0;
        }),
      hold: (token, holding) => new HeldLock(request, token, holding),
    };
  }

  #requestFor(name: string, { lease, shared, fair, holder }: CompleteLockOptions): LockRequest {
    const id = newId();
    // Shared locks are fair, otherwise a writer might wait forever.
    const isFair = fair || shared;
    // A server of a Cluster does not know the subscribers of the other servers, nor a master those of its replicas.
    const isSure = isFair || this.store.kind === 'cluster' || isReplica(this.store);
    return {
      name,
      keys: this.#keysOf(name),
      id,
      holder: holder ?? id,
      lease,
      fair: isFair,
      shared,
      turn: isSure ? 'given' : 'givenIfListening',
      patience: isFair ? 0 : PATIENCE,
    };
  }

  async acquireAll(names: readonly string[], given: LockOptions = {}): Promise<LockSet> {
    const { time } = this.store;
    const { wait, holder = newId() } = this.complete(given);
    const giveUpAt = time.monotonic() + wait;
    return acquireInOrder(names, (name) =>
      this.acquire(name, { ...given, holder, wait: Math.max(0, Math.ceil(giveUpAt - time.monotonic())) }),
    );
  }

  async status(name: string): Promise<LockStatus> {
    return this.#steps.status(this.#keysOf(name));
  }

  async forceRelease(name: string, given?: ForceReleaseOptions): Promise<number> {
    const { holder } = forceReleaseOptions(given);
    return this.#steps.forceRelease(this.#keysOf(name), holder);
  }

  readWrite(name: string): ReadWriteLock {
    return {
      read: (options = {}) => this.acquire(name, { ...options, shared: true }),
      write: (options = {}) => this.acquire(name, { ...options, fair: true }),
    };
  }
}
