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
 * One connection. It is not made again when it is lost, since its state in the server (watched keys, a transaction) is lost
 * too. Calls reject with a StoreError: an error reply, or `UNREACHABLE` if the connection was lost before the reply came.
 * `mayHaveRun` then says whether the request was sent and changes data.
 */
export interface RemoteLink {
  send(request: Request, format: number): Promise<Reply>;
  /** Sends all requests in one write. Error replies are returned as values. */
  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]>;
  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null>;
  readonly isAlive: boolean;
  /** Called once, when the connection is lost or closed. */
  onEnd(listener: (error: Error | undefined) => void): void;
  /** Closes the connection at once. Requests without an answer reject. */
  close(): void;
}

/** Makes connections to one server, or to the master that Sentinels name. */
export interface LinkSource {
  readonly kind: 'standalone' | 'sentinel';
  /** The server's name in error texts. */
  readonly server: string;
  /** How long to wait before an attempt to reconnect, counted from 1; null to give up. */
  pauseBefore(attempt: number): number | null;
  connect(signal?: AbortSignal): Promise<RemoteLink>;
  /** Subscribes on a separate connection. Calls `ended` of the listener when that connection is lost. */
  subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    signal?: AbortSignal,
  ): Promise<Closable>;
}

/** The call that a request belongs to. */
export interface Caller {
  /** The call has ended: nothing more may be sent for it. */
  readonly isOver: boolean;
}

/**
 * Sends requests to one server or several. Calls reject with a StoreError. Without a connection they reject at once with
 * `UNREACHABLE`, and the caller decides whether to wait for one (`ready`).
 */
export interface RemoteSender {
  send(request: Request, format: number, caller: Caller): Promise<Reply>;
  /** Resolves when the request may be sent again. Rejects if there will never be a connection again. */
  ready(request: Request | undefined): Promise<void>;
  /** The latest reason why there is no connection for the request; undefined if there is one. */
  problem(request: Request | undefined): StoreError | undefined;
  /** Replaces the connection that the request uses, because it is not usable. */
  drop(request: Request | undefined, reason: string): void;
}

/** The functions of a client library that a remote store needs. */
export interface RemoteDriver extends RemoteSender {
  readonly kind: 'standalone' | 'sentinel' | 'cluster';
  /** Error replies are returned as values. */
  sendMany(requests: readonly Request[], format: number, caller: Caller): Promise<readonly Reply[]>;
  execute(requests: readonly Request[], format: number, caller: Caller): Promise<readonly Reply[] | null>;
  /** The first key of a request; undefined if there is none, or if there is only one server. */
  keyOf(request: Request): Argument | undefined;
  /** The name of the server that has the key; always the same if there is only one server. */
  placeOf(key: Argument | undefined): string;
  /** A connection to that server. */
  connect(place: string, signal?: AbortSignal): Promise<RemoteLink>;
  /** Finds out which servers have which keys now. */
  refresh(): Promise<void>;
  /** Subscribes on a separate connection. Calls `ended` of the listener when that connection is lost. */
  subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    signal?: AbortSignal,
  ): Promise<Closable>;
  /** One sender for each server that has keys. */
  servers(): readonly (RemoteSender & { readonly name: string })[];
  listen(listener: TransportListener): void;
  duplicate(signal?: AbortSignal): Promise<RemoteDriver>;
  close(): void;
}
