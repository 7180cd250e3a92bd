import type { EmbeddedStore, Store } from '../../store/index.js';

/**
 * Whether commands run in this process, writes included: they are executed at once and exactly once. Of an embedded replica
 * (`replicaOf`) only the reads do, and its master may not answer.
 *
 * @example
 * await using store = await open();
 * runsHere(store); // true
 */
export function runsHere(store: Store): store is EmbeddedStore {
  return store.kind === 'embedded' && !isReplica(store);
}

/** Whether the store is an embedded replica of a server or Cluster. */
export function isReplica(store: Store): boolean {
  return (store as Partial<EmbeddedStore>).replication !== undefined;
}

/** Reads without a promise, of stores whose data is in this process; `undefined` of others. See `readNow`. */
export function syncOf(store: Store): SyncOf | undefined {
  return store.kind === 'embedded' ? (store as EmbeddedStore).sync : undefined;
}

export type SyncOf = EmbeddedStore['sync'];

/**
 * What the read returns; undefined if it fails, for example because CLIENT PAUSE delays it. Then do the same with promises, which waits or
 * has the right error.
 */
export function readNow<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
