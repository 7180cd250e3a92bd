import { LuaTable } from './table.js';
import type { LuaValue } from './value.js';

/** The metatable all strings share. Every state has its own: {@link withStrings} says which one is in force. */
let strings: LuaTable | undefined;

/** Sets the metatable of strings and returns the one before. */
export function useStringMetatable(metatable: LuaTable | undefined): LuaTable | undefined {
  const before = strings;
  strings = metatable;
  return before;
}

export function metatableOf(value: LuaValue): LuaTable | undefined {
  if (value instanceof LuaTable) return value.metatable;
  return typeof value === 'string' ? strings : undefined;
}

export function metamethod(value: LuaValue, event: string): LuaValue {
  return metatableOf(value)?.getString(event);
}
