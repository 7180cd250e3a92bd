import { Bytes, copyBytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { ListValue } from '../../keyspace/values/list-value.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { elementsRemoved } from './pop.js';
import { parseSide, type Side } from './side.js';

const list = new ListValue();
const element = new Element();

export function lmove(call: Call): void {
  moveIfPossible(call, parseSide(call.arg(3)), parseSide(call.arg(4)));
}

export function rpoplpush(call: Call): void {
  moveIfPossible(call, 'right', 'left');
}

function moveIfPossible(call: Call, from: Side, to: Side): void {
  const source = call.write(1, Type.list);
  if (source === 0) call.reply.null();
  else move(call, call.arg(1), source, from, call.arg(2), to);
}

/**
 * Moves an element from the list at `sourceKey` to the other key, which is created if needed and may be the same, and
 * replies with it. Throws, having changed nothing, if the destination is no list.
 */
export function move(
  call: Call,
  sourceKey: Bytes,
  source: Entry,
  from: Side,
  destinationKey: Bytes,
  to: Side,
): void {
  const { db, keyspace, effects } = call;
  let destination = keyspace.write(db, destinationKey);
  if (destination !== 0 && db.type(destination) !== Type.list) throw errors.wrongType;
  const moved = take(call, source, from);
  if (destination === 0) destination = ListValue.create(keyspace, db, destinationKey, moved.length);
  list.open(keyspace, db, destination);
  if (to === 'left') list.pushHead(moved);
  else list.pushTail(moved);
  effects.changed(db, destinationKey, EventClass.list, to === 'left' ? 'lpush' : 'rpush', 0);
  call.reply.bulk(moved);
  elementsRemoved(call, sourceKey, source, from, 1, list.open(keyspace, db, source).length);
}

/** Removes the element at that end; the view is valid until the next call. */
function take(call: Call, entry: Entry, side: Side): Bytes {
  list.open(call.keyspace, call.db, entry);
  list.seek(side === 'left' ? 0 : -1);
  const bytes = list.read(element).toBytes();
  if (bytes.length > scratch.length) {
    carried.set(bytes.toBuffer(), 0, bytes.length);
  } else {
    carried.set(scratch, 0, copyBytes(bytes.buf, bytes.start, bytes.end, scratch, 0));
  }
  if (side === 'left') list.removeHead();
  else list.removeTail();
  return carried;
}

/** Holds an element between removal and insertion. Short elements need no allocation. */
const scratch = Buffer.allocUnsafeSlow(4096);
const carried = new Bytes();
