import type { ReplyTransformer, WireCommand } from './command-runner.js';
import type { StoreError } from './store-error.js';
import type { StoreTime } from './time.js';
import type { Argument, Shape, Value } from './value.js';

/** Any reply in any shape. */
export type Reply = Value<Shape>;

/** A command with its arguments. */
export interface Request {
  readonly command: WireCommand;
  readonly args: readonly Argument[];
}

/**
 * What a subscription listens to. `monitor` receives every command of one server, which is given as the name: the "channel" is the database and
 * the client, the message the command in quotes.
 */
export type ChannelKind = 'channel' | 'pattern' | 'shard' | 'monitor';

/** Receives the messages of a subscription. */
export interface MessageListener {
  message(channel: Buffer, message: Buffer, pattern: Buffer | null): void;
  /** The subscription has ended. */
  ended(error: StoreError): void;
}

export interface Closable {
  close(): Promise<void>;
}

/** A separate connection: the server sees it as a client of its own. */
export interface Connection extends Closable {
  send(request: Request, format: number): Promise<Reply>;
  /** Sends MULTI, the requests, EXEC. Null if a watched key had changed. Errors of single commands are returned as values. */
  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null>;
}

/** One of the servers that have keys. */
export interface NamedServer extends Pick<Transport, 'send'> {
  /** `host:port`, the path of its socket, or `embedded`. */
  readonly name: string;
}

/** Limits of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In ms, instead of the store's `commandTimeout`. */
  readonly timeout?: number | undefined;
}

/** Events about a store's connections. */
export interface TransportEvents {
  disconnected: { readonly server: string; readonly error: StoreError };
  reconnected: { readonly server: string; readonly downFor: number; readonly attempts: number };
}

export type TransportListener = <Name extends keyof TransportEvents>(
  name: Name,
  event: TransportEvents[Name],
) => void;

/**
 * Sends commands to the engine or server. Embedded and remote stores implement it; the rest of a store is written once, on
 * top of it.
 *
 * A `format` is a combination of `ReplyFormat` flags. An error reply rejects the call; inside a list it is a value.
 */
export interface Transport extends Closable {
  readonly kind: 'embedded' | 'standalone' | 'sentinel' | 'cluster';
  readonly time: StoreTime;
  /** `send` itself sends a script in full that is not known. Otherwise the call fails with `NOSCRIPT`. */
  readonly sendsInFull?: boolean;
  /** Uses the shared connection. `transform` is applied to a reply that is not an error. */
  send(
    command: WireCommand,
    args: readonly Argument[],
    format: number,
    transform?: ReplyTransformer,
    options?: CallOptions,
  ): Promise<unknown>;
  /** Sends all at once. Requests for the same key are executed in order. */
  sendMany(requests: readonly Request[], format: number, options?: CallOptions): Promise<readonly Reply[]>;
  /** Sends MULTI, the requests, EXEC. */
  execute(requests: readonly Request[], format: number, options?: CallOptions): Promise<readonly Reply[]>;
  /** Sends a command that may block, on a separate connection. The signal ends it. */
  sendBlocking(request: Request, format: number, options?: CallOptions): Promise<Reply>;
  /** Opens a separate connection; in a Cluster, to the master that has the key. */
  connect(key: Argument, options?: CallOptions): Promise<Connection>;
  subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    options?: CallOptions,
  ): Promise<Closable>;
  /** One sender for each server that has keys. */
  servers(): readonly NamedServer[];
  /** Reports lost connections to the listener. The returned function removes it. */
  listen(listener: TransportListener): () => void;
  duplicate(): Promise<Transport>;
}
