import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { HashValue, packedBytes } from '../../keyspace/values/hash-value.js';
import type { Call } from '../call.js';
import { wrongArity } from '../errors.js';

const hash = new HashValue();

export function hset(call: Call): void {
  call.reply.integer(setFields(call));
  tellOfFields(call);
}

export function hmset(call: Call): void {
  setFields(call);
  call.reply.ok();
  tellOfFields(call);
}

/** The reply is sent before the event, which matters to a client that is subscribed to its own events. */
function tellOfFields(call: Call): void {
  call.effects.changed(call.db, call.arg(1), EventClass.hash, 'hset', (call.argc - 2) >> 1);
}

/** Sets the fields in pairs of arguments from the third on; returns how many are new. */
function setFields(call: Call): number {
  const { argc, args, db, keyspace } = call;
  if ((argc & 1) !== 0) throw wrongArity(call.command.fullName);
  const key = call.arg(1);
  const entry = call.write(1, Type.hash);
  if (entry === 0) hash.create(keyspace, db, key, packedBytes(args, 2, argc));
  else hash.open(keyspace, db, entry);
  hash.expect(args, 2, argc);
  let created = 0;
  for (let i = 2; i < argc; i += 2) if (hash.set(call.arg(i), call.arg(i + 1))) created++;
  return created;
}

export function hsetnx(call: Call): void {
  const { args, db, keyspace } = call;
  const key = call.arg(1);
  const entry = call.write(1, Type.hash);
  if (entry === 0) {
    hash.create(keyspace, db, key);
  } else if (hash.open(keyspace, db, entry).has(call.arg(2))) {
    call.reply.integer(0);
    return;
  }
  hash.expect(args, 2, 4);
  hash.set(call.arg(2), call.arg(3));
  call.reply.integer(1);
  call.effects.changed(db, key, EventClass.hash, 'hset');
}

export function hdel(call: Call): void {
  const { argc, db, effects, keyspace } = call;
  const key = call.arg(1);
  const entry = call.write(1, Type.hash);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  hash.open(keyspace, db, entry);
  let left = hash.length;
  let deleted = 0;
  for (let i = 2; i < argc && left > 0; i++) {
    if (!hash.delete(call.arg(i))) continue;
    deleted++;
    left--;
  }
  if (deleted > 0) {
    effects.changed(db, key, EventClass.hash, 'hdel', deleted);
    if (left === 0) {
      keyspace.remove(db, entry);
      effects.event(db, key, EventClass.generic, 'del');
    }
  }
  call.reply.integer(deleted);
}
