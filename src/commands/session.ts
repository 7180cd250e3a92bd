import type { Bytes } from '../bytes/bytes.js';
import type { Database } from '../keyspace/database.js';
import type { Command } from './table.js';

/** Where bytes for a client go outside the reply of its own running command: pushes, replies after blocking. */
export interface OutputSink {
  /** Queues complete RESP bytes behind what was sent before. The buffer must not change afterwards. */
  send(bytes: Buffer): void;
  /** Closes the connection: after what is queued has been sent, or at once. */
  close(when: 'flushed' | 'now'): void;
  /** Bytes accepted but not yet sent. */
  readonly pending: number;
  /** The client waits no more: go on with the input that came meanwhile. */
  resume(): void;
  /** Whether the client may get a reply of this many bytes; absent if there is no limit. */
  mayReply?(bytes: number): boolean;
  /** What CLIENT LIST shows of the connection; absent if there is no connection. */
  figures?(): ConnectionFigures;
}

/** For a session without a connection: what is pushed to it is dropped. */
export const silentSink: OutputSink = {
  send: () => {},
  close: () => {},
  pending: 0,
  resume: () => {},
};

/** Buffers of one connection, in bytes. */
export interface ConnectionFigures {
  readonly queryBuffer: number;
  readonly queryBufferFree: number;
  /** Replies waiting to be sent, and in how many pieces. */
  readonly output: number;
  readonly outputPieces: number;
  /** What the event loop waits for: `r`, `w` or both. */
  readonly events: string;
}

/** A command of a transaction, kept until EXEC. */
export interface QueuedCommand {
  readonly command: Command;
  readonly args: Bytes[];
}

/** A key that WATCH named. It belongs to the database of that number, whichever SWAPDB puts there. */
export interface WatchedKey {
  readonly session: Session;
  readonly db: number;
  /** As latin1 text. */
  readonly key: string;
  /** It had expired already when WATCH looked: its deletion is no change. */
  wasExpired: boolean;
}

/** How a client wants to be notified of changed keys: CLIENT TRACKING. */
export interface TrackingState {
  /** Notified of all keys with its prefixes, instead of those it has read. */
  readonly broadcast: boolean;
  /** Reads count only after CLIENT CACHING YES, or unless after CLIENT CACHING NO. */
  readonly optIn: boolean;
  readonly optOut: boolean;
  /** Not notified of its own changes. */
  readonly noLoop: boolean;
  /** The id of the client that is notified instead; 0 for itself. */
  readonly redirect: number;
  /** In the order of their bytes; empty unless broadcasting. */
  readonly prefixes: readonly string[];
  /** CLIENT CACHING was given for the next command or transaction. */
  caching: boolean;
  /** The client it redirects to turned out to be gone. */
  redirectBroken: boolean;
}

/** Conditions of one session that a command must pass before it runs; any bit set leaves the fast path. */
export const SessionGate = {
  unauthenticated: 1 << 0,
  transaction: 1 << 1,
  /** A RESP2 client with subscriptions may only manage them. */
  subscribed: 1 << 2,
  /** CLIENT REPLY OFF or SKIP. */
  muted: 1 << 3,
  /** Its input is not read, because it is blocked. */
  blocked: 1 << 4,
  tracking: 1 << 5,
  /** Fed by MONITOR: it may not touch keys. */
  monitor: 1 << 6,
  /** Its user may not do everything: each command is asked for permission. */
  restricted: 1 << 7,
} as const;

/** Everything the engine knows of one client. Commands read and change it through `call.session`. */
export class Session {
  readonly id: number;
  readonly sink: OutputSink;
  readonly createdAt: number;
  db: Database;
  protocol: 2 | 3 = 2;
  gates = 0;

  name = '';
  user = 'default';
  /** It gave a password, or none was asked for when it came. */
  authenticated = true;
  /** CLIENT REPLY: whether replies are sent. `skip` leaves out the next one, `skipping` is in force while that command runs. */
  replies: 'on' | 'off' | 'skip' | 'skipping' = 'on';
  /** CLIENT PAUSE holds back the command that was just passed in: it must be passed in again later. */
  postponed = false;
  isUnixSocket = false;
  /** Peer and own address, as CLIENT LIST prints them. */
  address = '';
  localAddress = '';
  fd = -1;
  /** `master` also runs the commands of a file: recorded commands are not subject to the limits of clients. */
  kind: 'normal' | 'replica' | 'pubsub' | 'master' = 'normal';

  /** Commands queued since MULTI; undefined outside a transaction. */
  queue: QueuedCommand[] | undefined;
  /** The flags of all queued commands: EXEC is judged by them. */
  queuedFlags = 0;
  /** What their arguments take. */
  queuedBytes = 0;
  /** A command was refused while queueing: EXEC will abort. */
  queueFailed = false;
  watched: WatchedKey[] = [];
  /** A watched key has changed: EXEC will answer null. */
  watchFailed = false;

  /** Undefined while CLIENT TRACKING is off. */
  tracking: TrackingState | undefined;

  readonly channels = new Set<string>();
  readonly patterns = new Set<string>();
  readonly shardChannels = new Set<string>();

  lastCommand: Command | undefined;
  lastActiveAt: number;
  isMonitor = false;
  noEvict = false;
  noTouch = false;
  closing = false;

  constructor(id: number, sink: OutputSink, db: Database, now: number) {
    this.id = id;
    this.sink = sink;
    this.db = db;
    this.createdAt = now;
    this.lastActiveAt = now;
  }
}

/** Whether the client is on this machine: by a Unix socket, from 127.0.0.1 or from ::1, and from no other address. */
export function isLocal({ isUnixSocket, address }: { isUnixSocket: boolean; address: string }): boolean {
  return isUnixSocket || /^(127\.0\.0\.1|\[::1\]):/.test(address);
}
