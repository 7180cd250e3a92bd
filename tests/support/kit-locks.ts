import { type Locks, type LocksOptions, locks } from '../../src/kit/locks/index.js';
import { type EmbeddedStore, ManualClock, open, type Store, StoreError } from '../../src/store/index.js';

export const HOUR = 3_600_000;

/** Locks on a separate store with a manual clock. */
export interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly here: Locks;
}

export async function bench(options: LocksOptions = {}): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  return {
    clock,
    store,
    here: locks(store, options),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** The code of the error that a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('it resolved'),
    (reason: unknown) => reason,
  );
  return error instanceof StoreError ? error.code : String(error);
}

export interface Watched<T> {
  readonly promise: Promise<T>;
  /** Its current state. */
  value(): T | undefined;
  error(): unknown;
}

/** Follows a promise without waiting for it. */
export function watch<T>(promise: Promise<T>): Watched<T> {
  let value: T | undefined;
  let error: unknown;
  promise.then(
    (result) => {
      value = result;
    },
    (reason) => {
      error = reason;
    },
  );
  return { promise, value: () => value, error: () => error };
}

/**
 * Whether the first waiter of a lock listens, which its second attempt shows, and lets no client overtake any more: the next release hands the lock
 * to it. `lock` is the beginning of the lock's keys, such as 'lock:{report}'.
 */
export async function isNext(store: Store, lock: string): Promise<boolean> {
  const [, due = 'inf'] = await store.send<string[]>('ZRANGE', `${lock}:queue`, 0, 0, 'WITHSCORES');
  const [record = ''] = await store.send<string[]>('HVALS', `${lock}:waiters`);
  const attempt = Number(record.split(' ')[5]);
  const [seconds, micros] = await store.send<string[]>('TIME');
  return attempt > 1 && Number(due) <= Number(seconds) * 1e6 + Number(micros);
}
