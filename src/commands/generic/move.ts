import type { Database } from '../../keyspace/database.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { copyEntry } from '../../keyspace/values/value-copy.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { databaseArgument } from '../server/databases.js';

export function rename(call: Call): void {
  renameUnlessTaken(call, false);
  call.reply.ok();
}

export function renamenx(call: Call): void {
  call.reply.integer(renameUnlessTaken(call, true) ? 1 : 0);
}

/** Moves the value to the new key. False if the new key exists and must not be replaced, or is the old key. */
function renameUnlessTaken(call: Call, leaveTaken: boolean): boolean {
  const { db, keyspace, effects } = call;
  const from = call.arg(1);
  const to = call.arg(2);
  const entry = keyspace.write(db, from);
  if (entry === 0) throw errors.noSuchKey;
  if (from.equals(to)) return false;
  const taken = keyspace.write(db, to);
  if (taken !== 0) {
    if (leaveTaken) return false;
    keyspace.remove(db, taken);
  }
  const expiresAt = db.expiries.timeOf(entry);
  const usage = db.usage(entry);
  const renamed = keyspace.create(db, to, db.type(entry), db.encoding(entry), db.value(entry));
  db.setUsage(renamed, usage);
  keyspace.removeMoved(db, entry);
  if (expiresAt >= 0) db.expiries.set(renamed, expiresAt);
  effects.changed(db, from, EventClass.generic, 'rename_from');
  effects.changed(db, to, EventClass.generic, 'rename_to', 0);
  return true;
}

export function move(call: Call): void {
  if (call.engine.cluster !== undefined) throw MOVE_IN_CLUSTER;
  const { db, keyspace, effects } = call;
  const key = call.arg(1);
  const target = databaseArgument(call, 2);
  if (target === db) throw errors.sameObject;
  const entry = keyspace.write(db, key);
  if (entry === 0 || keyspace.write(target, key) !== 0) {
    call.reply.integer(0);
    return;
  }
  const moved = copyEntry(keyspace, db, entry, target, key);
  target.setUsage(moved, db.usage(entry));
  copyExpiry(db, entry, target, moved);
  keyspace.remove(db, entry);
  effects.changed(db, key, EventClass.generic, 'move_from');
  effects.changed(target, key, EventClass.generic, 'move_to', 0);
  call.reply.integer(1);
}

export function copy(call: Call): void {
  const { db, keyspace, effects } = call;
  const from = call.arg(1);
  const to = call.arg(2);
  const { target, replace } = copyOptions(call);
  if (call.engine.cluster !== undefined && target.index !== 0) throw COPY_IN_CLUSTER;
  if (target === db && from.equals(to)) throw errors.sameObject;
  const entry = keyspace.read(db, from);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  const taken = keyspace.write(target, to);
  if (taken !== 0) {
    if (!replace) {
      call.reply.integer(0);
      return;
    }
    keyspace.remove(target, taken);
  }
  copyExpiry(db, entry, target, copyEntry(keyspace, db, entry, target, to));
  effects.changed(target, to, EventClass.generic, 'copy_to');
  call.reply.integer(1);
}

function copyOptions(call: Call): { readonly target: Database; readonly replace: boolean } {
  let target = call.db;
  let replace = false;
  for (let i = 3; i < call.argc; i++) {
    const word = call.arg(i);
    if (word.is('replace')) replace = true;
    else if (word.is('db') && i + 1 < call.argc) target = databaseArgument(call, ++i);
    else throw errors.syntax;
  }
  return { target, replace };
}

const MOVE_IN_CLUSTER = new CommandError('ERR MOVE is not allowed in cluster mode');
const COPY_IN_CLUSTER = new CommandError('ERR Copying to another database is not allowed in cluster mode');

function copyExpiry(from: Database, entry: Entry, to: Database, copied: Entry): void {
  const at = from.expiries.timeOf(entry);
  if (at >= 0) to.expiries.set(copied, at);
}
