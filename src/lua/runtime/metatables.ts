import { ProxyValue } from './proxy.js';
import { LuaTable } from './table.js';
import type { LuaValue } from './value.js';

/** The metatable all strings share. Every state has its own: {@link withStrings} sets the current one. */
let strings: LuaTable | undefined;

/** Sets the metatable of strings and returns the previous one. */
export function useStringMetatable(metatable: LuaTable | undefined): LuaTable | undefined {
  const before = strings;
  strings = metatable;
  return before;
}

export function metatableOf(value: LuaValue): LuaTable | undefined {
  if (value instanceof LuaTable) return value.metatable;
  if (typeof value === 'string') return strings;
  return value instanceof ProxyValue ? value.metatable : undefined;
}

export function metamethod(value: LuaValue, event: string): LuaValue {
  return metatableOf(value)?.getString(event);
}
