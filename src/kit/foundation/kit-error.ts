import { StoreError } from '../../store/index.js';

/** Codes of errors that come from the kit itself. Components may add their own; those of Redis are its first words. */
export type KitErrorCode =
  /** An option or argument does not exist, is missing, or has a value that it cannot have. */
  | 'OPTION'
  /** What was waited for did not come within the time given. */
  | 'TIMEOUT'
  /** The caller's AbortSignal ended the wait. `cause` is the signal's reason. */
  | 'ABORTED'
  /** What was held is held no longer: its lease ended before it could be renewed. */
  | 'LOST'
  /** The component was closed. */
  | 'CLOSED';

/**
 * What components of the kit throw. It is a `StoreError`, so that one `instanceof` is enough for both; `code` is stable
 * and meant for programs, `message` says to people what to do.
 *
 * @example
 * try {
 *   await locks(store).acquire('report', { wait: 0 });
 * } catch (error) {
 *   if (error instanceof KitError && error.code === 'TIMEOUT') return; // another process holds it
 *   throw error;
 * }
 */
export class KitError extends StoreError {
  constructor(
    code: KitErrorCode | (string & {}),
    message: string,
    details: { readonly cause?: unknown } = {},
  ) {
    super(code, message, details);
    this.name = 'KitError';
  }
}

/** The error of a wait that its signal has ended. */
export function abortedBy(signal: AbortSignal): KitError {
  return new KitError('ABORTED', 'the wait was ended by its AbortSignal', { cause: signal.reason });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedBy(signal);
}
