import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUPPORT = fileURLToPath(new URL('.', import.meta.url));

/** An error whose message is all there is to say: a stack into this folder would only hide it. */
export function failure(message: string): Error {
  const error = new Error(message);
  error.stack = '';
  return error;
}

/** File and line of the test file that was calling into this folder when `here` was made. */
export function callerPlace(here = new Error()): string {
  const places = (here.stack ?? '').matchAll(/(?:file:\/\/)?(\/[^\s:)]+):(\d+):\d+/g);
  for (const [, path, line] of places) {
    if (!path!.startsWith(SUPPORT)) return `${relative(process.cwd(), path!)}:${line}`;
  }
  return 'unknown place';
}
