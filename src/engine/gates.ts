import { CommandError } from '../commands/errors.js';
import { FLAG } from '../commands/flag.js';
import { type Session, SessionGate } from '../commands/session.js';
import type { Command } from '../commands/table.js';

/** Conditions of the whole engine that a command must pass before it runs; any bit set leaves the fast path. */
export const EngineGate = {
  maxmemory: 1 << 0,
  paused: 1 << 1,
  monitors: 1 << 2,
  /** More keys are tracked than allowed. */
  trackingTableFull: 1 << 3,
  /** The data is being loaded from a file. */
  loading: 1 << 4,
  /** The data cannot be written to a file. */
  writesRefused: 1 << 5,
} as const;

/** Whether the command may not be part of a transaction that the session has begun. */
export function isBarredFromTransaction(session: Session, command: Command): boolean {
  return (session.gates & SessionGate.transaction) !== 0 && (command.flagBits & FLAG.no_multi) !== 0;
}

/** Why the state the session is in forbids the command; undefined if it does not. */
export function refusal(session: Session, command: Command): CommandError | undefined {
  const { gates } = session;
  if (
    (gates & SessionGate.subscribed) !== 0 &&
    session.protocol === 2 &&
    !WHILE_SUBSCRIBED.has(command.fullName)
  ) {
    return new CommandError(
      `ERR Can't execute '${command.fullName}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`,
    );
  }
  if ((gates & SessionGate.monitor) !== 0 && (flagsOf(session, command) & KEY_COMMANDS) !== 0) {
    return new CommandError("ERR Replica can't interact with the keyspace");
  }
  return undefined;
}

/** Whether the command must wait until the data has been loaded. */
export function waitsForLoading(command: Command): boolean {
  return (command.flagBits & FLAG.loading) === 0;
}

/** Whether the command is refused while the data cannot be written to a file. PING shows the state to whoever looks. */
export function isRefusedUnsaved(session: Session, command: Command): boolean {
  return (flagsOf(session, command) & FLAG.write) !== 0 || command.name === 'ping';
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
