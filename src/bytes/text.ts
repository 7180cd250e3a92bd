import { constants } from 'node:buffer';

/**
 * `text.charCodeAt(index)`, equally fast in every program. Once any class of a process extends String (clients of Redis
 * have one), V8 no longer inlines the methods of strings, and loops take 3.5 times as long.
 * A constant function is always inlined.
 */
export const charCodeAt: (text: string, index: number) => number = Function.prototype.call.bind(
  String.prototype.charCodeAt,
);

/** `String.fromCharCode`, for the same reason. */
export const { fromCharCode } = String;

/** The most characters that a string can have: 24 fewer than a value of Redis can have bytes. */
export const MAX_TEXT = constants.MAX_STRING_LENGTH;

/** Whether this was thrown because bytes, or strings put together, are too long for a string. */
export function isTextTooLong(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    (error as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG' ||
    error.message === 'Invalid string length'
  );
}
