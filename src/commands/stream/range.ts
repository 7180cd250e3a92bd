import { Type } from '../../keyspace/kinds.js';
import { StreamCursor } from '../../keyspace/values/stream-cursor.js';
import { StreamValue } from '../../keyspace/values/stream-value.js';
import type { Reply } from '../../resp/reply.js';
import { Element } from '../../structures/element.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { replyElement } from '../reply-element.js';
import { parseBound, replyId } from './id-argument.js';

export function xlen(call: Call): void {
  const entry = call.read(1, Type.stream);
  call.reply.integer(entry === 0 ? 0 : StreamValue.open(call.db, entry).length);
}

export function xrange(call: Call): void {
  range(call, false);
}

export function xrevrange(call: Call): void {
  range(call, true);
}

function range(call: Call, isReverse: boolean): void {
  const { reply } = call;
  parseBound(call.arg(isReverse ? 3 : 2), first, 'first');
  parseBound(call.arg(isReverse ? 2 : 3), last, 'last');
  const count = countOption(call);
  const entry = call.read(1, Type.stream);
  if (entry === 0) {
    reply.array(0);
    return;
  }
  if (count === 0) {
    reply.nullArray();
    return;
  }
  const stream = StreamValue.open(call.db, entry);
  const mark = reply.defer();
  let found = 0;
  if (isReverse) {
    for (cursor.openReverse(stream, first, last); found !== count && cursor.previous(); found++) {
      replyEntry(reply, cursor);
    }
  } else {
    for (cursor.open(stream, first, last); found !== count && cursor.next(); found++)
      replyEntry(reply, cursor);
  }
  reply.finishArray(mark, found);
}

/** -1 if all entries are wanted. */
function countOption(call: Call): number {
  let count = -1;
  for (let i = 4; i < call.argc; i += 2) {
    if (i + 1 >= call.argc || !call.arg(i).is('count')) throw errors.syntax;
    count = Math.max(call.integer(i + 1), 0);
  }
  return count;
}

/** Replies with the entry at the cursor: its id, its fields and values. */
export function replyEntry(reply: Reply, entry: StreamCursor): void {
  reply.array(2);
  replyId(reply, entry.id);
  const { fieldCount } = entry;
  reply.array(fieldCount * 2);
  for (let i = 0; i < fieldCount; i++) {
    replyElement(reply, entry.readField(element));
    replyElement(reply, entry.readValue(element));
  }
}

const first = new StreamId();
const last = new StreamId();
const element = new Element();
const cursor = new StreamCursor();
