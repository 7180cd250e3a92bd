import { randomBytes } from 'node:crypto';
import type { Bytes } from '../bytes/bytes.js';
import { type Clock, systemClock } from '../bytes/clock.js';
import { type RandomSource, systemRandom } from '../bytes/random.js';
import { isTextTooLong } from '../bytes/text.js';
import { Users } from '../commands/acl/users.js';
import type { ClusterPort } from '../commands/cluster-port.js';
import { Settings } from '../commands/config/settings.js';
import type { EnginePort, PersistencePort, Wait } from '../commands/engine-port.js';
import { CommandError, errors } from '../commands/errors.js';
import type { HostPort } from '../commands/host-port.js';
import type { ReplicationPort } from '../commands/replication-port.js';
import { type OutputSink, Session, SessionGate } from '../commands/session.js';
import { DEFAULT_PEAK_RESET_MS, type ReplyBufferTuning } from '../commands/statistics-port.js';
import type { Command, CommandTable } from '../commands/table.js';
import type { Database } from '../keyspace/database.js';
import { Holders } from '../keyspace/holders.js';
import { Keyspace } from '../keyspace/keyspace.js';
import type { ReplyTarget } from '../resp/reply.js';
import type { HashKey } from '../structures/dict/keyed-hash.js';
import { applySettings } from './apply-settings.js';
import { Background } from './background.js';
import { Blocking } from './clients/blocking.js';
import { Monitors } from './clients/monitors.js';
import { PubSub } from './clients/pubsub.js';
import { Tracking } from './clients/tracking.js';
import { WatchedKeys } from './clients/watched-keys.js';
import { embeddedHost, memoryOnly } from './embedded-host.js';
import { type EnginePart, EngineParts } from './engine-parts.js';
import { MemoryLimit, STARTUP_BYTES } from './memory-limit.js';
import { noReplication } from './no-replication.js';
import { Admission } from './running/admission.js';
import { commandTable } from './running/command-table.js';
import { Execution } from './running/execution.js';
import { ALWAYS_GATED, EngineGate } from './running/gates.js';
import { Pause } from './running/pause.js';
import { Runner } from './running/runner.js';
import { Transactions } from './running/transactions.js';
import { ScriptingOnDemand } from './scripting-on-demand.js';
import { LatencyMonitor } from './statistics/latency-monitor.js';
import { SlowLog } from './statistics/slow-log.js';
import { Statistics } from './statistics/statistics.js';
import { systemTimers, type Timers } from './timers.js';

export interface EngineOptions {
  readonly clock?: Clock;
  readonly random?: RandomSource;
  readonly timers?: Timers;
  readonly settings?: Settings;
  readonly databases?: number;
  /** Replaces the default table, for example with one that has renamed commands. */
  readonly table?: CommandTable;
  /** 40 hexadecimal digits; by default random. */
  readonly runId?: string;
}

/**
 * Redis without sockets: sessions send commands, the engine runs them one after another.
 *
 * The caller brackets a batch of commands (a chunk of input) with `beginTurn` and `endTurn`. The clock is read once per
 * turn.
 */
export class Engine implements EnginePort {
  readonly keyspace: Keyspace;
  readonly table: CommandTable;
  readonly settings: Settings;
  readonly blocking = new Blocking(this);
  readonly background: Background;
  readonly timers: Timers;
  readonly sessions = new Map<number, Session>();
  readonly users: Users;
  readonly pause = new Pause(this);
  readonly statistics: Statistics;
  readonly replyBuffers: ReplyBufferTuning = { peakResetMs: DEFAULT_PEAK_RESET_MS, isResizing: true };
  readonly slowLog: SlowLog;
  readonly memoryLimit: MemoryLimit;
  readonly latencyMonitor: LatencyMonitor;
  readonly facts = { get: (name: string) => this.parts.fact(name) };
  readonly transactions: Transactions;
  readonly pubsub = new PubSub(this);
  readonly tracking: Tracking;
  readonly monitors = new Monitors(this);
  readonly scripting: ScriptingOnDemand;
  readonly admission = new Admission(this);
  readonly runner: Runner;
  readonly execution: Execution;
  readonly startedAt: number;
  readonly runId: string;
  /** The attached parts; see `attach`. */
  readonly parts: EngineParts;
  gates = 0;
  /** Commands with one of these flags are always checked before they run (`FLAG`). */
  gatedFlags: number = ALWAYS_GATED;
  /** Held while data is loaded. Only commands that need no data run then. */
  readonly loading = new Holders((isHeld) => {
    this.gates = isHeld ? this.gates | EngineGate.loading : this.gates & ~EngineGate.loading;
  });
  /** Held while new data is loaded beside the present data, which clients can use meanwhile. Only commands that conflict with loading are refused. */
  readonly asyncLoading = new Holders((isHeld) => {
    this.gates = isHeld ? this.gates | EngineGate.asyncLoading : this.gates & ~EngineGate.asyncLoading;
  });
  /**
   * Held while a change is not yet in the append-only file (with `appendfsync always`: not yet on disk). No client gets a
   * reply until all holders have released it.
   */
  readonly replyHolders = new Holders((isHeld) => {
    if (!isHeld) this.parts.repliesReleased();
  });

  readonly #alone = noReplication(this);
  readonly #toResume: Session[] = [];
  #isResuming = false;
  /** Why write commands are refused, by source. */
  readonly #writeRefusals = new Map<'rdb' | 'aof' | 'replicas', CommandError>();
  #nextSessionId = 1;

  constructor(options: EngineOptions = {}) {
    this.keyspace = new Keyspace({
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom(),
      ...(options.random === undefined && { hashKey: secretHashKey() }),
      databases: options.databases ?? 16,
    });
    this.startedAt = this.keyspace.now;
    this.runId = options.runId ?? randomBytes(20).toString('hex');
    this.parts = new EngineParts({
      host: embeddedHost,
      persistence: memoryOnly(this.startedAt),
      replication: this.#alone,
    });
    this.table = options.table ?? commandTable;
    this.settings = options.settings ?? new Settings();
    applySettings(this.settings, this.keyspace);
    for (const name of ['min-replicas-to-write', 'min-replicas-max-lag']) {
      this.settings.onChange(name, () => this.reviewReplicas());
    }
    this.timers = options.timers ?? systemTimers;
    this.background = new Background(this, this.timers);
    this.users = new Users(this.table, this.sessions, this.settings);
    this.statistics = new Statistics(this.table, this.settings);
    this.slowLog = new SlowLog(this.settings);
    this.latencyMonitor = new LatencyMonitor(
      this.settings,
      () => this.keyspace.clock.now(),
      () => this.background.settleExpiring(),
    );
    this.background.everyTick(() => this.parts.tick());
    this.background.everyTick(() => this.keyspace.usage.advance(this.keyspace.now));
    this.keyspace.usage.advance(this.keyspace.now);
    this.background.everyTick(() => this.statistics.sample(this.keyspace.now, this.usedMemory));
    this.transactions = new Transactions(this, new WatchedKeys(this.keyspace));
    this.tracking = new Tracking(this);
    // Counts the memory of the tracking table.
    this.memoryLimit = new MemoryLimit(this);
    this.keyspace.effects.subscribe(this.pubsub);
    this.scripting = new ScriptingOnDemand(this);
    this.runner = new Runner(this);
    this.execution = new Execution(this);
  }

  /** Attaches a part: a server, a connector, files. The returned function detaches it; parts can be detached in any order. */
  attach(part: EnginePart): () => void {
    if (part.cluster !== undefined && !this.keyspace.indexesSlots) this.keyspace.indexSlots();
    this.parts.add(part);
    const detachChecks = part.checks === undefined ? undefined : this.admission.attach(part.checks);
    return () => {
      this.parts.remove(part);
      detachChecks?.();
    };
  }

  /** The process that the engine runs in. */
  get host(): HostPort {
    return this.parts;
  }

  /** The files that keep the data. */
  get persistence(): PersistencePort {
    return this.parts.persistence;
  }

  /** Whether a part provides replication. */
  get hasReplication(): boolean {
    return this.replication !== this.#alone;
  }

  /** Copies of the data on other servers. */
  get replication(): ReplicationPort {
    return this.parts.replication;
  }

  /** The cluster that this engine is a node of. */
  get cluster(): ClusterPort | undefined {
    return this.parts.cluster;
  }

  openSession(sink: OutputSink): Session {
    const session = new Session(this.#nextSessionId++, sink, this.database(0), this.keyspace.now);
    this.sessions.set(session.id, session);
    this.users.reset(session);
    return session;
  }

  closeSession(session: Session): void {
    this.sessions.delete(session.id);
    this.blocking.drop(session);
    this.pause.drop(session);
    this.forgetSession(session);
    if (session.kind === 'replica') this.replication.replicaClosed(session);
  }

  session(id: number): Session | undefined {
    return this.sessions.get(id);
  }

  forgetSession(session: Session): void {
    this.transactions.discard(session);
    this.pubsub.drop(session);
    this.tracking.disable(session);
    this.monitors.remove(session);
  }

  database(index: number): Database {
    return this.keyspace.databases[index] as Database;
  }

  // ---- running commands ----

  beginTurn(): void {
    this.keyspace.passTime();
    this.statistics.beginChunk();
  }

  endTurn(): void {
    this.statistics.endChunk();
    this.#afterTurn();
  }

  /** Begins a turn of one command, or very few. Cheaper than `beginTurn`; after a timed one, `untimed` ones are not timed. */
  beginCall(untimed?: number): void {
    this.keyspace.passTime();
    this.statistics.beginLone(untimed);
  }

  endCall(): void {
    this.statistics.endLone();
    this.#afterTurn();
  }

  #afterTurn(): void {
    this.execution.client = undefined;
    this.tracking.tellBroadcasts();
    if (this.#toResume.length > 0) this.#resumeSessions();
  }

  /** Resumed sessions run turns. Sessions that are resumed there wait for this loop: nesting could overflow the stack. */
  #resumeSessions(): void {
    if (this.#isResuming) return;
    this.#isResuming = true;
    try {
      while (this.#toResume.length > 0) (this.#toResume.shift() as Session).sink.resume();
    } finally {
      this.#isResuming = false;
    }
  }

  /** Runs one command of the session, or refuses it; the reply goes to `writer`. `args[0]` is the name. */
  execute(session: Session, args: Bytes[], argc: number, writer: ReplyTarget): void {
    this.execution.execute(session, args, argc, writer);
  }

  /** Like `execute`, for a command that the caller has looked up in `table`, with a valid number of arguments. */
  executeFound(
    session: Session,
    command: Command | undefined,
    args: Bytes[],
    argc: number,
    writer: ReplyTarget,
  ): void {
    this.execution.executeFound(session, command, args, argc, writer);
  }

  /** Sends a message or push, in order with the session's replies. */
  send(session: Session, bytes: Buffer): void {
    this.execution.send(session, bytes);
  }

  /** While true, only commands that need no data run. */
  get isLoading(): boolean {
    return this.loading.isHeld;
  }

  get isAsyncLoading(): boolean {
    return this.asyncLoading.isHeld;
  }

  /** While true, nothing may be sent to any client. */
  get holdsReplies(): boolean {
    return this.replyHolders.isHeld;
  }

  /**
   * Refuses write commands with the error, because files fail or replicas are missing. `undefined` lifts the refusal of
   * this kind.
   */
  refuseWrites(kind: 'rdb' | 'aof' | 'replicas', error: CommandError | undefined): void {
    if (error === undefined) this.#writeRefusals.delete(kind);
    else this.#writeRefusals.set(kind, error);
    const refuses = this.#writeRefusals.size > 0;
    this.gates = refuses ? this.gates | EngineGate.writesRefused : this.gates & ~EngineGate.writesRefused;
  }

  /** Why write commands are refused; undefined if they are not. */
  get writeRefusal(): CommandError | undefined {
    return this.fileRefusal ?? this.#writeRefusals.get('replicas');
  }

  /** Like `writeRefusal`, but only for failing files. */
  get fileRefusal(): CommandError | undefined {
    return this.#writeRefusals.get('rdb') ?? this.#writeRefusals.get('aof');
  }

  /** Whether `min-replicas-to-write` is in force. */
  get demandsReplicas(): boolean {
    const { settings } = this;
    return settings.number('min-replicas-to-write') > 0 && settings.number('min-replicas-max-lag') > 0;
  }

  /** `min-replicas-to-write`: refuses writes while a master has fewer good replicas. */
  reviewReplicas(): void {
    const { isReplica, goodReplicas } = this.replication;
    const misses =
      !isReplica && this.demandsReplicas && goodReplicas < this.settings.number('min-replicas-to-write');
    this.refuseWrites('replicas', misses ? errors.notEnoughReplicas : undefined);
  }

  /**
   * The error text for a client whose command threw `error`. Anything but a `CommandError` is a defect: it is logged and
   * counted, and the server continues.
   */
  failureText(error: unknown): string {
    if (error instanceof CommandError) return error.text;
    if (isTextTooLong(error)) return errors.textTooLong.text;
    this.statistics.unexpectedErrors++;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    this.host.log('warning', `Internal error: ${stack ?? message}`);
    return `ERR internal error: ${message}`;
  }

  /** INFO's `used_memory`, which `maxmemory` limits: data, clients, the replication stream, the tracking table and an empty engine. */
  get usedMemory(): number {
    const { keyspace, parts, tracking } = this;
    const buffers = parts.clientMemory + tracking.usedBytes + parts.replication.bufferBytes;
    return keyspace.usedBytes + buffers + STARTUP_BYTES;
  }

  get startupMemory(): number {
    return STARTUP_BYTES;
  }

  // ---- sessions that wait ----

  block(session: Session, wait: Wait): void {
    this.blocking.block(session, wait);
  }

  /** Schedules the session's remaining input for the end of the turn. */
  resumeLater(session: Session): void {
    this.#toResume.push(session);
  }

  /** Schedules `runDue` for this time. */
  wakeAt(unixMs: number): void {
    this.background.wakeAt(unixMs);
  }

  /** Stops all timers. The engine must not be used afterwards. */
  close(): void {
    this.background.stop();
  }

  get blockedClients(): number {
    return this.blocking.size + this.pause.size;
  }

  get timedWaits(): number {
    return this.blocking.timedSize;
  }

  unblock(session: Session, error?: CommandError): boolean {
    return this.blocking.unblock(session, error);
  }

  resetSession(session: Session): void {
    session.db = this.database(0);
    session.protocol = 2;
    session.name = '';
    session.noEvict = false;
    session.readsReplicas = false;
    session.replies = 'on';
    session.gates &= ~(SessionGate.muted | SessionGate.asking);
    this.forgetSession(session);
    this.users.reset(session);
  }

  pauseBackground(isPaused: boolean): void {
    this.background.isPaused = isPaused;
  }

  setActiveExpiry(active: boolean): void {
    this.background.expires = active;
  }

  resetStatistics(): void {
    this.statistics.reset(this.usedMemory);
    const { stats } = this.keyspace;
    stats.hits = stats.misses = stats.expired = stats.evicted = stats.releasedLater = 0;
    this.parts.resetCounters();
  }
}

function secretHashKey(): HashKey {
  const bytes = randomBytes(8);
  return { key0: bytes.readInt32LE(0), key1: bytes.readInt32LE(4) };
}
