import { fail } from './errors.js';
import { type TraversalOrder, traversalOrder } from './table-order.js';
import { LuaObject, type LuaValue } from './value.js';

/** Up to this many keys are searched linearly. A table with more keys has a Map. */
const SMALL = 8;

/** A larger table raises Lua's memory error, well before the process runs out of memory. */
const MAXIMUM_SIZE = 1 << 24;

/** Where a key was found last, for `getConstant`. */
export interface KeyHint {
  at: number;
}

/**
 * A Lua table: elements 1..n in a JavaScript array, all other keys in parallel arrays of keys and values in the order
 * of insertion. A removed key remains, with an undefined value, until a later insertion packs the keys. A traversal may
 * therefore remove the key it visits, as Lua allows.
 */
export class LuaTable extends LuaObject {
  metatable: LuaTable | undefined = undefined;
  /** Element i is at i - 1; the last one is never nil. */
  array: LuaValue[];
  keys: LuaValue[];
  values: LuaValue[];
  /** Determines the order of traversal: see TableHistory. Undefined while keys were only added, one by one. */
  #events: number[] | undefined = undefined;
  #eventedLength = 0;
  #positions: Map<LuaValue, number> | undefined = undefined;
  #integerKeys = 0;
  #removed = 0;
  #readonly = false;
  #hasHoles = false;
  /** The number of array slots that Lua would have reserved. Only relevant to the length of arrays with holes. */
  #reserved: number;
  #arrayHint: number;
  #hashHint: number;
  #order: TraversalOrder | undefined = undefined;
  /** The index of each entry in the order's rest. */
  #places: Map<number, number> | undefined = undefined;

  /**
   * `hashHint` is the number of keys in a constructor. Lua reserves space for them, which is visible in the order of keys.
   * `keys`, if given, are a few different strings, with one value each.
   */
  constructor(
    array: LuaValue[] = [],
    hashHint = 0,
    keys: LuaValue[] = NO_KEYS,
    values: LuaValue[] = NO_KEYS,
  ) {
    super();
    this.keys = keys;
    this.values = values;
    this.#arrayHint = array.length;
    this.#hashHint = hashHint;
    this.#reserved = array.length;
    this.#eventedLength = array.length;
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

  /** The same for a constant of a script. `hint` remembers where it was found: most tables with named fields do not change. */
  getConstant(key: string, hint: KeyHint): LuaValue {
    const { at } = hint;
    if (at < this.keys.length && this.keys[at] === key) return this.values[at];
    const found = this.#find(key);
    if (found < 0) return undefined;
    hint.at = found;
    return this.values[found];
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

  /** Appends an element. Its successors may be in the hash part and are then moved to the array, too. */
  #appendWithHash(value: LuaValue): void {
    if (value === undefined) return;
    this.#append(value);
    for (;;) {
      const at = this.#find(this.array.length + 1);
      const moved = at < 0 ? undefined : this.values[at];
      if (moved === undefined) return;
      this.values[at] = undefined;
      this.#removed++;
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
    else this.#insert(key, value);
  }

  #setAt(at: number, value: LuaValue): void {
    const before = this.values[at];
    this.values[at] = value;
    if (before !== undefined && value !== undefined) return;
    if (before === undefined) this.#record(2 * at);
    if (value === undefined) this.#record(2 * at + 1);
    if ((before === undefined) !== (value === undefined)) this.#removed += value === undefined ? 1 : -1;
  }

  #record(event: number): void {
    if (this.#events === undefined) {
      if (event === 2 * this.keys.length && this.array.length <= this.#eventedLength) return;
      this.#events = this.keys.map((_, position) => 2 * position);
    }
    const events = this.#events;
    if (this.array.length > this.#eventedLength) {
      this.#eventedLength = this.array.length;
      events.push(-this.array.length);
    }
    // Adding and removing keys would make the history long. It is restarted at the next packing.
    if (events.length < 4 * this.keys.length + 64) events.push(event);
  }

  #insert(key: LuaValue, value: LuaValue): void {
    if (this.#removed > 8 && this.#removed * 2 > this.keys.length) this.#pack();
    if (this.keys.length >= MAXIMUM_SIZE) fail('not enough memory');
    this.#order = undefined;
    this.#places = undefined;
    if (typeof key === 'number') this.#integerKeys++;
    if (this.keys === NO_KEYS) {
      this.keys = [];
      this.values = [];
    }
    this.#record(2 * this.keys.length);
    this.#positions?.set(key, this.keys.length);
    this.keys.push(key);
    this.values.push(value);
    if (value === undefined) {
      // Lua allocates a node for a key even if nil is assigned, which is visible in the order of keys.
      this.#removed++;
      this.#record(2 * this.keys.length - 1);
    }
    if (this.keys.length > SMALL && this.#positions === undefined) this.#indexKeys();
  }

  #indexKeys(): void {
    const positions = new Map<LuaValue, number>();
    for (let i = 0; i < this.keys.length; i++) positions.set(this.keys[i], i);
    this.#positions = positions;
  }

  /** Discards removed keys. Creates new arrays, so that a cursor on the old ones detects the change. */
  #pack(): void {
    const { keys, values } = this;
    this.keys = [];
    this.values = [];
    this.#events = undefined;
    this.#eventedLength = this.array.length;
    this.#arrayHint = this.array.length;
    this.#hashHint = 0;
    this.#integerKeys = 0;
    for (let i = 0; i < keys.length; i++) {
      if (values[i] === undefined) continue;
      if (typeof keys[i] === 'number') this.#integerKeys++;
      this.keys.push(keys[i]);
      this.values.push(values[i]);
    }
    this.#removed = 0;
    this.#positions = undefined;
    if (this.keys.length > SMALL) this.#indexKeys();
  }

  /** A border: n such that element n exists and n + 1 does not. The same border that Lua returns. */
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

  /** The order in which Lua visits the table. */
  order(): TraversalOrder {
    if (this.keys.length === 0) return ELEMENTS_ONLY;
    if (this.#order === undefined) {
      const history = {
        keys: this.keys,
        events: this.#events ?? this.keys.map((_, position) => 2 * position),
        arrayHint: this.#arrayHint,
        hashHint: this.#hashHint,
      };
      this.#order = traversalOrder(history, this.array.length);
    }
    return this.#order;
  }

  /**
   * The place after a key in a traversal: up to the order's `leading` an element, then the rest counted from there.
   * -1 when there is no such key.
   */
  placeAfter(key: LuaValue): number {
    if (key === undefined) return 0;
    const { leading, rest } = this.order();
    const isInteger = typeof key === 'number' && Number.isInteger(key) && key >= 1;
    if (isInteger && key <= Math.min(leading, Math.max(this.array.length, this.#reserved))) return key;
    if (this.#places === undefined) {
      this.#places = new Map();
      for (let place = 0; place < rest.length; place++) this.#places.set(rest[place] as number, place);
    }
    const position = isInteger && this.#places.has(-key) ? -key : this.#find(key);
    const place = this.#places.get(position);
    return place === undefined ? -1 : leading + place + 1;
  }
}

/** Shared by all tables without keys; never changed. */
const NO_KEYS: LuaValue[] = [];

const ELEMENTS_ONLY: TraversalOrder = { leading: Infinity, rest: [] };

function powerOfTwo(atLeast: number): number {
  return atLeast <= 1 ? atLeast : 2 ** (32 - Math.clz32(atLeast - 1));
}

/** Iterates over a table as `pairs` does. Existing fields may be assigned, also nil, during the iteration. */
export class TableCursor {
  key: LuaValue = undefined;
  value: LuaValue = undefined;
  readonly #table: LuaTable;
  readonly #order: TraversalOrder;
  readonly #keys: LuaValue[];
  #place: number;

  constructor(table: LuaTable, after: LuaValue) {
    this.#table = table;
    this.#keys = table.keys;
    this.#order = table.order();
    this.#place = table.placeAfter(after);
    if (this.#place < 0) fail("invalid key to 'next'");
  }

  advance(): boolean {
    const { array } = this.#table;
    const { leading } = this.#order;
    while (this.#place < leading) {
      if (this.#place >= array.length) {
        this.#place = leading;
        break;
      }
      const value = array[this.#place++];
      if (value === undefined) continue;
      this.key = this.#place;
      this.value = value;
      return true;
    }
    return this.#advanceInRest();
  }

  #advanceInRest(): boolean {
    const table = this.#table;
    const { leading, rest } = this.#order;
    while (this.#place - leading < rest.length) {
      const entry = rest[this.#place++ - leading] as number;
      const key = entry < 0 ? -entry : this.#keys[entry];
      const value = entry >= 0 && this.#keys === table.keys ? table.values[entry] : table.get(key);
      if (value === undefined) continue;
      this.key = key;
      this.value = value;
      return true;
    }
    return false;
  }
}
