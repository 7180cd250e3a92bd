import type { ClientTls } from '../commands/config/tls-options.js';
import type { ManualClock } from './embedded/manual-clock.js';

/** Options of all stores. */
export interface CommonOptions {
  /** The number of the database; also `redis://host/2`. Default 0. */
  readonly database?: number;
  /** Ends `open` with `ABORTED`. It does not affect later calls; use `store.with({ signal })` for them. */
  readonly signal?: AbortSignal;
}

/** Options of `memory:` and `file:` stores. */
export interface EmbeddedOptions extends CommonOptions {
  /** A clock that only moves when the program moves it. Default: the system's clock. */
  readonly clock?: ManualClock;
  /** Engine settings by their names in redis.conf; `yes` and `no` may be given as booleans. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Seed of random choices (SPOP, RANDOMKEY …), to make them the same in every run. */
  readonly seed?: number;
  /**
   * The time limit of scripts and functions in ms. A script that takes longer fails with `SCRIPT_TIMEOUT`, or with
   * `SCRIPT_INTERRUPTED` if it has written; its writes stay. Default 5000; `Infinity` for no limit.
   */
  readonly scriptTimeout?: number;
  /**
   * The address of a server that the store follows: `redis://…`, `redis+sentinel://…`, and for `memory:` stores also
   * `redis+cluster://…`. The store is then a replica of it, in this process. `open` returns when all data has arrived.
   */
  readonly replicaOf?: string;
  /**
   * What a store with `replicaOf` does with commands that may write. `forward` sends them to the master, and their calls end
   * when the change has come back: the program reads what it has written. `store.sync` cannot forward. Default `refuse`.
   */
  readonly writes?: 'refuse' | 'forward';
  /**
   * With `replicaOf`: commands that read fail with `STALE` while the data may be older than this many ms. Default: no limit;
   * `store.replication.lag` tells.
   */
  readonly maxLag?: number;
  /** With a `replicaOf` of the form `rediss://…`: certificates. Default: the master's must be signed by an authority that Node trusts. */
  readonly tls?: ClientTls;
  /** With `replicaOf`: for how many ms `open` waits for the data. It then fails with `UNREACHABLE`. Default 10,000. */
  readonly connectTimeout?: number;
}

/** Options of stores on a server. Further options of ioredis can be passed in `ioredis`. */
export interface RemoteOptions extends CommonOptions {
  readonly username?: string;
  readonly password?: string;
  /**
   * The time limit for connecting in ms, until the server is ready. `open` fails with `UNREACHABLE` after it. It also
   * limits each attempt to reconnect. Default 10,000.
   */
  readonly connectTimeout?: number;
  /**
   * For how many ms `open` tries again while no server answers or the server is still loading its data. Default 0: if the
   * connection is refused, `open` fails with `UNREACHABLE` at once.
   */
  readonly waitForServer?: number;
  /**
   * The time limit of a call in ms, including reconnecting. After it the call fails with `TIMEOUT` if the server does not
   * answer, or with `UNREACHABLE` if there is no connection. The timeout of a blocking command is added to it. `Infinity`
   * for no limit; `store.with({ timeout })` for single calls. Default 5,000.
   */
  readonly commandTimeout?: number;
  /** For `rediss://…`: certificates. Default: the server's must be signed by an authority that Node trusts. */
  readonly tls?: ClientTls;
  /** In a Cluster: which nodes answer commands that only read. Default `master`. */
  readonly reads?: 'master' | 'replica' | 'any';
  /** The name that CLIENT LIST shows. */
  readonly clientName?: string;
  /** Options for ioredis (`RedisOptions`, for a Cluster `ClusterOptions`). The options above override them. */
  readonly ioredis?: Readonly<Record<string, unknown>>;
}

/** Options of stores that are opened with a client. All other options are taken from the client. */
export type ClientOptions = Pick<
  RemoteOptions,
  'connectTimeout' | 'waitForServer' | 'commandTimeout' | 'signal'
>;

export type OpenOptions = EmbeddedOptions & RemoteOptions;

/** An ioredis `Redis` or `Cluster`, or a client of node-redis. */
export interface ClientLike {
  duplicate(...args: never[]): unknown;
  sendCommand(...args: never[]): unknown;
}
