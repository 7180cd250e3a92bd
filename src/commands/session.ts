import type { Bytes } from '../bytes/bytes.js';
import type { Database } from '../keyspace/database.js';
import type { User } from './acl/user.js';
import type { Command } from './table.js';

/** Sends bytes to a client outside the reply of its running command: pushes, replies after blocking. */
export interface OutputSink {
  /** Queues complete RESP bytes. The buffer must not change afterwards. */
  send(bytes: Buffer): void;
  /** The same, but the caller may use the buffer again; absent if only `send` can be used. */
  sendNow?(bytes: Buffer): void;
  /** Closes the connection: after what is queued has been sent, or at once. */
  close(when: 'flushed' | 'now'): void;
  /** Bytes accepted but not yet sent. */
  readonly pending: number;
  /** The client is no longer blocked: continue with the input that arrived meanwhile. */
  resume(): void;
  /** Whether the client may get a reply of this many bytes; absent if there is no limit. */
  mayReply?(bytes: number): boolean;
  /** Calls `work` once all bytes accepted so far are handed to the system; absent if sending never waits. */
  whenSent?(work: () => void): void;
  /** Whether the system may collect small packets before it sends them; absent if there are no packets. */
  setDelay?(isAllowed: boolean): void;
  /** Reads and writes the connection while its command runs; undefined if the connection cannot do so, as with TLS. */
  debugChannel?(): DebugChannel | undefined;
  /** Ends the session, and runs the command on a copy of the data: the connection then belongs to its debugger. */
  debugOnCopy?(words: readonly Uint8Array[]): void;
  /** The properties of the connection in CLIENT LIST; absent if there is no connection. */
  figures?(): ConnectionFigures;
}

/** The connection of a client that debugs a script, as the debugger uses it: it waits for input. */
export interface DebugChannel {
  /** The next bytes; undefined if the client has closed the connection. */
  read(): Buffer | undefined;
  write(bytes: Buffer): void;
}

/** For a session without a connection: pushes are dropped. */
export const silentSink: OutputSink = {
  send: () => {},
  close: () => {},
  pending: 0,
  resume: () => {},
};

/** Buffers of one connection, in bytes. */
export interface ConnectionFigures {
  /** Input that has not been executed, and the unused rest of the buffer that Redis would have for it. */
  readonly queryBuffer: number;
  readonly queryBufferFree: number;
  /** Memory of this client's input. */
  readonly inputMemory: number;
  /** The arguments of the command that is arriving or running; they are part of the query buffer. */
  readonly argumentBytes: number;
  /** The size of the buffer that Redis would have for the replies, and the most that was used of it lately. */
  readonly replySize: number;
  readonly replyPeak: number;
  /** Replies that will be sent when the running turn ends, if they are few. */
  readonly replies: number;
  /** Other replies waiting to be sent, and in how many pieces. */
  readonly output: number;
  readonly outputPieces: number;
  /** The events that the event loop waits for: `r`, `w` or both. */
  readonly events: string;
}

/** A command of a transaction, kept until EXEC. */
export interface QueuedCommand {
  readonly command: Command;
  readonly args: Bytes[];
}

/** A watched key. It belongs to the database number, even if SWAPDB exchanges the database's content. */
export interface WatchedKey {
  readonly session: Session;
  readonly db: number;
  /** As latin1 text. */
  readonly key: string;
  /** The key had already expired at the time of WATCH: its deletion does not count as a change. */
  wasExpired: boolean;
}

/** How a client wants to be notified of changed keys: CLIENT TRACKING. */
export interface TrackingState {
  /** Notified of all keys with its prefixes, instead of those it has read. */
  readonly broadcast: boolean;
  /** OPTIN: keys are tracked only after CLIENT CACHING YES. OPTOUT: except after CLIENT CACHING NO. */
  readonly optIn: boolean;
  readonly optOut: boolean;
  /** NOLOOP: not notified of its own changes. */
  readonly noLoop: boolean;
  /** The id of the client that is notified instead; 0 for itself. */
  readonly redirect: number;
  /** In byte order; empty unless broadcasting. */
  readonly prefixes: readonly string[];
  /** CLIENT CACHING was given for the next command or transaction. */
  caching: boolean;
  /** The client it redirects to has disconnected. */
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
  /** A monitor or replica, which may not access keys. */
  observer: 1 << 6,
  /** The user's permissions are limited: each command is checked. */
  restricted: 1 << 7,
  /** ASKING: the next command, or the whole transaction, may use keys of a slot that this node imports. */
  asking: 1 << 8,
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
  /** Undefined if it may do everything. */
  user: User | undefined;
  /** It belongs to the program itself: until it authenticates as a user, it may do everything. */
  isTrusted = false;
  /** The client gave a password, or none was required when it connected. */
  authenticated = true;
  /** CLIENT REPLY: whether replies are sent. `skip` drops the next one; `skipping` is set while that command runs. */
  replies: 'on' | 'off' | 'skip' | 'skipping' = 'on';
  /** CLIENT PAUSE holds back the command that was just passed in: pass it in again later. */
  postponed = false;
  isUnixSocket = false;
  isTls = false;
  /** READONLY: in a cluster, a replica may answer reads of this client. */
  readsReplicas = false;
  /** Peer and own address, as CLIENT LIST prints them. */
  address = '';
  localAddress = '';
  fd = -1;
  /** `master` also runs the commands of a file: recorded commands are not subject to the limits of clients. */
  kind: 'normal' | 'replica' | 'pubsub' | 'master' = 'normal';

  /** The offset of the replication stream after its last command: what WAIT waits for. */
  streamOffset = 0;

  /** Commands queued since MULTI; undefined outside a transaction. */
  queue: QueuedCommand[] | undefined;
  /** The combined flags of all queued commands, which EXEC is checked by. */
  queuedFlags = 0;
  /** One of them may not run on a replica without its master. */
  queuesFresh = false;
  /** Bytes of their arguments. */
  queuedBytes = 0;
  /** A command was refused when it was queued: EXEC will abort. */
  queueFailed = false;
  watched: WatchedKey[] = [];
  /** A watched key has changed: EXEC will reply null. */
  watchFailed = false;

  /** Undefined while CLIENT TRACKING is off. */
  tracking: TrackingState | undefined;

  readonly channels = new Set<string>();
  readonly patterns = new Set<string>();
  readonly shardChannels = new Set<string>();

  /** SCRIPT DEBUG: whether EVAL starts the debugger, on a copy of the data or on the data itself. */
  debugging: 'no' | 'copy' | 'sync' = 'no';

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

/** Whether the client is local: connected by a Unix socket, from 127.0.0.1 or from ::1. */
export function isLocal({ isUnixSocket, address }: { isUnixSocket: boolean; address: string }): boolean {
  return isUnixSocket || /^(127\.0\.0\.1|\[::1\]):/.test(address);
}
