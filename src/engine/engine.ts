import { randomBytes } from 'node:crypto';
import type { Bytes } from '../bytes/bytes.js';
import { type Clock, systemClock } from '../bytes/clock.js';
import { type RandomSource, systemRandom } from '../bytes/random.js';
import { Call } from '../commands/call.js';
import { Settings } from '../commands/config/settings.js';
import type { EnginePort, HostPort, PersistencePort, Wait } from '../commands/engine-port.js';
import { CommandError, errors } from '../commands/errors.js';
import { FLAG } from '../commands/flag.js';
import { type OutputSink, Session, SessionGate } from '../commands/session.js';
import type { Command, CommandTable } from '../commands/table.js';
import type { Database } from '../keyspace/database.js';
import { Keyspace } from '../keyspace/keyspace.js';
import { RespWriter } from '../resp/resp-writer.js';
import { applySettings } from './apply-settings.js';
import { Authentication } from './authentication.js';
import { Background } from './background.js';
import { Blocking } from './blocking.js';
import { findCommand, isHttp, lookupFailure } from './command-lookup.js';
import { commandTable } from './command-table.js';
import { embeddedHost, memoryOnly } from './embedded-host.js';
import { EngineGate, refusal } from './gates.js';
import { KeyChanges } from './key-changes.js';
import { LatencyMonitor } from './latency-monitor.js';
import { MemoryLimit, STARTUP_BYTES } from './memory-limit.js';
import { Monitors } from './monitors.js';
import { Pause } from './pause.js';
import { PubSub } from './pubsub.js';
import { Scripting } from './scripting/scripting.js';
import { SlowLog } from './slow-log.js';
import { LONG_REQUEST, Statistics } from './statistics.js';
import { systemTimers, type Timers } from './timers.js';
import { Tracking } from './tracking.js';
import { Transactions } from './transactions.js';
import { WatchedKeys } from './watched-keys.js';

export interface EngineOptions {
  readonly clock?: Clock;
  readonly random?: RandomSource;
  readonly timers?: Timers;
  readonly settings?: Settings;
  readonly databases?: number;
  /** Another table than the usual one: with commands renamed. */
  readonly table?: CommandTable;
}

/**
 * Redis without sockets: sessions send commands, the engine runs them one after another.
 *
 * The caller brackets a batch of commands (a chunk of input) with `beginTurn` and `endTurn`; time stands still within.
 */
export class Engine implements EnginePort {
  readonly keyspace: Keyspace;
  readonly table: CommandTable;
  readonly settings: Settings;
  readonly blocking = new Blocking(this);
  readonly background: Background;
  readonly timers: Timers;
  readonly sessions = new Map<number, Session>();
  readonly authentication: Authentication;
  readonly pause = new Pause(this);
  readonly statistics: Statistics;
  readonly slowLog: SlowLog;
  readonly memoryLimit: MemoryLimit;
  readonly latencyMonitor: LatencyMonitor;
  readonly facts = new Map<string, () => string | number>();
  readonly transactions: Transactions;
  readonly pubsub = new PubSub(this);
  readonly tracking: Tracking;
  readonly monitors = new Monitors(this);
  readonly scripting: Scripting;
  readonly startedAt: number;
  readonly runId = randomBytes(20).toString('hex');
  replicationId = randomBytes(20).toString('hex');
  /** What is around it; a server puts itself here. */
  host: HostPort = embeddedHost;
  /** Where the data is kept; replaced by whoever keeps it. */
  persistence: PersistencePort;
  gates = 0;
  /**
   * True while something was done that is not in the append-only file yet (with `appendfsync always`: not on the disk):
   * nothing is sent to any client until `releaseReplies`. Set by whoever writes the file, at the end of the turn.
   */
  holdsReplies = false;
  /** Called when what was held back may be sent. Set by whoever sends. */
  onRelease: () => void = () => {};

  /** The session whose input is being worked off. */
  client: Session | undefined;
  /** The same while its command runs, if it tracks keys: what it is to be told then waits until its reply is written. */
  runningClient: Session | undefined;
  /** Where the client's replies go, and how much of it belongs to earlier commands. */
  #clientWriter: RespWriter | undefined;
  #replyMark = 0;
  /** Pushes for a client that gets no replies, to be kept when the reply is dropped. */
  #heldPushes: Buffer[] | undefined;
  #asideClient: Session | undefined;
  readonly #watchedKeys: WatchedKeys;

  /** One call for commands from outside, one for those of a transaction, one for those run on behalf of waiting clients. */
  readonly #call: Call;
  readonly #queuedCall: Call;
  readonly #busyCall: Call;
  readonly #asideCall: Call;
  readonly #replayedCall: Call;
  readonly #asideWriter = new RespWriter(1 << 12);
  readonly #toResume: Session[] = [];
  /** Why commands that write are refused, by who says so. */
  readonly #writeRefusals = new Map<'rdb' | 'aof', CommandError>();
  #nextSessionId = 1;

  constructor(options: EngineOptions = {}) {
    this.keyspace = new Keyspace({
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom(),
      databases: options.databases ?? 16,
    });
    this.table = options.table ?? commandTable;
    this.settings = options.settings ?? new Settings();
    applySettings(this.settings, this.keyspace);
    this.timers = options.timers ?? systemTimers;
    this.background = new Background(this, this.timers);
    this.authentication = new Authentication(this.sessions, this.settings);
    this.statistics = new Statistics(this.table, this.settings);
    this.slowLog = new SlowLog(this.settings);
    this.latencyMonitor = new LatencyMonitor(this.settings);
    this.memoryLimit = new MemoryLimit(this);
    this.startedAt = this.keyspace.now;
    this.persistence = memoryOnly(this.startedAt);
    this.background.everyTick(() => this.keyspace.usage.advance(this.keyspace.now));
    this.keyspace.usage.advance(this.keyspace.now);
    this.background.everyTick(() => this.statistics.sample(this.keyspace.now, this.usedMemory));
    this.#watchedKeys = new WatchedKeys(this.keyspace);
    this.transactions = new Transactions(this, this.#watchedKeys);
    this.tracking = new Tracking(this);
    this.keyspace.effects.eventListener = this.pubsub;
    this.keyspace.effects.changeListener = new KeyChanges(this, this.#watchedKeys);
    this.scripting = new Scripting(this);
    this.#call = new Call(this);
    this.#queuedCall = new Call(this);
    this.#busyCall = new Call(this);
    this.#asideCall = new Call(this);
    this.#replayedCall = new Call(this);
  }

  openSession(sink: OutputSink): Session {
    const session = new Session(this.#nextSessionId++, sink, this.database(0), this.keyspace.now);
    this.sessions.set(session.id, session);
    this.authentication.reset(session);
    return session;
  }

  closeSession(session: Session): void {
    this.sessions.delete(session.id);
    this.blocking.drop(session);
    this.pause.drop(session);
    this.forgetSession(session);
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
    this.keyspace.now = this.keyspace.clock.now();
    this.statistics.beginChunk();
  }

  endTurn(): void {
    this.statistics.endChunk();
    this.client = undefined;
    this.tracking.tellBroadcasts();
    while (this.#toResume.length > 0) (this.#toResume.shift() as Session).sink.resume();
  }

  /** Runs one command of the session, or refuses it; the reply goes to `writer`. `args[0]` is the name. */
  execute(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    const begin = writer.length;
    this.client = session;
    this.#clientWriter = writer;
    this.#replyMark = begin;
    try {
      if ((session.gates & SessionGate.muted) !== 0) this.#executeMuted(session, args, argc, writer);
      else this.#execute(session, args, argc, writer);
    } catch (error) {
      // Something around the command failed, not the command itself. One reply, whatever was written so far.
      this.#heldPushes = undefined;
      this.runningClient = undefined;
      const text = this.failureText(error);
      writer.truncate(begin);
      if ((session.gates & SessionGate.muted) === 0) writer.error(text);
    }
  }

  /** Runs a command without sending its reply, unless it is the one that turns replies on. */
  #executeMuted(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    if (session.replies === 'skip') session.replies = 'skipping';
    this.#heldPushes = [];
    this.#execute(session, args, argc, writer);
    if (session.replies !== 'on') writer.truncate(this.#replyMark);
    for (const push of this.#heldPushes) writer.raw(push);
    this.#heldPushes = undefined;
    if ((session.gates & SessionGate.blocked) === 0) endSkipping(session);
  }

  #execute(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    writer.protocol = session.protocol;
    const command = findCommand(this.table, args, argc);
    if (command === undefined) {
      this.#refuseUnknown(session, args, argc, writer);
      return;
    }
    session.lastCommand = command;
    const gates = session.gates | this.gates | (command.flagBits & FLAG.protected);
    if (gates !== 0 && !this.#passes(session, command, args, argc, writer)) return;
    const call = this.#call;
    call.args = args;
    call.argc = argc;
    call.command = command;
    call.session = session;
    call.db = session.db;
    call.reply = writer;
    call.mayBlock = true;
    if (gates === 0) this.#run(call, writer);
    else this.#runObserved(call, writer);
    const { effects } = this.keyspace;
    if (effects.recording) effects.flush((command.flagBits & FLAG.touches_arbitrary_keys) !== 0);
    if (gates !== 0) this.tracking.tellPending(session);
    if (this.blocking.hasReady) this.blocking.serveReady();
  }

  /**
   * Runs a command of another client in the middle of a script that takes too long: those that end the script or a
   * connection's state; all others are refused.
   */
  executeDuringScript(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    const { client, runningClient } = this;
    const interrupted = { writer: this.#clientWriter, mark: this.#replyMark, pushes: this.#heldPushes };
    this.client = session;
    this.runningClient = undefined;
    this.#clientWriter = writer;
    this.#replyMark = writer.length;
    this.#heldPushes = undefined;
    try {
      this.#executeDuringScript(session, args, argc, writer);
    } finally {
      this.client = client;
      this.runningClient = runningClient;
      this.#clientWriter = interrupted.writer;
      this.#replyMark = interrupted.mark;
      this.#heldPushes = interrupted.pushes;
    }
  }

  #executeDuringScript(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    writer.protocol = session.protocol;
    const command = findCommand(this.table, args, argc);
    if (command === undefined) {
      this.#refuseUnknown(session, args, argc, writer);
      return;
    }
    const { busyError } = this.scripting;
    const isUnknown = (session.gates & SessionGate.unauthenticated) !== 0;
    if (isUnknown && (command.flagBits & FLAG.no_auth) === 0) {
      this.#refuse(session, args, argc, writer, errors.notAuthenticated, command);
    } else if (busyError !== undefined && !runsDuringScript(command, args, argc)) {
      this.#refuse(session, args, argc, writer, busyError, command);
    } else if (this.transactions.queues(session, command)) {
      this.transactions.enqueue(session, command, args, argc);
      writer.status('QUEUED');
    } else {
      const call = this.#busyCall;
      call.args = args;
      call.argc = argc;
      call.command = command;
      call.session = session;
      call.db = session.db;
      call.reply = writer;
      call.mayBlock = true;
      this.#run(call, writer);
    }
  }

  /** Runs a command of a transaction, as part of EXEC. */
  runQueued(session: Session, command: Command, args: Bytes[], writer: RespWriter): void {
    const call = this.#queuedCall;
    call.args = args;
    call.argc = args.length;
    call.command = command;
    call.session = session;
    call.db = session.db;
    call.reply = writer;
    call.mayBlock = false;
    writer.protocol = session.protocol;
    this.#replyMark = writer.length;
    this.#run(call, writer);
    if (this.isMuted(session)) writer.truncate(this.#replyMark);
    this.#replyMark = writer.length;
    this.#observe(call);
  }

  /**
   * Runs a command that a file brings back: nothing is asked of it that clients are asked, nothing counted or observed.
   * Throws what the command throws.
   */
  replay(session: Session, command: Command, args: Bytes[], argc: number, writer: RespWriter): void {
    const call = this.#replayedCall;
    call.args = args;
    call.argc = argc;
    call.command = command;
    call.session = session;
    call.db = session.db;
    call.reply = writer;
    call.mayBlock = false;
    command.run(call as never);
  }

  /** Whether what is replied now will not be sent: CLIENT REPLY. */
  isMuted(session: Session): boolean {
    return this.#heldPushes === undefined ? session.replies === 'off' : session.replies !== 'on';
  }

  #runObserved(call: Call, writer: RespWriter): void {
    const { session } = call;
    if (session.tracking !== undefined) this.runningClient = session;
    this.#run(call, writer);
    this.runningClient = undefined;
    this.#observe(call);
    forgetCaching(session, call.command);
  }

  /** The command has run: those learn of it who look on. */
  #observe(call: Call): void {
    const { session, command } = call;
    if (session.tracking !== undefined && readsKeys(command)) {
      this.tracking.rememberKeys(session, command, call);
    }
    if (this.monitors.size > 0 && (command.flagBits & (FLAG.admin | FLAG.skip_monitor)) === 0) {
      this.monitors.feed(session, 'client', command, call);
    }
  }

  /** Whom changes of keys have to be told may have become somebody or nobody. */
  observeChanges(): void {
    this.keyspace.effects.watching = !this.#watchedKeys.isEmpty || this.tracking.isActive;
  }

  /** No command, or not with so many arguments. A browser gets no further than its first line. */
  #refuseUnknown(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    if (isHttp(args[0] as Bytes)) {
      this.host.log('warning', `${HTTP_WARNING} Connection from ${session.address} aborted.`);
      session.sink.close('now');
      return;
    }
    const { error, command } = lookupFailure(this.table, args, argc);
    this.#refuse(session, args, argc, writer, error, command);
  }

  /** Answers with an error before the command ran; inside a transaction that spoils the transaction. */
  #refuse(
    session: Session,
    args: Bytes[],
    argc: number,
    writer: RespWriter,
    error: CommandError,
    command?: Command,
  ): void {
    if (session.queue !== undefined) session.queueFailed = true;
    if (command !== undefined) this.statistics.countRejected(command.id);
    this.statistics.countError(error.text);
    forgetCaching(session, command);
    if (command?.name === 'exec') {
      writer.error(this.transactions.abort(session, error).text);
      this.monitors.feed(session, 'client', command, { argc, arg: (index) => args[index] as Bytes });
    } else writer.error(error.text);
  }

  /** Whether the command is to run now; if not, it has been answered, queued or put off. */
  #passes(session: Session, command: Command, args: Bytes[], argc: number, writer: RespWriter): boolean {
    const refused = refusal(this, session, command);
    if (refused !== undefined) {
      this.#refuse(session, args, argc, writer, refused, command);
      return false;
    }
    if ((this.gates & EngineGate.paused) !== 0 && this.pause.holdsBack(session, command, args)) return false;
    if (!this.transactions.queues(session, command)) return true;
    this.transactions.enqueue(session, command, args, argc);
    writer.status('QUEUED');
    return false;
  }

  /** While true, only commands run that need no data. */
  get isLoading(): boolean {
    return (this.gates & EngineGate.loading) !== 0;
  }

  set isLoading(loading: boolean) {
    this.gates = loading ? this.gates | EngineGate.loading : this.gates & ~EngineGate.loading;
  }

  /** Commands that write are answered with the error from now on, or run again: the files of this kind fail, or work. */
  refuseWrites(kind: 'rdb' | 'aof', error: CommandError | undefined): void {
    if (error === undefined) this.#writeRefusals.delete(kind);
    else this.#writeRefusals.set(kind, error);
    const refuses = this.#writeRefusals.size > 0;
    this.gates = refuses ? this.gates | EngineGate.writesRefused : this.gates & ~EngineGate.writesRefused;
  }

  /** Why commands that write are refused; undefined if they are not. */
  get writeRefusal(): CommandError | undefined {
    return this.#writeRefusals.get('rdb') ?? this.#writeRefusals.get('aof');
  }

  #run(call: Call, writer: RespWriter): void {
    const { statistics } = this;
    const { args, argc } = call;
    const { id } = call.command;
    const bytes = (args[argc - 1] as Bytes).end - (args[0] as Bytes).start;
    if (argc > (statistics.quickArguments[id] as number) || bytes > LONG_REQUEST) {
      this.#runTimed(call, writer);
    } else {
      this.#runUntimed(call, writer);
      statistics.countQuick(id);
    }
  }

  /** The command may be slow: takes its time and remembers it if it was. */
  #runTimed(call: Call, writer: RespWriter): void {
    const { command, session } = call;
    const start = performance.now();
    this.#runUntimed(call, writer);
    const milliseconds = performance.now() - start;
    this.statistics.countTimed(command.id, milliseconds);
    const micros = milliseconds * 1000;
    if ((session.gates & SessionGate.blocked) !== 0) this.blocking.ranUntilNow(session, call, micros);
    else if (micros >= this.slowLog.threshold) this.slowLog.add(session, command, call, micros, call.now);
    if (milliseconds >= this.latencyMonitor.threshold) {
      const kind = (command.flagBits & FLAG.fast) !== 0 ? 'fast-command' : 'command';
      this.latencyMonitor.add(kind, milliseconds, call.now);
    }
  }

  #runUntimed(call: Call, writer: RespWriter): void {
    const { effects } = call;
    const dirty = effects.dirty;
    try {
      call.command.run(call as never);
    } catch (error) {
      writer.truncate(this.#replyMark);
      this.statistics.countFailed(call.command.id);
      const text = this.failureText(error);
      this.statistics.countError(text);
      writer.error(text);
    }
    if (effects.recording)
      effects.finishCommand(call.db.index, call.args, call.argc, effects.dirty !== dirty);
  }

  /**
   * What to tell a client whose command threw this. An error that no command meant to give is a defect of ours: it is
   * logged and counted, and the server lives on.
   */
  failureText(error: unknown): string {
    if (error instanceof CommandError) return error.text;
    this.statistics.unexpectedErrors++;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    this.host.log('warning', `Internal error: ${stack ?? message}`);
    return `ERR internal error: ${message}`;
  }

  /** What data and clients take, and an empty engine before it: INFO's `used_memory`, which `maxmemory` limits. */
  get usedMemory(): number {
    return this.keyspace.usedBytes + this.host.clientMemory + STARTUP_BYTES;
  }

  get startupMemory(): number {
    return STARTUP_BYTES;
  }

  // ---- what happens beside the running command ----

  /**
   * Sends a message or push. To the client whose command is running it goes where its reply is being written, so that
   * everything arrives in the order in which it happened.
   */
  send(session: Session, bytes: Buffer): void {
    if (session === this.#asideClient) this.#asideWriter.raw(bytes);
    else if (session !== this.client) session.sink.send(bytes);
    else if (this.#heldPushes !== undefined) this.#heldPushes.push(bytes);
    else {
      const writer = this.#clientWriter as RespWriter;
      // Before the reply has begun it is no part of it: an error will not erase it.
      if (writer.length === this.#replyMark) this.#replyMark += bytes.length;
      writer.raw(bytes);
    }
  }

  /**
   * Runs `work` for another session than the one whose command is running; what it replies is sent to that session.
   */
  runAside<Result>(session: Session, db: Database, work: (call: Call) => Result): Result {
    const call = this.#asideCall;
    const writer = this.#asideWriter;
    writer.reset();
    writer.protocol = session.protocol;
    call.session = session;
    call.db = db;
    call.reply = writer;
    call.argc = 0;
    const { runningClient } = this;
    this.#asideClient = session;
    if (session.tracking !== undefined) this.runningClient = session;
    let result: Result;
    try {
      result = work(call);
      if (session.tracking !== undefined) this.tracking.tellPending(session);
    } finally {
      this.#asideClient = undefined;
      this.runningClient = runningClient;
    }
    const { effects } = this.keyspace;
    if (effects.recording) {
      effects.finishCommand(db.index, [], 0, false);
      effects.flush();
    }
    if (writer.length > 0 && session.replies === 'on') session.sink.send(writer.copyFrom(0));
    else if (writer.length > 0) endSkipping(session);
    return result;
  }

  /** Work of `runAside` threw this: the session is told so, instead of what was replied so far, and its command failed. */
  failAside(session: Session, error: unknown): void {
    const text = this.failureText(error);
    this.#asideWriter.reset();
    this.#asideWriter.error(text);
    this.statistics.countError(text);
    if (session.lastCommand !== undefined) this.statistics.countFailed(session.lastCommand.id);
  }

  block(session: Session, wait: Wait): void {
    this.blocking.block(session, wait);
  }

  /** The session's remaining input is taken up at the end of the turn. */
  resumeLater(session: Session): void {
    this.#toResume.push(session);
  }

  /** Asks to be called (`runDue`) at this time. */
  wakeAt(unixMs: number): void {
    this.background.wakeAt(unixMs);
  }

  releaseReplies(): void {
    if (!this.holdsReplies) return;
    this.holdsReplies = false;
    this.onRelease();
  }

  /** Stops all timers. The engine must not be used afterwards. */
  close(): void {
    this.background.stop();
  }

  get blockedClients(): number {
    return this.blocking.size + this.pause.size;
  }

  unblock(session: Session, error?: CommandError): boolean {
    return this.blocking.unblock(session, error);
  }

  resetSession(session: Session): void {
    session.db = this.database(0);
    session.protocol = 2;
    session.name = '';
    session.noEvict = false;
    session.replies = 'on';
    session.gates &= ~SessionGate.muted;
    this.forgetSession(session);
    this.authentication.reset(session);
  }

  setActiveExpiry(active: boolean): void {
    this.background.expires = active;
  }

  resetStatistics(): void {
    this.statistics.reset(this.usedMemory);
    const { stats } = this.keyspace;
    stats.hits = stats.misses = stats.expired = stats.evicted = stats.releasedLater = 0;
  }
}

/** The reply to be skipped has been: the next one is sent again. */
function endSkipping(session: Session): void {
  if (session.replies === 'skipping') session.replies = 'on';
  if (session.replies === 'on') session.gates &= ~SessionGate.muted;
}

/** CLIENT CACHING holds for the next command or transaction: other commands of CLIENT do not count. */
function forgetCaching(session: Session, command: Command | undefined): void {
  if (session.tracking === undefined || session.queue !== undefined) return;
  if ((command?.parent ?? command)?.name !== 'client') session.tracking.caching = false;
}

/** Whether a command may interrupt a script. SHUTDOWN may, unless it is to save what the script has half done. */
function runsDuringScript(command: Command, args: readonly Bytes[], argc: number): boolean {
  if (command.name !== 'shutdown') return (command.flagBits & FLAG.allow_busy) !== 0;
  for (let i = 1; i < argc; i++) if ((args[i] as Bytes).is('nosave')) return true;
  return false;
}

/** Whether it reads its keys itself: scripts do not, but the commands they call. */
function readsKeys({ flagBits, name }: Command): boolean {
  return (flagBits & FLAG.readonly) !== 0 && !READ_ONLY_SCRIPTS.has(name);
}

const READ_ONLY_SCRIPTS = new Set(['eval_ro', 'evalsha_ro', 'fcall_ro']);

const HTTP_WARNING =
  'Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands to Redis. ' +
  'This is likely due to an attacker attempting to use Cross Protocol Scripting to compromise your Redis instance.';
