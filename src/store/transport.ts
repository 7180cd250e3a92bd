import type { ReplyTransformer, WireCommand } from './command-runner.js';
import type { StoreError } from './store-error.js';
import type { StoreTime } from './time.js';
import type { Argument, Shape, Value } from './value.js';

/** Any reply in any shape. */
export type Reply = Value<Shape>;

/** A command with what it is given. */
export interface Request {
  readonly command: WireCommand;
  readonly args: readonly Argument[];
}

export type ChannelKind = 'channel' | 'pattern' | 'shard';

/** Gets the messages of a subscription. */
export interface MessageListener {
  message(channel: Buffer, message: Buffer, pattern: Buffer | null): void;
  /** No more will come. */
  ended(error: StoreError): void;
}

/** Something that was opened and has to be closed. */
export interface Closable {
  close(): Promise<void>;
}

/** One connection for one user: what is sent on it is seen by the server as one client's. */
export interface Connection extends Closable {
  send(request: Request, format: number): Promise<Reply>;
  /** MULTI, the requests, EXEC; null if a watched key had changed. Errors of single commands are values. */
  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null>;
}

/** Limits of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In ms, in place of the store's `commandTimeout`. */
  readonly timeout?: number | undefined;
}

/** What a store tells its listeners. */
export interface TransportEvents {
  disconnected: { readonly server: string; readonly error: StoreError };
  reconnected: { readonly server: string; readonly downFor: number; readonly attempts: number };
}

export type TransportListener = <Name extends keyof TransportEvents>(
  name: Name,
  event: TransportEvents[Name],
) => void;

/**
 * The way to the data. Embedded, ioredis and node-redis have one each; everything else of a store is written on it once.
 *
 * A `format` is a sum of `ReplyFormat`. A reply that is an error rejects with it; in lists, errors are values.
 */
export interface Transport extends Closable {
  readonly kind: 'embedded' | 'standalone' | 'sentinel' | 'cluster';
  readonly time: StoreTime;
  /** On the shared connection. `transform` is applied to a reply that is not an error. */
  send(
    command: WireCommand,
    args: readonly Argument[],
    format: number,
    transform?: ReplyTransformer,
    options?: CallOptions,
  ): Promise<unknown>;
  /** All at once, in order where they concern the same key. */
  sendMany(requests: readonly Request[], format: number, options?: CallOptions): Promise<readonly Reply[]>;
  /** MULTI, the requests, EXEC. */
  execute(requests: readonly Request[], format: number, options?: CallOptions): Promise<readonly Reply[]>;
  /** A command that may wait, on a connection that nothing else uses meanwhile; the signal ends the wait. */
  sendBlocking(request: Request, format: number, options?: CallOptions): Promise<Reply>;
  /** A connection of its own; in Cluster, to the master that has the key. */
  connect(key: Argument, options?: CallOptions): Promise<Connection>;
  subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    options?: CallOptions,
  ): Promise<Closable>;
  /** Senders to each of the servers that have keys. */
  servers(): readonly Pick<Transport, 'send'>[];
  /** Has the listener told of lost connections; the returned function ends that. */
  listen(listener: TransportListener): () => void;
  duplicate(): Promise<Transport>;
}
