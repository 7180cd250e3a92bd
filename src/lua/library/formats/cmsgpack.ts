import { charged } from '../../runtime/budget.js';
import { failArgument, failInCall } from '../../runtime/errors.js';
import { LuaTable } from '../../runtime/table.js';
import type { LuaResult, LuaValue } from '../../runtime/value.js';
import { checkInt, checkString, optionalInteger } from '../arguments.js';
import { install } from '../base.js';
import { MessagePackReader } from './message-pack-reader.js';
import { packValue } from './message-pack-writer.js';

/** lua-cmsgpack 0.4.0. */
export function cmsgpackLibrary(): LuaTable {
  const table = new LuaTable();
  install(table, {
    pack(...args) {
      if (args.length === 0) failArgument(0, 'MessagePack pack needs input.');
      return charged(args.map((value) => packValue(value)).join(''));
    },
    unpack: (...args) => unpack(charged(checkString(args, 1)), 0, 0),
    unpack_one(...args) {
      const offset = optionalInteger(args, 2, 0);
      return unpack(charged(checkString(args, 1)), 1, offset);
    },
    unpack_limit(...args) {
      const limit = checkInt(args, 2);
      const offset = optionalInteger(args, 3, 0);
      return unpack(charged(checkString(args, 1)), limit, offset);
    },
  });
  table.set('_NAME', 'cmsgpack');
  table.set('_VERSION', 'lua-cmsgpack 0.4.0');
  table.set('_COPYRIGHT', 'Copyright (C) 2012, Salvatore Sanfilippo');
  table.set('_DESCRIPTION', 'MessagePack C implementation for Lua');
  return table;
}

/**
 * Unpacks at most `limit` values from an offset (all values when both are 0). Returns the offset of the next value (-1 at the
 * end), then the values.
 */
function unpack(text: string, limit: number, offset: number): LuaResult {
  if (limit < 0 || offset < 0) {
    // As in Redis, the text shows the length where it should show the limit.
    failInCall(`Invalid request to unpack with offset of ${offset} and limit of ${text.length}.`);
  }
  if (offset > text.length) {
    failInCall(`Start offset ${offset} greater than input length ${text.length}.`);
  }
  const isAll = limit === 0 && offset === 0;
  const reader = new MessagePackReader(text, offset);
  const values: LuaValue[] = [];
  while (!reader.isAtEnd && (isAll || values.length < limit)) values.push(reader.read());
  if (isAll) return values;
  return [reader.isAtEnd ? -1 : reader.at, ...values];
}
