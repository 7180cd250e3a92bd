import { formatGeneral, numberToString } from '../../runtime/number.js';
import { LuaTable, TableCursor } from '../../runtime/table.js';
import { type LuaValue, typeName, Userdata } from '../../runtime/value.js';
import { failInside, raisingNestedFailures } from '../nested-failure.js';
import type { JsonSettings } from './json-settings.js';

const NEEDS_ESCAPE = /["\\/\x00-\x1f\x7f]/g;
const ESCAPES = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['/', '\\/'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
]);

export function encodeJson(value: LuaValue, settings: JsonSettings): string {
  return raisingNestedFailures(() => encodeValue(value, settings, 0));
}

function encodeValue(value: LuaValue, settings: JsonSettings, depth: number): string {
  switch (typeof value) {
    case 'undefined':
      return 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return encodeNumber(value, settings);
    case 'string':
      return encodeString(value);
    default:
      if (value instanceof LuaTable) return encodeTable(value, settings, depth + 1);
      if (value instanceof Userdata) return 'null';
      return failInside(`Cannot serialise ${typeName(value)}: type not supported`);
  }
}

function encodeString(text: string): string {
  NEEDS_ESCAPE.lastIndex = 0;
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`;
  const escaped = text.replace(
    NEEDS_ESCAPE,
    (character) => ESCAPES.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

function encodeNumber(value: number, settings: JsonSettings): string {
  if (!Number.isFinite(value)) {
    if (settings.encodeInvalidNumbers === 'null') return 'null';
    if (settings.encodeInvalidNumbers === 'off')
      failInside('Cannot serialise number: must not be NaN or Inf');
    if (Number.isNaN(value)) return 'nan';
  }
  return settings.numberPrecision === 14
    ? numberToString(value)
    : formatGeneral(value, settings.numberPrecision);
}

function encodeTable(table: LuaTable, settings: JsonSettings, depth: number): string {
  if (depth > settings.encodeMaxDepth) failInside(`Cannot serialise, excessive nesting (${depth})`);
  const length = arrayLength(table, settings);
  if (length > 0) {
    const parts: string[] = [];
    for (let i = 1; i <= length; i++) parts.push(encodeValue(table.getNumber(i), settings, depth));
    return `[${parts.join(',')}]`;
  }
  const parts: string[] = [];
  for (const cursor = new TableCursor(table, undefined); cursor.advance(); ) {
    parts.push(`${encodeKey(cursor.key, settings)}:${encodeValue(cursor.value, settings, depth)}`);
  }
  return `{${parts.join(',')}}`;
}

function encodeKey(key: LuaValue, settings: JsonSettings): string {
  if (typeof key === 'string') return encodeString(key);
  if (typeof key === 'number') return `"${encodeNumber(key, settings)}"`;
  return failInside(`Cannot serialise ${typeName(key)}: table key must be a number or string`);
}

/** The largest key of a table with positive integer keys only; -1 for any other table, which becomes an object. */
function arrayLength(table: LuaTable, settings: JsonSettings): number {
  let maximum = 0;
  let items = 0;
  for (const cursor = new TableCursor(table, undefined); cursor.advance(); ) {
    const { key } = cursor;
    if (typeof key !== 'number' || key < 1 || !Number.isInteger(key)) return -1;
    if (key > maximum) maximum = key;
    items++;
  }
  const { sparseRatio, sparseSafe } = settings;
  if (sparseRatio > 0 && maximum > items * sparseRatio && maximum > sparseSafe) {
    if (!settings.sparseConvert) failInside('Cannot serialise table: excessively sparse array');
    return -1;
  }
  return maximum;
}
