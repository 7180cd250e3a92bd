import type { Store } from '../../store/index.js';
import {
  Acquirer,
  type Acquisition,
  checkStore,
  EvictionGuard,
  keyNaming,
  newId,
  Wakeups,
} from '../foundation/index.js';
import { HeldLock, type Lock } from './lock.js';
import { LOCK_PARTS, type LockRequest, type LockSteps, lockSteps } from './lock-scripts.js';
import {
  type CompleteLockOptions,
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
   * Holds several locks at once. They are taken in the order of their names, whatever the order given, so that two who
   * want the same ones never wait for each other. `wait` is for all together.
   *
   * @example
   * await using both = await locks(store).acquireAll(['account:1', 'account:2']);
   * both.get('account:1').token;
   */
  acquireAll(names: readonly string[], options?: LockOptions): Promise<LockSet>;

  /**
   * Does something while holding the lock. The work gets the lock, and stops when `lock.signal` aborts. If the lock is
   * lost meanwhile, rejects with `LOST` even if the work went through.
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
   * The lock of this name as a read-write lock: many readers or one writer, in the order in which they came.
   *
   * @example
   * const catalogue = locks(store).readWrite('catalogue');
   * await using reading = await catalogue.read(); // others may read too
   */
  readWrite(name: string): ReadWriteLock;
}

/** Two sides of one lock. */
export interface ReadWriteLock {
  /** Waits until there is no writer; others may read at the same time. */
  read(options?: Omit<LockOptions, 'shared' | 'fair'>): Promise<Lock>;
  /** Waits until there is no other reader or writer. A holder that reads alone may go on to write. */
  write(options?: Omit<LockOptions, 'shared' | 'fair'>): Promise<Lock>;
}

/**
 * Locks that hold between processes: at most one holder of a name at a time, each with a lease that is renewed while it
 * lives.
 *
 * @example
 * import { open } from 'sorrel';
 * import { locks } from 'sorrel/kit/locks';
 *
 * await using store = await open();
 * await using lock = await locks(store).acquire('report');
 * lock.token; // greater than that of any holder before
 */
export function locks(store: Store, options: LocksOptions = {}): Locks {
  checkStore('locks', store);
  return new StoreLocks(store, options);
}

/**
 * After how many ms a client that found a lock taken looks again before it joins the line, if the lock is not fair.
 * Meanwhile others may take it: a client that goes on working gets two or three times as much done as several that hand
 * the lock to each other for a moment's work each (measured on redis-server and embedded, with 2 to 10 clients).
 */
const PATIENCE = 5;

class StoreLocks extends Acquirer<LockOptions, CompleteLockOptions, number, Lock> implements Locks {
  readonly #steps: LockSteps;
  readonly #keysOf;

  constructor(store: Store, given: LocksOptions) {
    const options = resolveLocksOptions(given);
    super(store, new Wakeups(store, options.prefix), lockOptionsOver(options));
    this.#steps = lockSteps(store, options.fenceMemory, new EvictionGuard(store, 'locks', options));
    this.#keysOf = keyNaming('locks', options.prefix, LOCK_PARTS);
  }

  protected describe(name: string): string {
    return `the lock '${name}'`;
  }

  protected request(name: string, options: CompleteLockOptions): Acquisition<number, Lock> {
    const steps = this.#steps;
    const request = this.#requestFor(name, options);
    return {
      id: request.id,
      patience: request.fair ? 0 : PATIENCE,
      claim: (claim) => steps.acquire(request, claim),
      grantIn: Number,
      renew: (token, lease) => steps.renew(request, token, lease),
      release: () => steps.release(request),
      hold: (token, holding) => new HeldLock(request, token, holding),
    };
  }

  #requestFor(name: string, { lease, shared, fair, holder }: CompleteLockOptions): LockRequest {
    const id = newId();
    // Those who share it keep the order, else a writer might wait for ever.
    const isFair = fair || shared;
    // A server of a Cluster does not know who listens to the others.
    const isSure = isFair || this.store.kind === 'cluster';
    return {
      name,
      keys: this.#keysOf(name),
      id,
      holder: holder ?? id,
      lease,
      fair: isFair,
      shared,
      turn: isSure ? 'given' : 'givenIfListening',
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

  readWrite(name: string): ReadWriteLock {
    return {
      read: (options = {}) => this.acquire(name, { ...options, shared: true }),
      write: (options = {}) => this.acquire(name, { ...options, fair: true }),
    };
  }
}
