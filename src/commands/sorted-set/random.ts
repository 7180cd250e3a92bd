import { Encoding, Type } from '../../keyspace/kinds.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { negatableInteger, refuseEndless } from '../negatable-integer.js';
import { replyMember, replyMembersHeader } from './reply-members.js';

const sortedSet = new SortedSetValue();

export function zrandmember(call: Call): void {
  if (call.argc > 2) {
    someMembers(call);
    return;
  }
  const entry = call.read(1, Type.sortedSet);
  if (entry === 0) {
    call.reply.null();
    return;
  }
  sortedSet.open(call.keyspace, call.db, entry);
  sortedSet.seek(call.keyspace.random.integer(sortedSet.length));
  call.reply.bulk(sortedSet.member);
}

/** With scores, the reply has twice as many elements: a count whose double exceeds 64 bits is refused. */
const MAX_WITH_SCORES = 2n ** 62n - 1n;

function someMembers(call: Call): void {
  const { reply } = call;
  const count = negatableInteger(call, 2);
  if (call.argc > 4 || (call.argc === 4 && !call.arg(3).is('withscores'))) throw errors.syntax;
  const withScores = call.argc === 4;
  if (withScores && !Number.isSafeInteger(count)) {
    const exact = call.integer64(2);
    if (exact > MAX_WITH_SCORES || exact < -MAX_WITH_SCORES) throw errors.outOfRange;
  }
  const entry = call.read(1, Type.sortedSet);
  if (entry === 0 || count === 0) {
    reply.array(0);
    return;
  }
  const { length } = sortedSet.open(call.keyspace, call.db, entry);
  refuseEndless(call, count);
  const replied = count < 0 ? -count : Math.min(count, length);
  replyMembersHeader(reply, replied, withScores);
  if (count < 0) repeatedMembers(call, replied, withScores);
  else if (count >= length) allMembers(call, withScores);
  else if (sortedSet.encoding === Encoding.listpack || count * MANY > length) {
    sampledMembers(call, count, withScores);
  } else distinctMembers(call, count, withScores);
}

/** Draws each from all members: the same member may be returned several times. */
function repeatedMembers(call: Call, count: number, withScores: boolean): void {
  const { length } = sortedSet;
  for (let left = count; left > 0 && call.reply.isAbandoned !== true; left--) {
    sortedSet.seek(call.keyspace.random.integer(length));
    replyMember(call.reply, sortedSet, withScores);
  }
}

/** From the highest down, as Redis happens to do. */
function allMembers(call: Call, withScores: boolean): void {
  for (let ok = sortedSet.seek(sortedSet.length - 1); ok; ok = sortedSet.previous()) {
    replyMember(call.reply, sortedSet, withScores);
  }
}

/** Walks over the members once and takes each with the probability that makes all selections equally likely. */
function sampledMembers(call: Call, count: number, withScores: boolean): void {
  const { random } = call.keyspace;
  let wanted = count;
  let left = sortedSet.length;
  for (let ok = sortedSet.seek(0); ok && wanted > 0; ok = sortedSet.next()) {
    if (random.integer(left--) >= wanted) continue;
    replyMember(call.reply, sortedSet, withScores);
    wanted--;
  }
}

/** For few out of many: draws from all members and draws again if a member was chosen before. */
function distinctMembers(call: Call, count: number, withScores: boolean): void {
  const { length } = sortedSet;
  const chosen = new Set<number>();
  while (chosen.size < count) {
    const rank = call.keyspace.random.integer(length);
    if (chosen.has(rank)) continue;
    chosen.add(rank);
    sortedSet.seek(rank);
    replyMember(call.reply, sortedSet, withScores);
  }
}

/** If more than one member in this many is wanted, visiting all is cheaper than repeated random choices. */
const MANY = 3;
