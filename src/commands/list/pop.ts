import type { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { ListValue } from '../../keyspace/values/list-value.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { errors, wrongArity } from '../errors.js';
import { multiplePop, type Pops } from '../pops.js';
import { replyElement } from '../reply-element.js';
import { replyBackwards, replyForwards } from './elements.js';
import { parseSide, type Side } from './side.js';

const list = new ListValue();
const element = new Element();

export function lpop(call: Call): void {
  pop(call, 'left');
}

export function rpop(call: Call): void {
  pop(call, 'right');
}

function pop(call: Call, side: Side): void {
  if (call.argc > 3) throw wrongArity(call.command.fullName);
  const { reply } = call;
  if (call.argc === 2) {
    const entry = call.write(1, Type.list);
    if (entry === 0) reply.null();
    else popOne(call, call.arg(1), entry, side);
    return;
  }
  const count = call.integer(2, errors.mustBePositive);
  if (count < 0) throw errors.mustBePositive;
  const entry = call.write(1, Type.list);
  if (entry === 0) reply.nullArray();
  else if (count === 0) reply.array(0);
  else popSome(call, call.arg(1), entry, side, count);
}

/** Removes the element at that end and replies with it. */
function popOne(call: Call, key: Bytes, entry: Entry, side: Side): void {
  list.open(call.keyspace, call.db, entry);
  if (side === 'left') {
    list.seek(0);
    replyElement(call.reply, list.read(element));
    list.removeHead();
  } else {
    list.seek(-1);
    replyElement(call.reply, list.read(element));
    list.removeTail();
  }
  elementsRemoved(call, key, entry, side, 1, list.length);
}

/** Removes up to `count` elements and replies with an array of them. Returns the number removed. */
function popSome(call: Call, key: Bytes, entry: Entry, side: Side, count: number): number {
  list.open(call.keyspace, call.db, entry);
  const { length } = list;
  const popped = Math.min(count, length);
  if (side === 'left') replyForwards(call.reply, list, 0, popped);
  else replyBackwards(call.reply, list, popped);
  // An empty list is removed as a whole.
  if (popped < length) list.removeRange(side === 'left' ? 0 : length - popped, popped);
  elementsRemoved(call, key, entry, side, popped, length - popped);
  return popped;
}

/** Reports elements popped from an end, and deletes the key if `left` is 0. */
export function elementsRemoved(
  call: Call,
  key: Bytes,
  entry: Entry,
  side: Side,
  count: number,
  left: number,
): void {
  const { db, effects } = call;
  if (left === 0) call.keyspace.remove(db, entry);
  effects.changed(db, key, EventClass.list, side === 'left' ? 'lpop' : 'rpop', count);
  if (left === 0) effects.event(db, key, EventClass.generic, 'del');
}

export function lmpop(call: Call): void {
  multiplePop(call, listPops);
}

export const listPops: Pops<Side> = {
  type: Type.list,
  parseWhere: parseSide,
  command: (side) => (side === 'left' ? 'LPOP' : 'RPOP'),
  one(call, key, entry, side) {
    call.reply.array(2);
    call.reply.bulk(key);
    popOne(call, key, entry, side);
  },
  some(call, key, entry, side, count) {
    call.reply.array(2);
    call.reply.bulk(key);
    return popSome(call, key, entry, side, count);
  },
};
