import type { ServerTls } from '../commands/config/tls-options.js';
import type { ConnectorClass } from './connector/ioredis-connector.js';
import type {
  BytesShape,
  CommandQueue,
  CommandSender,
  ExactShape,
  KeyScanOptions,
  ScanOptions,
  Store,
  SyncShape,
  ViewOptions,
} from './store.js';
import type { Argument, DefaultShape, Queued, Results, Shape } from './value.js';

/**
 * Synchronous calls, without promises, for embedded stores only. A command that would block replies as if it had timed out.
 */
export interface SyncStore<S extends Shape> extends CommandSender<S> {
  readonly bytes: SyncStore<BytesShape<S>>;
  readonly exact: SyncStore<ExactShape<S>>;
  /** Like `Store.transaction`: atomic, also in the append-only file. */
  transaction<const T extends readonly Queued<unknown>[]>(build: (queue: CommandQueue<S>) => T): Results<T>;
  scan(options?: KeyScanOptions): IterableIterator<S['text']>;
  hscan(
    key: Argument,
    options?: ScanOptions,
  ): IterableIterator<readonly [field: S['text'], value: S['text']]>;
  sscan(key: Argument, options?: ScanOptions): IterableIterator<S['text']>;
  zscan(key: Argument, options?: ScanOptions): IterableIterator<readonly [member: S['text'], score: number]>;
}

/** Where to listen: a TCP port of this machine, or a socket in the file system. */
export type ListenOptions =
  | {
      readonly port: number;
      /** Default `127.0.0.1`: only programs on this machine. */
      readonly host?: string;
      /** Clients must speak TLS. */
      readonly tls?: ServerTls;
    }
  | { readonly path: string };

/** Serves an embedded engine to other processes. */
export interface Listener extends AsyncDisposable {
  /** The address for `open` or a Redis client in another process. */
  readonly address: string;
  /** Stops listening and closes the clients' connections. The store stays open. */
  close(): Promise<void>;
}

/** The data of an embedded store at one moment, made by `snapshot`. */
export interface StoreSnapshot {
  /**
   * Makes the data what it was, atomically. Other clients see it as changes of the keys that differ: WATCH fails, blocked clients are
   * served. Can be called any number of times.
   */
  restore(): void;
}

/** `connecting`: the master is not reached; `synchronizing`: all data is being received; `connected`: changes arrive, of a Cluster from all masters. */
export type ReplicationState = 'connecting' | 'synchronizing' | 'connected';

/** How an embedded store follows its master (`replicaOf`). */
export interface StoreReplication {
  readonly state: ReplicationState;
  /** The master's host and port; those of all masters of a Cluster, separated by commas. */
  readonly master: string;
  /** Bytes of the master's replication stream that are applied; of a Cluster, of all masters together. */
  readonly offset: number;
  /** How old the data may be, in ms: everything that the master had then is here. `Infinity` until it is known. Of a Cluster, that of the slowest. */
  readonly lag: number;
  /**
   * Resolves when everything that the master has now is here. Rejects with `TIMEOUT` after `timeout` ms (default 5,000).
   *
   * @example
   * await store.replication?.catchUp({ timeout: 1000 });
   */
  catchUp(options?: { readonly signal?: AbortSignal; readonly timeout?: number }): Promise<void>;
  /** Calls the listener when `state` has changed. The returned function removes it. */
  on(name: 'change', listener: (replication: StoreReplication) => void): () => void;
}

/** A store whose engine runs in this thread. */
export interface EmbeddedStore<S extends Shape = DefaultShape> extends Store<S> {
  /** `cluster` if the store is a replica of a Cluster: its commands work on the keys of one slot, as there. */
  readonly kind: 'embedded' | 'cluster';
  /** How the store follows its master; undefined without the option `replicaOf`. */
  readonly replication: StoreReplication | undefined;
  readonly sync: SyncStore<SyncShape<S>>;
  readonly bytes: EmbeddedStore<BytesShape<S>>;
  readonly exact: EmbeddedStore<ExactShape<S>>;
  with(options: ViewOptions): EmbeddedStore<S>;
  duplicate(): Promise<EmbeddedStore<S>>;
  /**
   * Remembers all data (keys of all databases with their times to live, functions), so that it can be restored: for tests that
   * must not see each other's changes. Settings, connections, subscriptions and cached scripts are not part of it. Times to live are moments:
   * a key that has expired meanwhile is not restored.
   *
   * It takes a few µs per key. After that, each write costs a little more, since the key is noted. Restoring the snapshot that was taken or restored last takes a few µs per key that has changed since;
   * restoring another one takes as long as loading all its keys.
   *
   * @example
   * await store.set('user', 'ann');
   * const seeded = store.snapshot();
   * await store.del('user');
   * seeded.restore();
   * await store.get('user'); // 'ann'
   */
  snapshot(): StoreSnapshot;
  /**
   * Deletes all data: the keys of all databases, and functions. What `snapshot` does not remember stays.
   *
   * @example
   * store.reset();
   * await store.dbsize(); // 0
   */
  reset(): void;
  /**
   * Serves the engine to Redis clients, for example `redis-cli`, until the listener or the last store of the engine is
   * closed. Port 0 means any free port.
   *
   * @example
   * await using listener = await store.listen({ port: 0 });
   * listener.address; // 'redis://127.0.0.1:49153'
   */
  listen(options: ListenOptions): Promise<Listener>;
  /**
   * Writes all changes up to now to disk, whatever the setting `appendfsync` is. Returns false if the store has no append-only
   * file, as one in memory; rejects with `FILES` if the disk refuses.
   *
   * @example
   * await store.set('order', 'paid');
   * await store.syncFiles(); // false
   */
  syncFiles(): Promise<boolean>;
  /**
   * A class for ioredis's option `Connector`. Clients created with it use the engine without a socket, and so do libraries
   * that are given such a client or this option. They end when the last store of the engine is closed.
   *
   * @example
   * import { Redis } from 'ioredis';
   *
   * const redis = new Redis({ Connector: await store.connector() });
   * await redis.set('greeting', 'hello');
   */
  connector(): Promise<ConnectorClass>;
  /**
   * The path of a Unix socket, for clients that need an address, such as node-redis. Only this user may enter its folder. It
   * is created by the first call, and removed when the last store of the engine is closed.
   *
   * @example
   * import { createClient } from 'redis';
   *
   * const client = createClient({ socket: { path: await store.unixSocket(), tls: false } });
   * await client.connect();
   */
  unixSocket(): Promise<string>;
}
