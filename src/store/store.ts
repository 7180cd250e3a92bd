import type { Commands } from './commands/index.js';
import type { ConnectorClass } from './connector/ioredis-connector.js';
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

/** What can be asked of a store in any mode: promised, at once, or queued in a pipeline or transaction. */
export interface CommandSender<S extends Shape> extends Commands<S> {
  /**
   * Sends any command by name; `CONFIG GET` and the like may be given as one name or as name and argument. The reply is
   * as RESP2 has it. Commands that change the state of a connection (MULTI, SUBSCRIBE, SELECT …) are refused with
   * `MISUSE`: there are methods for them.
   *
   * @example
   * await store.send('SET', 'greeting', 'hello', 'EX', 60);
   * await store.send('GET', 'greeting'); // 'hello'
   * await store.send<number>('STRLEN', 'greeting'); // 5
   */
  send<Reply extends Value<S> = Value<S>>(name: string, ...args: Argument[]): Outcome<S, Reply>;

  /**
   * Binds a script to the store and gives a function to call it with its inputs by name. Sent by its digest, and in full
   * only if the server does not have it; in a pipeline or transaction always in full.
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

/** Collects commands of a pipeline or transaction. Each call gives a place in the results. */
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
  /** With `true`, errors are not thrown: in the results each stands in its command's place. Default false. */
  readonly settle?: boolean;
}

export interface WatchOptions {
  /** Keys that must not change between the call of `build` and the end of the transaction. In Cluster: of one slot. */
  readonly watch: readonly (string | Uint8Array)[];
  /** How often `build` may be called in all before the transaction fails with `CONFLICT`. Default 100. */
  readonly attempts?: number;
  /** Ends the attempts with `ABORTED`. */
  readonly signal?: AbortSignal;
}

export interface SubscribeOptions {
  /** How many messages may wait to be read. Default 10,000. */
  readonly buffer?: number;
  /**
   * What happens when one more comes: the subscription ends with an `OVERFLOW` error (after the messages that wait have
   * been read), or the oldest or the newest message is dropped and counted. Default `error`.
   */
  readonly overflow?: 'error' | 'drop-oldest' | 'drop-newest';
  /** Ends the subscription: the loop over it is left. */
  readonly signal?: AbortSignal;
}

export interface Message<S extends Shape> {
  readonly channel: S['text'];
  readonly message: S['text'];
  /** The pattern that matched, of `psubscribe`; else null. */
  readonly pattern: S['text'] | null;
}

/**
 * Messages as they come, to be read with `for await`. Leaving the loop closes the subscription. It is confirmed by the
 * server when `subscribe` returns: nothing published after that is missed while the connection lasts.
 */
export interface Subscription<S extends Shape> extends AsyncIterableIterator<Message<S>>, AsyncDisposable {
  /** How many messages were dropped because the buffer was full. */
  readonly dropped: number;
  /** Unsubscribes. A loop that waits for messages is left; what is in the buffer is gone. */
  close(): Promise<void>;
}

export interface ScanOptions {
  /** A glob pattern that keys, members or fields must match. */
  readonly match?: string;
  /** About how many elements the server looks at for each request; only speed depends on it. */
  readonly count?: number;
}

export interface KeyScanOptions extends ScanOptions {
  /** Only keys of this type: `string`, `list`, `hash`, `set`, `zset`, `stream`. */
  readonly type?: string;
}

export interface ViewOptions {
  /**
   * Ends waits made through the view: a blocking command, a call that the server does not answer. They reject with
   * `ABORTED`, and a blocked command does not stay behind in the server.
   */
  readonly signal?: AbortSignal;
  /**
   * How long a call through the view may take in ms, in place of the option `commandTimeout` of `open`: for commands that
   * take long, or must not. `Infinity` for no limit. Embedded stores answer without waiting for anything.
   */
  readonly timeout?: number;
}

/** What `store.on` tells of, with what each listener is given. */
export interface StoreEvents {
  /** A connection to a server was lost. Calls wait for the next one as long as their time limit allows. */
  disconnected: {
    /** Where the server is: `host:port`, or the path of its socket. */
    readonly server: string;
    readonly error: StoreError;
  };
  /** There is a connection again. */
  reconnected: {
    readonly server: string;
    /** For how many ms there was none. */
    readonly downFor: number;
    /** How many attempts it took. */
    readonly attempts: number;
  };
}

/**
 * A Redis, wherever it is: in this process, on a server, behind Sentinel, a Cluster. All methods are the same everywhere.
 *
 * Commands of one store are sent in the order of the calls. Commands that wait (BLPOP, XREAD with BLOCK …) go through a
 * connection of their own and do not hold up others.
 */
export interface Store<S extends Shape = DefaultShape> extends CommandSender<S>, AsyncDisposable {
  /** Where the data is. */
  readonly kind: 'embedded' | 'standalone' | 'sentinel' | 'cluster';

  /** Time as the store sees it: real, or that of the manual clock the store was opened with. */
  readonly time: StoreTime;

  /** The same store with replies as bytes: `Buffer` in the place of strings. */
  readonly bytes: Store<BytesShape<S>>;

  /** The same store with integer replies as `bigint`: exact beyond 2^53. */
  readonly exact: Store<ExactShape<S>>;

  /**
   * The same store, with options for what is called through it.
   *
   * @example
   * const job = await store.with({ signal: AbortSignal.timeout(1000) }).send('BLPOP', 'jobs', 0);
   */
  with(options: ViewOptions): Store<S>;

  /**
   * Sends several commands at once and waits for all results. They are not atomic. If one fails the others run all the
   * same; then the first error is thrown, with all `results`.
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
   * Runs several commands as one: no client sees a state in between (MULTI … EXEC). In Cluster all keys must be of one
   * slot. If a command fails the others have their effect all the same; then the first error is thrown, with all
   * `results`.
   *
   * With `watch`, an optimistic loop: `build` is called with the keys watched, reads (through `watched`) what it needs
   * and queues what follows from it; if a watched key was changed meanwhile, nothing happens and `build` is called again.
   * Returning `undefined` from `build` gives up: nothing is done, the result is `undefined`.
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
   * Listens to channels. Messages wait in a bounded buffer until they are read.
   *
   * @example
   * await using news = await store.subscribe('news');
   * await store.send('PUBLISH', 'news', 'rain');
   * for await (const { message } of news) break; // message is 'rain'
   */
  subscribe(channels: Argument | readonly Argument[], options?: SubscribeOptions): Promise<Subscription<S>>;
  /** Listens to all channels that match one of the glob patterns. */
  psubscribe(patterns: Argument | readonly Argument[], options?: SubscribeOptions): Promise<Subscription<S>>;
  /** Listens to shard channels: in Cluster, those of one slot. */
  ssubscribe(channels: Argument | readonly Argument[], options?: SubscribeOptions): Promise<Subscription<S>>;

  /**
   * All keys, one by one; in Cluster those of all masters. A key that is there from beginning to end comes at least
   * once, and now and then twice.
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
   * Calls the listener when the store loses or regains a connection; the returned function ends that. Connections of
   * blocking commands and subscriptions are not reported. Embedded stores have none to lose.
   *
   * @example
   * const stop = store.on('disconnected', ({ server, error }) => console.warn(server, error.message));
   * stop();
   */
  on<Name extends keyof StoreEvents>(name: Name, listener: (event: StoreEvents[Name]) => void): () => void;

  /** Another client of the same data, with its own connection; to be closed by itself. */
  duplicate(): Promise<Store<S>>;

  /**
   * Ends the store: everything that is under way rejects with `CLOSED` at once, whatever the server does, and connections
   * made by the store are closed. A client that the store was opened with is not closed. Closing twice is not an error.
   */
  close(): Promise<void>;
}

/**
 * Everything that does not wait, at once and with no promise: embedded stores only. A command that would wait answers as
 * if its time were up.
 */
export interface SyncStore<S extends Shape> extends CommandSender<S> {
  readonly bytes: SyncStore<BytesShape<S>>;
  readonly exact: SyncStore<ExactShape<S>>;
  /** As `Store.transaction`: one atomic unit, also in the append-only file. */
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
export type ListenOptions = { readonly port: number; readonly host?: string } | { readonly path: string };

/** An embedded engine that is served to other processes. */
export interface Listener extends AsyncDisposable {
  /** What to give to `open` or a Redis client elsewhere. */
  readonly address: string;
  /** Stops listening and drops those connected; the store goes on. */
  close(): Promise<void>;
}

/** A store whose engine runs in this thread. */
export interface EmbeddedStore<S extends Shape = DefaultShape> extends Store<S> {
  readonly kind: 'embedded';
  readonly sync: SyncStore<SyncShape<S>>;
  readonly bytes: EmbeddedStore<BytesShape<S>>;
  readonly exact: EmbeddedStore<ExactShape<S>>;
  with(options: ViewOptions): EmbeddedStore<S>;
  duplicate(): Promise<EmbeddedStore<S>>;
  /**
   * Serves the engine to Redis clients, `redis-cli` for one, until the listener or the last store of the engine is
   * closed. Port 0 takes one that is free.
   *
   * @example
   * await using listener = await store.listen({ port: 0 });
   * listener.address; // 'redis://127.0.0.1:49153'
   */
  listen(options: ListenOptions): Promise<Listener>;
  /**
   * A class for ioredis's option `Connector`: clients made with it, and libraries that are given those clients or this
   * option, run on the engine with no socket between. They end when the last store of the engine is closed.
   *
   * @example
   * import { Redis } from 'ioredis';
   *
   * const redis = new Redis({ Connector: await store.connector() });
   * await redis.set('greeting', 'hello');
   */
  connector(): Promise<ConnectorClass>;
  /**
   * The path of a Unix socket, in a folder that only this user may enter, for clients that need an address: node-redis
   * above all. Made when first asked for, removed when the last store of the engine is closed.
   *
   * @example
   * import { createClient } from 'redis';
   *
   * const client = createClient({ socket: { path: await store.unixSocket(), tls: false } });
   * await client.connect();
   */
  unixSocket(): Promise<string>;
}
