import type { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../../commands/call.js';
import { CommandError, errors } from '../../commands/errors.js';
import { FLAG } from '../../commands/flag.js';
import { isLocal, type Session, SessionGate } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import type { Engine } from '../engine.js';
import { ALWAYS_GATED, EngineGate, flagsOf } from './gates.js';
import { permissionRefusal } from './permission.js';

/** A script that calls a command. */
export interface ScriptContext {
  readonly origin: 'script';
  /** The command that runs the script; its session is the client's. */
  readonly call: Call;
  readonly isReadonly: boolean;
  readonly allowsOom: boolean;
  /** In a cluster, it may use keys of several slots, all of this node. */
  readonly allowsCrossSlotKeys: boolean;
  /** It has called a write command. From then on the state of the server does not stop it. */
  readonly hasWritten: boolean;
}

/**
 * Where a command comes from: a client, to run now or be queued; a transaction, at EXEC; a script; or a file or master,
 * whose commands have been executed before.
 */
export type AdmissionContext = { readonly origin: 'client' | 'transaction' | 'replay' } | ScriptContext;

/** A command before it runs: a `Call` that is prepared. The arguments are valid only during the call. */
export interface CommandRequest {
  readonly session: Session;
  readonly command: Command;
  readonly args: readonly Bytes[];
  readonly argc: number;
}

export const FROM_CLIENT: AdmissionContext = { origin: 'client' };
export const IN_TRANSACTION: AdmissionContext = { origin: 'transaction' };
export const FROM_REPLAY: AdmissionContext = { origin: 'replay' };

/** Why a command may not run; undefined if it may. The arguments are valid only during the call. */
export type AdmissionCheck = (
  session: Session,
  command: Command,
  args: readonly Bytes[],
  argc: number,
  context: AdmissionContext,
) => CommandError | undefined;

/** Checks that parts add. They are called in Redis's order. */
export interface AdmissionChecks {
  /** Which server has the keys (Cluster). Called for commands of clients, for EXEC with all its commands, and in scripts. */
  readonly slot?: AdmissionCheck;
  /** Whether a write command may run (a read-only replica). Not called for scripts that have already written. */
  readonly write?: AdmissionCheck;
  /** Whether the data is recent enough (a replica without its master). */
  readonly stale?: AdmissionCheck;
}

/**
 * Decides whether a command may run, wherever it comes from. The checks are in Redis's order, which decides the error
 * that a client gets if several apply.
 */
export class Admission {
  readonly #engine: Engine;
  #attached: AdmissionChecks[] = [];
  /** Whether any of them checks slots, writes or age. */
  #hasChecks = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The check of slots, if it is the only check that a part has attached. */
  onlySlotCheck: AdmissionCheck | undefined;

  /** Adds checks; the returned function removes them. */
  attach(checks: AdmissionChecks): () => void {
    this.#attached = [...this.#attached, checks];
    this.#updateGate();
    return () => {
      this.#attached = this.#attached.filter((each) => each !== checks);
      this.#updateGate();
    };
  }

  /** Checks of writes need only commands that may write, so that reads of a replica stay on the fast path. */
  #updateGate(): void {
    const engine = this.#engine;
    const needsAll = this.#attached.some(({ slot, stale }) => (slot ?? stale) !== undefined);
    const needsWrites = this.#attached.some(({ write }) => write !== undefined);
    engine.gates = needsAll
      ? engine.gates | EngineGate.attachedChecks
      : engine.gates & ~EngineGate.attachedChecks;
    engine.gatedFlags = needsWrites ? ALWAYS_GATED | MAY_WRITE : ALWAYS_GATED;
    this.#hasChecks = needsAll || needsWrites;
    const [only, ...others] = this.#attached;
    const isOnlySlot = others.length === 0 && only?.write === undefined && only?.stale === undefined;
    this.onlySlotCheck = isOnlySlot ? only?.slot : undefined;
  }

  /** Why the command may not run; undefined if it may. Not called while no gate is set. */
  admit(request: CommandRequest, context: AdmissionContext): CommandError | undefined {
    switch (context.origin) {
      case 'client':
        return this.#clientRefusal(request, context) ?? this.#stateRefusal(request, context);
      case 'transaction':
        return this.#permission(request, context);
      case 'script':
        return this.#scriptRefusal(request, context);
      case 'replay':
        return undefined;
    }
  }

  /** Why this client may not run the command, regardless of the server's state. */
  #clientRefusal(request: CommandRequest, context: AdmissionContext): CommandError | undefined {
    const { session, command } = request;
    const { flagBits } = command;
    const { gates } = session;
    if ((flagBits & FLAG.protected) !== 0 && !mayUseProtected(this.#engine, session, command)) {
      return protectedCommand(command);
    }
    if ((gates & SessionGate.unauthenticated) !== 0 && (flagBits & FLAG.no_auth) === 0) {
      return errors.notAuthenticated;
    }
    if ((gates & SessionGate.transaction) !== 0 && (flagBits & FLAG.no_multi) !== 0) {
      return errors.notInTransaction;
    }
    return this.#permission(request, context);
  }

  /** Why the state of the server or of the session forbids the command now. */
  #stateRefusal(request: CommandRequest, context: AdmissionContext): CommandError | undefined {
    const { session, command, args } = request;
    const engine = this.#engine;
    const { gates } = engine;
    const { flagBits } = command;
    const isAttached = this.#hasChecks;
    const isBusy = (gates & EngineGate.scriptIsBusy) !== 0;
    let refused: CommandError | undefined;
    if (isAttached) refused = this.#check('slot', request, context);
    if (refused !== undefined) return refused;
    if ((gates & EngineGate.maxmemory) !== 0 && !isBusy && engine.memoryLimit.refuses(session, command)) {
      return errors.outOfMemory;
    }
    if ((gates & EngineGate.trackingTableFull) !== 0) engine.tracking.limitKeys();
    if ((gates & EngineGate.writesRefused) !== 0 && session.kind !== 'master') {
      refused = writeRefusal(engine, session, command);
    }
    if (refused !== undefined) return refused;
    // For a script that declares flags, those count.
    const attachedFlags = isAttached ? engine.scripting.commandFlags(command, args) : 0;
    if (isAttached && ((attachedFlags | flagsOf(session, command)) & FLAG.write) !== 0) {
      refused = this.#check('write', request, context);
    }
    if (refused !== undefined) return refused;
    if (isSubscribed(session) && !WHILE_SUBSCRIBED.has(command.fullName)) return notWhileSubscribed(command);
    const queuesFresh = session.queuesFresh && command.name === 'exec';
    if (isAttached && ((attachedFlags & FLAG.stale) === 0 || queuesFresh)) {
      refused = this.#check('stale', request, context);
    }
    if (refused !== undefined) return refused;
    if ((gates & EngineGate.loading) !== 0 && (flagBits & FLAG.loading) === 0) return errors.loading;
    if ((gates & EngineGate.asyncLoading) !== 0 && (flagBits & FLAG.no_async_loading) !== 0)
      return errors.loading;
    if (isBusy && !runsDuringScript(request)) return engine.scripting.busyError;
    const isObserver = (session.gates & SessionGate.observer) !== 0;
    return isObserver && (flagsOf(session, command) & KEY_COMMANDS) !== 0 ? OBSERVER_USES_KEYS : undefined;
  }

  /** The request has the script's session, which has the client's user and database. */
  #scriptRefusal(request: CommandRequest, script: ScriptContext): CommandError | undefined {
    const engine = this.#engine;
    const { flagBits } = request.command;
    if ((flagBits & FLAG.noscript) !== 0 && !engine.scripting.allowsAnyCommand) return NOT_FROM_SCRIPT;
    const isAttached = this.#hasChecks;
    const needsFresh = isAttached && (flagBits & FLAG.stale) === 0;
    if (needsFresh && this.#check('stale', request, script) !== undefined) {
      return STALE_IN_SCRIPT;
    }
    const forbidden = this.#permission(request, script);
    if (forbidden !== undefined) return forbidden;
    if (script.isReadonly && (flagBits & (FLAG.write | FLAG.may_replicate)) !== 0) return READONLY_SCRIPT;
    // A script that has written is not stopped half-way by the state of the server.
    if ((flagBits & FLAG.write) !== 0 && !script.hasWritten) {
      const refused =
        (isAttached ? this.#check('write', request, script) : undefined) ??
        this.#scriptWriteRefusal((flagBits & FLAG.denyoom) !== 0 && !script.allowsOom);
      if (refused !== undefined) return refused;
    }
    return isAttached ? this.#check('slot', request, script) : undefined;
  }

  #scriptWriteRefusal(needsMemory: boolean): CommandError | undefined {
    const { writeRefusal, memoryLimit } = this.#engine;
    if (writeRefusal !== undefined) return writeRefusal;
    return needsMemory && memoryLimit.isExhausted ? errors.outOfMemory : undefined;
  }

  /** Why a script without flags may not start. */
  staleRefusal(request: CommandRequest): CommandError | undefined {
    return this.#hasChecks ? this.#check('stale', request, FROM_CLIENT) : undefined;
  }

  /** Why a script that declares flags may not start. For other scripts each command is checked. */
  admitScript(writes: boolean, needsMemory: boolean, isReadonlyCommand: boolean): CommandError | undefined {
    const { writeRefusal, memoryLimit } = this.#engine;
    if (writes && writeRefusal !== undefined) return writeRefusal;
    if (writes && isReadonlyCommand) return WRITES_IN_READONLY_COMMAND;
    return needsMemory && memoryLimit.isExhausted ? errors.outOfMemory : undefined;
  }

  /** What the session's user may not do (ACL): asked when a command is called or queued, again at EXEC, and in scripts. */
  #permission(request: CommandRequest, context: AdmissionContext): CommandError | undefined {
    if ((request.session.gates & SessionGate.restricted) === 0) return undefined;
    return permissionRefusal(this.#engine, request, context);
  }

  #check(
    kind: keyof AdmissionChecks,
    { session, command, args, argc }: CommandRequest,
    context: AdmissionContext,
  ): CommandError | undefined {
    for (const checks of this.#attached) {
      const refused = checks[kind]?.(session, command, args, argc, context);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }
}

/** Whether the settings allow DEBUG or MODULE LOAD to this client. */
function mayUseProtected({ settings }: Engine, session: Session, command: Command): boolean {
  const allowed = settings.text(`enable-${(command.parent ?? command).name}-command`);
  return allowed === 'yes' || (allowed === 'local' && isLocal(session));
}

function protectedCommand(command: Command): CommandError {
  const { name } = command.parent ?? command;
  return new CommandError(
    `ERR ${name.toUpperCase()} command not allowed. If the enable-${name}-command option is set to "local", ` +
      'you can run it from a local connection, otherwise you need to set this option in the configuration file, ' +
      'and then restart the server.',
  );
}

/** The error of the command while writes are refused. PING reports failing files, too. */
function writeRefusal(engine: Engine, session: Session, command: Command): CommandError | undefined {
  if ((flagsOf(session, command) & FLAG.write) !== 0) return engine.writeRefusal;
  return command.name === 'ping' ? engine.fileRefusal : undefined;
}

/** Whether the client has subscriptions and speaks RESP2, in which replies could be taken for messages. */
function isSubscribed({ gates, protocol }: Session): boolean {
  return (gates & SessionGate.subscribed) !== 0 && protocol === 2;
}

function notWhileSubscribed({ fullName }: Command): CommandError {
  return new CommandError(
    `ERR Can't execute '${fullName}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
  );
}

/** Whether a command may interrupt a script. SHUTDOWN may only if it does not save: the script's changes are incomplete. */
function runsDuringScript({ command, args, argc }: CommandRequest): boolean {
  if (command.name !== 'shutdown') return (command.flagBits & FLAG.allow_busy) !== 0;
  for (let i = 1; i < argc; i++) if ((args[i] as Bytes).is('nosave')) return true;
  return false;
}

/** Commands that write, or run scripts that may. */
const MAY_WRITE = FLAG.write | FLAG.may_replicate;

const KEY_COMMANDS = FLAG.write | FLAG.readonly | FLAG.may_replicate;

const OBSERVER_USES_KEYS = new CommandError("ERR Replica can't interact with the keyspace");
const STALE_IN_SCRIPT = new CommandError('ERR Can not execute the command on a stale replica');
const NOT_FROM_SCRIPT = new CommandError('ERR This Redis command is not allowed from script');
const READONLY_SCRIPT = new CommandError('ERR Write commands are not allowed from read-only scripts.');
const WRITES_IN_READONLY_COMMAND = new CommandError(
  'ERR Can not execute a script with write flag using *_ro command.',
);

/** The commands allowed to a RESP2 client with subscriptions. Replies of others would look like messages. */
const WHILE_SUBSCRIBED = new Set([
  'ping',
  'subscribe',
  'ssubscribe',
  'psubscribe',
  'unsubscribe',
  'sunsubscribe',
  'punsubscribe',
  'quit',
  'reset',
]);
