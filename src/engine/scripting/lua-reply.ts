import type { Bytes } from '../../bytes/bytes.js';
import { formatDouble } from '../../bytes/numbers/double.js';
import { latin1Text } from '../../bytes/short-text.js';
import { LuaTable, type LuaValue } from '../../lua/index.js';
import type { Reply } from '../../resp/reply.js';
import { errorTable, normalizedError } from './script-error.js';

type Kind = 'array' | 'map' | 'set' | 'attribute' | 'deferred';

/** An aggregate whose elements are not complete. */
interface OpenAggregate {
  kind: Kind;
  items: LuaValue[];
  /** The number of missing values; negative if not known yet. */
  missing: number;
}

/**
 * Turns replies of commands into Lua values: by default in RESP2 (maps are flat, null is false), after
 * `redis.setresp(3)` with the types of RESP3.
 */
export class LuaReply implements Reply {
  protocol = 2;
  /** The command's reply. */
  value: LuaValue = undefined;
  /** Whether the reply is an error. */
  isError = false;
  #open: OpenAggregate[] = [];
  #depth = 0;

  /** Forgets the last reply, complete or not. */
  reset(): void {
    this.value = undefined;
    this.isError = false;
    this.#depth = 0;
  }

  ok(): void {
    this.status('OK');
  }

  status(text: string): void {
    const table = new LuaTable();
    table.set('ok', text);
    this.#put(table);
  }

  error(text: string): void {
    this.#put(errorTable(normalizedError(text), true));
    if (this.#depth === 0) this.isError = true;
  }

  integer(value: number): void {
    this.#put(value);
  }

  integer64(value: bigint): void {
    this.#put(Number(value));
  }

  bulk(bytes: Bytes): void {
    this.#put(latin1Text(bytes.buf, bytes.start, bytes.end));
  }

  bulkText(text: string): void {
    this.#put(text);
  }

  bulkBuffer(buffer: Buffer, start: number, end: number): void {
    this.#put(latin1Text(buffer, start, end));
  }

  bulkInteger(value: number): void {
    this.#put(String(value));
  }

  bulkInteger64(value: bigint): void {
    this.#put(value.toString());
  }

  double(value: number): void {
    this.#put(this.protocol === 2 ? formatDouble(value) : single('double', value));
  }

  doubleText(text: string): void {
    this.#put(this.protocol === 2 ? text : single('double', Number(text)));
  }

  boolean(value: boolean): void {
    if (this.protocol === 2) this.#put(value ? 1 : 0);
    else this.#put(value);
  }

  verbatim(format: string, text: string): void {
    if (this.protocol === 2) {
      this.#put(text);
      return;
    }
    const parts = new LuaTable();
    parts.set('string', text);
    parts.set('format', format);
    this.#put(single('verbatim_string', parts));
  }

  bigNumber(digits: string): void {
    this.#put(this.protocol === 2 ? digits : single('big_number', digits));
  }

  null(): void {
    this.#put(this.protocol === 2 ? false : undefined);
  }

  nullArray(): void {
    this.null();
  }

  array(length: number): void {
    this.#begin('array', length);
  }

  map(pairs: number): void {
    this.#begin(this.protocol === 2 ? 'array' : 'map', pairs * 2);
  }

  set(length: number): void {
    this.#begin(this.protocol === 2 ? 'array' : 'set', length);
  }

  push(length: number): void {
    this.#begin('array', length);
  }

  attribute(pairs: number): void {
    this.#begin('attribute', pairs * 2);
  }

  defer(): number {
    this.#enter('deferred', -1);
    return this.#depth;
  }

  finishArray(mark: number, _length: number): void {
    this.#finish(mark, 'array');
  }

  finishMap(mark: number, _pairs: number): void {
    this.#finish(mark, this.protocol === 2 ? 'array' : 'map');
  }

  finishSet(mark: number, _length: number): void {
    this.#finish(mark, this.protocol === 2 ? 'array' : 'set');
  }

  #begin(kind: Kind, length: number): void {
    if (length === 0) this.#close(kind, []);
    else this.#enter(kind, length);
  }

  #enter(kind: Kind, missing: number): void {
    const open = this.#open[this.#depth];
    if (open === undefined) this.#open.push({ kind, items: [], missing });
    else {
      open.kind = kind;
      open.items = [];
      open.missing = missing;
    }
    this.#depth++;
  }

  #finish(mark: number, kind: Kind): void {
    this.#depth = mark - 1;
    this.#close(kind, (this.#open[this.#depth] as OpenAggregate).items);
  }

  #put(value: LuaValue): void {
    if (this.#depth === 0) {
      this.value = value;
      return;
    }
    const open = this.#open[this.#depth - 1] as OpenAggregate;
    open.items.push(value);
    if (--open.missing !== 0) return;
    this.#depth--;
    this.#close(open.kind, open.items);
  }

  #close(kind: Kind, items: LuaValue[]): void {
    if (kind === 'map') this.#put(single('map', pairsTable(items)));
    else if (kind === 'set') this.#put(single('set', membersTable(items)));
    else if (kind !== 'attribute') this.#put(new LuaTable(items));
  }
}

function single(name: string, value: LuaValue): LuaTable {
  const table = new LuaTable();
  table.set(name, value);
  return table;
}

function pairsTable(items: readonly LuaValue[]): LuaTable {
  const table = new LuaTable();
  for (let i = 0; i < items.length; i += 2) {
    if (items[i] !== undefined) table.set(items[i], items[i + 1]);
  }
  return table;
}

function membersTable(items: readonly LuaValue[]): LuaTable {
  const table = new LuaTable();
  for (const item of items) if (item !== undefined) table.set(item, true);
  return table;
}
