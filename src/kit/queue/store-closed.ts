import type { QueueCore } from './lua/scripts.js';

/**
 * Whether the error means that the store was closed, so a retry is pointless. A connection closed during a blocking command
 * has the same error code; but then the store still answers.
 */
export async function isStoreClosed({ store, keys }: QueueCore, error: unknown): Promise<boolean> {
  if (!hasCode(error, 'CLOSED')) return false;
  return store.send('EXISTS', keys.meta).then(
    () => false,
    (again: unknown) => hasCode(again, 'CLOSED'),
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
