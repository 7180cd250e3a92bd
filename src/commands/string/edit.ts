import { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import { NO_ENTRY } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import {
  appendToString,
  createEditableString,
  editableString,
  setString,
  stringLength,
} from '../../keyspace/values/string-value.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

/** Commands that change a string in place. */

const view = new Bytes();

export function append(call: Call): void {
  const { db, keyspace } = call;
  const key = call.arg(1);
  const added = call.arg(2);
  const entry = call.write(1, Type.string);
  let { length } = added;
  if (entry === 0) {
    setString(keyspace, db, NO_ENTRY, key, added);
  } else {
    checkLength(call, stringLength(db, entry) + length);
    length = appendToString(keyspace, db, entry, added);
  }
  call.effects.changed(db, key, EventClass.string, 'append');
  call.reply.integer(length);
}

const offsetOutOfRange = new CommandError('ERR offset is out of range');

export function setrange(call: Call): void {
  const offset = call.integer(2);
  if (offset < 0) throw offsetOutOfRange;
  const { db, keyspace } = call;
  const key = call.arg(1);
  const value = call.arg(3);
  const entry = call.write(1, Type.string);
  if (value.length === 0) {
    call.reply.integer(entry === 0 ? 0 : stringLength(db, entry));
    return;
  }
  const end = offset + value.length;
  checkLength(call, end);
  if (entry === 0) createEditableString(keyspace, db, key, end, view);
  else editableString(keyspace, db, entry, end, view, offset);
  value.writeTo(view.buf, view.start + offset);
  call.effects.changed(db, key, EventClass.string, 'setrange');
  call.reply.integer(view.length);
}

function checkLength(call: Call, length: number): void {
  if (length > call.keyspace.limits.protoMaxBulkLen && call.session.kind !== 'master')
    throw errors.stringTooLong;
}
