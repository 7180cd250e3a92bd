import { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import { type Entry, NO_ENTRY } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { stringBytes, stringLength } from '../../keyspace/values/string-value.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { ExpiryForm, expiryForm, expiryTime } from '../generic/expiry-options.js';

/** Reading strings, whole or in part. GETDEL and GETEX also change the key or its time to live. */

const view = new Bytes();

/** Replies with the string at `entry`, or null if there is no entry. */
export function replyString(call: Call, entry: Entry): void {
  if (entry === 0) call.reply.null();
  else call.reply.bulk(stringBytes(call.db, entry, view));
}

export function get(call: Call): void {
  replyString(call, call.read(1, Type.string));
}

export function mget(call: Call): void {
  const { db, keyspace, reply } = call;
  reply.array(call.argc - 1);
  for (let i = 1; i < call.argc; i++) {
    const entry = keyspace.read(db, call.arg(i));
    replyString(call, entry !== 0 && db.type(entry) === Type.string ? entry : NO_ENTRY);
  }
}

export function strlen(call: Call): void {
  const entry = call.read(1, Type.string);
  call.reply.integer(entry === 0 ? 0 : stringLength(call.db, entry));
}

/** GETRANGE and SUBSTR, its older name. */
export function getrange(call: Call): void {
  let first = call.integer(2);
  let last = call.integer(3);
  const entry = call.read(1, Type.string);
  if (entry === 0) {
    call.reply.bulkText('');
    return;
  }
  const bytes = stringBytes(call.db, entry, view);
  const { length } = bytes;
  const isReversed = first < 0 && last < 0 && first > last;
  if (first < 0) first = Math.max(0, length + first);
  if (last < 0) last = Math.max(0, length + last);
  if (last >= length) last = length - 1;
  if (isReversed || first > last) call.reply.bulkText('');
  else call.reply.bulkBuffer(bytes.buf, bytes.start + first, bytes.start + last + 1);
}

export function getdel(call: Call): void {
  const entry = call.read(1, Type.string);
  replyString(call, entry);
  if (entry === 0) return;
  const key = call.arg(1);
  call.keyspace.remove(call.db, entry);
  call.effects.changed(call.db, key, EventClass.generic, 'del');
  if (call.effects.recording) call.effects.rewrite(call.db, 'DEL', key);
}

export function getex(call: Call): void {
  let form: ExpiryForm = ExpiryForm.none;
  let timeAt = 0;
  let persists = false;
  for (let i = 2; i < call.argc; i++) {
    const word = call.arg(i);
    if (word.is('persist') && form === ExpiryForm.none) {
      persists = true;
      continue;
    }
    const written = expiryForm(word);
    const contradicts = persists || (form !== ExpiryForm.none && form !== written);
    if (written === ExpiryForm.none || contradicts || i + 1 === call.argc) throw errors.syntax;
    form = written;
    timeAt = ++i;
  }
  const entry = call.read(1, Type.string);
  const expiry = entry !== 0 && form !== ExpiryForm.none ? expiryTime(call, timeAt, form) : 0;
  replyString(call, entry);
  if (entry === 0) return;
  if (form !== ExpiryForm.none || persists) call.keyspace.changing(call.db, entry);
  if (form !== ExpiryForm.none) expireAt(call, entry, expiry);
  else if (persists) persist(call, entry);
}

/** Sets the time to live of the entry at the first key; deletes it if that time has passed. */
function expireAt(call: Call, entry: Entry, expiry: number): void {
  const { db, keyspace, effects } = call;
  const key = call.arg(1);
  if (expiry <= call.now && keyspace.deletesExpired) {
    keyspace.remove(db, entry);
    effects.changed(db, key, EventClass.generic, 'del');
    if (effects.recording) effects.rewrite(db, keyspace.lazyExpire ? 'UNLINK' : 'DEL', key);
    return;
  }
  db.expiries.set(entry, expiry);
  effects.changed(db, key, EventClass.generic, 'expire');
  if (effects.recording) effects.rewrite(db, 'PEXPIREAT', key, expiry);
}

function persist(call: Call, entry: Entry): void {
  const { db, effects } = call;
  if (!db.expiries.remove(entry)) return;
  const key = call.arg(1);
  effects.changed(db, key, EventClass.generic, 'persist');
  if (effects.recording) effects.rewrite(db, 'PERSIST', key);
}
