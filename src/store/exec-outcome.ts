import { StoreError } from './store-error.js';
import type { Reply } from './transport.js';

/** The replies of EXEC; null if a watched key had changed. Throws if EXEC failed; the cause is the first command's error. */
export function execOutcome(reply: Reply, queued: readonly (Reply | undefined)[]): readonly Reply[] | null {
  if (!(reply instanceof StoreError)) return reply as readonly Reply[] | null;
  const cause = queued.find((answer) => answer instanceof StoreError) ?? reply;
  throw new StoreError(reply.code, reply.message, { cause, results: queued });
}
