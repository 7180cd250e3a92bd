/** Codes of the store's own errors. The code of a Redis error is the first word of its text (`WRONGTYPE` …). */
export type StoreErrorCode =
  /** The address is malformed. */
  | 'ADDRESS'
  /** An option is unknown or has an invalid value. */
  | 'OPTION'
  /** There is no connection to the server: none could be made in time, or it was lost before the answer came. */
  | 'UNREACHABLE'
  /** The store was closed. */
  | 'CLOSED'
  /** The caller's AbortSignal ended the wait. `cause` is the signal's reason. */
  | 'ABORTED'
  /** The server is connected, but did not answer in time. */
  | 'TIMEOUT'
  /** Watched keys changed during every attempt of the transaction. */
  | 'CONFLICT'
  /** The subscription's buffer is full: messages arrived faster than they were read. */
  | 'OVERFLOW'
  /** The command does not work this way; the text names the method to use instead. */
  | 'MISUSE'
  /** Another process, or another store of this one, has the folder open. */
  | 'LOCKED'
  /** The files in the folder cannot be read. */
  | 'FILES'
  /** The port or path to listen on is not available. */
  | 'LISTEN'
  /** A script took longer than `scriptTimeout` and was ended. It had written nothing. */
  | 'SCRIPT_TIMEOUT'
  /** A script took longer than `scriptTimeout` after it had written. It was ended, and its writes stay. */
  | 'SCRIPT_INTERRUPTED'
  /** CLIENT PAUSE delays the command, and the caller (`store.sync`) cannot wait. */
  | 'PAUSED';

/** Optional fields of a `StoreError`. */
export interface StoreErrorDetails {
  readonly cause?: unknown;
  readonly results?: readonly unknown[];
  readonly mayHaveRun?: boolean;
}

/**
 * The error that stores throw. `code` is stable and meant for programs. `message` is for people; if the error came from
 * Redis, it is Redis's own text.
 *
 * @example
 * import { open, StoreError } from 'sorrel';
 *
 * await using store = await open();
 * await store.send('SET', 'name', 'sorrel');
 * try {
 *   await store.send('INCR', 'name');
 * } catch (error) {
 *   if (!(error instanceof StoreError)) throw error;
 *   error.code; // 'ERR'
 *   error.message; // 'ERR value is not an integer or out of range'
 * }
 */
export class StoreError extends Error {
  /** One of `StoreErrorCode`, or the first word of Redis's error. */
  readonly code: StoreErrorCode | (string & {});
  /** If a pipeline or transaction failed: the result or the error of each command. */
  declare readonly results?: readonly unknown[];
  /**
   * True if the command was sent and its answer never came (`TIMEOUT`, `UNREACHABLE`, `ABORTED`, `CLOSED`): the server may
   * have executed it. False if the command was not sent, only reads, or was refused by the server.
   */
  readonly mayHaveRun: boolean;

  constructor(code: StoreErrorCode | (string & {}), message: string, details: StoreErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'StoreError';
    this.code = code;
    this.mayHaveRun = details.mayHaveRun ?? false;
    if (details.results !== undefined) this.results = details.results;
  }

  /** Makes an error of an error reply: `WRONGTYPE Operation against …`. */
  static fromReply(text: string, cause?: unknown): StoreError {
    const [, code = 'ERR'] = CODE.exec(text) ?? [];
    return new StoreError(code, text, { cause });
  }
}

/** Redis's errors begin with a word in capitals; errors returned by scripts may not. */
const CODE = /^([A-Z][A-Z0-9_]*)(?: |$)/;

/** The error of a call on a store that is closed. */
export function storeClosed(): StoreError {
  return new StoreError('CLOSED', 'the store is closed');
}

/** The error of a value that cannot be an argument of a command, for programs that are not type-checked. */
export function notAnArgument(value: unknown): StoreError {
  const kind = value === null ? 'null' : typeof value;
  const text = `an argument must be a string, number, bigint or Uint8Array, not ${kind}`;
  return new StoreError(
    'MISUSE',
    isSnapshot(value)
      ? `${text}: \`store.restore\` is the command RESTORE; to restore a snapshot, call its method, \`snapshot.restore()\``
      : text,
  );
}

function isSnapshot(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'restore' in value && typeof value.restore === 'function'
  );
}
