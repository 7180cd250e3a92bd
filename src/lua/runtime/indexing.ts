import { callForOne } from './calls.js';
import { fail, failOperand } from './errors.js';
import { metamethod } from './metatables.js';
import { ProxyValue } from './proxy.js';
import { type KeyHint, LuaTable } from './table.js';
import type { LuaValue } from './value.js';

/** A longer chain of `__index` or `__newindex` is treated as a loop. */
const MAXIMUM_CHAIN = 100;
/** The operand of a value that is not in the source: a metatable's `__index`. */
const UNNAMED = -1;

export function index(object: LuaValue, key: LuaValue): LuaValue {
  if (object instanceof LuaTable) {
    const value = object.get(key);
    if (value !== undefined || object.metatable === undefined) return value;
  }
  return indexThrough(object, key);
}

export function indexString(object: LuaValue, key: string): LuaValue {
  if (object instanceof LuaTable) {
    const value = object.getString(key);
    if (value !== undefined || object.metatable === undefined) return value;
  }
  return indexThrough(object, key);
}

export function indexConstant(object: LuaValue, key: string, hint: KeyHint): LuaValue {
  if (object instanceof LuaTable) {
    const value = object.getConstant(key, hint);
    if (value !== undefined || object.metatable === undefined) return value;
  }
  return indexThrough(object, key);
}

export function getGlobal(globals: LuaTable, name: string, hint: KeyHint): LuaValue {
  const value = globals.getConstant(name, hint);
  return value !== undefined || globals.metatable === undefined ? value : indexThrough(globals, name);
}

function indexThrough(object: LuaValue, key: LuaValue): LuaValue {
  for (let i = 0; i < MAXIMUM_CHAIN; i++) {
    let handler: LuaValue;
    if (object instanceof LuaTable) {
      const value = object.get(key);
      if (value !== undefined) return value;
      handler = object.metatable?.getString('__index');
      if (handler === undefined) return undefined;
    } else {
      handler = metamethod(object, '__index');
      if (handler === undefined) failOperand('index', i === 0 ? 0 : UNNAMED, object);
    }
    if (typeof handler === 'function') return callForOne(handler, object, key);
    object = handler;
  }
  return fail('loop in gettable');
}

export function setIndex(object: LuaValue, key: LuaValue, value: LuaValue): void {
  if (object instanceof LuaTable && object.metatable === undefined) {
    if (typeof key === 'number') {
      if (Number.isNaN(key)) fail('table index is NaN');
      object.setNumber(key, value);
      return;
    }
    if (key === undefined) fail('table index is nil');
    object.set(key, value);
    return;
  }
  setIndexThrough(object, key, value);
}

function setIndexThrough(object: LuaValue, key: LuaValue, value: LuaValue): void {
  for (let i = 0; i < MAXIMUM_CHAIN; i++) {
    let handler: LuaValue;
    if (object instanceof LuaTable) {
      const { metatable } = object;
      handler = metatable === undefined ? undefined : metatable.getString('__newindex');
      if (handler === undefined || object.get(key) !== undefined) {
        setRaw(object, key, value);
        return;
      }
    } else {
      handler = metamethod(object, '__newindex');
      if (handler === undefined) failOperand('index', i === 0 ? 0 : UNNAMED, object);
    }
    if (typeof handler === 'function') {
      callForOne(handler, object, key, value);
      return;
    }
    object = handler;
  }
  fail('loop in settable');
}

/** Assigns without metamethods. Raises an error if the key is nil or NaN. */
export function setRaw(table: LuaTable, key: LuaValue, value: LuaValue): void {
  if (key === undefined) fail('table index is nil');
  if (Number.isNaN(key)) fail('table index is NaN');
  table.set(key, value);
}

/** Creates the table of a constructor from its elements and its fields (key, value, key, value …). Elements override fields. */
export function tableOf(elements: LuaValue[], fields: LuaValue[]): LuaTable {
  const { length } = elements;
  const table = new LuaTable(elements, fields.length >> 1);
  for (let i = 0; i < fields.length; i += 2) {
    const key = fields[i];
    const taken = typeof key === 'number' && key >= 1 && key <= length && Number.isInteger(key);
    if (!taken) setRaw(table, key, fields[i + 1]);
  }
  return table;
}

/** Creates a table with a few fields whose names are different constants, the most common constructor. */
export function recordOf(elements: LuaValue[], keys: string[], values: LuaValue[]): LuaTable {
  if (values.includes(undefined)) return withoutNils(elements, keys, values);
  return new LuaTable(elements, keys.length, keys, values);
}

function withoutNils(elements: LuaValue[], keys: string[], values: LuaValue[]): LuaTable {
  const table = new LuaTable(elements, keys.length);
  for (let i = 0; i < keys.length; i++) table.set(keys[i], values[i]);
  return table;
}

export function length(value: LuaValue): LuaValue {
  if (value instanceof LuaTable) return value.length();
  if (typeof value === 'string') return value.length;
  const handler = value instanceof ProxyValue ? metamethod(value, '__len') : undefined;
  if (handler !== undefined) return callForOne(handler, value);
  return failOperand('get length of', 0, value);
}
