import type { Counter } from '../../keyspace/counter.js';
import type { Reply } from '../../resp/reply.js';

export function replyCounter(reply: Reply, value: Counter): void {
  if (typeof value === 'number') reply.integer(value);
  else reply.integer64(BigInt.asIntN(64, value));
}
