import type { Bytes } from '../../bytes/bytes.js';
import { Verdict } from '../../commands/acl/selector.js';
import type { User } from '../../commands/acl/user.js';
import { Call } from '../../commands/call.js';
import { clientLine } from '../../commands/connection/client-line.js';
import { type CommandError, RedirectionError } from '../../commands/errors.js';
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
 * The path of one command through the engine: lookup, admission (or an error, or queueing), run, statistics, tracking and
 * monitors. Also runs work for other sessions: blocked clients that the command woke, and pushes.
 */
export class Execution {
  /** The session whose input is being processed. */
  client: Session | undefined;
  /** The same session while its command runs, if it tracks keys. Its invalidations then wait until the reply is written. */
  runningClient: Session | undefined;
  /** The target of the client's replies, and its length before this command. */
  #clientWriter: ReplyTarget | undefined;
  #replyMark = 0;
  /** Whether the command has run and its reply is complete. */
  #hasRun = false;
  /** Pushes for a client whose replies are off: they are sent although the reply is dropped. */
  #heldPushes: Buffer[] | undefined;
  #asideClient: Session | undefined;

  readonly #engine: Engine;
  readonly #keyspace: Keyspace;
  readonly #statistics: Statistics;
  readonly #runner: Runner;

  /** One call for each kind of run, since one may run inside another. */
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

  /** Like `execute`, for a command that was looked up; undefined if it does not exist or the number of arguments is wrong. */
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
      if ((session.gates & MUTED_OR_ASKING) === 0) this.#execute(session, command, args, argc, writer);
      else this.#executeMutedOrAsking(session, command, args, argc, writer);
    } catch (error) {
      // Code around the command failed, not the command.
      this.#heldPushes = undefined;
      this.runningClient = undefined;
      const text = this.#engine.failureText(error);
      const isMuted = (session.gates & SessionGate.muted) !== 0;
      // If the command has run, keep its reply: its changes have been made.
      if (this.#hasRun && !isMuted) return;
      writer.truncate(begin);
      if (!isMuted) writer.error(text);
    }
  }

  #execute(
    session: Session,
    command: Command | undefined,
    args: Bytes[],
    argc: number,
    writer: ReplyTarget,
  ): void {
    writer.protocol = session.protocol;
    const call = this.#call;
    prepare(call, session, args, argc, writer);
    call.mayBlock = true;
    if (command === undefined) {
      this.#refuseUnknown(call);
      return;
    }
    call.command = command;
    session.lastCommand = command;
    const others = this.#engine.gates | (command.flagBits & this.#engine.gatedFlags);
    let gates = session.gates | others;
    if (gates !== 0) {
      if (this.#passesOnlyGate(call, others)) gates = 0;
      else if (!this.#passes(call)) return;
    }
    if (gates === 0) this.#run(call, writer);
    else this.#runObserved(call, writer);
    this.#hasRun = true;
    // Inside a script, whose atomic unit is not complete.
    if (gates !== 0 && (this.#engine.gates & EngineGate.scriptIsBusy) !== 0) return;
    const { effects } = this.#keyspace;
    if (effects.recording) {
      effects.flush((command.flagBits & FLAG.touches_arbitrary_keys) !== 0);
      session.streamOffset = this.#engine.replication.offset;
    }
    if (gates !== 0) this.#engine.tracking.tellPending(session);
    if (this.#engine.blocking.hasReady) this.#engine.blocking.serveReady();
  }

  /** Runs a command of a client that gets no replies (CLIENT REPLY) or has sent ASKING, which is valid for one command. */
  #executeMutedOrAsking(
    session: Session,
    command: Command | undefined,
    args: Bytes[],
    argc: number,
    writer: ReplyTarget,
  ): void {
    const isMuted = (session.gates & SessionGate.muted) !== 0;
    if (isMuted) this.#beginMuted(session);
    this.#execute(session, command, args, argc, writer);
    if (isMuted) this.#endMuted(session, writer);
    if (session.queue === undefined && command?.name !== 'asking') session.gates &= ~SessionGate.asking;
  }

  #beginMuted(session: Session): void {
    if (session.replies === 'skip') session.replies = 'skipping';
    this.#heldPushes = [];
  }

  /** Drops the reply, unless the command has turned replies on. */
  #endMuted(session: Session, writer: ReplyTarget): void {
    if (session.replies !== 'on') {
      if (session.kind === 'replica' && writer.length > this.#replyMark) this.#dropReplica(session, writer);
      writer.truncate(this.#replyMark);
    }
    for (const push of this.#heldPushes ?? []) writer.raw(push);
    this.#heldPushes = undefined;
    if ((session.gates & SessionGate.blocked) === 0) endSkipping(session);
  }

  /** A reply would be taken for a part of the replication stream: as in Redis, the replica that caused one is disconnected. */
  #dropReplica(session: Session, writer: ReplyTarget): void {
    const { host } = this.#engine;
    const name = session.lastCommand?.fullName ?? '<unknown>';
    const reply = writer instanceof RespWriter ? writer.copyFrom(this.#replyMark).latin1Slice() : '';
    if (reply.startsWith('-')) {
      const error = reply.slice(1).trimEnd();
      host.log(
        'warning',
        `== CRITICAL == This master is sending an error to its replica: '${error}' after processing the command '${name}'`,
      );
    }
    const client = clientLine(session, this.#engine).trimEnd();
    host.log('warning', `Replica generated a reply to command '${name}', disconnecting it: ${client}`);
    session.sink.close('now');
  }

  /**
   * A restricted user, or a node of a cluster, and nothing else to check or to tell: if that check allows the command, it is
   * like any other. If not, `#passes` checks again and replies.
   */
  #passesOnlyGate({ session, command, args, argc }: Call, others: number): boolean {
    if (others === 0) {
      const isOnlyRestricted = session.gates === SessionGate.restricted;
      return isOnlyRestricted && (session.user as User).check(command, args, argc) === Verdict.allowed;
    }
    if (others !== EngineGate.attachedChecks || session.gates !== 0) return false;
    const { onlySlotCheck } = this.#engine.admission;
    if (onlySlotCheck === undefined) return false;
    return onlySlotCheck(session, command, args, argc, FROM_CLIENT) === undefined;
  }

  /**
   * Runs another client's command during a slow script. Only commands that end the script or change the state of the
   * connection are allowed.
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

  /**
   * Runs a queued command as part of EXEC. It is admitted again: permissions may have changed since it was queued. Returns
   * false if it was refused.
   */
  runQueued(session: Session, command: Command, args: Bytes[], writer: ReplyTarget): boolean {
    writer.protocol = session.protocol;
    this.#replyMark = writer.length;
    const call = this.#queuedCall;
    prepare(call, session, args, args.length, writer);
    call.command = command;
    call.mayBlock = false;
    const refused = this.#engine.admission.admit(call, IN_TRANSACTION);
    if (refused === undefined) this.#run(call, writer);
    else {
      this.#statistics.countError(refused.text);
      writer.error(refused.text);
    }
    if (this.isMuted(session)) writer.truncate(this.#replyMark);
    this.#replyMark = writer.length;
    if (refused === undefined) this.#observe(call);
    return refused === undefined;
  }

  /**
   * Runs a command from a file or a master, without statistics, tracking and monitors. Throws the command's error, or the
   * reason why it was refused.
   */
  replay(session: Session, command: Command, args: Bytes[], argc: number, writer: ReplyTarget): void {
    const call = this.#replayedCall;
    prepare(call, session, args, argc, writer);
    call.command = command;
    call.mayBlock = false;
    const refused = this.#engine.admission.admit(call, FROM_REPLAY);
    if (refused !== undefined) throw refused;
    const thrown = this.#runner.runUncounted(call);
    if (thrown !== undefined) throw thrown;
  }

  /** Whether CLIENT REPLY suppresses the reply of the running command. */
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

  /** Passes an executed command to tracking and monitors. Its reply is kept even if they fail. */
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

  /** Refuses an unknown command or a wrong number of arguments. Closes the connection if it sends HTTP. */
  #refuseUnknown(call: Call): void {
    const { session, args, argc } = call;
    if (isHttp(args[0] as Bytes)) {
      this.#engine.host.log('warning', `${HTTP_WARNING} Connection from ${session.address} aborted.`);
      session.sink.close('now');
      return;
    }
    const { error, command } = lookupFailure(this.#engine.table, args, argc);
    this.#refuse(call, command, error);
  }

  /** Answers with an error instead of running the command. Inside MULTI, EXEC will then fail. */
  #refuse(call: Call, command: Command | undefined, error: CommandError): void {
    const { session } = call;
    if (session.queue !== undefined) session.queueFailed = true;
    // EXEC of keys that another node has is discarded, but the client gets the redirection.
    const isRedirected = error instanceof RedirectionError;
    const isExec = command?.name === 'exec' && !isRedirected;
    if (command?.name === 'exec' && isRedirected) this.#engine.transactions.discard(session);
    const replied = isExec ? this.#engine.transactions.abort(session, error) : error;
    if (command !== undefined) this.#statistics.countRejected(command.id);
    this.#statistics.countError(replied.text);
    forgetCaching(session, command);
    call.reply.error(replied.text);
    if (isExec) this.#engine.monitors.feed(session, 'client', command, call);
  }

  /** Returns true if the command should run now. Otherwise it has been answered, queued or postponed. */
  #passes(call: Call): boolean {
    const { session, command, args } = call;
    const { admission, pause, transactions, gates } = this.#engine;
    const refused = admission.admit(call, FROM_CLIENT);
    if (refused !== undefined) {
      this.#refuse(call, command, refused);
      return false;
    }
    const isBusy = (gates & EngineGate.scriptIsBusy) !== 0;
    if (!isBusy && (gates & EngineGate.paused) !== 0 && pause.holdsBack(session, command, args)) return false;
    if (!transactions.queues(session, command)) {
      const showsClients = (command.flagBits & FLAG.shows_clients) !== 0;
      return isBusy || !showsClients || !this.#engine.host.readsOthersFirst(session);
    }
    transactions.enqueue(session, command, args, call.argc);
    call.reply.status('QUEUED');
    return false;
  }

  #run(call: Call, writer: ReplyTarget): void {
    const failure = this.#runner.run(call);
    if (failure === undefined) return;
    writer.truncate(this.#replyMark);
    writer.error(failure);
  }

  // ---- work for other sessions ----

  /**
   * Sends a message or push. For the client whose command is running it is written between its replies, so that everything
   * arrives in order.
   */
  send(session: Session, bytes: Buffer): void {
    if (session === this.#asideClient) this.#asideWriter.raw(bytes);
    else if (session !== this.client) session.sink.send(bytes);
    else if (this.#heldPushes !== undefined) this.#heldPushes.push(bytes);
    else {
      const writer = this.#clientWriter as ReplyTarget;
      // If the reply has not begun, keep the push out of it: an error would discard it with the reply.
      const isBefore = writer.length === this.#replyMark;
      writer.raw(bytes);
      if (isBefore) this.#replyMark = writer.length;
    }
  }

  /**
   * Runs `work` for a session other than the one whose command is running, and sends the reply to that session.
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

  /** Replaces the reply of a failed `runAside` by the error, and counts the session's command as failed. */
  failAside(session: Session, error: unknown): void {
    const text = this.#engine.failureText(error);
    this.#asideWriter.reset();
    this.#asideWriter.error(text);
    this.#statistics.countError(text);
    if (session.lastCommand !== undefined) this.#statistics.countFailed(session.lastCommand.id);
  }
}

/** Fills in everything but the command, which may not exist. */
function prepare(call: Call, session: Session, args: Bytes[], argc: number, writer: ReplyTarget): void {
  call.args = args;
  call.argc = argc;
  call.session = session;
  call.db = session.db;
  call.reply = writer;
}

const MUTED_OR_ASKING = SessionGate.muted | SessionGate.asking;

/** CLIENT REPLY SKIP: one reply has been skipped, so the next one is sent. */
function endSkipping(session: Session): void {
  if (session.replies === 'skipping') session.replies = 'on';
  if (session.replies === 'on') session.gates &= ~SessionGate.muted;
}

/** CLIENT CACHING applies to the next command or transaction, not counting subcommands of CLIENT. */
function forgetCaching(session: Session, command: Command | undefined): void {
  if (session.tracking === undefined || session.queue !== undefined) return;
  if ((command?.parent ?? command)?.name !== 'client') session.tracking.caching = false;
}

/** Whether the command itself reads its keys. For scripts, the commands that they call do. */
function readsKeys({ flagBits, name }: Command): boolean {
  return (flagBits & FLAG.readonly) !== 0 && !READ_ONLY_SCRIPTS.has(name);
}

const READ_ONLY_SCRIPTS = new Set(['eval_ro', 'evalsha_ro', 'fcall_ro']);

const HTTP_WARNING =
  'Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands to Redis. ' +
  'This is likely due to an attacker attempting to use Cross Protocol Scripting to compromise your Redis instance.';
