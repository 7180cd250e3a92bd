import { fail } from './errors.js';
import { nodeOrder } from './table-order.js';
import { LuaObject, type LuaValue } from './value.js';

/** Up to this many keys are found by looking at each of them; more get a Map. */
const SMALL = 8;

/** More elements than this are refused with Lua's memory error, well before the process runs out. */
const MAXIMUM_SIZE = 1 << 24;

/**
 * A Lua table: elements 1..n in a JavaScript array, all other keys in parallel arrays of keys and values in the order
 * of insertion. A removed key stays, with an undefined value, until keys are packed at a later insertion: so that a
 * traversal may remove what it visits, as Lua allows.
 */
export class LuaTable extends LuaObject {
  metatable: LuaTable | undefined = undefined;
  /** Element i is at i - 1; the last one is never nil. */
  array: LuaValue[];
  keys: LuaValue[] = [];
  values: LuaValue[] = [];
  /** For each key, how many elements the array had when it came: decides the order of traversal. */
  #arrivals: number[] = [];
  #positions: Map<LuaValue, number> | undefined = undefined;
  #integerKeys = 0;
  #removed = 0;
  #readonly = false;
  #hasHoles = false;
  /** How many array slots Lua would have reserved; only matters for the length of arrays with holes. */
  #reserved: number;
  readonly #arrayHint: number;
  readonly #hashHint: number;
  /** Positions of keys in the order Lua's `next` visits them; undefined when not computed. */
  #order: number[] | undefined = undefined;
  /** The inverse of the order. */
  #places: number[] | undefined = undefined;

  /** `hashHint` is how many keys a constructor names; Lua reserves room for them, which shows in the order of keys. */
  constructor(array: LuaValue[] = [], hashHint = 0) {
    super();
    this.#arrayHint = array.length;
    this.#hashHint = hashHint;
    this.#reserved = array.length;
    this.array = array;
    if (array.length > 0) this.#inspectElements();
  }

  get typeName(): 'table' {
    return 'table';
  }

  get readonly(): boolean {
    return this.#readonly;
  }

  /** From now on every assignment, raw or not, raises Redis's error. */
  protect(): void {
    this.#readonly = true;
  }

  unprotect(): void {
    this.#readonly = false;
  }

  #inspectElements(): void {
    const { array } = this;
    while (array.length > 0 && array[array.length - 1] === undefined) array.pop();
    this.#hasHoles = array.includes(undefined);
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'number') return this.getNumber(key);
    const at = this.#find(key);
    return at < 0 ? undefined : this.values[at];
  }

  getString(key: string): LuaValue {
    const at = this.#find(key);
    return at < 0 ? undefined : this.values[at];
  }

  getNumber(key: number): LuaValue {
    const index = (key - 1) | 0;
    if (index === key - 1 && index >= 0 && index < this.array.length) return this.array[index];
    if (this.#integerKeys === 0) return undefined;
    const at = this.#find(key);
    return at < 0 ? undefined : this.values[at];
  }

  /** Raw assignment. The key must not be nil or NaN: see {@link checkKey}. */
  set(key: LuaValue, value: LuaValue): void {
    if (this.#readonly) fail('Attempt to modify a readonly table');
    if (typeof key === 'number') this.setNumber(key, value);
    else this.#setHash(key, value);
  }

  setNumber(key: number, value: LuaValue): void {
    if (this.#readonly) fail('Attempt to modify a readonly table');
    const { array } = this;
    const index = (key - 1) | 0;
    if (index === key - 1 && index >= 0 && index <= array.length) {
      if (index < array.length) {
        array[index] = value;
        if (value === undefined) this.#leaveHole(index);
      } else if (this.#integerKeys > 0) {
        this.#appendWithHash(value);
      } else if (value !== undefined) {
        this.#append(value);
      }
      return;
    }
    this.#setHash(key, value);
  }

  #append(value: LuaValue): void {
    const { array } = this;
    array.push(value);
    if (array.length > this.#reserved) {
      if (array.length > MAXIMUM_SIZE) fail('not enough memory');
      this.#reserved = powerOfTwo(array.length);
    }
  }

  /** An element behind the last one, when its successors may lie in the hash part: they follow it. */
  #appendWithHash(value: LuaValue): void {
    if (value === undefined) return;
    this.#append(value);
    for (;;) {
      const at = this.#find(this.array.length + 1);
      const moved = at < 0 ? undefined : this.values[at];
      if (moved === undefined) return;
      this.#setAt(at, undefined);
      this.#append(moved);
    }
  }

  #leaveHole(index: number): void {
    const { array } = this;
    if (index < array.length - 1) {
      this.#hasHoles = true;
      return;
    }
    array.pop();
    if (!this.#hasHoles) return;
    while (array.length > 0 && array[array.length - 1] === undefined) array.pop();
    if (array.length === 0) this.#hasHoles = false;
  }

  #find(key: LuaValue): number {
    if (this.#positions !== undefined) return this.#positions.get(key) ?? -1;
    return this.keys.indexOf(key);
  }

  #setHash(key: LuaValue, value: LuaValue): void {
    const at = this.#find(key);
    if (at >= 0) this.#setAt(at, value);
    else if (value !== undefined) this.#insert(key, value);
  }

  #setAt(at: number, value: LuaValue): void {
    const before = this.values[at];
    this.values[at] = value;
    if ((before === undefined) === (value === undefined)) return;
    this.#removed += value === undefined ? 1 : -1;
  }

  #insert(key: LuaValue, value: LuaValue): void {
    const { keys } = this;
    if (this.#removed > 8 && this.#removed * 2 > keys.length) this.#pack();
    if (keys.length >= MAXIMUM_SIZE) fail('not enough memory');
    this.#order = undefined;
    this.#places = undefined;
    if (typeof key === 'number') this.#integerKeys++;
    this.#positions?.set(key, this.keys.length);
    this.keys.push(key);
    this.values.push(value);
    this.#arrivals.push(this.array.length);
    if (this.keys.length > SMALL && this.#positions === undefined) this.#indexKeys();
  }

  #indexKeys(): void {
    const positions = new Map<LuaValue, number>();
    for (let i = 0; i < this.keys.length; i++) positions.set(this.keys[i], i);
    this.#positions = positions;
  }

  /** Forgets removed keys. Makes new arrays: a cursor that holds the old ones notices. */
  #pack(): void {
    const { keys, values } = this;
    const arrivals = this.#arrivals;
    this.keys = [];
    this.values = [];
    this.#arrivals = [];
    this.#integerKeys = 0;
    for (let i = 0; i < keys.length; i++) {
      if (values[i] === undefined) continue;
      if (typeof keys[i] === 'number') this.#integerKeys++;
      this.keys.push(keys[i]);
      this.values.push(values[i]);
      this.#arrivals.push(arrivals[i] as number);
    }
    this.#removed = 0;
    this.#positions = undefined;
    if (this.keys.length > SMALL) this.#indexKeys();
  }

  /** A border: n such that element n is there and n + 1 is not, chosen as Lua chooses it. */
  length(): number {
    const { array } = this;
    if (this.#hasHoles) return this.#borderAmongHoles();
    return this.#integerKeys === 0 ? array.length : this.#borderInHash(array.length);
  }

  #borderAmongHoles(): number {
    const { array } = this;
    let above = Math.max(this.#reserved, array.length);
    if (array.length === above) return this.#borderInHash(above);
    let below = 0;
    while (above - below > 1) {
      const middle = Math.floor((below + above) / 2);
      if (array[middle - 1] === undefined) above = middle;
      else below = middle;
    }
    return below;
  }

  #borderInHash(from: number): number {
    let border = from;
    while (this.getNumber(border + 1) !== undefined) border++;
    return border;
  }

  /** Positions of keys in Lua's order of traversal. */
  order(): number[] {
    this.#order ??= nodeOrder(this.keys, this.values, this.#arrivals, this.#arrayHint, this.#hashHint);
    return this.#order;
  }

  /**
   * The place after a key in a traversal: 0..n-1 are elements, further ones follow {@link order}; -1 when there is no
   * such key.
   */
  placeAfter(key: LuaValue): number {
    if (key === undefined) return 0;
    if (typeof key === 'number') {
      const index = key - 1;
      if (Number.isInteger(index) && index >= 0 && index < Math.max(this.array.length, this.#reserved))
        return Math.min(index + 1, this.array.length);
    }
    const at = this.#find(key);
    return at < 0 ? -1 : this.array.length + this.#placeInOrder(at) + 1;
  }

  #placeInOrder(at: number): number {
    const order = this.order();
    if (this.#places === undefined) {
      this.#places = [];
      for (let place = 0; place < order.length; place++) this.#places[order[place] as number] = place;
    }
    return this.#places[at] ?? order.length;
  }
}

function powerOfTwo(atLeast: number): number {
  return atLeast <= 1 ? atLeast : 2 ** (32 - Math.clz32(atLeast - 1));
}

/** Walks over a table as `pairs` does. Assigning to existing fields, nil included, is allowed meanwhile. */
export class TableCursor {
  key: LuaValue = undefined;
  value: LuaValue = undefined;
  readonly #table: LuaTable;
  #place: number;
  #order: number[] | undefined = undefined;
  #keys: LuaValue[];
  #arrayLength = -1;

  constructor(table: LuaTable, after: LuaValue) {
    this.#table = table;
    this.#keys = table.keys;
    this.#place = table.placeAfter(after);
    if (this.#place < 0) fail("invalid key to 'next'");
    if (this.#place > table.array.length) this.#arrayLength = table.array.length;
  }

  advance(): boolean {
    const { array } = this.#table;
    while (this.#arrayLength < 0) {
      if (this.#place >= array.length) {
        this.#place = 0;
        this.#arrayLength = 0;
        break;
      }
      const value = array[this.#place++];
      if (value === undefined) continue;
      this.key = this.#place;
      this.value = value;
      return true;
    }
    return this.#advanceInHash();
  }

  #advanceInHash(): boolean {
    const table = this.#table;
    if (this.#order === undefined) {
      this.#keys = table.keys;
      this.#order = table.order();
      this.#place -= this.#arrayLength;
    }
    while (this.#place < this.#order.length) {
      const at = this.#order[this.#place++] as number;
      const key = this.#keys[at];
      const value = this.#keys === table.keys ? table.values[at] : table.get(key);
      if (value === undefined) continue;
      this.key = key;
      this.value = value;
      return true;
    }
    return false;
  }
}
