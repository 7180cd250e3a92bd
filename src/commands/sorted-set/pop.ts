import type { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { parseMultiplePop } from '../multiple-pop.js';

export type End = 'min' | 'max';

const sortedSet = new SortedSetValue();

export function zpopmin(call: Call): void {
  pop(call, 'min');
}

export function zpopmax(call: Call): void {
  pop(call, 'max');
}

function pop(call: Call, end: End): void {
  const { argc, reply } = call;
  if (argc > 3) throw errors.syntax;
  const count = argc === 3 ? call.integer(2, errors.mustBePositive) : 1;
  if (count < 0) throw errors.mustBePositive;
  const entry = call.write(1, Type.sortedSet);
  if (entry === 0 || count === 0) {
    reply.array(0);
    return;
  }
  const inPairs = argc === 3 && reply.protocol > 2;
  const popped = Math.min(count, sortedSet.open(call.keyspace, call.db, entry).length);
  reply.array(inPairs ? popped : popped * 2);
  popOpened(call, call.arg(1), entry, end, popped, inPairs);
}

/** Removes `count` members from that end of the open sorted set, which has at least that many, and replies with each. */
function popOpened(call: Call, key: Bytes, entry: Entry, end: End, count: number, inPairs: boolean): void {
  const { db, effects, reply } = call;
  const { length } = sortedSet;
  let left = count;
  for (let ok = sortedSet.seek(end === 'min' ? 0 : length - 1); ok; ) {
    if (inPairs) reply.array(2);
    reply.bulk(sortedSet.member);
    reply.double(sortedSet.memberScore);
    ok = --left > 0 && (end === 'min' ? sortedSet.next() : sortedSet.previous());
  }
  // An empty sorted set is removed as a whole.
  if (count < length) sortedSet.removeRanks(end === 'min' ? 0 : length - count, count);
  else call.keyspace.remove(db, entry);
  effects.changed(db, key, EventClass.sortedSet, end === 'min' ? 'zpopmin' : 'zpopmax', count);
  if (count === length) effects.event(db, key, EventClass.generic, 'del');
}

/** Removes one member and replies with key, member and score. */
export function popOneWithKey(call: Call, key: Bytes, entry: Entry, end: End): void {
  call.reply.array(3);
  call.reply.bulk(key);
  sortedSet.open(call.keyspace, call.db, entry);
  popOpened(call, key, entry, end, 1, false);
}

/** Removes up to `count` members and replies with the key and an array of pairs. Returns how many it removed. */
export function popSomeWithKey(call: Call, key: Bytes, entry: Entry, end: End, count: number): number {
  const popped = Math.min(count, sortedSet.open(call.keyspace, call.db, entry).length);
  call.reply.array(2);
  call.reply.bulk(key);
  call.reply.array(popped);
  popOpened(call, key, entry, end, popped, true);
  return popped;
}

/** The command that pops members from that end. */
export function popCommand(end: End): string {
  return end === 'min' ? 'ZPOPMIN' : 'ZPOPMAX';
}

export function parseEnd(word: Bytes): End {
  if (word.is('min')) return 'min';
  if (word.is('max')) return 'max';
  throw errors.syntax;
}

export function zmpop(call: Call): void {
  const { keyCount, where, count } = parseMultiplePop(call, 1, parseEnd);
  for (let i = 2; i < 2 + keyCount; i++) {
    const entry = call.write(i, Type.sortedSet);
    if (entry === 0) continue;
    const popped = popSomeWithKey(call, call.arg(i), entry, where, count);
    call.effects.rewrite(call.db, popCommand(where), call.arg(i), popped);
    return;
  }
  call.reply.nullArray();
}
