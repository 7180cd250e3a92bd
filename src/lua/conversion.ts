import { LuaTable } from './runtime/table.js';
import type { LuaValue } from './runtime/value.js';

/** A table with these elements, from 1 on. The array becomes part of the table: do not use it any more. */
export function tableFromList(list: LuaValue[]): LuaTable {
  return new LuaTable(list);
}

/** The elements of a table up to the first that is nil: what Redis makes an array reply of. */
export function listFromTable(table: LuaTable): LuaValue[] {
  const list: LuaValue[] = [];
  for (let i = 1; ; i++) {
    const value = table.getNumber(i);
    if (value === undefined) return list;
    list.push(value);
  }
}

/** Text of JavaScript as Lua holds it: the bytes of its UTF-8 form, one per character. */
export function bytesFromText(text: string): string {
  return Buffer.from(text, 'utf8').latin1Slice();
}

export function textFromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
