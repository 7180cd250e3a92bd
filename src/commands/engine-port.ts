import type { Bytes } from '../bytes/bytes.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import type { Type } from '../keyspace/kinds.js';
import type { Reply } from '../resp/reply.js';
import type { Users } from './acl/users.js';
import type { Call } from './call.js';
import type { ClusterPort } from './cluster-port.js';
import type { Settings } from './config/settings.js';
import type { CommandError } from './errors.js';
import type { HostPort } from './host-port.js';
import type { ArgumentList } from './key-positions.js';
import type { ReplicationPort } from './replication-port.js';
import type { ScriptingPort } from './scripting-port.js';
import type { Session, TrackingState } from './session.js';
import type {
  LatencyMonitorPort,
  ReplyBufferTuning,
  SlowLogPort,
  StatisticsPort,
} from './statistics-port.js';
import type { Command, CommandTable } from './table.js';

/**
 * A client blocked on keys. `serve` is called, in the order in which clients blocked, when a key of that type was
 * created, or a stream got an entry or lost a group. It takes the elements and replies through `call` (whose session,
 * database and reply are the blocked client's), or returns false, and the client stays blocked.
 */
export interface Wait {
  readonly keys: readonly Bytes[];
  readonly type: Type;
  /** Unix ms; 0 is never. */
  readonly deadline: number;
  serve(call: Call, key: Bytes): boolean;
  timedOut(reply: Reply): void;
  /**
   * Called when the key was removed or has another type now. If that ends the wait, replies and returns true, or throws.
   * Without this method the client stays blocked.
   */
  keyGone?(call: Call, key: Bytes): boolean;
}

/** MULTI, EXEC and WATCH of all sessions. */
export interface TransactionsPort {
  begin(session: Session): void;
  /** Runs the queued commands and replies with their results, or with the reason why they cannot run. */
  execute(call: Call): void;
  /** Drops the queued commands and forgets the watched keys. */
  discard(session: Session): void;
  watch(session: Session, key: Bytes): void;
  unwatch(session: Session): void;
}

/** The kind of a channel: for PUBLISH, or for SPUBLISH (shard channels, which have a slot as keys do). */
export type ChannelKind = 'global' | 'shard';

/** Subscriptions. The methods that subscribe and unsubscribe also send the confirmations, one per channel. */
export interface PubSubPort {
  subscribe(session: Session, kind: ChannelKind, channel: string): void;
  unsubscribe(session: Session, kind: ChannelKind, channel: string): void;
  unsubscribeFromAll(session: Session, kind: ChannelKind): void;
  subscribePattern(session: Session, pattern: string): void;
  unsubscribePattern(session: Session, pattern: string): void;
  unsubscribeFromAllPatterns(session: Session): void;
  /** Returns the number of receivers, counting a client once for each matching subscription. */
  publish(kind: ChannelKind, channel: Bytes, message: Bytes): number;
  /** Channels with subscribers. */
  channels(kind: ChannelKind): Iterable<string>;
  subscribers(kind: ChannelKind, channel: string): number;
  /** The number of distinct patterns with subscribers. */
  readonly patternCount: number;
}

export type TrackingOptions = Omit<TrackingState, 'caching' | 'redirectBroken'>;

/** Which clients are notified of which changed keys. */
export interface TrackingPort {
  enable(session: Session, options: TrackingOptions): void;
  disable(session: Session): void;
  /** The session has read the keys of this command; for a script, the declared keys. */
  rememberKeys(session: Session, command: Command, args: readonly Bytes[], argc: number): void;
  /** For INFO: tracking clients, tracked keys, pairs of key and client, prefixes. */
  readonly clientCount: number;
  readonly keyCount: number;
  readonly itemCount: number;
  readonly prefixCount: number;
}

/** Clients that watch all commands: MONITOR. */
export interface MonitorsPort {
  add(session: Session): void;
  remove(session: Session): void;
  readonly size: number;
  /** Sends a command, with its arguments as given, to the monitors. It was run by the session or by its script. */
  feed(session: Session, by: 'client' | 'script', command: Command, args: ArgumentList): void;
}

/** Why commands are held back: CLIENT PAUSE, SHUTDOWN or FAILOVER. Each ends only its own pause. */
export type PausePurpose = 'command' | 'shutdown' | 'failover';

/** CLIENT PAUSE. */
export interface PausePort {
  /** Holds back commands (all, or those that may write) until the time, in Unix ms; a longer or stricter pause stays in force. */
  pause(kind: 'all' | 'write', until: number, purpose?: PausePurpose): void;
  unpause(purpose?: PausePurpose): void;
}

export interface ShutdownOptions {
  readonly save: boolean | undefined;
  readonly now: boolean;
  readonly force: boolean;
}

/** DEBUG RELOAD: whether to save first, to empty the databases, and to replace existing keys. */
export interface ReloadOptions {
  readonly saves: boolean;
  readonly flushes: boolean;
  readonly merges: boolean;
}

/** Keeping the data in files. All methods throw the error that the client gets. */
export interface PersistencePort {
  /** When the data was last saved, in Unix seconds. */
  readonly lastSave: number;
  save(): void;
  /** Saves in the background: `now` or not at all; as soon as `possible`; or `later`, after the running command. */
  saveInBackground(when: 'now' | 'possible' | 'later'): 'started' | 'scheduled';
  reload(options: ReloadOptions): void;
  /** FLUSHALL has emptied the databases: if saving is automatic, saves at once. Throws nothing. */
  flushed(): void;
  /** Rewrites the append-only file: `now`, or `later`, after the running transaction. */
  rewriteInBackground(when: 'now' | 'later'): 'started' | 'scheduled';
  /** Empties the databases and loads the append-only file again. */
  reloadAppendOnly(): void;
  /** Writes what was recorded so far, so that replies held back for it can be sent. Throws nothing. */
  settle(): void;
}

/** The part of the engine that commands use. The engine implements it. */
export interface EnginePort {
  readonly keyspace: Keyspace;
  readonly table: CommandTable;
  readonly settings: Settings;
  readonly transactions: TransactionsPort;
  readonly pubsub: PubSubPort;
  readonly tracking: TrackingPort;
  readonly monitors: MonitorsPort;
  readonly scripting: ScriptingPort;
  /** RESET and QUIT: ends the session's transaction, subscriptions, tracking and monitoring. */
  forgetSession(session: Session): void;
  session(id: number): Session | undefined;
  /** Every client, oldest first. */
  readonly sessions: ReadonlyMap<number, Session>;
  readonly users: Users;
  readonly pause: PausePort;
  readonly statistics: StatisticsPort;
  readonly slowLog: SlowLogPort;
  readonly latencyMonitor: LatencyMonitorPort;
  readonly host: HostPort;
  readonly persistence: PersistencePort;
  /** Fields of INFO that other parts of the server provide. They replace the values of an engine on its own. */
  readonly facts: { get(name: string): (() => string | number) | undefined };
  /** When the engine was created, in Unix ms. */
  readonly startedAt: number;
  /** 40 hexadecimal digits, different at each start. */
  readonly runId: string;
  readonly replication: ReplicationPort;
  /** Undefined unless the engine is a node of a cluster. */
  readonly cluster: ClusterPort | undefined;
  readonly isLoading: boolean;
  /** New data is being loaded, and the present data is in use until it is complete. */
  readonly isAsyncLoading: boolean;
  /** Bytes in use, as `used_memory` shows and `maxmemory` limits them; and those of an empty engine. */
  readonly usedMemory: number;
  readonly startupMemory: number;
  /** The number of clients blocked on keys, and of those that wait for a limited time. */
  readonly blockedClients: number;
  readonly timedWaits: number;
  /** CONFIG RESETSTAT. */
  resetStatistics(): void;
  /** Unblocks a client as if its timeout had expired, or with an error. False if it is not blocked. */
  unblock(session: Session, error?: CommandError): boolean;
  /** RESET: makes the session as if it had just connected. */
  resetSession(session: Session): void;
  /** DEBUG SET-ACTIVE-EXPIRE. */
  setActiveExpiry(active: boolean): void;
  /** DEBUG PAUSE-CRON: stops the work between commands. */
  pauseBackground(isPaused: boolean): void;
  readonly replyBuffers: ReplyBufferTuning;
  block(session: Session, wait: Wait): void;
}
