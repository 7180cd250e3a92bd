import type { Commands } from './commands/index.js';
import type { BoundScript, ScriptDefinition } from './script.js';
import type { StoreError } from './store-error.js';
import type { StoreTime } from './time.js';
import type {
  Argument,
  DefaultShape,
  Outcome,
  Queued,
  Results,
  SettledResults,
  Shape,
  Value,
} from './value.js';

/** Methods of a store in every mode: with promises, synchronous, or queued in a pipeline or transaction. */
export interface CommandSender<S extends Shape> extends Commands<S> {
  /**
   * Sends any command by name. A subcommand may be part of the name (`CONFIG GET`) or the first argument. The reply has the
   * form of RESP2. Commands that change the state of a connection (MULTI, SUBSCRIBE, SELECT …) are refused with `MISUSE`,
   * which names the method to use instead.
   *
   * @example
   * await store.send('SET', 'greeting', 'hello', 'EX', 60);
   * await store.send('GET', 'greeting'); // 'hello'
   * await store.send<number>('STRLEN', 'greeting'); // 5
   */
  send<Reply extends Value<S> = Value<S>>(name: string, ...args: Argument[]): Outcome<S, Reply>;

  /**
   * Binds a script to the store and returns a function that calls it with named inputs. The script is sent by its digest
   * (EVALSHA), and in full (EVAL) only if the server does not have it. In a pipeline or transaction it is always sent in full.
   *
   * @example
   * const release = store.script({
   *   keys: ['lock'],
   *   args: ['token'],
   *   lua: `if redis.call('GET', lock) == token then return redis.call('DEL', lock) end return 0`,
   *   reply: (deleted) => deleted === 1,
   * });
   * await release({ lock: 'lock:report', token: 'a1b2' }); // false
   */
  script<
    const Keys extends readonly string[] = readonly [],
    const Args extends readonly string[] = readonly [],
    Result = unknown,
  >(definition: ScriptDefinition<Keys, Args, Result>): BoundScript<S, Keys, Args, Result>;
}

/** Collects the commands of a pipeline or transaction. Each call returns a reference to its result. */
export interface CommandQueue<S extends Shape> extends CommandSender<QueuedShape<S>> {}

export interface QueuedShape<S extends Shape> extends Shape {
  readonly text: S['text'];
  readonly integer: S['integer'];
  readonly mode: 'queued';
}

export interface BytesShape<S extends Shape> extends Shape {
  readonly text: Buffer;
  readonly integer: S['integer'];
  readonly mode: S['mode'];
}

export interface ExactShape<S extends Shape> extends Shape {
  readonly text: S['text'];
  readonly integer: bigint;
  readonly mode: S['mode'];
}

export interface SyncShape<S extends Shape> extends Shape {
  readonly text: S['text'];
  readonly integer: S['integer'];
  readonly mode: 'sync';
}

export interface PromisedShape<S extends Shape> extends Shape {
  readonly text: S['text'];
  readonly integer: S['integer'];
  readonly mode: 'promise';
}

export interface PipelineOptions {
  /** With `true`, errors are not thrown but returned in the results, in their commands' places. Default false. */
  readonly settle?: boolean;
}

export interface WatchOptions {
  /** Keys that must not change between the call of `build` and the end of the transaction. In a Cluster: of one slot. */
  readonly watch: readonly (string | Uint8Array)[];
  /** The maximum number of calls of `build` before the transaction fails with `CONFLICT`. Default 100. */
  readonly attempts?: number;
  /** Ends the transaction with `ABORTED`. */
  readonly signal?: AbortSignal;
}

export interface SubscribeOptions {
  /** The maximum number of unread messages in the buffer. Default 10,000. */
  readonly buffer?: number;
  /**
   * What happens when a message arrives and the buffer is full. `error`: the subscription ends with an `OVERFLOW` error after
   * the buffered messages have been read. `drop-oldest`, `drop-newest`: that message is dropped and counted. Default `error`.
   */
  readonly overflow?: 'error' | 'drop-oldest' | 'drop-newest';
  /** Closes the subscription, which ends a loop over it. */
  readonly signal?: AbortSignal;
}

export interface Message<S extends Shape> {
  readonly channel: S['text'];
  readonly message: S['text'];
  /** The pattern that matched, for `psubscribe`; otherwise null. */
  readonly pattern: S['text'] | null;
}

/**
 * The messages of a subscription, to be read with `for await`. Leaving the loop closes the subscription. When `subscribe`
 * resolves, the server has confirmed it: no message published after that is missed while the connection lasts.
 */
export interface Subscription<S extends Shape> extends AsyncIterableIterator<Message<S>>, AsyncDisposable {
  /** The number of messages that were dropped because the buffer was full. */
  readonly dropped: number;
  /** Unsubscribes. Ends a loop that waits for messages, and discards the buffer. */
  close(): Promise<void>;
}

export interface ScanOptions {
  /** A glob pattern that keys, members or fields must match. */
  readonly match?: string;
  /** About how many elements the server examines per request. It affects only the speed. */
  readonly count?: number;
}

export interface KeyScanOptions extends ScanOptions {
  /** Only keys of this type: `string`, `list`, `hash`, `set`, `zset`, `stream`. */
  readonly type?: string;
}

export interface ViewOptions {
  /**
   * Ends calls made through the view that are still waiting: for a blocking command, or for a server that does not answer.
   * They reject with `ABORTED`. A blocking command is also ended in the server.
   */
  readonly signal?: AbortSignal;
  /**
   * The time limit of calls through the view in ms, instead of the option `commandTimeout` of `open`. `Infinity` for no
   * limit. Embedded stores ignore it.
   */
  readonly timeout?: number;
}

/** The events of `store.on`, and what their listeners receive. */
export interface StoreEvents {
  /** A connection to a server was lost. Calls wait for a new one as long as their time limit allows. */
  disconnected: {
    /** The server: `host:port`, or the path of its socket. */
    readonly server: string;
    readonly error: StoreError;
  };
  /** The connection was made again. */
  reconnected: {
    readonly server: string;
    /** How long there was no connection, in ms. */
    readonly downFor: number;
    /** The number of attempts. */
    readonly attempts: number;
  };
}

/**
 * A Redis: in this process, on a server, behind Sentinels, or a Cluster. The methods are the same for all of them.
 *
 * Commands of one store are sent in the order of the calls. Blocking commands (BLPOP, XREAD with BLOCK …) use a separate
 * connection and do not delay others.
 */
export interface Store<S extends Shape = DefaultShape> extends CommandSender<S>, AsyncDisposable {
  /** Where the data is. */
  readonly kind: 'embedded' | 'standalone' | 'sentinel' | 'cluster';

  /** The store's clock: the system's, or the manual clock that the store was opened with. */
  readonly time: StoreTime;

  /** The same store with `Buffer` instead of strings in replies. */
  readonly bytes: Store<BytesShape<S>>;

  /** The same store with integer replies as `bigint`, which is exact beyond 2^53. */
  readonly exact: Store<ExactShape<S>>;

  /**
   * The same store, with options for the calls made through it.
   *
   * @example
   * const job = await store.with({ signal: AbortSignal.timeout(1000) }).send('BLPOP', 'jobs', 0);
   */
  with(options: ViewOptions): Store<S>;

  /**
   * Sends several commands at once and waits for all results. They are not atomic. If a command fails, the others still
   * run; then the first error is thrown, with all `results`.
   *
   * @example
   * const [greeting, visits] = await store.pipeline((queue) => [
   *   queue.send('GET', 'greeting'),
   *   queue.send('INCR', 'visits'),
   * ]);
   */
  pipeline<const T extends readonly Queued<unknown>[]>(
    build: (queue: CommandQueue<S>) => T,
    options?: PipelineOptions & { readonly settle?: false },
  ): Promise<Results<T>>;
  pipeline<const T extends readonly Queued<unknown>[]>(
    build: (queue: CommandQueue<S>) => T,
    options: PipelineOptions,
  ): Promise<SettledResults<T>>;

  /**
   * Runs several commands atomically (MULTI … EXEC). In a Cluster all keys must be in one slot. If a command fails, the others
   * still take effect; then the first error is thrown, with all `results`.
   *
   * With `watch`, the transaction depends on keys: `build` is called while they are watched, reads what it needs through
   * `watched`, and queues commands. If a watched key was changed meanwhile, no command runs and `build` is called again. If
   * `build` returns `undefined`, no command runs and the result is `undefined`.
   *
   * @example
   * const [left] = await store.transaction({ watch: ['stock'] }, async (queue, watched) => {
   *   const stock = Number(await watched.send('GET', 'stock'));
   *   return [queue.send('SET', 'stock', stock - 1)];
   * });
   */
  transaction<const T extends readonly Queued<unknown>[]>(
    build: (queue: CommandQueue<S>) => T,
  ): Promise<Results<T>>;
  transaction<const T extends readonly Queued<unknown>[] | undefined>(
    options: WatchOptions,
    build: (queue: CommandQueue<S>, watched: CommandSender<S>) => T | Promise<T>,
  ): Promise<T extends readonly Queued<unknown>[] ? Results<T> : undefined>;

  /**
   * Subscribes to channels. Messages wait in a bounded buffer until they are read.
   *
   * @example
   * await using news = await store.subscribe('news');
   * await store.send('PUBLISH', 'news', 'rain');
   * for await (const { message } of news) break; // message is 'rain'
   */
  subscribe(channels: Argument | readonly Argument[], options?: SubscribeOptions): Promise<Subscription<S>>;
  /** Subscribes to all channels that match one of the glob patterns. */
  psubscribe(patterns: Argument | readonly Argument[], options?: SubscribeOptions): Promise<Subscription<S>>;
  /** Subscribes to shard channels; in a Cluster they must be in one slot. */
  ssubscribe(channels: Argument | readonly Argument[], options?: SubscribeOptions): Promise<Subscription<S>>;

  /**
   * Iterates over all keys; in a Cluster over those of all masters. A key that exists during the whole scan is returned at
   * least once, and sometimes twice.
   *
   * @example
   * for await (const key of store.scan({ match: 'user:*' })) console.log(key);
   */
  scan(options?: KeyScanOptions): AsyncIterableIterator<S['text']>;
  /** The fields and values of a hash. */
  hscan(
    key: Argument,
    options?: ScanOptions,
  ): AsyncIterableIterator<readonly [field: S['text'], value: S['text']]>;
  /** The members of a set. */
  sscan(key: Argument, options?: ScanOptions): AsyncIterableIterator<S['text']>;
  /** The members of a sorted set with their scores. */
  zscan(
    key: Argument,
    options?: ScanOptions,
  ): AsyncIterableIterator<readonly [member: S['text'], score: number]>;

  /**
   * Calls the listener when the store loses or regains a connection. The returned function removes the listener. Connections
   * of blocking commands and subscriptions are not reported. Embedded stores have no connections.
   *
   * @example
   * const stop = store.on('disconnected', ({ server, error }) => console.warn(server, error.message));
   * stop();
   */
  on<Name extends keyof StoreEvents>(name: Name, listener: (event: StoreEvents[Name]) => void): () => void;

  /** Opens another client of the same data, with its own connection. It must be closed separately. */
  duplicate(): Promise<Store<S>>;

  /**
   * Closes the store and its connections. All running calls reject with `CLOSED` at once, even if the server does not answer.
   * A client that the store was opened with is not closed. Closing twice is not an error.
   */
  close(): Promise<void>;
}
