import { quote } from '../../../bytes/quoting.js';
import {
  addressOf,
  Coroutine,
  formatGeneral,
  LuaTable,
  type LuaValue,
  TableCursor,
} from '../../../lua/index.js';

/** A Lua value as the debugger shows it: `{"a"; 1}` for an array, `{["a"]=1}` for other tables. */
export function shownValue(value: LuaValue, depth = 0): string {
  if (depth === MAX_DEPTH) return '<max recursion level reached! Nested table?>';
  switch (typeof value) {
    case 'undefined':
      return 'nil';
    case 'string':
      return quote(value);
    case 'number':
      return formatGeneral(value, 6);
    case 'boolean':
      return String(value);
    case 'function':
      return shownObject('function', value);
    default:
      if (value instanceof LuaTable) return shownTable(value, depth + 1);
      return shownObject(value instanceof Coroutine ? 'thread' : 'userdata', value);
  }
}

function shownTable(table: LuaTable, depth: number): string {
  const elements: string[] = [];
  const fields: string[] = [];
  let isArray = true;
  for (const cursor = new TableCursor(table, undefined); cursor.advance(); ) {
    const { key, value } = cursor;
    elements.push(shownValue(value, depth));
    fields.push(`[${shownValue(key, depth)}]=${elements.at(-1)}`);
    if (key !== elements.length) isArray = false;
  }
  return `{${(isArray ? elements : fields).join('; ')}}`;
}

function shownObject(type: string, value: object): string {
  return `"${type}@${addressOf(value)}"`;
}

const MAX_DEPTH = 10;
