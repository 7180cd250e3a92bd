import { StoreError } from './store-error.js';
import type { Reply } from './transport.js';

/** What EXEC answered, null if a watched key had changed. Where it refused, the first error of a command says why. */
export function execOutcome(reply: Reply, queued: readonly (Reply | undefined)[]): readonly Reply[] | null {
  if (!(reply instanceof StoreError)) return reply as readonly Reply[] | null;
  const cause = queued.find((answer) => answer instanceof StoreError) ?? reply;
  throw new StoreError(reply.code, reply.message, { cause, results: queued });
}
