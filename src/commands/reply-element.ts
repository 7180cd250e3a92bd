import type { Reply } from '../resp/reply.js';
import type { Element } from '../structures/element.js';

/** Replies with an element of a packed collection as a bulk string. */
export function replyElement(reply: Reply, element: Element): void {
  if (!element.isInteger) reply.bulk(element.bytes);
  else if (element.isWide) reply.bulkInteger64(element.integer64);
  else reply.bulkInteger(element.integer);
}
