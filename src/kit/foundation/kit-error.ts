import { StoreError } from '../../store/index.js';

/** Codes of errors of the kit. Components may add codes. The code of a Redis error is its first word. */
export type KitErrorCode =
  /** An option or argument is unknown, missing or invalid. */
  | 'OPTION'
  /** The wait reached its timeout. */
  | 'TIMEOUT'
  /** The caller's AbortSignal ended the wait. `cause` is the signal's reason. */
  | 'ABORTED'
  /** The hold was lost: its lease ended before it could be renewed. */
  | 'LOST'
  /** The component was closed. */
  | 'CLOSED';

/**
 * The error that components of the kit throw. It is a `StoreError`, so one `instanceof` covers both. `code` is stable
 * and meant for programs; `message` tells people what to do.
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

/** The error of a wait that was ended by its signal. */
export function abortedBy(signal: AbortSignal): KitError {
  return new KitError('ABORTED', 'the wait was ended by its AbortSignal', { cause: signal.reason });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedBy(signal);
}
