import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { SetValue } from '../../keyspace/values/set-value.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { replyElement } from '../reply-element.js';

const member = new Element();
const result = new SetValue();

/** One cursor for each of a command's keys; kept for the next command. */
const cursors: SetValue[] = [];

/** Opens the sets at the keys in arguments `from` up to `to`; undefined where there is none. */
function openSets(call: Call, from: number, to: number): (SetValue | undefined)[] {
  const sets: (SetValue | undefined)[] = [];
  for (let i = from; i < to; i++) {
    const entry = call.read(i, Type.set);
    if (entry === 0) {
      sets.push(undefined);
      continue;
    }
    const at = i - from;
    let cursor = cursors[at];
    if (cursor === undefined) {
      cursor = new SetValue();
      cursors[at] = cursor;
    }
    sets.push(cursor.open(call.keyspace, call.db, entry));
  }
  return sets;
}

function isThere(set: SetValue | undefined): set is SetValue {
  return set !== undefined;
}

// ---- intersection ----

/** The sets to intersect, the smallest first; none if one of them does not exist. */
function setsToIntersect(call: Call, from: number, to: number): SetValue[] {
  const sets = openSets(call, from, to);
  return sets.every(isThere) ? sets.sort((a, b) => a.length - b.length) : [];
}

/** Moves to the next member of the first set that is in all the others. */
function nextCommon(sets: readonly SetValue[]): boolean {
  const first = sets[0];
  if (first === undefined) return false;
  while (first.next(member)) if (isInRest(sets)) return true;
  return false;
}

function isInRest(sets: readonly SetValue[]): boolean {
  for (let i = 1; i < sets.length; i++) if (!(sets[i] as SetValue).hasElement(member)) return false;
  return true;
}

export function sinter(call: Call): void {
  const { reply } = call;
  const sets = setsToIntersect(call, 1, call.argc);
  const mark = reply.defer();
  let count = 0;
  for (; nextCommon(sets); count++) replyElement(reply, member);
  reply.finishSet(mark, count);
}

export function sinterstore(call: Call): void {
  const sets = setsToIntersect(call, 2, call.argc);
  if (sets.length === 0) {
    // If a set does not exist, the event of the deletion is sent before the reply, as in Redis.
    deleteTarget(call);
    call.reply.integer(0);
    return;
  }
  result.begin(call.keyspace, call.db);
  while (nextCommon(sets)) result.addElement(member);
  storeResult(call, 'sinterstore');
}

const tooFewKeys = new CommandError('ERR numkeys should be greater than 0');
const tooManyKeys = new CommandError("ERR Number of keys can't be greater than number of args");
const negativeLimit = new CommandError("ERR LIMIT can't be negative");

export function sintercard(call: Call): void {
  const keys = call.integer(1, tooFewKeys);
  if (keys < 1) throw tooFewKeys;
  if (keys > call.argc - 2) throw tooManyKeys;
  const limit = readLimit(call, 2 + keys);
  const sets = setsToIntersect(call, 2, 2 + keys);
  let count = 0;
  while ((limit === 0 || count < limit) && nextCommon(sets)) count++;
  call.reply.integer(count);
}

/** The last LIMIT given; 0 is no limit. */
function readLimit(call: Call, from: number): number {
  let limit = 0;
  for (let i = from; i < call.argc; i += 2) {
    if (!call.arg(i).is('limit') || i + 1 >= call.argc) throw errors.syntax;
    limit = call.integer(i + 1, negativeLimit);
    if (limit < 0) throw negativeLimit;
  }
  return limit;
}

// ---- union ----

function unite(call: Call, from: number): void {
  const sets = openSets(call, from, call.argc);
  result.begin(call.keyspace, call.db);
  for (const set of sets) if (set !== undefined) while (set.next(member)) result.addElement(member);
}

export function sunion(call: Call): void {
  const { reply } = call;
  unite(call, 1);
  reply.set(result.length);
  result.rewind();
  while (result.next(member)) replyElement(reply, member);
  result.discard();
}

export function sunionstore(call: Call): void {
  unite(call, 2);
  storeResult(call, 'sunionstore');
}

// ---- difference ----

/** The set to subtract from, then the others, the largest first: they are the most likely to contain a member. */
function setsToSubtract(call: Call, from: number): SetValue[] {
  const [first, ...others] = openSets(call, from, call.argc);
  if (first === undefined) return [];
  return [first, ...others.filter(isThere).sort((a, b) => b.length - a.length)];
}

/** Moves to the next member of the first set that is in none of the others. */
function nextRemaining(sets: readonly SetValue[]): boolean {
  const first = sets[0];
  if (first === undefined) return false;
  while (first.next(member)) if (isInNoOther(sets)) return true;
  return false;
}

function isInNoOther(sets: readonly SetValue[]): boolean {
  for (let i = 1; i < sets.length; i++) if ((sets[i] as SetValue).hasElement(member)) return false;
  return true;
}

export function sdiff(call: Call): void {
  const { reply } = call;
  const sets = setsToSubtract(call, 1);
  const mark = reply.defer();
  let count = 0;
  for (; nextRemaining(sets); count++) replyElement(reply, member);
  reply.finishSet(mark, count);
}

export function sdiffstore(call: Call): void {
  const sets = setsToSubtract(call, 2);
  result.begin(call.keyspace, call.db);
  while (nextRemaining(sets)) result.addElement(member);
  storeResult(call, 'sdiffstore');
}

/** Stores the result at the first key, or deletes that key if the result is empty, and replies with its size. */
function storeResult(call: Call, event: string): void {
  const key = call.arg(1);
  const { length } = result;
  if (length > 0) {
    result.store(key);
    call.reply.integer(length);
    call.effects.changed(call.db, key, EventClass.set, event);
  } else {
    result.discard();
    call.reply.integer(0);
    deleteTarget(call);
  }
}

function deleteTarget(call: Call): void {
  const key = call.arg(1);
  if (call.keyspace.discard(call.db, key)) call.effects.changed(call.db, key, EventClass.generic, 'del');
}
