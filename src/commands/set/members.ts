import { EventClass } from '../../keyspace/effects.js';
import { Encoding, Type } from '../../keyspace/kinds.js';
import { SetValue } from '../../keyspace/values/set-value.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { beginScanReply, replyEmptyScan, ScanOptions, scanCursor } from '../generic/scan-options.js';
import { replyElement } from '../reply-element.js';

const set = new SetValue();
const target = new SetValue();
const member = new Element();

export function sadd(call: Call): void {
  const { argc, db, keyspace } = call;
  const key = call.arg(1);
  const entry = call.write(1, Type.set);
  if (entry === 0) set.create(keyspace, db, key);
  else set.open(keyspace, db, entry);
  let added = 0;
  for (let i = 2; i < argc; i++) if (set.add(call.arg(i))) added++;
  if (added > 0) call.effects.changed(db, key, EventClass.set, 'sadd', added);
  call.reply.integer(added);
}

export function srem(call: Call): void {
  const { argc, db, keyspace, effects } = call;
  const key = call.arg(1);
  const entry = call.write(1, Type.set);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  set.open(keyspace, db, entry);
  let left = set.length;
  let removed = 0;
  for (let i = 2; i < argc && left > 0; i++) {
    if (!set.remove(call.arg(i))) continue;
    removed++;
    left--;
  }
  if (removed > 0) {
    effects.changed(db, key, EventClass.set, 'srem', removed);
    if (left === 0) {
      keyspace.remove(db, entry);
      effects.event(db, key, EventClass.generic, 'del');
    }
  }
  call.reply.integer(removed);
}

export function smove(call: Call): void {
  const { db, effects, keyspace, reply } = call;
  const [from, to, moved] = [call.arg(1), call.arg(2), call.arg(3)];
  const fromEntry = keyspace.write(db, from);
  const toEntry = keyspace.write(db, to);
  if (fromEntry === 0) {
    reply.integer(0);
    return;
  }
  if (db.type(fromEntry) !== Type.set) throw errors.wrongType;
  if (toEntry !== 0 && db.type(toEntry) !== Type.set) throw errors.wrongType;
  set.open(keyspace, db, fromEntry);
  if (fromEntry === toEntry || !set.has(moved)) {
    reply.integer(fromEntry === toEntry && set.has(moved) ? 1 : 0);
    return;
  }
  set.remove(moved);
  effects.changed(db, from, EventClass.set, 'srem');
  if (set.length === 0) {
    keyspace.remove(db, fromEntry);
    effects.event(db, from, EventClass.generic, 'del');
  }
  if (toEntry === 0) target.create(keyspace, db, to);
  else target.open(keyspace, db, toEntry);
  if (target.add(moved)) effects.changed(db, to, EventClass.set, 'sadd');
  reply.integer(1);
}

export function sismember(call: Call): void {
  const entry = call.read(1, Type.set);
  const isMember = entry !== 0 && set.open(call.keyspace, call.db, entry).has(call.arg(2));
  call.reply.integer(isMember ? 1 : 0);
}

export function smismember(call: Call): void {
  const { argc, reply } = call;
  const entry = call.read(1, Type.set);
  if (entry !== 0) set.open(call.keyspace, call.db, entry);
  reply.array(argc - 2);
  for (let i = 2; i < argc; i++) reply.integer(entry !== 0 && set.has(call.arg(i)) ? 1 : 0);
}

export function scard(call: Call): void {
  const entry = call.read(1, Type.set);
  call.reply.integer(entry === 0 ? 0 : set.open(call.keyspace, call.db, entry).length);
}

export function smembers(call: Call): void {
  const { reply } = call;
  const entry = call.read(1, Type.set);
  if (entry === 0) {
    reply.set(0);
    return;
  }
  set.open(call.keyspace, call.db, entry);
  call.visits(set.length);
  reply.set(set.length);
  while (set.next(member)) replyElement(reply, member);
}

const options = new ScanOptions();
const found: Ref[] = [];

export function sscan(call: Call): void {
  const { reply } = call;
  const cursor = scanCursor(call, 2);
  const entry = call.read(1, Type.set);
  if (entry === 0) {
    replyEmptyScan(reply);
    return;
  }
  set.open(call.keyspace, call.db, entry);
  options.read(call, 3, false);
  let replied = 0;
  let mark: number;
  if (set.encoding === Encoding.hashtable) {
    found.length = 0;
    mark = beginScanReply(reply, set.table.scan(cursor, options.count, found));
    for (const node of found) {
      set.readNode(node, member);
      if (replyAccepted(call)) replied++;
    }
  } else {
    mark = beginScanReply(reply, 0);
    while (set.next(member)) if (replyAccepted(call)) replied++;
  }
  reply.finishArray(mark, replied);
}

/** Replies with the member if the pattern matches it. */
function replyAccepted({ reply }: Call): boolean {
  if (options.pattern !== undefined && !options.accepts(member.toBytes())) return false;
  replyElement(reply, member);
  return true;
}
