import type { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import { NO_ENTRY } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { setString } from '../../keyspace/values/string-value.js';
import type { Call } from '../call.js';
import { errors, wrongArity } from '../errors.js';
import { ExpiryForm, expiryForm, expiryTime } from '../generic/expiry-options.js';
import { replyString } from './get.js';

/** SET and the older commands it replaces. */

export function set(call: Call): void {
  if (call.argc > 3) {
    setWithOptions(call);
    return;
  }
  store(call, call.arg(1), call.arg(2));
  call.reply.ok();
}

/** Sets the key, of whatever type, to the value, without a time to live. */
function store(call: Call, key: Bytes, value: Bytes): void {
  const { db, keyspace } = call;
  const found = keyspace.write(db, key);
  const entry = setString(keyspace, db, found, key, value);
  if (found !== 0) db.expiries.remove(entry);
  call.effects.changed(db, key, EventClass.string, 'set');
}

const Condition = { none: 0, absent: 1, present: 2 } as const;
type Condition = (typeof Condition)[keyof typeof Condition];

interface SetOptions {
  readonly condition: Condition;
  readonly repliesOld: boolean;
  readonly keepsExpiry: boolean;
  /** Unix ms; 0 if none is given. */
  readonly expiry: number;
}

function setOptions(call: Call): SetOptions {
  let condition: Condition = Condition.none;
  let repliesOld = false;
  let keepsExpiry = false;
  let form: ExpiryForm = ExpiryForm.none;
  let timeAt = 0;
  for (let i = 3; i < call.argc; i++) {
    const word = call.arg(i);
    if (word.is('nx') && condition !== Condition.present) condition = Condition.absent;
    else if (word.is('xx') && condition !== Condition.absent) condition = Condition.present;
    else if (word.is('get')) repliesOld = true;
    else if (word.is('keepttl') && form === ExpiryForm.none) keepsExpiry = true;
    else {
      const written = expiryForm(word);
      const contradicts = keepsExpiry || (form !== ExpiryForm.none && form !== written);
      if (written === ExpiryForm.none || contradicts || i + 1 === call.argc) throw errors.syntax;
      form = written;
      timeAt = ++i;
    }
  }
  const expiry = form === ExpiryForm.none ? 0 : expiryTime(call, timeAt, form);
  return { condition, repliesOld, keepsExpiry, expiry };
}

function setWithOptions(call: Call): void {
  const options = setOptions(call);
  const { db, keyspace } = call;
  const key = call.arg(1);
  if (options.repliesOld) replyString(call, call.read(1, Type.string));
  const found = keyspace.write(db, key);
  const { condition } = options;
  if (condition !== Condition.none && (condition === Condition.absent) === (found !== 0)) {
    if (!options.repliesOld) call.reply.null();
    return;
  }
  const entry = setString(keyspace, db, found, key, call.arg(2));
  if (options.expiry > 0) db.expiries.set(entry, options.expiry);
  else if (!options.keepsExpiry) db.expiries.remove(entry);
  call.effects.changed(db, key, EventClass.string, 'set');
  if (options.expiry > 0) call.effects.event(db, key, EventClass.generic, 'expire');
  if (!options.repliesOld) call.reply.ok();
  if (call.effects.recording) recordSet(call, options);
}

/** Records SET with an absolute time, without conditions and without GET. */
function recordSet(call: Call, options: SetOptions): void {
  if (options.expiry > 0) {
    recordWithExpiry(call, call.arg(2), options.expiry);
  } else if (options.repliesOld) {
    const words = call.args.slice(0, call.argc).filter((word, i) => i < 3 || !word.is('get'));
    call.effects.rewrite(call.db, ...words);
  }
}

function recordWithExpiry(call: Call, value: Bytes, expiry: number): void {
  call.effects.rewrite(call.db, 'SET', call.arg(1), value, 'PXAT', expiry);
}

export function setnx(call: Call): void {
  const { db, keyspace } = call;
  const key = call.arg(1);
  if (keyspace.write(db, key) !== 0) {
    call.reply.integer(0);
    return;
  }
  setString(keyspace, db, NO_ENTRY, key, call.arg(2));
  call.effects.changed(db, key, EventClass.string, 'set');
  call.reply.integer(1);
}

export function setex(call: Call): void {
  setExpiring(call, ExpiryForm.ex);
}

export function psetex(call: Call): void {
  setExpiring(call, ExpiryForm.px);
}

function setExpiring(call: Call, form: ExpiryForm): void {
  const expiry = expiryTime(call, 2, form);
  const { db, keyspace } = call;
  const key = call.arg(1);
  const entry = setString(keyspace, db, keyspace.write(db, key), key, call.arg(3));
  db.expiries.set(entry, expiry);
  call.effects.changed(db, key, EventClass.string, 'set');
  call.effects.event(db, key, EventClass.generic, 'expire');
  if (call.effects.recording) recordWithExpiry(call, call.arg(3), expiry);
  call.reply.ok();
}

export function getset(call: Call): void {
  replyString(call, call.read(1, Type.string));
  store(call, call.arg(1), call.arg(2));
  if (call.effects.recording) call.effects.rewrite(call.db, 'SET', call.arg(1), call.arg(2));
}

export function mset(call: Call): void {
  if ((call.argc & 1) === 0) throw wrongArity(call.command.fullName);
  storePairs(call);
  call.reply.ok();
}

export function msetnx(call: Call): void {
  if ((call.argc & 1) === 0) throw wrongArity(call.command.fullName);
  for (let i = 1; i < call.argc; i += 2) {
    if (call.keyspace.write(call.db, call.arg(i)) !== 0) {
      call.reply.integer(0);
      return;
    }
  }
  storePairs(call);
  call.reply.integer(1);
}

function storePairs(call: Call): void {
  for (let i = 1; i < call.argc; i += 2) store(call, call.arg(i), call.arg(i + 1));
}
