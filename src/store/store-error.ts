/** Codes of errors that come from the store itself. Those of Redis are the first word of its text (`WRONGTYPE` …). */
export type StoreErrorCode =
  /** The address cannot be understood. */
  | 'ADDRESS'
  /** An option does not exist, or has a value that it cannot have. */
  | 'OPTION'
  /** There is no connection to the server: none could be made in time, or it was lost before the answer came. */
  | 'UNREACHABLE'
  /** The store was closed. */
  | 'CLOSED'
  /** The caller's AbortSignal ended the wait. `cause` is the signal's reason. */
  | 'ABORTED'
  /** The server is connected, but did not answer in time. */
  | 'TIMEOUT'
  /** Watched keys kept changing: the transaction was tried as often as it may be. */
  | 'CONFLICT'
  /** Messages came faster than they were read, and the subscription's buffer is full. */
  | 'OVERFLOW'
  /** The command does not work this way; the text names the method to use instead. */
  | 'MISUSE'
  /** Another process, or another store of this one, has the folder open. */
  | 'LOCKED'
  /** The files in the folder cannot be read. */
  | 'FILES'
  /** The port or path to listen on cannot be had. */
  | 'LISTEN'
  /** A script took longer than `scriptTimeout` and was ended; it had written nothing. */
  | 'SCRIPT_TIMEOUT'
  /** The same, but it had written: what it wrote until then stays. */
  | 'SCRIPT_INTERRUPTED'
  /** CLIENT PAUSE holds the command back, and the caller cannot wait. */
  | 'PAUSED';

/** What a `StoreError` may carry beside its code and text. */
export interface StoreErrorDetails {
  readonly cause?: unknown;
  readonly results?: readonly unknown[];
  readonly mayHaveRun?: boolean;
}

/**
 * What stores throw. `code` is stable and meant for programs; `message` is for people and, where the error came from
 * Redis, is Redis's own text.
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
  /** Of a pipeline or transaction that failed: the result or the error of each command. */
  declare readonly results?: readonly unknown[];
  /**
   * True if the command was sent and its answer never came (`TIMEOUT`, `UNREACHABLE`, `ABORTED`, `CLOSED`): the server may
   * have executed it. False if it was not sent, or only reads, or the server refused it.
   */
  readonly mayHaveRun: boolean;

  constructor(code: StoreErrorCode | (string & {}), message: string, details: StoreErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'StoreError';
    this.code = code;
    this.mayHaveRun = details.mayHaveRun ?? false;
    if (details.results !== undefined) this.results = details.results;
  }

  /** The error for an error reply: `WRONGTYPE Operation against …`. */
  static fromReply(text: string, cause?: unknown): StoreError {
    const [, code = 'ERR'] = CODE.exec(text) ?? [];
    return new StoreError(code, text, { cause });
  }
}

/** Redis's errors begin with a word in capitals; a script's own need not. */
const CODE = /^([A-Z][A-Z0-9_]*)(?: |$)/;
