import type { Bytes } from '../../bytes/bytes.js';
import { Call } from '../../commands/call.js';
import type { CommandError } from '../../commands/errors.js';
import { FLAG } from '../../commands/flag.js';
import { type Session, SessionGate } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import type { Database } from '../../keyspace/database.js';
import type { Keyspace } from '../../keyspace/keyspace.js';
import type { ReplyTarget } from '../../resp/reply.js';
import { RespWriter } from '../../resp/resp-writer.js';
import type { Engine } from '../engine.js';
import type { Statistics } from '../statistics/statistics.js';
import { FROM_CLIENT, FROM_REPLAY, IN_TRANSACTION } from './admission.js';
import { findCommand, isHttp, lookupFailure } from './command-lookup.js';
import { EngineGate } from './gates.js';
import type { Runner } from './runner.js';

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
  /** Whether the command has been run, so that its reply is complete. */
  #hasRun = false;
  /** Pushes for a client that gets no replies, to be kept when the reply is dropped. */
  #heldPushes: Buffer[] | undefined;
  #asideClient: Session | undefined;

  readonly #engine: Engine;
  readonly #keyspace: Keyspace;
  readonly #statistics: Statistics;
  readonly #runner: Runner;

  /** One call for each way in which commands come, since one may run within another. */
  #call: Call;
  readonly #queuedCall: Call;
  readonly #busyCall: Call;
  readonly #asideCall: Call;
  readonly #replayedCall: Call;
  readonly #asideWriter = new RespWriter(1 << 12);

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#keyspace = engine.keyspace;
    this.#statistics = engine.statistics;
    this.#runner = engine.runner;
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
    this.#hasRun = false;
    try {
      if ((session.gates & SessionGate.muted) !== 0) this.#executeMuted(session, command, args, argc, writer);
      else this.#execute(session, command, args, argc, writer);
    } catch (error) {
      // Something around the command failed, not the command itself.
      this.#heldPushes = undefined;
      this.runningClient = undefined;
      const text = this.#engine.failureText(error);
      const isMuted = (session.gates & SessionGate.muted) !== 0;
      // If the command has run, its reply stands: what it changed is changed.
      if (this.#hasRun && !isMuted) return;
      writer.truncate(begin);
      if (!isMuted) writer.error(text);
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
    this.#hasRun = true;
    // In the middle of a script: the script's unit of work goes on.
    if (gates !== 0 && (this.#engine.gates & EngineGate.scriptIsBusy) !== 0) return;
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
    const engine = this.#engine;
    const { client, runningClient } = this;
    const interrupted = {
      writer: this.#clientWriter,
      mark: this.#replyMark,
      pushes: this.#heldPushes,
      call: this.#call,
      hasRun: this.#hasRun,
    };
    this.runningClient = undefined;
    this.#heldPushes = undefined;
    this.#call = this.#busyCall;
    engine.gates |= EngineGate.scriptIsBusy;
    try {
      this.execute(session, args, argc, writer);
    } finally {
      engine.gates &= ~EngineGate.scriptIsBusy;
      this.client = client;
      this.runningClient = runningClient;
      this.#clientWriter = interrupted.writer;
      this.#replyMark = interrupted.mark;
      this.#heldPushes = interrupted.pushes;
      this.#call = interrupted.call;
      this.#hasRun = interrupted.hasRun;
    }
  }

  /** Runs a command of a transaction, as part of EXEC; what the client may do can have changed since it was queued. */
  runQueued(session: Session, command: Command, args: Bytes[], writer: ReplyTarget): void {
    writer.protocol = session.protocol;
    this.#replyMark = writer.length;
    const refused = this.#engine.admission.admit(session, command, args, args.length, IN_TRANSACTION);
    const call = this.#queuedCall;
    if (refused !== undefined) {
      this.#countRefused(refused, command);
      writer.error(refused.text);
    } else {
      prepare(call, session, command, args, args.length, writer);
      call.mayBlock = false;
      this.#run(call, writer);
    }
    if (this.isMuted(session)) writer.truncate(this.#replyMark);
    this.#replyMark = writer.length;
    if (refused === undefined) this.#observe(call);
  }

  /**
   * Runs a command that has happened already, and that a file brings back. Nothing is counted or observed. Throws what the
   * command throws, or is refused with.
   */
  replay(session: Session, command: Command, args: Bytes[], argc: number, writer: ReplyTarget): void {
    const refused = this.#engine.admission.admit(session, command, args, argc, FROM_REPLAY);
    if (refused !== undefined) throw refused;
    const call = this.#replayedCall;
    prepare(call, session, command, args, argc, writer);
    call.mayBlock = false;
    const thrown = this.#runner.attempt(call);
    if (thrown !== undefined) throw thrown;
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

  /** Tells tracking and monitors of a command that has run. Its reply stands, even if this fails. */
  #observe(call: Call): void {
    const { session, command } = call;
    try {
      if (session.tracking !== undefined && readsKeys(command)) {
        this.#engine.tracking.rememberKeys(session, command, call.args, call.argc);
      }
      this.#engine.monitors.show(session, 'client', command, call);
    } catch (error) {
      this.#engine.failureText(error);
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
    this.#countRefused(error, command);
    forgetCaching(session, command);
    if (command?.name === 'exec') {
      writer.error(this.#engine.transactions.abort(session, error).text);
      this.#engine.monitors.feed(session, 'client', command, { argc, arg: (index) => args[index] as Bytes });
    } else writer.error(error.text);
  }

  #countRefused(error: CommandError, command: Command | undefined): void {
    if (command !== undefined) this.#statistics.countRejected(command.id);
    this.#statistics.countError(error.text);
  }

  /** Whether the command is to run now; if not, it has been answered, queued or put off. */
  #passes(session: Session, command: Command, args: Bytes[], argc: number, writer: ReplyTarget): boolean {
    const { admission, pause, transactions, gates } = this.#engine;
    const refused = admission.admit(session, command, args, argc, FROM_CLIENT);
    if (refused !== undefined) {
      this.#refuse(session, args, argc, writer, refused, command);
      return false;
    }
    const isPaused = (gates & (EngineGate.paused | EngineGate.scriptIsBusy)) === EngineGate.paused;
    if (isPaused && pause.holdsBack(session, command, args)) return false;
    if (!transactions.queues(session, command)) return true;
    transactions.enqueue(session, command, args, argc);
    writer.status('QUEUED');
    return false;
  }

  #run(call: Call, writer: ReplyTarget): void {
    const failure = this.#runner.run(call);
    if (failure === undefined) return;
    writer.truncate(this.#replyMark);
    writer.error(failure);
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

/** Whether it reads its keys itself: scripts do not, but the commands they call. */
function readsKeys({ flagBits, name }: Command): boolean {
  return (flagBits & FLAG.readonly) !== 0 && !READ_ONLY_SCRIPTS.has(name);
}

const READ_ONLY_SCRIPTS = new Set(['eval_ro', 'evalsha_ro', 'fcall_ro']);

const HTTP_WARNING =
  'Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands to Redis. ' +
  'This is likely due to an attacker attempting to use Cross Protocol Scripting to compromise your Redis instance.';
