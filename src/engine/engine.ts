import { randomBytes } from 'node:crypto';
import type { Bytes } from '../bytes/bytes.js';
import { type Clock, systemClock } from '../bytes/clock.js';
import { type RandomSource, systemRandom } from '../bytes/random.js';
import { Call } from '../commands/call.js';
import { Settings } from '../commands/config/settings.js';
import type { EnginePort, HostPort, Wait } from '../commands/engine-port.js';
import { CommandError, errors, unknownSubcommand, wrongArity } from '../commands/errors.js';
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
import { commandTable } from './command-table.js';
import { embeddedHost } from './embedded-host.js';
import { EngineGate } from './gates.js';
import { LatencyMonitor } from './latency-monitor.js';
import { Pause } from './pause.js';
import { SlowLog } from './slow-log.js';
import { LONG_REQUEST, Statistics } from './statistics.js';
import { systemTimers, type Timers } from './timers.js';

export interface EngineOptions {
  readonly clock?: Clock;
  readonly random?: RandomSource;
  readonly timers?: Timers;
  readonly settings?: Settings;
  readonly databases?: number;
}

/**
 * Redis without sockets: sessions send commands, the engine runs them one after another.
 *
 * The caller brackets a batch of commands (a chunk of input) with `beginTurn` and `endTurn`; time stands still within.
 */
export class Engine implements EnginePort {
  readonly keyspace: Keyspace;
  readonly table: CommandTable = commandTable;
  readonly settings: Settings;
  readonly blocking = new Blocking(this);
  readonly background: Background;
  readonly sessions = new Map<number, Session>();
  readonly authentication: Authentication;
  readonly pause = new Pause(this);
  readonly statistics: Statistics;
  readonly slowLog: SlowLog;
  readonly latencyMonitor: LatencyMonitor;
  readonly facts = new Map<string, () => string | number>();
  readonly startedAt: number;
  readonly runId = randomBytes(20).toString('hex');
  replicationId = randomBytes(20).toString('hex');
  /** What is around it; a server puts itself here. */
  host: HostPort = embeddedHost;
  gates = 0;

  /** One call for commands from outside, one for those run on behalf of waiting clients. */
  readonly #call: Call;
  readonly #asideCall: Call;
  readonly #asideWriter = new RespWriter(1 << 12);
  readonly #toResume: Session[] = [];
  #nextSessionId = 1;

  constructor(options: EngineOptions = {}) {
    this.keyspace = new Keyspace({
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom(),
      databases: options.databases ?? 16,
    });
    this.settings = options.settings ?? new Settings();
    applySettings(this.settings, this.keyspace);
    this.background = new Background(this, options.timers ?? systemTimers);
    this.authentication = new Authentication(this.sessions, this.settings);
    this.statistics = new Statistics(this.table, this.settings);
    this.slowLog = new SlowLog(this.settings);
    this.latencyMonitor = new LatencyMonitor(this.settings);
    this.startedAt = this.keyspace.now;
    this.background.everyTick(() => this.statistics.sample(this.keyspace.now, this.keyspace.usedBytes));
    this.#call = new Call(this);
    this.#asideCall = new Call(this);
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
    while (this.#toResume.length > 0) (this.#toResume.shift() as Session).sink.resume();
  }

  /** Runs one command of the session, or refuses it; the reply goes to `writer`. `args[0]` is the name. */
  execute(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    if ((session.gates & SessionGate.muted) !== 0) this.#executeMuted(session, args, argc, writer);
    else this.#execute(session, args, argc, writer);
  }

  /** Runs a command without sending its reply, unless it is the one that turns replies on. */
  #executeMuted(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    const mark = writer.length;
    if (session.replies === 'skip') session.replies = 'skipping';
    this.#execute(session, args, argc, writer);
    if (session.replies !== 'on') writer.truncate(mark);
    if (session.replies === 'skipping') session.replies = 'on';
    if (session.replies === 'on') session.gates &= ~SessionGate.muted;
  }

  #execute(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    writer.protocol = session.protocol;
    const command = this.#lookup(args, argc, session, writer);
    if (command === undefined) return;
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
    this.#run(call, writer);
    if (this.blocking.hasReady) this.blocking.serveReady();
    if (this.keyspace.effects.recording) this.keyspace.effects.flush();
  }

  #lookup(args: Bytes[], argc: number, session: Session, writer: RespWriter): Command | undefined {
    const name = args[0] as Bytes;
    let command = this.table.lookup(name.buf, name.start, name.end);
    if (command === undefined) {
      this.#refuse(session, writer, unknownCommand(args, argc));
      return undefined;
    }
    if (command.subcommands !== undefined && argc > 1) {
      const sub = args[1] as Bytes;
      const found = command.subcommands.lookup(sub.buf, sub.start, sub.end);
      if (found === undefined) {
        this.#refuse(session, writer, unknownSubcommand(sub.toString(), command.name));
        return undefined;
      }
      command = found;
    }
    if (!command.accepts(argc)) {
      this.#refuse(session, writer, wrongArity(command.fullName), command);
      return undefined;
    }
    return command;
  }

  /** Answers with an error before the command ran; inside a transaction that spoils the transaction. */
  #refuse(session: Session, writer: RespWriter, error: CommandError, command?: Command): void {
    if (session.queue !== undefined) session.queueFailed = true;
    if (command !== undefined) this.statistics.countRejected(command.id);
    this.statistics.countError(error.text);
    writer.error(error.text);
  }

  #passes(session: Session, command: Command, args: Bytes[], argc: number, writer: RespWriter): boolean {
    if ((command.flagBits & FLAG.protected) !== 0 && !mayUseProtected(this.settings, session, command)) {
      this.#refuse(session, writer, protectedCommand(command), command);
      return false;
    }
    if ((session.gates & SessionGate.unauthenticated) !== 0 && (command.flagBits & FLAG.no_auth) === 0) {
      this.#refuse(session, writer, errors.notAuthenticated, command);
      return false;
    }
    if ((this.gates & EngineGate.paused) !== 0 && this.pause.holdsBack(session, command)) return false;
    void args;
    void argc;
    return true;
  }

  #run(call: Call, writer: RespWriter): void {
    const { statistics } = this;
    const { args, argc } = call;
    const { id } = call.command;
    const bytes = (args[argc - 1] as Bytes).end - (args[0] as Bytes).start;
    if (statistics.timed[id] === 1 || bytes > LONG_REQUEST) {
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
    if (micros >= this.slowLog.threshold) this.slowLog.add(session, command, call, micros, call.now);
    if (milliseconds >= this.latencyMonitor.threshold) {
      const kind = (command.flagBits & FLAG.fast) !== 0 ? 'fast-command' : 'command';
      this.latencyMonitor.add(kind, milliseconds, call.now);
    }
  }

  #runUntimed(call: Call, writer: RespWriter): void {
    const mark = writer.length;
    const { effects } = call;
    const dirty = effects.dirty;
    try {
      call.command.run(call as never);
    } catch (error) {
      writer.truncate(mark);
      if (!(error instanceof CommandError)) throw error;
      this.statistics.countFailed(call.command.id);
      this.statistics.countError(error.text);
      writer.error(error.text);
    }
    if (effects.recording)
      effects.finishCommand(call.db.index, call.args, call.argc, effects.dirty !== dirty);
  }

  // ---- what happens beside the running command ----

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
    const result = work(call);
    if (writer.length > 0 && session.replies === 'on') session.sink.send(writer.copyFrom(0));
    return result;
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

  /** Stops all timers. The engine must not be used afterwards. */
  close(): void {
    this.background.stop();
  }

  get blockedClients(): number {
    return this.blocking.size + this.pause.size;
  }

  unblock(session: Session, error?: string): boolean {
    return this.blocking.unblock(session, error);
  }

  resetSession(session: Session): void {
    session.db = this.database(0);
    session.protocol = 2;
    session.name = '';
    session.noEvict = false;
    session.replies = 'on';
    session.gates &= ~SessionGate.muted;
    this.authentication.reset(session);
  }

  setActiveExpiry(active: boolean): void {
    this.background.expires = active;
  }

  resetStatistics(): void {
    this.statistics.reset(this.keyspace.usedBytes);
    const { stats } = this.keyspace;
    stats.hits = stats.misses = stats.expired = stats.evicted = 0;
  }
}

/** DEBUG and MODULE LOAD: only where the settings allow it, perhaps only from this machine. */
function mayUseProtected(settings: Settings, session: Session, command: Command): boolean {
  const allowed = settings.text(`enable-${(command.parent ?? command).name}-command`);
  return allowed === 'yes' || (allowed === 'local' && isLocal(session));
}

function isLocal(session: Session): boolean {
  return session.isUnixSocket || /^(127\.|\[?::1\]?:)/.test(session.address);
}

function protectedCommand(command: Command): CommandError {
  const { name } = command.parent ?? command;
  return new CommandError(
    `ERR ${name.toUpperCase()} command not allowed. If the enable-${name}-command option is set to "local", ` +
      'you can run it from a local connection, otherwise you need to set this option in the configuration file, ' +
      'and then restart the server.',
  );
}

function unknownCommand(args: Bytes[], argc: number): CommandError {
  let shown = '';
  for (let i = 1; i < argc && shown.length < 128; i++) {
    shown += `'${(args[i] as Bytes).toString().slice(0, 128 - shown.length)}' `;
  }
  const name = (args[0] as Bytes).toString().slice(0, 128);
  return new CommandError(`ERR unknown command '${name}', with args beginning with: ${shown}`);
}
