import { type Locks, type LocksOptions, locks } from '../../src/kit/locks/index.js';
import { type EmbeddedStore, ManualClock, open, StoreError } from '../../src/store/index.js';

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
