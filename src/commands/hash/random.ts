import { Encoding, Type } from '../../keyspace/kinds.js';
import { HashValue } from '../../keyspace/values/hash-value.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { negatableInteger, refuseEndless } from '../negatable-integer.js';
import { replyElement } from '../reply-element.js';

const hash = new HashValue();
const field = new Element();
const value = new Element();

export function hrandfield(call: Call): void {
  if (call.argc >= 3) {
    someFields(call);
    return;
  }
  const entry = call.read(1, Type.hash);
  if (entry === 0) {
    call.reply.null();
    return;
  }
  hash.open(call.keyspace, call.db, entry).random(call.keyspace.random, field, value);
  replyElement(call.reply, field);
}

/** Pairs are counted twice, which must not overflow 63 bits. */
const MAX_PAIRS = 2n ** 62n - 1n;

function isTooManyPairs(call: Call, count: number): boolean {
  if (Number.isSafeInteger(count)) return false;
  const exact = call.integer64(2);
  return exact > MAX_PAIRS || exact < -MAX_PAIRS;
}

function someFields(call: Call): void {
  const { reply } = call;
  const count = negatableInteger(call, 2);
  const withValues = call.argc === 4 && call.arg(3).is('withvalues');
  if (call.argc > 4 || (call.argc === 4 && !withValues)) throw errors.syntax;
  if (withValues && isTooManyPairs(call, count)) throw errors.outOfRange;
  const entry = call.read(1, Type.hash);
  if (entry === 0 || count === 0) {
    reply.array(0);
    return;
  }
  hash.open(call.keyspace, call.db, entry);
  refuseEndless(call, count);
  const distinct = count > 0 && count < hash.length ? count : hash.length;
  const replied = count < 0 ? -count : distinct;
  reply.array(withValues && reply.protocol === 2 ? replied * 2 : replied);
  if (count < 0 || count === 1) repeatedFields(call, replied, withValues);
  else if (distinct === hash.length) allFields(call, withValues);
  else if (hash.encoding === Encoding.listpack || distinct * MANY > hash.length) {
    sampledFields(call, distinct, withValues);
  } else {
    distinctFields(call, distinct, withValues);
  }
}

/** Draws each from all fields: the same field may be returned several times. */
function repeatedFields(call: Call, count: number, withValues: boolean): void {
  for (let left = count; left > 0 && call.reply.isAbandoned !== true; left--) {
    hash.random(call.keyspace.random, field, value);
    replyField(call, withValues);
  }
}

function allFields(call: Call, withValues: boolean): void {
  while (hash.next(field, value)) replyField(call, withValues);
}

/** Walks over the hash once and takes each field with the probability that makes all selections equally likely. */
function sampledFields(call: Call, count: number, withValues: boolean): void {
  const { random } = call.keyspace;
  let wanted = count;
  for (let left = hash.length; wanted > 0 && hash.next(field, value); left--) {
    if (random.integer(left) >= wanted) continue;
    replyField(call, withValues);
    wanted--;
  }
}

/** For few out of many: draws from all fields and draws again if a field was chosen before. */
function distinctFields(call: Call, count: number, withValues: boolean): void {
  const { dict } = hash.table;
  const chosen = new Set<number>();
  while (chosen.size < count) {
    const node = dict.random(call.keyspace.random);
    if (chosen.has(node)) continue;
    chosen.add(node);
    hash.readNode(node, field, value);
    replyField(call, withValues);
  }
}

/** If more than one field in this many is wanted, visiting all is cheaper than repeated random choices. */
const MANY = 3;

function replyField({ reply }: Call, withValues: boolean): void {
  if (withValues && reply.protocol === 3) reply.array(2);
  replyElement(reply, field);
  if (withValues) replyElement(reply, value);
}
