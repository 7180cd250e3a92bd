import { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { setString, stringBytes } from '../../keyspace/string-value.js';
import type { Call } from '../call.js';

const value = new Bytes();

export function get(call: Call): void {
  const entry = call.read(1, Type.string);
  if (entry === 0) call.reply.null();
  else call.reply.bulk(stringBytes(call.db, entry, value));
}

export function set(call: Call): void {
  const key = call.arg(1);
  const { db, keyspace } = call;
  const entry = keyspace.write(db, key);
  const set = setString(keyspace, db, entry, key, call.arg(2));
  if (entry !== 0) db.expiries.remove(set);
  call.effects.changed(db, key, EventClass.string, 'set');
  call.reply.ok();
}
