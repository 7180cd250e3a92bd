import type { StoreError } from '../store-error.js';
import type {
  ChannelKind,
  Closable,
  MessageListener,
  Reply,
  Request,
  TransportListener,
} from '../transport.js';
import type { Argument } from '../value.js';

/**
 * One connection. It does not come back when it is lost: what the server knew about it (watched keys, a transaction) is
 * lost with it. Everything rejects with a StoreError: a reply of the server, or `UNREACHABLE` if the connection was lost
 * before the reply came; `mayHaveRun` then says whether the request was sent and changes something.
 */
export interface RemoteLink {
  send(request: Request, format: number): Promise<Reply>;
  /** All in one write; errors are values. */
  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]>;
  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null>;
  readonly isAlive: boolean;
  /** Called once, when the connection is lost or closed. */
  onEnd(listener: (error: Error | undefined) => void): void;
  /** At once: what was sent and is not answered rejects. */
  close(): void;
}

/** Makes connections to one server, or to the master that Sentinels name. */
export interface LinkSource {
  readonly kind: 'standalone' | 'sentinel';
  /** What errors call the server. */
  readonly server: string;
  /** How long to wait before an attempt to reconnect, counted from 1; null to give up. */
  pauseBefore(attempt: number): number | null;
  connect(signal?: AbortSignal): Promise<RemoteLink>;
  /** On a connection of its own. `ended` of the listener is called when that is lost. */
  subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    signal?: AbortSignal,
  ): Promise<Closable>;
}

/** Who a request is sent for. */
export interface Caller {
  /** It has gone: nothing more may be sent for it. */
  readonly isOver: boolean;
}

/**
 * The way to one server or several. Everything rejects with a StoreError, and at once with `UNREACHABLE` where there is no
 * connection: the caller decides whether to wait for it (`ready`).
 */
export interface RemoteSender {
  send(request: Request, format: number, caller: Caller): Promise<Reply>;
  /** Resolves when it is worth sending the request again. Rejects if there will be no connection any more. */
  ready(request: Request | undefined): Promise<void>;
  /** The latest reason why there is no connection for the request; undefined if there is one. */
  problem(request: Request | undefined): StoreError | undefined;
  /** The connection that the request uses is of no use: it is replaced. */
  drop(request: Request | undefined, reason: string): void;
}

/** A client library, as far as stores need it. */
export interface RemoteDriver extends RemoteSender {
  readonly kind: 'standalone' | 'sentinel' | 'cluster';
  /** Errors are values. */
  sendMany(requests: readonly Request[], format: number, caller: Caller): Promise<readonly Reply[]>;
  execute(requests: readonly Request[], format: number, caller: Caller): Promise<readonly Reply[] | null>;
  /** The first key of a request; undefined where it does not matter or there is none. */
  keyOf(request: Request): Argument | undefined;
  /** The name of the server that has the key; always the same where there is only one. */
  placeOf(key: Argument | undefined): string;
  /** A connection to that server. */
  connect(place: string, signal?: AbortSignal): Promise<RemoteLink>;
  /** Keys may have moved to other servers. */
  refresh(): Promise<void>;
  /** On a connection of its own. `ended` of the listener is called when that is lost. */
  subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    signal?: AbortSignal,
  ): Promise<Closable>;
  /** Each of the servers that have keys. */
  servers(): readonly RemoteSender[];
  listen(listener: TransportListener): void;
  duplicate(signal?: AbortSignal): Promise<RemoteDriver>;
  close(): void;
}
