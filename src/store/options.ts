import type { ManualClock } from './embedded/manual-clock.js';

/** Options of every store. */
export interface CommonOptions {
  /** The number of the database; also `redis://host/2`. Default 0. */
  readonly database?: number;
  /** Ends the opening with `ABORTED`; what is called later has signals of its own. */
  readonly signal?: AbortSignal;
}

/** Options of `memory:` and `file:` stores. */
export interface EmbeddedOptions extends CommonOptions {
  /** A clock that stands still until it is moved. Default: the system's. */
  readonly clock?: ManualClock;
  /** Engine settings by their names in redis.conf; `yes` and `no` may be given as booleans. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Makes random choices (SPOP, RANDOMKEY …) the same in every run. */
  readonly seed?: number;
  /**
   * After how many ms a script or function is ended, with an error of code `SCRIPT_TIMEOUT`, or `SCRIPT_INTERRUPTED` if it
   * has written: what it wrote until then stays. Default 5000; `Infinity` for never.
   */
  readonly scriptTimeout?: number;
}

/** Options of stores on a server. What is not here can be given to ioredis as it is, in `ioredis`. */
export interface RemoteOptions extends CommonOptions {
  readonly username?: string;
  readonly password?: string;
  /**
   * How long making a connection may take in ms, from the first packet until the server is ready: for `open`, which then
   * fails with `UNREACHABLE`, and for each attempt to reconnect. Default 10,000.
   */
  readonly connectTimeout?: number;
  /**
   * For how many ms `open` tries again while no server answers, or one that does is not ready: it may be starting.
   * Default 0: a connection that is refused fails with `UNREACHABLE` at once.
   */
  readonly waitForServer?: number;
  /**
   * How long a call may take in ms, reconnecting included; then it fails with `TIMEOUT` if the server does not answer, or
   * `UNREACHABLE` if there is no connection. A command that blocks has its own time in addition. `Infinity` for no limit;
   * `store.with({ timeout })` for single calls. Default 5,000.
   */
  readonly commandTimeout?: number;
  /** Of a Cluster: which nodes answer commands that only read. Default `master`. */
  readonly reads?: 'master' | 'replica' | 'any';
  /** The name that CLIENT LIST shows. */
  readonly clientName?: string;
  /** Passed on to ioredis (`RedisOptions`, in Cluster `ClusterOptions`), before the options above. */
  readonly ioredis?: Readonly<Record<string, unknown>>;
}

/** Options of stores made like a client that the program has; everything else is that client's. */
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
