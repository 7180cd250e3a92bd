import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Call } from '../call.js';
import { lexRange, scoreRange } from './range-arguments.js';
import { firstRank, lastRank } from './rank.js';

const sortedSet = new SortedSetValue();

export function zrem(call: Call): void {
  const { argc, db, keyspace } = call;
  const entry = call.write(1, Type.sortedSet);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  sortedSet.open(keyspace, db, entry);
  let left = sortedSet.length;
  let removed = 0;
  for (let i = 2; i < argc && left > 0; i++) {
    if (!sortedSet.remove(call.arg(i))) continue;
    removed++;
    left--;
  }
  membersRemoved(call, entry, 'zrem', removed, left);
}

export function zremrangebyrank(call: Call): void {
  const start = call.integer(2);
  const end = call.integer(3);
  const entry = call.write(1, Type.sortedSet);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  const { length } = sortedSet.open(call.keyspace, call.db, entry);
  const from = firstRank(start, length);
  removeRanks(call, entry, 'zremrangebyrank', from, lastRank(end, length) + 1 - from);
}

export function zremrangebyscore(call: Call): void {
  const range = scoreRange(call, 2, 3);
  const entry = call.write(1, Type.sortedSet);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  const count = sortedSet.open(call.keyspace, call.db, entry).ranksByScore(range);
  removeRanks(call, entry, 'zremrangebyscore', sortedSet.from, count);
}

export function zremrangebylex(call: Call): void {
  const range = lexRange(call, 2, 3);
  const entry = call.write(1, Type.sortedSet);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  const count = sortedSet.open(call.keyspace, call.db, entry).ranksByLex(range);
  removeRanks(call, entry, 'zremrangebylex', sortedSet.from, count);
}

/** Removes `count` members of the open sorted set; none if that is negative. */
function removeRanks(call: Call, entry: Entry, event: string, from: number, count: number): void {
  const left = sortedSet.length - Math.max(0, count);
  // An empty sorted set is removed as a whole.
  if (count > 0 && left > 0) sortedSet.removeRanks(from, count);
  membersRemoved(call, entry, event, Math.max(0, count), left);
}

/** Reports the removal, deletes the key if nothing is left, and replies with the number of members removed. */
function membersRemoved(call: Call, entry: Entry, event: string, removed: number, left: number): void {
  const { db, effects } = call;
  const key = call.arg(1);
  if (removed > 0) {
    if (left === 0) call.keyspace.remove(db, entry);
    effects.changed(db, key, EventClass.sortedSet, event, removed);
    if (left === 0) effects.event(db, key, EventClass.generic, 'del');
  }
  call.reply.integer(removed);
}
