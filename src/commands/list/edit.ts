import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { ListValue } from '../../keyspace/values/list-value.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';

const list = new ListValue();

export function lset(call: Call): void {
  const { db, keyspace } = call;
  const entry = call.write(1, Type.list);
  if (entry === 0) throw errors.noSuchKey;
  const index = call.integer(2);
  list.open(keyspace, db, entry);
  if (!list.seek(index)) throw errors.indexOutOfRange;
  list.replace(call.arg(3));
  call.reply.ok();
  call.effects.changed(db, call.arg(1), EventClass.list, 'lset');
}

export function linsert(call: Call): void {
  const { db, keyspace, reply } = call;
  const after = call.arg(2).is('after');
  if (!after && !call.arg(2).is('before')) throw errors.syntax;
  const entry = call.write(1, Type.list);
  if (entry === 0) {
    reply.integer(0);
    return;
  }
  const pivot = call.arg(3);
  list.open(keyspace, db, entry);
  list.seek(0);
  while (!list.equals(pivot)) {
    if (!list.next()) {
      reply.integer(-1);
      return;
    }
  }
  if (after) list.insertAfter(call.arg(4));
  else list.insertBefore(call.arg(4));
  call.effects.changed(db, call.arg(1), EventClass.list, 'linsert');
  reply.integer(list.length);
}

export function lrem(call: Call): void {
  const { db, keyspace, effects } = call;
  const limit = call.integer(2);
  const entry = call.write(1, Type.list);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  list.open(keyspace, db, entry);
  const removed = removeEqual(call, limit);
  if (removed > 0) {
    const key = call.arg(1);
    effects.changed(db, key, EventClass.list, 'lrem', removed);
    removeIfEmpty(call, entry);
  }
  call.reply.integer(removed);
}

/** Removes elements equal to argument 3: `limit` of them, from the tail if negative, all of them if 0. */
function removeEqual(call: Call, limit: number): number {
  const sought = call.arg(3);
  const forwards = limit >= 0;
  const max = limit === 0 ? Number.POSITIVE_INFINITY : Math.abs(limit);
  let removed = 0;
  let standing = list.seek(forwards ? 0 : -1);
  while (standing && removed < max) {
    if (list.equals(sought)) {
      removed++;
      standing = forwards ? list.removeAndAdvance() : list.removeAndRetreat();
    } else {
      standing = forwards ? list.next() : list.previous();
    }
  }
  return removed;
}

export function ltrim(call: Call): void {
  const { db, keyspace, effects } = call;
  const from = call.integer(2);
  const to = call.integer(3);
  const entry = call.write(1, Type.list);
  if (entry !== 0) {
    const { length } = list.open(keyspace, db, entry);
    const first = from < 0 ? Math.max(length + from, 0) : from;
    const last = to < 0 ? length + to : Math.min(to, length - 1);
    const kept = Math.max(last - first + 1, 0);
    if (kept > 0) {
      list.removeRange(last + 1, length - 1 - last);
      list.removeRange(0, first);
    } else {
      list.removeRange(0, length);
    }
    effects.changed(db, call.arg(1), EventClass.list, 'ltrim', length - kept);
    removeIfEmpty(call, entry);
  }
  call.reply.ok();
}

/** Deletes the key in argument 1 if `list`, which is its value, has become empty. */
function removeIfEmpty(call: Call, entry: Entry): void {
  if (list.length > 0) return;
  call.keyspace.remove(call.db, entry);
  call.effects.event(call.db, call.arg(1), EventClass.generic, 'del');
}
