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
}

/** A command of a transaction, kept until EXEC. */
export interface QueuedCommand {
  readonly command: Command;
  readonly args: Bytes[];
}

export interface WatchedKey {
  readonly db: Database;
  readonly key: Bytes;
  /** It had expired already when WATCH looked: its deletion is no change. */
  readonly wasExpired: boolean;
}

/** Conditions of one session that a command must pass before it runs; any bit set leaves the fast path. */
export const SessionGate = {
  unauthenticated: 1 << 0,
  transaction: 1 << 1,
  /** A RESP2 client with subscriptions may only manage them. */
  subscribed: 1 << 2,
  /** CLIENT REPLY OFF or SKIP. */
  muted: 1 << 3,
  /** Its input is not looked at: blocked. */
  blocked: 1 << 4,
  tracking: 1 << 5,
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
  /** Peer and own address, as CLIENT LIST prints them. */
  address = '';
  localAddress = '';
  fd = -1;
  kind: 'normal' | 'replica' | 'pubsub' | 'master' = 'normal';

  /** Commands queued since MULTI; undefined outside a transaction. */
  queue: QueuedCommand[] | undefined;
  /** A command was refused while queueing: EXEC will abort. */
  queueFailed = false;
  watched: WatchedKey[] = [];
  /** A watched key has changed: EXEC will answer null. */
  watchFailed = false;

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
