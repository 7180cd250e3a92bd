import type { ListValue } from '../../keyspace/values/list-value.js';
import type { Reply } from '../../resp/reply.js';
import { Element } from '../../structures/element.js';
import { replyElement } from '../reply-element.js';

const element = new Element();

/** Replies with `count` elements from the index `start` on, which must exist. */
export function replyForwards(reply: Reply, list: ListValue, start: number, count: number): void {
  reply.array(count);
  list.seek(start);
  for (let left = count; left > 0; left--) {
    list.readAndAdvance(element);
    replyElement(reply, element);
  }
}

/** Replies with the last `count` elements, which must exist, the last one first. */
export function replyBackwards(reply: Reply, list: ListValue, count: number): void {
  reply.array(count);
  list.seek(-1);
  for (let left = count; left > 0; left--) {
    replyElement(reply, list.read(element));
    list.previous();
  }
}
