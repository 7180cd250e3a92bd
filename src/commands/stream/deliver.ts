import { add } from '../../keyspace/counter.js';
import { StreamCursor } from '../../keyspace/values/stream-cursor.js';
import type { Consumer } from '../../keyspace/values/stream-group.js';
import { advance } from '../../keyspace/values/stream-progress.js';
import type { StreamValue } from '../../keyspace/values/stream-value.js';
import type { Reply } from '../../resp/reply.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import { type GroupAt, type Recorder, recordClaim, recordGroupId } from './group-lookup.js';
import { replyId } from './id-argument.js';
import { replyEntry } from './range.js';

/** Replies with the entries after an id; a count of 0 is all. */
export function replyAfter(reply: Reply, stream: StreamValue, after: StreamId, count: number): void {
  const mark = reply.defer();
  let found = 0;
  first.set(after).increment();
  for (cursor.open(stream, first, MAX_ID); cursor.next(); ) {
    replyEntry(reply, cursor);
    if (++found === count) break;
  }
  reply.finishArray(mark, found);
}

/** Replies with entries that the group has not read yet and makes them pending for the consumer, unless `noAck`. */
export function deliverNew(
  call: Call,
  how: Recorder,
  at: GroupAt,
  consumer: Consumer,
  count: number,
  noAck: boolean,
): void {
  const { reply, now } = call;
  const { stream, group } = at;
  const mark = reply.defer();
  let found = 0;
  first.set(group.lastId).increment();
  for (cursor.open(stream, first, MAX_ID); cursor.next(); ) {
    const { id } = cursor;
    advance(stream, group, id);
    replyEntry(reply, cursor);
    if (!noAck) {
      group.assign(id, consumer, now, 1);
      recordClaim(call, how, at, id);
    }
    if (++found === count) break;
  }
  // Otherwise the claims say how far the group has read.
  if (noAck && found > 0) recordGroupId(call, how, at);
  reply.finishArray(mark, found);
}

/**
 * Replies with the consumer's pending entries after an id, and counts one more delivery of each. For entries that were
 * deleted from the stream, only the id is known.
 */
export function deliverHistory(
  call: Call,
  { stream, group }: GroupAt,
  consumer: Consumer,
  after: StreamId,
  count: number,
): void {
  const { reply, now } = call;
  const { pending } = consumer;
  const mark = reply.defer();
  let found = 0;
  first.set(after).increment();
  for (let more = pending.ceiling(first); more; more = pending.next()) {
    pending.readId(id);
    if (replyOne(reply, stream, id)) {
      group.pending.find(id);
      group.setDelivery(now, add(group.deliveryCount, 1));
    } else {
      reply.array(2);
      replyId(reply, id);
      reply.nullArray();
    }
    if (++found === count) break;
  }
  reply.finishArray(mark, found);
}

/** Replies with one entry; false, and no reply, if there is none. */
export function replyOne(reply: Reply, stream: StreamValue, id: StreamId): boolean {
  if (!cursor.open(stream, id, id).next()) return false;
  replyEntry(reply, cursor);
  return true;
}

const first = new StreamId();
const id = new StreamId();
const MAX_ID = new StreamId().setGreatest();
const cursor = new StreamCursor();
