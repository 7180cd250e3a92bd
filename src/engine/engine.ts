import type { Bytes } from '../bytes/bytes.js';
import { type Clock, systemClock } from '../bytes/clock.js';
import { type RandomSource, systemRandom } from '../bytes/random.js';
import { Call } from '../commands/call.js';
import { Settings } from '../commands/config/settings.js';
import type { EnginePort, Wait } from '../commands/engine-port.js';
import { CommandError, unknownSubcommand, wrongArity } from '../commands/errors.js';
import { FLAG } from '../commands/flag.js';
import { type OutputSink, Session, SessionGate } from '../commands/session.js';
import type { Command, CommandTable } from '../commands/table.js';
import type { Database } from '../keyspace/database.js';
import { Keyspace } from '../keyspace/keyspace.js';
import { RespWriter } from '../resp/resp-writer.js';
import { applySettings } from './apply-settings.js';
import { Background } from './background.js';
import { Blocking } from './blocking.js';
import { commandTable } from './command-table.js';
import { systemTimers, type Timers } from './timers.js';

export interface EngineOptions {
  readonly clock?: Clock;
  readonly random?: RandomSource;
  readonly timers?: Timers;
  readonly settings?: Settings;
  readonly databases?: number;
}

/** Conditions of the whole engine that a command must pass before it runs; any bit set leaves the fast path. */
export const EngineGate = {
  maxmemory: 1 << 0,
  paused: 1 << 1,
  monitors: 1 << 2,
} as const;

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
    this.#call = new Call(this);
    this.#asideCall = new Call(this);
  }

  openSession(sink: OutputSink): Session {
    const session = new Session(this.#nextSessionId++, sink, this.database(0), this.keyspace.now);
    this.sessions.set(session.id, session);
    return session;
  }

  closeSession(session: Session): void {
    this.sessions.delete(session.id);
    this.blocking.drop(session);
  }

  database(index: number): Database {
    return this.keyspace.databases[index] as Database;
  }

  // ---- running commands ----

  beginTurn(): void {
    this.keyspace.now = this.keyspace.clock.now();
  }

  endTurn(): void {
    while (this.#toResume.length > 0) (this.#toResume.shift() as Session).sink.resume();
  }

  /** Runs one command of the session, or refuses it; the reply goes to `writer`. `args[0]` is the name. */
  execute(session: Session, args: Bytes[], argc: number, writer: RespWriter): void {
    writer.protocol = session.protocol;
    const command = this.#lookup(args, argc, session, writer);
    if (command === undefined) return;
    if ((session.gates | this.gates) !== 0 && !this.#passes(session, command, args, argc, writer)) return;
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
      this.#refuse(session, writer, wrongArity(command.fullName));
      return undefined;
    }
    return command;
  }

  /** Answers with an error before the command ran; inside a transaction that spoils the transaction. */
  #refuse(session: Session, writer: RespWriter, error: CommandError): void {
    if (session.queue !== undefined) session.queueFailed = true;
    writer.error(error.text);
  }

  #passes(session: Session, command: Command, args: Bytes[], argc: number, writer: RespWriter): boolean {
    if ((session.gates & SessionGate.unauthenticated) !== 0 && (command.flagBits & FLAG.no_auth) === 0) {
      this.#refuse(session, writer, new CommandError('NOAUTH Authentication required.'));
      return false;
    }
    void args;
    void argc;
    return true;
  }

  #run(call: Call, writer: RespWriter): void {
    const mark = writer.length;
    const { effects } = call;
    const dirty = effects.dirty;
    try {
      call.command.run(call as never);
    } catch (error) {
      writer.truncate(mark);
      if (!(error instanceof CommandError)) throw error;
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
    if (writer.length > 0) session.sink.send(writer.copyFrom(0));
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

  resetStatistics(): void {}

  rewriteSettings(): void {}
}

function unknownCommand(args: Bytes[], argc: number): CommandError {
  let shown = '';
  for (let i = 1; i < argc && shown.length < 128; i++) {
    shown += `'${(args[i] as Bytes).toString().slice(0, 128 - shown.length)}' `;
  }
  const name = (args[0] as Bytes).toString().slice(0, 128);
  return new CommandError(`ERR unknown command '${name}', with args beginning with: ${shown}`);
}
