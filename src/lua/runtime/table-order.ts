import type { LuaValue } from './value.js';

/** Placeholder: insertion order. */
export function nodeOrder(
  keys: readonly LuaValue[],
  _values: readonly LuaValue[],
  _arrivals: readonly number[],
  _arrayHint: number,
  _hashHint: number,
): number[] {
  return keys.map((_, i) => i);
}
