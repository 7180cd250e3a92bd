import { LuaTable } from './runtime/table.js';
import type { LuaValue } from './runtime/value.js';

/** Creates a table with these elements, starting at 1. The table takes over the array: the caller must not use it again. */
export function tableFromList(list: LuaValue[]): LuaTable {
  return new LuaTable(list);
}

/** The elements of a table up to the first nil. Redis builds an array reply from them. */
export function listFromTable(table: LuaTable): LuaValue[] {
  const list: LuaValue[] = [];
  for (let i = 1; ; i++) {
    const value = table.getNumber(i);
    if (value === undefined) return list;
    list.push(value);
  }
}

/** Converts a JavaScript string to a Lua string: the bytes of its UTF-8 form, one per character. */
export function bytesFromText(text: string): string {
  return Buffer.from(text, 'utf8').latin1Slice();
}

export function textFromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
