import type { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { multiplePop, type Pops } from '../pops.js';

type End = 'min' | 'max';

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

export function zmpop(call: Call): void {
  multiplePop(call, sortedSetPops);
}

export const sortedSetPops: Pops<End> = {
  type: Type.sortedSet,
  parseWhere: parseEnd,
  command: (end) => (end === 'min' ? 'ZPOPMIN' : 'ZPOPMAX'),
  one(call, key, entry, end) {
    call.reply.array(3);
    call.reply.bulk(key);
    sortedSet.open(call.keyspace, call.db, entry);
    popOpened(call, key, entry, end, 1, false);
  },
  some(call, key, entry, end, count) {
    const popped = Math.min(count, sortedSet.open(call.keyspace, call.db, entry).length);
    call.reply.array(2);
    call.reply.bulk(key);
    call.reply.array(popped);
    popOpened(call, key, entry, end, popped, true);
    return popped;
  },
};

function parseEnd(word: Bytes): End {
  if (word.is('min')) return 'min';
  if (word.is('max')) return 'max';
  throw errors.syntax;
}
