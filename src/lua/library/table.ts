import { chargeBytes, chargeSteps } from '../runtime/budget.js';
import { call } from '../runtime/calls.js';
import { failInCall } from '../runtime/errors.js';
import { numberToString } from '../runtime/number.js';
import { type LuaTable, TableCursor } from '../runtime/table.js';
import { type LuaResult, type LuaValue, typeName } from '../runtime/value.js';
import {
  checkFunction,
  checkInt,
  checkInteger,
  checkTable,
  isAbsent,
  optionalInteger,
  optionalString,
} from './arguments.js';
import type { Library } from './base.js';
import { sort } from './sort.js';

export const tableLibrary: Library = {
  concat,
  foreach(...args) {
    const table = checkTable(args, 1);
    const fn = checkFunction(args, 2);
    for (const cursor = new TableCursor(table, undefined); cursor.advance(); ) {
      const result = firstResult(call(fn, cursor.key, cursor.value));
      if (result !== undefined) return result;
    }
    return [];
  },
  foreachi(...args) {
    const table = checkTable(args, 1);
    const fn = checkFunction(args, 2);
    const count = table.length();
    for (let i = 1; i <= count; i++) {
      const result = firstResult(call(fn, i, table.getNumber(i)));
      if (result !== undefined) return result;
    }
    return [];
  },
  getn: (...args) => checkTable(args, 1).length(),
  insert,
  maxn(...args) {
    let maximum = 0;
    for (const cursor = new TableCursor(checkTable(args, 1), undefined); cursor.advance(); ) {
      if (typeof cursor.key === 'number' && cursor.key > maximum) maximum = cursor.key;
    }
    return maximum;
  },
  remove,
  setn(...args) {
    checkTable(args, 1);
    return failInCall("'setn' is obsolete");
  },
  sort,
};

function firstResult(result: LuaResult): LuaValue {
  return Array.isArray(result) ? result[0] : result;
}

function concat(...args: LuaValue[]): LuaResult {
  const separator = optionalString(args, 2, '');
  const table = checkTable(args, 1);
  const from = optionalInteger(args, 3, 1);
  const to = isAbsent(args, 4) ? table.length() : checkInteger(args, 4);
  const parts: string[] = [];
  for (let i = from; i <= to; i++) parts.push(piece(table, i));
  const joined = parts.join(separator);
  chargeBytes(joined.length);
  return joined;
}

function piece(table: LuaTable, position: number): string {
  const value = table.getNumber(position);
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberToString(value);
  return failInCall(`invalid value (${typeName(value)}) at index ${position} in table for 'concat'`);
}

function insert(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1);
  const end = table.length() + 1;
  if (args.length === 2) {
    table.setNumber(end, args[1]);
    return [];
  }
  if (args.length !== 3) failInCall("wrong number of arguments to 'insert'");
  const position = checkInt(args, 2);
  chargeMoves(end - position);
  for (let i = Math.max(end, position); i > position; i--) table.setNumber(i, table.getNumber(i - 1));
  table.setNumber(position, args[2]);
  return [];
}

function remove(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1);
  const end = table.length();
  const position = isAbsent(args, 2) ? end : checkInt(args, 2);
  if (position < 1 || position > end) return [];
  const removed = table.getNumber(position);
  chargeMoves(end - position);
  for (let i = position; i < end; i++) table.setNumber(i, table.getNumber(i + 1));
  table.setNumber(end, undefined);
  return removed;
}

/** Moving fewer elements costs little more than the call itself. */
function chargeMoves(count: number): void {
  if (count >= MOVES_PER_STEP) chargeSteps(Math.floor(count / MOVES_PER_STEP));
}

const MOVES_PER_STEP = 8;
