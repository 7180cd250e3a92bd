import { Bytes } from '../../bytes/bytes.js';
import { globMatch } from '../../bytes/glob.js';
import type { Database } from '../../keyspace/database.js';
import { EventClass } from '../../keyspace/effects.js';
import { type Entry, NO_ENTRY } from '../../keyspace/entry.js';
import { TYPE_NAMES } from '../../keyspace/kinds.js';
import type { Call } from '../call.js';

const keyView = new Bytes();

/** DEL and UNLINK: large values are always freed a little at a time. */
export function del(call: Call): void {
  const { db, keyspace, effects } = call;
  let deleted = 0;
  for (let i = 1; i < call.argc; i++) {
    const key = call.arg(i);
    const entry = keyspace.peek(db, key);
    if (entry === 0) continue;
    keyspace.remove(db, entry);
    effects.changed(db, key, EventClass.generic, 'del');
    deleted++;
  }
  call.reply.integer(deleted);
}

export function exists(call: Call): void {
  let found = 0;
  for (let i = 1; i < call.argc; i++) {
    if (call.keyspace.readUntouched(call.db, call.arg(i)) !== 0) found++;
  }
  call.reply.integer(found);
}

export function touch(call: Call): void {
  let found = 0;
  for (let i = 1; i < call.argc; i++) {
    if (call.keyspace.read(call.db, call.arg(i)) !== 0) found++;
  }
  call.reply.integer(found);
}

export function type(call: Call): void {
  const entry = call.keyspace.readUntouched(call.db, call.arg(1));
  call.reply.status(entry === 0 ? 'none' : (TYPE_NAMES[call.db.type(entry)] as string));
}

export function keys(call: Call): void {
  const { db, keyspace, reply } = call;
  const pattern = call.arg(1);
  const all = pattern.length === 1 && pattern.at(0) === STAR;
  const mark = reply.defer();
  let found = 0;
  db.keys.forEach((entry) => {
    const { buf, start, end } = db.key(entry, keyView);
    if (!all && !globMatch(pattern.buf, pattern.start, pattern.end, buf, start, end, false)) return;
    if (keyspace.isExpired(db, entry)) return;
    reply.bulk(keyView);
    found++;
  });
  reply.finishArray(mark, found);
}

const STAR = 42;

export function randomkey(call: Call): void {
  const entry = randomEntry(call, call.db);
  if (entry === 0) call.reply.null();
  else call.reply.bulk(call.db.key(entry, keyView));
}

/** A random key that has not expired; deletes expired keys that it draws. */
function randomEntry(call: Call, db: Database): Entry {
  const { keyspace } = call;
  // Where expired keys are not deleted, there might be no other key: then return any.
  for (let tries = 1; db.size > 0; tries++) {
    const entry = db.keys.random(keyspace.random);
    if (!keyspace.isExpired(db, entry)) return entry;
    if (keyspace.deletesExpired) keyspace.expire(db, entry, db.key(entry, keyView));
    else if (tries === MAX_TRIES) return entry;
  }
  return NO_ENTRY;
}

const MAX_TRIES = 100;
