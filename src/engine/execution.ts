import type { Bytes } from '../bytes/bytes.js';
import { Call } from '../commands/call.js';
import { type CommandError, errors } from '../commands/errors.js';
import { FLAG } from '../commands/flag.js';
import { type Session, SessionGate } from '../commands/session.js';
import type { Command } from '../commands/table.js';
import type { Database } from '../keyspace/database.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import type { ReplyTarget } from '../resp/reply.js';
import { RespWriter } from '../resp/resp-writer.js';
import { findCommand, isHttp, lookupFailure } from './command-lookup.js';
import type { Engine } from './engine.js';
import { EngineGate, refusal, waitsForLoading } from './gates.js';
import { LONG_REQUEST, type Statistics } from './statistics.js';

/**
 * The journey of one command through the engine: found, let through the gates or refused or queued, run, counted,
 * observed. And what is done beside it for other sessions: those that waited for what it changed, and pushes.
 */
export class Execution {
  /** The session whose input is being worked off. */
  client: Session | undefined;
  /** The same while its command runs, if it tracks keys: what it is to be told then waits until its reply is written. */
  runningClient: Session | undefined;
  /** Where the client's replies go, and how much of it belongs to earlier commands. */
  #clientWriter: ReplyTarget | undefined;
  #replyMark = 0;
  /** Pushes for a client that gets no replies, to be kept when the reply is dropped. */
  #heldPushes: Buffer[] | undefined;
  #asideClient: Session | undefined;

  readonly #engine: Engine;
  readonly #keyspace: Keyspace;
  readonly #statistics: Statistics;

  /** One call for commands from outside, one for those of a transaction, one for those run on behalf of waiting clients. */
  readonly #call: Call;
  readonly #queuedCall: Call;
  readonly #busyCall: Call;
  readonly #asideCall: Call;
  readonly #replayedCall: Call;
  readonly #asideWriter = new RespWriter(1 << 12);

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#keyspace = engine.keyspace;
    this.#statistics = engine.statistics;
    this.#call = new Call(engine);
    this.#queuedCall = new Call(engine);
    this.#busyCall = new Call(engine);
    this.#asideCall = new Call(engine);
    this.#replayedCall = new Call(engine);
  }

  /** Runs one command of the session, or refuses it; the reply goes to `writer`. `args[0]` is the name. */
  execute(session: Session, args: Bytes[], argc: number, writer: ReplyTarget): void {
    this.executeFound(session, findCommand(this.#engine.table, args, argc), args, argc, writer);
  }

  /** The same for a command that has been looked up; undefined if there is none, or not with so many arguments. */
  executeFound(
    session: Session,
    command: Command | undefined,
    args: Bytes[],
    argc: number,
    writer: ReplyTarget,
  ): void {
    const begin = writer.length;
    this.client = session;
    this.#clientWriter = writer;
    this.#replyMark = begin;
    try {
      if ((session.gates & SessionGate.muted) !== 0) this.#executeMuted(session, command, args, argc, writer);
      else this.#execute(session, command, args, argc, writer);
    } catch (error) {
      // Something around the command failed, not the command itself. One reply, whatever was written so far.
      this.#heldPushes = undefined;
      this.runningClient = undefined;
      const text = this.#engine.failureText(error);
      writer.truncate(begin);
      if ((session.gates & SessionGate.muted) === 0) writer.error(text);
    }
  }

  /** Runs a command without sending its reply, unless it is the one that turns replies on. */
  #executeMuted(
    session: Session,
    command: Command | undefined,
    args: Bytes[],
    argc: number,
    writer: ReplyTarget,
  ): void {
    if (session.replies === 'skip') session.replies = 'skipping';
    this.#heldPushes = [];
    this.#execute(session, command, args, argc, writer);
    if (session.replies !== 'on') writer.truncate(this.#replyMark);
    for (const push of this.#heldPushes) writer.raw(push);
    this.#heldPushes = undefined;
    if ((session.gates & SessionGate.blocked) === 0) endSkipping(session);
  }

  #execute(
    session: Session,
    command: Command | undefined,
    args: Bytes[],
    argc: number,
    writer: ReplyTarget,
  ): void {
    writer.protocol = session.protocol;
    if (command === undefined) {
      this.#refuseUnknown(session, args, argc, writer);
      return;
    }
    session.lastCommand = command;
    const gates = session.gates | this.#engine.gates | (command.flagBits & FLAG.protected);
    if (gates !== 0 && !this.#passes(session, command, args, argc, writer)) return;
    const call = this.#call;
    prepare(call, session, command, args, argc, writer);
    call.mayBlock = true;
    if (gates === 0) this.#run(call, writer);
    else this.#runObserved(call, writer);
    const { effects } = this.#keyspace;
    if (effects.recording) effects.flush((command.flagBits & FLAG.touches_arbitrary_keys) !== 0);
    if (gates !== 0) this.#engine.tracking.tellPending(session);
    if (this.#engine.blocking.hasReady) this.#engine.blocking.serveReady();
  }

  /**
   * Runs a command of another client in the middle of a script that takes too long: those that end the script or a
   * connection's state; all others are refused.
   */
  executeDuringScript(session: Session, args: Bytes[], argc: number, writer: ReplyTarget): void {
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

  #executeDuringScript(session: Session, args: Bytes[], argc: number, writer: ReplyTarget): void {
    writer.protocol = session.protocol;
    const command = findCommand(this.#engine.table, args, argc);
    if (command === undefined) {
      this.#refuseUnknown(session, args, argc, writer);
      return;
    }
    const { busyError } = this.#engine.scripting;
    const isUnknown = (session.gates & SessionGate.unauthenticated) !== 0;
    if (isUnknown && (command.flagBits & FLAG.no_auth) === 0) {
      this.#refuse(session, args, argc, writer, errors.notAuthenticated, command);
    } else if ((this.#engine.gates & EngineGate.loading) !== 0 && waitsForLoading(command)) {
      this.#refuse(session, args, argc, writer, errors.loading, command);
    } else if (busyError !== undefined && !runsDuringScript(command, args, argc)) {
      this.#refuse(session, args, argc, writer, busyError, command);
    } else if (this.#engine.transactions.queues(session, command)) {
      this.#engine.transactions.enqueue(session, command, args, argc);
      writer.status('QUEUED');
    } else {
      const call = this.#busyCall;
      prepare(call, session, command, args, argc, writer);
      call.mayBlock = true;
      this.#run(call, writer);
    }
  }

  /** Runs a command of a transaction, as part of EXEC. */
  runQueued(session: Session, command: Command, args: Bytes[], writer: ReplyTarget): void {
    const call = this.#queuedCall;
    prepare(call, session, command, args, args.length, writer);
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
  replay(session: Session, command: Command, args: Bytes[], argc: number, writer: ReplyTarget): void {
    const call = this.#replayedCall;
    prepare(call, session, command, args, argc, writer);
    call.mayBlock = false;
    command.run(call as never);
  }

  /** Whether what is replied now will not be sent: CLIENT REPLY. */
  isMuted(session: Session): boolean {
    return this.#heldPushes === undefined ? session.replies === 'off' : session.replies !== 'on';
  }

  #runObserved(call: Call, writer: ReplyTarget): void {
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
      this.#engine.tracking.rememberKeys(session, command, call);
    }
    if (this.#engine.monitors.size > 0 && (command.flagBits & (FLAG.admin | FLAG.skip_monitor)) === 0) {
      this.#engine.monitors.feed(session, 'client', command, call);
    }
  }

  /** No command, or not with so many arguments. A browser gets no further than its first line. */
  #refuseUnknown(session: Session, args: Bytes[], argc: number, writer: ReplyTarget): void {
    if (isHttp(args[0] as Bytes)) {
      this.#engine.host.log('warning', `${HTTP_WARNING} Connection from ${session.address} aborted.`);
      session.sink.close('now');
      return;
    }
    const { error, command } = lookupFailure(this.#engine.table, args, argc);
    this.#refuse(session, args, argc, writer, error, command);
  }

  /** Answers with an error before the command ran; inside a transaction that spoils the transaction. */
  #refuse(
    session: Session,
    args: Bytes[],
    argc: number,
    writer: ReplyTarget,
    error: CommandError,
    command?: Command,
  ): void {
    if (session.queue !== undefined) session.queueFailed = true;
    if (command !== undefined) this.#statistics.countRejected(command.id);
    this.#statistics.countError(error.text);
    forgetCaching(session, command);
    if (command?.name === 'exec') {
      writer.error(this.#engine.transactions.abort(session, error).text);
      this.#engine.monitors.feed(session, 'client', command, { argc, arg: (index) => args[index] as Bytes });
    } else writer.error(error.text);
  }

  /** Whether the command is to run now; if not, it has been answered, queued or put off. */
  #passes(session: Session, command: Command, args: Bytes[], argc: number, writer: ReplyTarget): boolean {
    const refused = refusal(this.#engine, session, command);
    if (refused !== undefined) {
      this.#refuse(session, args, argc, writer, refused, command);
      return false;
    }
    if (
      (this.#engine.gates & EngineGate.paused) !== 0 &&
      this.#engine.pause.holdsBack(session, command, args)
    )
      return false;
    if (!this.#engine.transactions.queues(session, command)) return true;
    this.#engine.transactions.enqueue(session, command, args, argc);
    writer.status('QUEUED');
    return false;
  }

  #run(call: Call, writer: ReplyTarget): void {
    const statistics = this.#statistics;
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
  #runTimed(call: Call, writer: ReplyTarget): void {
    const { command, session } = call;
    const start = timer.now();
    this.#runUntimed(call, writer);
    const milliseconds = timer.now() - start;
    this.#statistics.countTimed(command.id, milliseconds);
    const micros = milliseconds * 1000;
    if ((session.gates & SessionGate.blocked) !== 0) this.#engine.blocking.ranUntilNow(session, call, micros);
    else if (micros >= this.#engine.slowLog.threshold)
      this.#engine.slowLog.add(session, command, call, micros, call.now);
    if (milliseconds >= this.#engine.latencyMonitor.threshold) {
      const kind = (command.flagBits & FLAG.fast) !== 0 ? 'fast-command' : 'command';
      this.#engine.latencyMonitor.add(kind, milliseconds, call.now);
    }
  }

  #runUntimed(call: Call, writer: ReplyTarget): void {
    const { effects } = call;
    const dirty = effects.dirty;
    try {
      call.command.run(call as never);
    } catch (error) {
      writer.truncate(this.#replyMark);
      this.#statistics.countFailed(call.command.id);
      const text = this.#engine.failureText(error);
      this.#statistics.countError(text);
      writer.error(text);
    }
    if (effects.recording)
      effects.finishCommand(call.db.index, call.args, call.argc, effects.dirty !== dirty);
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
      const writer = this.#clientWriter as ReplyTarget;
      // Before the reply has begun it is no part of it: an error will not erase it.
      const isBefore = writer.length === this.#replyMark;
      writer.raw(bytes);
      if (isBefore) this.#replyMark = writer.length;
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
      if (session.tracking !== undefined) this.#engine.tracking.tellPending(session);
    } finally {
      this.#asideClient = undefined;
      this.runningClient = runningClient;
    }
    const { effects } = this.#keyspace;
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
    const text = this.#engine.failureText(error);
    this.#asideWriter.reset();
    this.#asideWriter.error(text);
    this.#statistics.countError(text);
    if (session.lastCommand !== undefined) this.#statistics.countFailed(session.lastCommand.id);
  }
}

function prepare(
  call: Call,
  session: Session,
  command: Command,
  args: Bytes[],
  argc: number,
  writer: ReplyTarget,
): void {
  call.args = args;
  call.argc = argc;
  call.command = command;
  call.session = session;
  call.db = session.db;
  call.reply = writer;
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

/** Looked up once: as a global it is asked for through a getter each time. */
const timer = performance;

const READ_ONLY_SCRIPTS = new Set(['eval_ro', 'evalsha_ro', 'fcall_ro']);

const HTTP_WARNING =
  'Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands to Redis. ' +
  'This is likely due to an attacker attempting to use Cross Protocol Scripting to compromise your Redis instance.';
