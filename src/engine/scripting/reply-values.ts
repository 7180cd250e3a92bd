import { LuaTable, type LuaValue, TableCursor } from '../../lua/index.js';
import type { Reply } from '../../resp/reply.js';

/** A table that is being replied: an array by index, a map or set by cursor. */
type OpenTable =
  | { readonly kind: 'array'; readonly table: LuaTable; readonly length: number; next: number }
  | { readonly kind: 'map' | 'set'; readonly cursor: TableCursor };

export interface ReplyContext {
  /** Whether booleans are replied as such: the script has chosen RESP3. */
  readonly hasBooleans: boolean;
  /** Called for an error object that the script returned. */
  onError(text: string, table: LuaTable): void;
}

/** Replies with a script's result. Tables may nest as deep as Lua's C stack would allow. */
export function replyWith(reply: Reply, value: LuaValue, context: ReplyContext): void {
  const open: OpenTable[] = [];
  replyOne(reply, value, context, open);
  while (open.length > 0) {
    const top = open[open.length - 1] as OpenTable;
    if (top.kind === 'array') {
      if (top.next > top.length) open.pop();
      else replyOne(reply, top.table.getNumber(top.next++), context, open);
    } else if (top.cursor.advance()) {
      const { key, value: entry } = top.cursor;
      replyKey(reply, key, context);
      if (top.kind === 'map') replyOne(reply, entry, context, open);
    } else {
      open.pop();
    }
  }
}

/** Replies a key of a map completely, before its value. */
function replyKey(reply: Reply, key: LuaValue, context: ReplyContext): void {
  if (key instanceof LuaTable) replyWith(reply, key, context);
  else replyOne(reply, key, context, []);
}

function replyOne(reply: Reply, value: LuaValue, context: ReplyContext, open: OpenTable[]): void {
  switch (typeof value) {
    case 'string':
      reply.bulkText(value);
      break;
    case 'number':
      replyNumber(reply, value);
      break;
    case 'boolean':
      if (context.hasBooleans) reply.boolean(value);
      else if (value) reply.integer(1);
      else reply.null();
      break;
    default:
      if (!(value instanceof LuaTable)) reply.null();
      else if (open.length >= MAX_DEPTH) reply.error('ERR reached lua stack limit');
      else replyTable(reply, value, context, open);
  }
}

/** Converts like C from double to 64-bit integer: rounds towards zero; out of range gives the minimum. */
function replyNumber(reply: Reply, value: number): void {
  if (Number.isSafeInteger(value)) reply.integer(value === 0 ? 0 : value);
  else {
    const whole = Math.trunc(value);
    if (Number.isSafeInteger(whole)) reply.integer(whole === 0 ? 0 : whole);
    else reply.integer64(whole >= -TWO_TO_63 && whole < TWO_TO_63 ? BigInt(whole) : LEAST);
  }
}

function replyTable(reply: Reply, table: LuaTable, context: ReplyContext, open: OpenTable[]): void {
  // Most tables are plain arrays, without named fields.
  if (table.keys.length > 0 && replyByField(reply, table, context, open)) return;
  let length = 0;
  while (table.getNumber(length + 1) !== undefined) length++;
  reply.array(length);
  if (length > 0) open.push({ kind: 'array', table, length, next: 1 });
}

/** Replies a table whose type is given by a field (`ok`, `err`, `double` …). Returns false for other tables. */
function replyByField(reply: Reply, table: LuaTable, context: ReplyContext, open: OpenTable[]): boolean {
  const error = table.getString('err');
  if (typeof error === 'string') {
    context.onError(error, table);
    reply.error(error);
    return true;
  }
  const status = table.getString('ok');
  if (typeof status === 'string') {
    reply.status(withoutLineEnds(status));
    return true;
  }
  const double = table.getString('double');
  if (typeof double === 'number') {
    reply.double(double);
    return true;
  }
  for (const kind of ['map', 'set'] as const) {
    const entries = table.getString(kind);
    if (!(entries instanceof LuaTable)) continue;
    const size = sizeOf(entries);
    if (kind === 'map') reply.map(size);
    else reply.set(size);
    open.push({ kind, cursor: new TableCursor(entries, undefined) });
    return true;
  }
  const digits = table.getString('big_number');
  if (typeof digits === 'string') {
    reply.bigNumber(withoutLineEnds(digits));
    return true;
  }
  return replyVerbatim(reply, table.getString('verbatim_string'));
}

function replyVerbatim(reply: Reply, parts: LuaValue): boolean {
  if (!(parts instanceof LuaTable)) return false;
  const format = parts.getString('format');
  const text = parts.getString('string');
  if (typeof format !== 'string' || typeof text !== 'string') return false;
  reply.verbatim(format.slice(0, 3).padEnd(3, ' '), text);
  return true;
}

function sizeOf(table: LuaTable): number {
  let size = 0;
  for (const cursor = new TableCursor(table, undefined); cursor.advance(); ) size++;
  return size;
}

function withoutLineEnds(text: string): string {
  return text.replace(/[\r\n]/g, ' ');
}

/** The nesting at which Redis runs out of Lua's C stack. */
const MAX_DEPTH = 7995;
const TWO_TO_63 = 2 ** 63;
const LEAST = -(2n ** 63n);
