import type { Bytes } from '../bytes/bytes.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import type { Type } from '../keyspace/kinds.js';
import type { Reply } from '../resp/reply.js';
import type { Call } from './call.js';
import type { Settings } from './config/settings.js';
import type { CommandError } from './errors.js';
import type { ArgumentList } from './key-positions.js';
import type { Session, TrackingState } from './session.js';
import type { Command, CommandTable } from './table.js';

/**
 * A client waiting for keys. `serve` is called, in the order in which clients began to wait, when a key of that type was
 * created, or a stream got an entry or lost a group. It takes what it waited for and replies through `call` (whose session,
 * database and reply are the waiting client's), or returns false and keeps waiting.
 */
export interface Wait {
  readonly keys: readonly Bytes[];
  readonly type: Type;
  /** Unix ms; 0 is never. */
  readonly deadline: number;
  serve(call: Call, key: Bytes): boolean;
  timedOut(reply: Reply): void;
  /**
   * Called when the key was removed or has another type now. Replies and returns true, or throws, if that ends the wait.
   * Without this method the client keeps waiting.
   */
  keyGone?(call: Call, key: Bytes): boolean;
}

/** MULTI, EXEC and WATCH of all sessions. */
export interface TransactionsPort {
  begin(session: Session): void;
  /** Runs what the session queued; replies with all the results, or with what stands in their way. */
  execute(call: Call): void;
  /** Drops what was queued, and forgets the watched keys. */
  discard(session: Session): void;
  watch(session: Session, key: Bytes): void;
  unwatch(session: Session): void;
}

/** Which kind of channel: those of PUBLISH, or those of SPUBLISH, which belong to a slot as keys do. */
export type ChannelKind = 'global' | 'shard';

/** Subscriptions. The methods that subscribe and unsubscribe also send the confirmations, one per channel. */
export interface PubSubPort {
  subscribe(session: Session, kind: ChannelKind, channel: string): void;
  unsubscribe(session: Session, kind: ChannelKind, channel: string): void;
  unsubscribeFromAll(session: Session, kind: ChannelKind): void;
  subscribePattern(session: Session, pattern: string): void;
  unsubscribePattern(session: Session, pattern: string): void;
  unsubscribeFromAllPatterns(session: Session): void;
  /** Returns to how many clients the message went, counting one for each matching subscription. */
  publish(kind: ChannelKind, channel: Bytes, message: Bytes): number;
  /** Channels with subscribers. */
  channels(kind: ChannelKind): Iterable<string>;
  subscribers(kind: ChannelKind, channel: string): number;
  /** How many different patterns are subscribed to. */
  readonly patternCount: number;
}

export type TrackingOptions = Omit<TrackingState, 'caching' | 'redirectBroken'>;

/** Which clients are notified of which changed keys. */
export interface TrackingPort {
  enable(session: Session, options: TrackingOptions): void;
  disable(session: Session): void;
  /** The session has read the keys of this command, of a script: those declared. */
  rememberKeys(session: Session, command: Command, args: readonly Bytes[], argc: number): void;
  /** For INFO: clients that track, keys remembered, keys times clients, prefixes. */
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
  /** Shows a command: its arguments as given, run by the session or, on its behalf, by a script. */
  feed(session: Session, by: 'client' | 'script', command: Command, args: ArgumentList): void;
}

/** Users and passwords. There is one user, `default`, with the password of `requirepass`. */
export interface AuthenticationPort {
  /** Whether the default user has a password. */
  readonly hasPassword: boolean;
  /** True if the credentials are right; the session is then that user's. */
  authenticate(session: Session, user: string, password: string): boolean;
  /** The session as a new one would be: the default user, authenticated if no password is asked for. */
  reset(session: Session): void;
  hasUser(name: string): boolean;
}

/** CLIENT PAUSE. */
export interface PausePort {
  /** Holds back commands (all, or those that may write) until the time, in Unix ms; a longer or stricter pause stays in force. */
  pause(kind: 'all' | 'write', until: number): void;
  unpause(): void;
}

/** What was counted since the start, or since CONFIG RESETSTAT. Commands are given by `Command.id`. */
export interface StatisticsPort {
  readonly connectionsReceived: number;
  readonly rejectedConnections: number;
  /** Dropped for `maxmemory-clients`. */
  readonly evictedClients: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly reads: number;
  readonly writes: number;
  readonly errorReplies: number;
  /** Errors that no command meant to give: defects. */
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
  /** The time, in ns, that this share (0 to 100) of the calls did not exceed. */
  percentile(share: number): number;
  /** Calls that took up to each power of two µs (as far as there are any): the bound in µs, and how many in all. */
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

/** DEBUG RELOAD: whether it saves first, empties the databases, and lets keys of the file replace those there are. */
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
  /** `now` or not at all; when it is `possible`; or `later`, when the running command is over. */
  saveInBackground(when: 'now' | 'possible' | 'later'): 'started' | 'scheduled';
  reload(options: ReloadOptions): void;
  /** FLUSHALL has emptied the databases: where saving is automatic, the file is to hold that at once. Throws nothing. */
  flushed(): void;
  /** Rewrites the append-only file: `now`, or `later`, when the running transaction is over. */
  rewriteInBackground(when: 'now' | 'later'): 'started' | 'scheduled';
  /** Empties the databases and loads the append-only file again. */
  reloadAppendOnly(): void;
  /** Writes what was recorded until now: replies that wait for that can be sent. Throws nothing. */
  settle(): void;
}

/** What runs: a script of EVAL, or a function. */
export type ScriptKind = 'script' | 'function';

/** Scripts: EVAL, SCRIPT and, with functions, FUNCTION and FCALL. All methods throw the error that the client gets. */
export interface ScriptingPort {
  readonly functions: FunctionsPort;
  /** DEBUG SET-DISABLE-DENY-SCRIPTS: scripts may call what they otherwise may not. */
  allowsAnyCommand: boolean;
  /** Runs the script whose source or hash is the command's first argument, and replies with what it returns. */
  evaluate(call: Call, by: 'source' | 'sha', isReadonly: boolean): void;
  /** Compiles a script and keeps it; gives its hash. */
  load(source: string): string;
  exists(sha: string): boolean;
  flush(): void;
  /** Ends the running script, or function. */
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

/** What becomes of the libraries there are when others are restored. */
export type RestorePolicy = 'flush' | 'append' | 'replace';

/** Libraries of functions. */
export interface FunctionsPort {
  readonly libraryCount: number;
  readonly functionCount: number;
  readonly running: RunningScript | undefined;
  /** Runs the function that the command's first argument names, and replies with what it returns. */
  call(call: Call, isReadonly: boolean): void;
  /** Gives the library's name. */
  load(code: string, replaces: boolean): string;
  delete(name: string): boolean;
  flush(): void;
  /** Those whose name matches the pattern. */
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
  /** Of memory outside the arenas: what is in use, and what was taken from the system for it. */
  readonly allocatedBytes: number;
  readonly activeBytes: number;
  readonly systemMicros: number;
  readonly userMicros: number;
}

/** What is around the engine: a server's process, or the program that it is embedded in. */
export interface HostPort {
  log(level: LogLevel, message: string): void;
  /** What clients' buffers take. */
  readonly clientMemory: number;
  machine(): MachineFigures;
  /** Ends the server. Returns false if it cannot or may not. */
  shutdown(options: ShutdownOptions): boolean;
  /** False if no shutdown is going on. */
  abortShutdown(): boolean;
  /** Dies at once, as after a defect. */
  crash(reason: string): void;
  /** CONFIG REWRITE. Throws the error that the client gets. */
  rewriteSettings(): void;
  /**
   * A connection to another server, perhaps one that was used before; undefined if there is no such host, or no answer
   * within this time. Absent where no other server can be reached.
   */
  readonly peer?: ((host: string, port: number, timeoutMs: number) => Peer | undefined) | undefined;
}

/** Another server, talked to while everything else stands still. */
export interface Peer {
  /** The database that is selected there; -1 if unknown. */
  db: number;
  /** Sends the request and waits for `lines` lines. */
  exchange(request: Buffer, lines: number, timeoutMs: number): Exchange;
  /** Closes the connection; the next command for this server opens a new one. */
  close(): void;
}

/** The lines that came, all of them if there was no failure. */
export interface Exchange {
  readonly lines: readonly string[];
  readonly failure: 'writing' | 'reading' | undefined;
  readonly isTimeout: boolean;
}

/** What commands may ask of the engine that runs them. The engine implements it; commands never see more. */
export interface EnginePort {
  readonly keyspace: Keyspace;
  readonly table: CommandTable;
  readonly settings: Settings;
  readonly transactions: TransactionsPort;
  readonly pubsub: PubSubPort;
  readonly tracking: TrackingPort;
  readonly monitors: MonitorsPort;
  readonly scripting: ScriptingPort;
  /** Ends what the session has begun here: its transaction, subscriptions, tracking and monitoring. RESET and QUIT. */
  forgetSession(session: Session): void;
  session(id: number): Session | undefined;
  /** Every client, oldest first. */
  readonly sessions: ReadonlyMap<number, Session>;
  readonly authentication: AuthenticationPort;
  readonly pause: PausePort;
  readonly statistics: StatisticsPort;
  readonly slowLog: SlowLogPort;
  readonly latencyMonitor: LatencyMonitorPort;
  readonly host: HostPort;
  readonly persistence: PersistencePort;
  /** Fields of INFO that other parts of the server know: they stand in for the values of an engine on its own. */
  readonly facts: { get(name: string): (() => string | number) | undefined };
  /** When the engine came to be, in Unix ms. */
  readonly startedAt: number;
  /** 40 hexadecimal digits, different at each start. */
  readonly runId: string;
  /** Names the history of the data, as replicas know it: 40 hexadecimal digits. */
  replicationId: string;
  readonly isLoading: boolean;
  /** Bytes in use, as `used_memory` shows and `maxmemory` limits them; and how many of them an empty engine takes. */
  readonly usedMemory: number;
  readonly startupMemory: number;
  /** How many clients wait for keys. */
  readonly blockedClients: number;
  /** CONFIG RESETSTAT. */
  resetStatistics(): void;
  /** Ends a client's wait as if its time were up, or with an error. False if it does not wait. */
  unblock(session: Session, error?: CommandError): boolean;
  /** RESET: the session as if it had just connected. */
  resetSession(session: Session): void;
  /** DEBUG SET-ACTIVE-EXPIRE. */
  setActiveExpiry(active: boolean): void;
  block(session: Session, wait: Wait): void;
}
