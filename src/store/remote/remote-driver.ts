import type { ChannelKind, Closable, MessageListener, Reply, Request } from '../transport.js';
import type { Argument } from '../value.js';

/** One connection of its own. It does not come back by itself when it is lost: what it was told is lost with it. */
export interface RemoteLink {
  /** Rejects with a StoreError. */
  send(request: Request, format: number): Promise<Reply>;
  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null>;
  readonly isAlive: boolean;
  close(): void;
}

/** A client library, as far as stores need it. Everything rejects with a StoreError. */
export interface RemoteDriver {
  readonly kind: 'standalone' | 'sentinel' | 'cluster';
  send(request: Request, format: number): Promise<Reply>;
  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]>;
  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null>;
  /** The first key of a request; undefined where it does not matter or there is none. */
  keyOf(request: Request): Argument | undefined;
  /** The name of the server that has the key; always the same where there is only one. */
  placeOf(key: Argument | undefined): string;
  /** A connection to that server. */
  connect(place: string): Promise<RemoteLink>;
  /** Keys may have moved to other servers. */
  refresh(): Promise<void>;
  subscribe(kind: ChannelKind, names: readonly Argument[], listener: MessageListener): Promise<Closable>;
  /** Senders to each of the servers that have keys. */
  servers(): readonly { send(request: Request, format: number): Promise<Reply> }[];
  duplicate(): Promise<RemoteDriver>;
  close(): Promise<void>;
}
