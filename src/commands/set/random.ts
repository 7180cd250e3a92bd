import type { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Encoding, Type } from '../../keyspace/kinds.js';
import { SetValue } from '../../keyspace/values/set-value.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { negatableInteger, refuseEndless } from '../negatable-integer.js';
import { replyElement } from '../reply-element.js';

const set = new SetValue();
const kept = new SetValue();
const member = new Element();

// ---- SPOP ----

export function spop(call: Call): void {
  if (call.argc > 3) throw errors.syntax;
  if (call.argc === 2) {
    const entry = call.write(1, Type.set);
    if (entry === 0) call.reply.null();
    else popOne(call, entry);
    return;
  }
  const count = call.integer(2, errors.mustBePositive);
  if (count < 0) throw errors.mustBePositive;
  const entry = call.write(1, Type.set);
  if (entry === 0 || count === 0) call.reply.set(0);
  else popSome(call, entry, count);
}

function popOne(call: Call, entry: Entry): void {
  const { db, effects, keyspace } = call;
  const key = call.arg(1);
  set.open(keyspace, db, entry);
  const place = set.random(keyspace.random, member);
  effects.changed(db, key, EventClass.set, 'spop');
  replyElement(call.reply, member);
  recordRemoved(call);
  set.removeAt(place);
  if (set.length === 0) removeKey(call, entry);
}

/** If fewer than one member in this many stays, they are moved to a new set instead of removing the others one by one. */
const FEW_STAY = 5;

function popSome(call: Call, entry: Entry, count: number): void {
  const { db, effects, keyspace, reply } = call;
  const key = call.arg(1);
  set.open(keyspace, db, entry);
  const { length } = set;
  effects.changed(db, key, EventClass.set, 'spop', Math.min(count, length));
  if (count >= length) {
    reply.set(length);
    while (set.next(member)) replyElement(reply, member);
    effects.rewrite(db, 'DEL', key);
    removeKey(call, entry);
    return;
  }
  reply.set(count);
  if ((length - count) * FEW_STAY > count) takeMembers(call, count);
  else leaveMembers(call, entry, length - count);
}

/** Removes `count` random members and replies with them. */
function takeMembers(call: Call, count: number): void {
  for (let left = count; left > 0; left--) {
    const place = set.random(call.keyspace.random, member);
    replyElement(call.reply, member);
    recordRemoved(call);
    set.removeAt(place);
  }
}

/** Moves `count` members to a new set, which chooses its own encoding, and replies with the others. */
function leaveMembers(call: Call, entry: Entry, count: number): void {
  const { db, keyspace } = call;
  kept.begin(keyspace, db);
  for (let left = count; left > 0; left--) {
    const place = set.random(keyspace.random, member);
    kept.addElement(member);
    set.removeAt(place);
  }
  set.rewind();
  while (set.next(member)) {
    replyElement(call.reply, member);
    recordRemoved(call);
  }
  kept.storeAt(entry);
}

function removeKey(call: Call, entry: Entry): void {
  call.keyspace.remove(call.db, entry);
  call.effects.event(call.db, call.arg(1), EventClass.generic, 'del');
}

/** Records one SREM per chosen member, as Redis does. */
function recordRemoved({ db, effects, args }: Call): void {
  if (effects.recording) effects.rewrite(db, 'SREM', args[1] as Bytes, member.toBytes());
}

// ---- SRANDMEMBER ----

export function srandmember(call: Call): void {
  if (call.argc > 3) throw errors.syntax;
  if (call.argc === 3) {
    someMembers(call);
    return;
  }
  const entry = call.read(1, Type.set);
  if (entry === 0) {
    call.reply.null();
    return;
  }
  set.open(call.keyspace, call.db, entry).random(call.keyspace.random, member);
  replyElement(call.reply, member);
}

function someMembers(call: Call): void {
  const { reply } = call;
  const count = negatableInteger(call, 2);
  const entry = call.read(1, Type.set);
  if (entry === 0 || count === 0) {
    reply.array(0);
    return;
  }
  set.open(call.keyspace, call.db, entry);
  refuseEndless(call, count);
  const { length } = set;
  const distinct = count > 0 && count < length ? count : length;
  reply.array(count < 0 ? -count : distinct);
  if (count < 0 || count === 1) repeatedMembers(call, Math.abs(count));
  else if (set.encoding !== Encoding.hashtable || distinct * MANY > length) sampledMembers(call, distinct);
  else distinctMembers(call, distinct);
}

/** Draws each from all members: the same member may be returned several times. */
function repeatedMembers(call: Call, count: number): void {
  for (let left = count; left > 0 && call.reply.isAbandoned !== true; left--) {
    set.random(call.keyspace.random, member);
    replyElement(call.reply, member);
  }
}

/** Walks over the set once and takes each member with the probability that makes all selections equally likely. */
function sampledMembers(call: Call, count: number): void {
  const { random } = call.keyspace;
  let wanted = count;
  for (let left = set.length; wanted > 0 && set.next(member); left--) {
    if (random.integer(left) >= wanted) continue;
    replyElement(call.reply, member);
    wanted--;
  }
}

/** For few out of many: draws from all members and draws again if a member was chosen before. */
function distinctMembers(call: Call, count: number): void {
  const { dict } = set.table;
  const chosen = new Set<number>();
  while (chosen.size < count) {
    const node = dict.random(call.keyspace.random);
    if (chosen.has(node)) continue;
    chosen.add(node);
    set.readNode(node, member);
    replyElement(call.reply, member);
  }
}

/** If more than one member in this many is wanted, visiting all is cheaper than repeated random choices. */
const MANY = 3;
