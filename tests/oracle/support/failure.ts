import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUPPORT = fileURLToPath(new URL('.', import.meta.url));

/** An error without a stack, which would only show functions of this folder. */
export function failure(message: string): Error {
  const error = new Error(message);
  error.stack = '';
  return error;
}

/** The file and line of the test that called into this folder when `here` was created. */
export function callerPlace(here = new Error()): string {
  const places = (here.stack ?? '').matchAll(/(?:file:\/\/)?(\/[^\s:)]+):(\d+):\d+/g);
  for (const [, path, line] of places) {
    if (!path!.startsWith(SUPPORT)) return `${relative(process.cwd(), path!)}:${line}`;
  }
  return 'unknown place';
}
