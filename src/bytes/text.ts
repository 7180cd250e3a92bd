import { constants } from 'node:buffer';

/**
 * `text.charCodeAt(index)`, equally fast in every program. After any class in the process extends String (Redis clients have
 * one), V8 no longer inlines the methods of strings, and loops take 3.5 times as long. A constant function is always inlined.
 */
export const charCodeAt: (text: string, index: number) => number = Function.prototype.call.bind(
  String.prototype.charCodeAt,
);

/** `String.fromCharCode`, for the same reason. */
export const { fromCharCode } = String;

/** The maximum length of a string: 24 characters fewer than the maximum bytes of a value in Redis. */
export const MAX_TEXT = constants.MAX_STRING_LENGTH;

/** Whether an error was thrown because bytes, or concatenated strings, exceed the maximum length of a string. */
export function isTextTooLong(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    (error as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG' ||
    error.message === 'Invalid string length'
  );
}
