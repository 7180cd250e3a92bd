import { callForOne } from './calls.js';
import { fail } from './errors.js';
import { metamethod, metatableOf } from './metatables.js';
import { LuaTable } from './table.js';
import { type LuaValue, typeName } from './value.js';

export function equal(a: LuaValue, b: LuaValue): boolean {
  return a === b || (a instanceof LuaTable && b instanceof LuaTable && equalTables(a, b));
}

function equalTables(a: LuaTable, b: LuaTable): boolean {
  const handler = sharedMetamethod(a, b, '__eq');
  return handler !== undefined && isTrue(callForOne(handler, a, b));
}

function isTrue(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

/** The metamethod that both operands share; undefined if they have different ones. */
function sharedMetamethod(a: LuaValue, b: LuaValue, event: string): LuaValue {
  const one = metatableOf(a);
  const other = metatableOf(b);
  const handler = one?.getString(event);
  if (handler === undefined || other === undefined) return undefined;
  return one === other || handler === other.getString(event) ? handler : undefined;
}

export function lessThan(a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  const handler = comparisonMetamethod(a, b, '__lt');
  return handler === undefined ? failOrder(a, b) : isTrue(callForOne(handler, a, b));
}

export function lessOrEqual(a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a <= b;
  if (typeof a === 'string' && typeof b === 'string') return a <= b;
  const handler = comparisonMetamethod(a, b, '__le');
  if (handler !== undefined) return isTrue(callForOne(handler, a, b));
  const reverse = comparisonMetamethod(b, a, '__lt');
  return reverse === undefined ? failOrder(a, b) : !isTrue(callForOne(reverse, b, a));
}

function comparisonMetamethod(a: LuaValue, b: LuaValue, event: string): LuaValue {
  if (typeName(a) !== typeName(b)) return undefined;
  const handler = metamethod(a, event);
  return handler !== undefined && handler === metamethod(b, event) ? handler : undefined;
}

function failOrder(a: LuaValue, b: LuaValue): never {
  const [one, other] = [typeName(a), typeName(b)];
  return fail(
    one === other ? `attempt to compare two ${one} values` : `attempt to compare ${one} with ${other}`,
  );
}
