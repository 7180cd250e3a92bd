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

/** Who gets the messages of a subscription. */
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

/**
 * The way to the data. Embedded, ioredis and node-redis have one each; everything else of a store is written on it once.
 *
 * A `format` is a sum of `ReplyFormat`. A reply that is an error rejects with it; in lists, errors are values.
 */
export interface Transport extends Closable {
  readonly kind: 'embedded' | 'standalone' | 'sentinel' | 'cluster';
  readonly time: StoreTime;
  /** On the connection that all share. `transform` is applied to a reply that is no error. */
  send(
    command: WireCommand,
    args: readonly Argument[],
    format: number,
    transform?: ReplyTransformer,
  ): Promise<unknown>;
  /** All at once, in order where they concern the same key. */
  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]>;
  /** MULTI, the requests, EXEC. */
  execute(requests: readonly Request[], format: number): Promise<readonly Reply[]>;
  /** A command that may wait, on a connection that nobody else uses meanwhile; the signal ends the wait. */
  sendBlocking(request: Request, format: number, signal: AbortSignal | undefined): Promise<Reply>;
  /** A connection of its own; in Cluster, to the master that has the key. */
  connect(key: Argument): Promise<Connection>;
  subscribe(kind: ChannelKind, names: readonly Argument[], listener: MessageListener): Promise<Closable>;
  /** Senders to each of the servers that have keys. */
  servers(): readonly Pick<Transport, 'send'>[];
  duplicate(): Promise<Transport>;
}
