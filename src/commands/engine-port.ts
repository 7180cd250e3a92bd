import type { Bytes } from '../bytes/bytes.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import type { Type } from '../keyspace/kinds.js';
import type { Reply } from '../resp/reply.js';
import type { Users } from './acl/users.js';
import type { Call } from './call.js';
import type { ClusterPort } from './cluster-port.js';
import type { Settings } from './config/settings.js';
import type { CommandError } from './errors.js';
import type { ArgumentList } from './key-positions.js';
import type { Session, TrackingState } from './session.js';
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

export const DEFAULT_PEAK_RESET_MS = 5000;

/** DEBUG REPLYBUFFER: how the sizes that CLIENT LIST shows follow the replies. */
export interface ReplyBufferTuning {
  /** The time after which the largest reply is forgotten; negative for never. */
  peakResetMs: number;
  isResizing: boolean;
}

/** The statistics since the start, or since CONFIG RESETSTAT. Commands are given by `Command.id`. */
export interface StatisticsPort {
  readonly connectionsReceived: number;
  readonly rejectedConnections: number;
  /** Dropped for `maxmemory-clients`. */
  readonly evictedClients: number;
  /** See `ConnectionFigures.replySize`. */
  readonly replyBufferShrinks: number;
  readonly replyBufferExpands: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly reads: number;
  readonly writes: number;
  readonly errorReplies: number;
  /** Unexpected errors: defects. */
  readonly unexpectedErrors: number;
  readonly peakMemory: number;
  readonly commandsProcessed: number;
  /** Per second, over the last 1.6 seconds. */
  readonly commandRate: number;
  readonly inputRate: number;
  readonly outputRate: number;
  /** By error code. */
  readonly errors: ReadonlyMap<string, number>;
  calls(id: number): number;
  /** Time spent, in µs. */
  micros(id: number): number;
  rejected(id: number): number;
  failed(id: number): number;
  /** The distribution of run times; undefined if none was recorded. */
  latencies(id: number): LatencyHistogram | undefined;
}

/** How long calls of one command took, in ns with two significant digits. */
export interface LatencyHistogram {
  readonly total: number;
  /** The percentile (0 to 100) of the run times, in ns. */
  percentile(share: number): number;
  /** Cumulative counts by powers of two: the bound in µs, and how many calls took at most that long. */
  cumulative(): readonly (readonly [micros: number, calls: number])[];
}

export interface SlowLogEntry {
  readonly id: number;
  /** Unix seconds. */
  readonly time: number;
  readonly micros: number;
  readonly args: readonly string[];
  readonly address: string;
  readonly clientName: string;
}

export interface SlowLogPort {
  readonly length: number;
  /** Newest first. */
  entries(max: number): readonly SlowLogEntry[];
  reset(): void;
}

export interface LatencySample {
  /** Unix seconds. */
  readonly time: number;
  /** The longest within that second, in ms. */
  readonly latency: number;
}

/** Spikes of one kind, oldest first. */
export interface LatencyEvent {
  readonly name: string;
  readonly samples: readonly LatencySample[];
  /** The longest ever, in ms. */
  readonly longest: number;
}

export interface LatencyMonitorPort {
  readonly events: ReadonlyMap<string, LatencyEvent>;
  reset(name: string): boolean;
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

/** The properties that a replica reports (REPLCONF) before it requests the data. */
export interface ReplicaDeclaration {
  /** The port and address to show instead of those of the connection. */
  readonly listeningPort?: number;
  readonly address?: string;
  /** It can read a snapshot whose length is not known in advance (`eof`); it takes a new replication id (`psync2`). */
  readonly capability?: string;
  /** It wants only the snapshot, and no changes after it. */
  readonly snapshotOnly?: boolean;
  /** It wants only these parts of a snapshot: `functions`, or nothing. */
  readonly parts?: readonly string[];
}

/** PSYNC: the history that a replica has, and the number of the next byte it needs; or SYNC, which always gets all data. */
export interface SyncRequest {
  readonly id: string;
  readonly next: number;
  /** SYNC of old replicas: no reply before the snapshot, and the replica sends no acknowledgements. */
  readonly isOld: boolean;
  /** The master that asks has chosen this replica as its successor. */
  readonly isFailover: boolean;
}

export interface FailoverRequest {
  readonly target: { readonly host: string; readonly port: number } | undefined;
  readonly force: boolean;
  /** In ms; 0 is none. */
  readonly timeout: number;
}

/** Copies of the data on other servers. All methods throw the error that the client gets. */
export interface ReplicationPort {
  readonly isReplica: boolean;
  /** The number of replicas that acknowledged within `min-replicas-max-lag` seconds. */
  readonly goodReplicas: number;
  /** The number of bytes of the replication stream so far. */
  readonly offset: number;
  /** Bytes of the stream that are kept in memory, and how many of them only because replicas are slow. */
  readonly bufferBytes: number;
  readonly slowReaderBytes: number;
  /** The fields of INFO replication. */
  info(): readonly (readonly [name: string, value: string | number])[];
  /** The reply of ROLE. */
  role(reply: Reply): void;
  /** REPLICAOF host port: false if that is the master already. */
  follow(host: string, port: number): boolean;
  /** REPLICAOF NO ONE */
  lead(): void;
  declare(session: Session, declaration: ReplicaDeclaration): void;
  /** REPLCONF ACK: the session's replica has applied the stream up to this offset. */
  acknowledged(session: Session, offset: number): void;
  /** REPLCONF GETACK of our master. */
  acknowledge(session: Session): void;
  synchronize(session: Session, request: SyncRequest): void;
  /** WAIT: replies when that many replicas have everything written so far, or at the deadline (Unix ms; 0 is never). */
  wait(call: Call, replicas: number, deadline: number): void;
  failover(request: FailoverRequest): void;
  abortFailover(): void;
  /** DEBUG CHANGE-REPL-ID */
  changeIds(): void;
  /** The session of a replica is closed. */
  replicaClosed(session: Session): void;
}

/** The running script: of EVAL, or a function. */
export type ScriptKind = 'script' | 'function';

/** Scripts: EVAL, SCRIPT and, with functions, FUNCTION and FCALL. All methods throw the error that the client gets. */
export interface ScriptingPort {
  readonly functions: FunctionsPort;
  /** DEBUG SET-DISABLE-DENY-SCRIPTS: scripts may call commands with the `noscript` flag. */
  allowsAnyCommand: boolean;
  /** Runs the script whose source or hash is the command's first argument, and replies with what it returns. */
  evaluate(call: Call, by: 'source' | 'sha', isReadonly: boolean): void;
  /** Compiles a script and keeps it; returns its hash. */
  load(source: string): string;
  exists(sha: string): boolean;
  flush(): void;
  /** Kills the running script or function. */
  kill(kind: ScriptKind): void;
}

export interface FunctionDescription {
  readonly name: string;
  readonly description: string | undefined;
  readonly flags: readonly string[];
}

export interface LibraryDescription {
  readonly name: string;
  readonly code: string;
  readonly functions: readonly FunctionDescription[];
}

/** A script or function that is running while other clients are answered BUSY. */
export interface RunningScript {
  readonly kind: ScriptKind;
  readonly name: string;
  /** The words of the command that runs it. */
  readonly command: readonly string[];
  readonly milliseconds: number;
}

/** The treatment of existing libraries when others are restored. */
export type RestorePolicy = 'flush' | 'append' | 'replace';

/** Libraries of functions. */
export interface FunctionsPort {
  readonly libraryCount: number;
  readonly functionCount: number;
  readonly running: RunningScript | undefined;
  /** Runs the function that the command's first argument names, and replies with what it returns. */
  call(call: Call, isReadonly: boolean): void;
  /** Returns the library's name. */
  load(code: string, replaces: boolean): string;
  delete(name: string): boolean;
  flush(): void;
  /** The libraries whose name matches the pattern. */
  list(pattern: string | undefined): readonly LibraryDescription[];
  dump(): Buffer;
  restore(payload: Bytes, policy: RestorePolicy): void;
}

export type LogLevel = 'debug' | 'verbose' | 'notice' | 'warning';

/** The process and its machine, as INFO shows them; bytes and microseconds. */
export interface MachineFigures {
  /** Name, release and architecture. */
  readonly system: string;
  readonly processId: number;
  readonly executable: string;
  readonly systemBytes: number;
  readonly residentBytes: number;
  /** Memory outside the arenas: bytes in use, and bytes taken from the system for them. */
  readonly allocatedBytes: number;
  readonly activeBytes: number;
  readonly systemMicros: number;
  readonly userMicros: number;
}

/** The engine's surroundings: a server's process, or the program that embeds it. */
export interface HostPort {
  log(level: LogLevel, message: string): void;
  /** Memory of all clients' buffers. */
  readonly clientMemory: number;
  machine(): MachineFigures;
  /** Ends the server. Returns false if it cannot or may not. The session is blocked if the end has to wait. */
  shutdown(options: ShutdownOptions, session?: Session): boolean;
  /** Cancels a shutdown. False if none is in progress. */
  abortShutdown(): boolean;
  /** Crashes at once. */
  crash(reason: string): void;
  /** CONFIG REWRITE. Throws the error that the client gets. */
  rewriteSettings(): void;
  /** The latin1 text of a file. Throws an Error with the system's reason. */
  readText(path: string): string;
  /** Replaces a file as a whole. Throws an Error with the system's reason. */
  replaceText(path: string, text: string): void;
  /**
   * A connection to another server, new or cached; undefined if the host does not exist or does not answer
   * in time. Absent where no other server can be reached.
   */
  readonly peer?: ((host: string, port: number, timeoutMs: number) => Peer | undefined) | undefined;
}

/** A synchronous connection to another server: the engine stands still during each request. */
export interface Peer {
  /** The database that is selected there; -1 if unknown. */
  db: number;
  /** Sends the request and waits for `lines` lines. */
  exchange(request: Buffer, lines: number, timeoutMs: number): Exchange;
  /** Closes the connection; the next command for this server opens a new one. */
  close(): void;
}

/** The lines received: all of them if there was no failure. */
export interface Exchange {
  readonly lines: readonly string[];
  readonly failure: 'writing' | 'reading' | undefined;
  readonly isTimeout: boolean;
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
