import { charCodeAt } from '../../bytes/text.js';
import { addressOf, type LuaValue } from './value.js';

/**
 * The order in which Lua 5.1 iterates over a table. Scripts can see it in `pairs` and in the output of cjson and cmsgpack. It
 * depends on where Lua's own hash table stores each key, hence on the order of insertions. Our tables have another layout. When
 * the order is needed, the insertions are repeated in a model of Lua's table, without values.
 */
export interface TraversalOrder {
  /** The number of elements that come first. */
  readonly leading: number;
  /** The rest of the order: the position of a key, or -n for element n. */
  readonly rest: readonly number[];
}

/** The changes of a table since it was created. */
export interface TableHistory {
  readonly keys: readonly LuaValue[];
  /** 2 * position: that key was assigned. 2 * position + 1: it was removed. -n: there were n elements by then. */
  readonly events: readonly number[];
  /** Space reserved by the constructor. */
  readonly arrayHint: number;
  readonly hashHint: number;
}

export function traversalOrder(history: TableHistory, elements: number): TraversalOrder {
  const model = new TableModel(roundUp(history.arrayHint), roundUp(history.hashHint));
  let known = 0;
  const growTo = (count: number): void => {
    for (let i = known + 1; i <= count; i++) model.set(i, -i);
    known = Math.max(known, count);
  };
  growTo(history.arrayHint);
  for (const event of history.events) {
    if (event < 0) growTo(-event);
    else if (event % 2 === 0) model.set(history.keys[event / 2], event / 2);
    else model.remove(history.keys[(event - 1) / 2]);
  }
  growTo(elements);
  return complete(model, history.keys, elements);
}

/** Ensures that every key appears, even if the model misses it. */
function complete(model: TableModel, keys: readonly LuaValue[], elements: number): TraversalOrder {
  const leading = Math.min(model.arraySize, elements);
  const rest: number[] = [];
  const seen = new Set<number>();
  // Keys in Lua's array part that are after a gap, hence not among our elements.
  const isFurther = (key: LuaValue) => typeof key === 'number' && model.isInArray(key) && key > elements;
  const further = keys.flatMap((key, position) => (isFurther(key) ? [position] : []));
  further.sort((a, b) => (keys[a] as number) - (keys[b] as number));
  for (const position of further) {
    seen.add(position);
    rest.push(position);
  }
  const positions = new Map<LuaValue, number>();
  keys.forEach((key, position) => {
    if (typeof key === 'number') positions.set(key, position);
  });
  for (const entry of model.entries()) {
    const key = entry < 0 ? -entry : keys[entry];
    const isElement = typeof key === 'number' && Number.isInteger(key) && key >= 1 && key <= elements;
    // The model may store as an element what we store as a key, or the reverse, or may contain a removed key.
    const place = isElement ? -key : entry < 0 ? positions.get(key) : entry;
    if (place === undefined) continue;
    seen.add(place);
    rest.push(place);
  }
  for (let i = leading + 1; i <= elements; i++) if (!seen.has(-i)) rest.push(-i);
  for (let position = 0; position < keys.length; position++) if (!seen.has(position)) rest.push(position);
  return { leading, rest };
}

/** Lua stores the sizes of a constructor in a byte: three bits of mantissa. */
function roundUp(size: number): number {
  let mantissa = size;
  let exponent = 0;
  while (mantissa >= 16) {
    mantissa = (mantissa + 1) >> 1;
    exponent++;
  }
  return mantissa * 2 ** exponent;
}

const NONE = -1;

/** A model of Lua's table: an array part, and a vector of chained nodes. Colliding keys take free nodes from its end. */
class TableModel {
  arraySize: number;
  #array = new Set<number>();
  #keys: LuaValue[] = [];
  #entries: number[] = [];
  #live: boolean[] = [];
  #next: number[] = [];
  #lastFree = 0;
  /** The node of each key in the vector, live or removed. */
  #nodes = new Map<LuaValue, number>();

  constructor(arraySize: number, hashSize: number) {
    this.arraySize = arraySize;
    this.#resizeNodes(hashSize);
  }

  /** Live nodes in their order. */
  *entries(): Iterable<number> {
    for (let node = 0; node < this.#keys.length; node++) {
      if (this.#live[node]) yield this.#entries[node] as number;
    }
  }

  set(key: LuaValue, entry: number): void {
    if (this.isInArray(key)) {
      this.#array.add(key as number);
      return;
    }
    const node = this.#nodes.get(key);
    if (node === undefined) this.#insert(key, entry);
    else {
      this.#live[node] = true;
      this.#entries[node] = entry;
    }
  }

  remove(key: LuaValue): void {
    if (this.isInArray(key)) this.#array.delete(key as number);
    const node = this.#nodes.get(key);
    if (node !== undefined) this.#live[node] = false;
  }

  isInArray(key: LuaValue): boolean {
    return typeof key === 'number' && key >= 1 && key <= this.arraySize && Number.isInteger(key);
  }

  #resizeNodes(count: number): void {
    const size = count === 0 ? 0 : 2 ** Math.ceil(Math.log2(count));
    this.#keys = new Array<LuaValue>(size).fill(undefined);
    this.#entries = new Array<number>(size).fill(0);
    this.#live = new Array<boolean>(size).fill(false);
    this.#next = new Array<number>(size).fill(NONE);
    this.#nodes = new Map();
    this.#lastFree = size;
  }

  #insert(key: LuaValue, entry: number): void {
    if (this.#keys.length === 0) {
      this.#rehash(key, entry);
      return;
    }
    let node = this.#mainPosition(key);
    if (this.#live[node]) {
      const free = this.#freeNode();
      if (free === NONE) {
        this.#rehash(key, entry);
        return;
      }
      const home = this.#mainPosition(this.#keys[node]);
      if (home === node) {
        this.#next[free] = this.#next[node] as number;
        this.#next[node] = free;
        node = free;
      } else this.#moveAway(node, home, free);
    }
    const replaced = this.#keys[node];
    if (replaced !== undefined && this.#nodes.get(replaced) === node) this.#nodes.delete(replaced);
    this.#keys[node] = key;
    this.#entries[node] = entry;
    this.#live[node] = true;
    this.#nodes.set(key, node);
  }

  /** The node holds a key of another chain: moves that key to a free node and relinks its chain. */
  #moveAway(node: number, home: number, free: number): void {
    let previous = home;
    while (this.#next[previous] !== node) previous = this.#next[previous] as number;
    this.#next[previous] = free;
    this.#keys[free] = this.#keys[node];
    this.#entries[free] = this.#entries[node] as number;
    this.#live[free] = true;
    this.#next[free] = this.#next[node] as number;
    this.#nodes.set(this.#keys[free], free);
    this.#next[node] = NONE;
    this.#live[node] = false;
    this.#keys[node] = undefined;
  }

  #freeNode(): number {
    while (this.#lastFree > 0) {
      this.#lastFree--;
      if (this.#keys[this.#lastFree] === undefined) return this.#lastFree;
    }
    return NONE;
  }

  /** Chooses new sizes, including the key that did not fit, and inserts all keys again. */
  #rehash(key: LuaValue, entry: number): void {
    const counts = new Array<number>(54).fill(0);
    let integers = 0;
    let total = 1;
    const count = (candidate: LuaValue): void => {
      if (typeof candidate !== 'number' || !Number.isInteger(candidate)) return;
      if (candidate < 1 || candidate > 2 ** 26) return;
      integers++;
      const slice = Math.ceil(Math.log2(candidate));
      counts[slice] = (counts[slice] as number) + 1;
    };
    for (const element of this.#array) count(element);
    total += this.#array.size;
    for (let node = 0; node < this.#keys.length; node++) {
      if (!this.#live[node]) continue;
      count(this.#keys[node]);
      total++;
    }
    count(key);
    const [arraySize, inArray] = arrayPart(counts, integers);
    this.#resize(arraySize, total - inArray);
    this.set(key, entry);
  }

  #resize(arraySize: number, hashSize: number): void {
    const keys = this.#keys;
    const entries = this.#entries;
    const live = this.#live;
    const elements = this.#array;
    this.arraySize = arraySize;
    this.#array = new Set();
    this.#resizeNodes(hashSize);
    for (const element of elements) this.set(element, -element);
    for (let node = keys.length - 1; node >= 0; node--) {
      if (live[node]) this.set(keys[node], entries[node] as number);
    }
  }

  #mainPosition(key: LuaValue): number {
    const size = this.#keys.length;
    switch (typeof key) {
      case 'string':
        return hashOfString(key) & (size - 1);
      case 'number':
        return key === 0 ? 0 : hashOfNumber(key) % ((size - 1) | 1);
      case 'boolean':
        return (key ? 1 : 0) & (size - 1);
      case 'undefined':
        return 0;
      default:
        return Number.parseInt(addressOf(key).slice(-7), 16) % ((size - 1) | 1);
    }
  }
}

/** The largest power of two such that more than half of the slots up to it are used, and the number of used slots. */
function arrayPart(counts: readonly number[], integers: number): [size: number, used: number] {
  let size = 0;
  let used = 0;
  let sum = 0;
  for (let i = 0, limit = 1; limit / 2 < integers; i++, limit *= 2) {
    sum += counts[i] ?? 0;
    if ((counts[i] ?? 0) > 0 && sum > limit / 2) {
      size = limit;
      used = sum;
    }
    if (sum === integers) break;
  }
  return [size, used];
}

/** Redis's Lua hashes the whole string; the original Lua hashes only some characters of long strings. */
function hashOfString(text: string): number {
  let hash = text.length;
  for (let i = text.length - 1; i >= 0; i--) {
    hash = (hash ^ ((hash << 5) + (hash >>> 2) + charCodeAt(text, i))) >>> 0;
  }
  return hash;
}

const words = new DataView(new ArrayBuffer(8));

function hashOfNumber(value: number): number {
  words.setFloat64(0, value);
  return (words.getUint32(0) + words.getUint32(4)) >>> 0;
}
