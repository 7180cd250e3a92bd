import { markNative } from '../runtime/frames.js';
import { type LuaTable, TableCursor } from '../runtime/table.js';
import type { LuaFunction, LuaResult } from '../runtime/value.js';
import { checkInt, checkTable } from './arguments.js';

/** The iterators that `pairs` and `ipairs` return. They are the same functions in every state, so that loops recognise them. */

export const next: LuaFunction = markNative('next', (...args): LuaResult => {
  const table = checkTable(args, 1);
  const cursor = new TableCursor(table, args[1]);
  return cursor.advance() ? [cursor.key, cursor.value] : undefined;
});

export const ipairsIterator: LuaFunction = markNative('ipairs', (...args): LuaResult => {
  const table = checkTable(args, 1);
  const position = checkInt(args, 2) + 1;
  const value = table.getNumber(position);
  return value === undefined ? [] : [position, value];
});

/** Iterates over elements 1, 2 … up to the first nil. */
export class ElementCursor {
  key = 0;
  value: ReturnType<LuaTable['get']> = undefined;
  readonly #table: LuaTable;

  constructor(table: LuaTable) {
    this.#table = table;
  }

  advance(): boolean {
    this.value = this.#table.getNumber(++this.key);
    return this.value !== undefined;
  }
}
