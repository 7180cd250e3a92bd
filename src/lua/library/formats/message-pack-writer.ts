import { LuaTable, TableCursor } from '../../runtime/table.js';
import type { LuaValue } from '../../runtime/value.js';

/** The maximum nesting. Deeper tables are written as nil. */
const MAXIMUM_NESTING = 16;
const NIL = '\xc0';
const view = new DataView(new ArrayBuffer(8));

/** Encodes a value as MessagePack, one byte per character. */
export function packValue(value: LuaValue, depth = 0): string {
  switch (typeof value) {
    case 'boolean':
      return value ? '\xc3' : '\xc2';
    case 'number':
      return packNumber(value);
    case 'string':
      return packString(value);
    default:
      if (!(value instanceof LuaTable) || depth === MAXIMUM_NESTING) return NIL;
      return isArray(value) ? packArray(value, depth + 1) : packMap(value, depth + 1);
  }
}

function bytes(tag: number, size: number): string {
  let text = String.fromCharCode(tag);
  for (let i = 0; i < size; i++) text += String.fromCharCode(view.getUint8(i));
  return text;
}

function unsigned(tag: number, size: 1 | 2 | 4, value: number): string {
  if (size === 1) view.setUint8(0, value);
  else if (size === 2) view.setUint16(0, value);
  else view.setUint32(0, value);
  return bytes(tag, size);
}

function packNumber(value: number): string {
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63) return packInteger(value);
  if (Math.fround(value) === value) {
    view.setFloat32(0, value);
    return bytes(0xca, 4);
  }
  view.setFloat64(0, value);
  return bytes(0xcb, 8);
}

function packInteger(value: number): string {
  if (value >= 0) {
    if (value <= 0x7f) return String.fromCharCode(value);
    if (value <= 0xff) return unsigned(0xcc, 1, value);
    if (value <= 0xffff) return unsigned(0xcd, 2, value);
    if (value <= 0xffff_ffff) return unsigned(0xce, 4, value);
    view.setBigUint64(0, BigInt(value));
    return bytes(0xcf, 8);
  }
  if (value >= -32) return String.fromCharCode(256 + value);
  if (value >= -0x80) return unsigned(0xd0, 1, value);
  if (value >= -0x8000) return unsigned(0xd1, 2, value);
  if (value >= -0x8000_0000) return unsigned(0xd2, 4, value);
  view.setBigInt64(0, BigInt(value));
  return bytes(0xd3, 8);
}

function packString(text: string): string {
  const { length } = text;
  if (length < 32) return String.fromCharCode(0xa0 | length) + text;
  if (length <= 0xff) return unsigned(0xd9, 1, length) + text;
  if (length <= 0xffff) return unsigned(0xda, 2, length) + text;
  return unsigned(0xdb, 4, length) + text;
}

/** The head of an array or map: a short form for up to fifteen members, else 16 or 32 bits. */
function head(count: number, short: number, long: number): string {
  if (count <= 15) return String.fromCharCode(short | count);
  return count <= 0xffff ? unsigned(long, 2, count) : unsigned(long + 1, 4, count);
}

/** Whether the keys are exactly 1..n. */
function isArray(table: LuaTable): boolean {
  let count = 0;
  let maximum = 0;
  for (const cursor = new TableCursor(table, undefined); cursor.advance(); ) {
    const { key } = cursor;
    if (typeof key !== 'number' || key <= 0 || !Number.isInteger(key)) return false;
    if (key > maximum) maximum = key;
    count++;
  }
  return maximum === count;
}

function packArray(table: LuaTable, depth: number): string {
  const count = table.length();
  const parts = [head(count, 0x90, 0xdc)];
  for (let i = 1; i <= count; i++) parts.push(packValue(table.getNumber(i), depth));
  return parts.join('');
}

function packMap(table: LuaTable, depth: number): string {
  const parts: string[] = [];
  let count = 0;
  for (const cursor = new TableCursor(table, undefined); cursor.advance(); ) {
    parts.push(packValue(cursor.key, depth), packValue(cursor.value, depth));
    count++;
  }
  return head(count, 0x80, 0xde) + parts.join('');
}
