import { CommandError, errors } from '../commands/errors.js';
import { FLAG } from '../commands/flag.js';
import { isLocal, type Session, SessionGate } from '../commands/session.js';
import type { Command } from '../commands/table.js';
import type { Engine } from './engine.js';

/** Conditions of the whole engine that a command must pass before it runs; any bit set leaves the fast path. */
export const EngineGate = {
  maxmemory: 1 << 0,
  paused: 1 << 1,
  monitors: 1 << 2,
  /** More keys are tracked than allowed. */
  trackingTableFull: 1 << 3,
  /** The data is being loaded from a file. */
  loading: 1 << 4,
  /** The data cannot be written to a file, or replicas are missing. */
  writesRefused: 1 << 5,
} as const;

/**
 * Why the command may not run now; undefined if it may. Asked only while some gate is closed. The order of the questions
 * is Redis's: it decides which of several errors a client sees.
 */
export function refusal(engine: Engine, session: Session, command: Command): CommandError | undefined {
  if ((command.flagBits & FLAG.protected) !== 0 && !mayUseProtected(engine, session, command)) {
    return protectedCommand(command);
  }
  if ((session.gates & SessionGate.unauthenticated) !== 0 && (command.flagBits & FLAG.no_auth) === 0) {
    return errors.notAuthenticated;
  }
  if (isBarredFromTransaction(session, command)) return errors.notInTransaction;
  if ((engine.gates & EngineGate.maxmemory) !== 0 && engine.memoryLimit.refuses(session, command)) {
    return errors.outOfMemory;
  }
  if ((engine.gates & EngineGate.trackingTableFull) !== 0) engine.tracking.limitKeys();
  if ((engine.gates & EngineGate.writesRefused) !== 0) {
    const refused = writeRefusal(engine, session, command);
    if (refused !== undefined) return refused;
  }
  const { gates } = session;
  if (
    (gates & SessionGate.subscribed) !== 0 &&
    session.protocol === 2 &&
    !WHILE_SUBSCRIBED.has(command.fullName)
  ) {
    return notWhileSubscribed(command);
  }
  if ((engine.gates & EngineGate.loading) !== 0 && waitsForLoading(command)) return errors.loading;
  if ((gates & SessionGate.monitor) !== 0 && (flagsOf(session, command) & KEY_COMMANDS) !== 0) {
    return new CommandError("ERR Replica can't interact with the keyspace");
  }
  return undefined;
}

/** DEBUG and MODULE LOAD: only where the settings allow it, perhaps only from this machine. */
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

/** Whether the command may not be part of a transaction that the session has begun. */
function isBarredFromTransaction(session: Session, command: Command): boolean {
  return (session.gates & SessionGate.transaction) !== 0 && (command.flagBits & FLAG.no_multi) !== 0;
}

function notWhileSubscribed({ fullName }: Command): CommandError {
  return new CommandError(
    `ERR Can't execute '${fullName}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
  );
}

/** Whether the command must wait until the data has been loaded. */
export function waitsForLoading(command: Command): boolean {
  return (command.flagBits & FLAG.loading) === 0;
}

/** Why the command is refused while nothing may be written. Of files that fail, PING tells whoever looks. */
function writeRefusal(engine: Engine, session: Session, command: Command): CommandError | undefined {
  if ((flagsOf(session, command) & FLAG.write) !== 0) return engine.writeRefusal;
  return command.name === 'ping' ? engine.fileRefusal : undefined;
}

/** The command's flags; for EXEC also those of all it will run. */
export function flagsOf(session: Session, command: Command): number {
  return command.name === 'exec' ? command.flagBits | session.queuedFlags : command.flagBits;
}

const KEY_COMMANDS = FLAG.write | FLAG.readonly | FLAG.may_replicate;

/** What a RESP2 client may do while it has subscriptions: anything else would look like a message. */
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
