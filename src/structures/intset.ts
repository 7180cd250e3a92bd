import { type Bytes, copyBytes } from '../bytes/bytes.js';
import { parseInteger, parseInteger64 } from '../bytes/numbers/integer.js';
import { Arena } from './arena/arena.js';
import { byteIndex, NO_BLOCK, type Ref, wordIndex } from './arena/ref.js';
import type { Element } from './element.js';

/**
 * A set of integers in one arena block, in Redis's intset format: bytes per integer (u32 LE: 2, 4 or 8), count
 * (u32 LE), then the integers in ascending order. The first integer that needs more bytes widens all of them, permanently.
 *
 * Like `Listpack`, this is a cursor, pointed at one block after another; read `ref` again after an edit.
 * Integers are returned as numbers if those are exact, else as bigints; arguments may be of either type.
 */
export class IntSet {
  /** The block; 0 while nothing is open. */
  ref = NO_BLOCK;
  #arena: Arena;
  #buf: Buffer = NOWHERE;
  #words: Int32Array = NO_WORDS;
  #start = 0;
  /** Whether the last search found its integer; if not, it returned the index where the integer belongs. */
  #found = false;

  /** Without an arena here, `open` must pass one. */
  constructor(arena: Arena = NO_ARENA) {
    this.#arena = arena;
  }

  /** A block with an empty set. */
  static create(arena: Arena): Ref {
    const ref = arena.alloc(HEADER);
    const words = arena.wordsOf(ref);
    const at = wordIndex(ref);
    words[at] = 2;
    words[at + 1] = 0;
    return ref;
  }

  /** A block with a copy of these bytes, which are an intset (see `isValidIntSet`). */
  static load(arena: Arena, bytes: Bytes): Ref {
    const ref = arena.alloc(bytes.end - bytes.start);
    copyBytes(bytes.buf, bytes.start, bytes.end, arena.bytesOf(ref), byteIndex(ref));
    return ref;
  }

  open(arena: Arena, ref: Ref): this {
    this.#arena = arena;
    return this.#point(ref);
  }

  get length(): number {
    return this.#words[(this.#start >> 2) + 1] as number;
  }

  /** Bytes per integer: 2, 4 or 8. */
  get width(): number {
    return this.#words[this.#start >> 2] as number;
  }

  get byteLength(): number {
    return HEADER + this.length * this.width;
  }

  /** Points `view` at the whole set: its bytes in a file or a DUMP payload. */
  whole(view: Bytes): Bytes {
    return view.set(this.#buf, this.#start, this.#start + this.byteLength);
  }

  contains(value: number | bigint): boolean {
    sought.set(value);
    if (sought.width > this.width) return false;
    this.#search();
    return this.#found;
  }

  /** Reads the integer with this index, in ascending order, into `element`. */
  at(index: number, element: Element): Element {
    const width = this.width;
    if (width === 8) {
      const at = ((this.#start + HEADER) >> 2) + (index << 1);
      return element.ofWords(this.#words[at] as number, this.#words[at + 1] as number);
    }
    return element.ofInteger(this.#integer(index, width));
  }

  /** Adds the integer; false if it was present. */
  add(value: number | bigint): boolean {
    sought.set(value);
    const width = this.width;
    if (sought.width > width) {
      this.#widen(width, sought.width);
      return true;
    }
    const index = this.#search();
    if (this.#found) return false;
    const length = this.length;
    this.#reserve(HEADER + (length + 1) * width, HEADER + length * width);
    const from = this.#start + HEADER + index * width;
    if (index < length) this.#buf.copyWithin(from + width, from, this.#start + HEADER + length * width);
    this.#put(index, width);
    this.#words[(this.#start >> 2) + 1] = length + 1;
    return true;
  }

  /** Removes the integer; false if it was not present. */
  remove(value: number | bigint): boolean {
    sought.set(value);
    if (sought.width > this.width) return false;
    const index = this.#search();
    if (!this.#found) return false;
    this.removeAt(index);
    return true;
  }

  removeAt(index: number): void {
    const { length, width } = this;
    const from = this.#start + HEADER + index * width;
    this.#buf.copyWithin(from, from + width, this.#start + HEADER + length * width);
    this.#words[(this.#start >> 2) + 1] = length - 1;
    const size = HEADER + (length - 1) * width;
    this.#point(this.#arena.resize(this.ref, size, size));
  }

  /** Frees the block. */
  free(): void {
    this.#arena.free(this.ref);
    this.ref = NO_BLOCK;
  }

  /** The index of the searched integer, or the index where it belongs; `#found` tells which. */
  #search(): number {
    const width = this.width;
    let low = 0;
    let high = this.length - 1;
    // Sets are often filled in ascending order: check the end first.
    if (high >= 0 && this.#compare(high, width) < 0) {
      this.#found = false;
      return high + 1;
    }
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle, width);
      if (order === 0) {
        this.#found = true;
        return middle;
      }
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    this.#found = false;
    return low;
  }

  /** Negative if the integer at `index` is below the searched one, positive if above. */
  #compare(index: number, width: number): number {
    if (width !== 8) return this.#integer(index, width) - sought.low;
    const at = ((this.#start + HEADER) >> 2) + (index << 1);
    const high = this.#words[at + 1] as number;
    if (high !== sought.high) return high < sought.high ? -1 : 1;
    return ((this.#words[at] as number) >>> 0) - (sought.low >>> 0);
  }

  #integer(index: number, width: number): number {
    if (width === 4) return this.#words[((this.#start + HEADER) >> 2) + index] as number;
    const at = this.#start + HEADER + (index << 1);
    return (((this.#buf[at] as number) | ((this.#buf[at + 1] as number) << 8)) << 16) >> 16;
  }

  /** Writes the searched integer at `index`. */
  #put(index: number, width: number): void {
    if (width === 2) {
      const at = this.#start + HEADER + (index << 1);
      this.#buf[at] = sought.low;
      this.#buf[at + 1] = sought.low >> 8;
      return;
    }
    const at = (this.#start + HEADER) >> 2;
    if (width === 4) {
      this.#words[at + index] = sought.low;
    } else {
      this.#words[at + (index << 1)] = sought.low;
      this.#words[at + (index << 1) + 1] = sought.high;
    }
  }

  /** Widens every integer and adds the searched one, which needs the width and is therefore below or above all others. */
  #widen(from: number, to: number): void {
    const length = this.length;
    this.#reserve(HEADER + (length + 1) * to, HEADER + length * from);
    const shift = sought.high < 0 ? 1 : 0;
    const words = this.#words;
    const at = (this.#start + HEADER) >> 2;
    for (let index = length - 1; index >= 0; index--) {
      const value = this.#integer(index, from);
      if (to === 4) {
        words[at + index + shift] = value;
      } else {
        words[at + ((index + shift) << 1)] = value;
        words[at + ((index + shift) << 1) + 1] = value >> 31;
      }
    }
    words[this.#start >> 2] = to;
    words[(this.#start >> 2) + 1] = length + 1;
    this.#put(shift === 1 ? 0 : length, to);
  }

  /** Small blocks grow by the arena's size classes, larger ones by an eighth. */
  #reserve(size: number, keep: number): void {
    if (size <= this.#arena.capacity(this.ref)) return;
    this.#point(this.#arena.resize(this.ref, size <= 1 << 14 ? size : size + (size >> 3), keep));
  }

  #point(ref: Ref): this {
    this.ref = ref;
    this.#buf = this.#arena.bytesOf(ref);
    this.#words = this.#arena.wordsOf(ref);
    this.#start = byteIndex(ref);
    return this;
  }
}

/** Whether `buf[start .. end)` is an intset that is not empty; if `deep`, also whether its integers ascend. */
export function isValidIntSet(buf: Buffer, start: number, end: number, deep: boolean): boolean {
  if (end - start < HEADER) return false;
  const width = buf.readUInt32LE(start);
  const length = buf.readUInt32LE(start + 4);
  if (width !== 2 && width !== 4 && width !== 8) return false;
  if (length === 0 || HEADER + length * width !== end - start) return false;
  if (!deep) return true;
  const read = (index: number): bigint | number => {
    const at = start + HEADER + index * width;
    return width === 8 ? buf.readBigInt64LE(at) : buf.readIntLE(at, width);
  };
  for (let index = 1; index < length; index++) if (read(index - 1) >= read(index)) return false;
  return true;
}

/** The 64-bit integer with these canonical digits: a number if that is exact, else a bigint; undefined for other bytes. */
export function integerOf(bytes: Bytes): number | bigint | undefined {
  const { buf, start, end } = bytes;
  const value = parseInteger(buf, start, end);
  if (!Number.isNaN(value)) return value;
  const length = end - start;
  if (length < 16 || length > 20 || (buf[start] as number) > 57) return undefined;
  return parseInteger64(buf, start, end);
}

/** The argument of the current operation: an integer as two halves, and the bytes it needs. */
class Sought {
  low = 0;
  high = 0;
  width = 0;

  set(value: number | bigint): void {
    if (typeof value === 'number') {
      this.low = value | 0;
      if (this.low === value) {
        this.high = value >> 31;
        this.width = (value << 16) >> 16 === value ? 2 : 4;
        return;
      }
      this.high = Math.floor(value / 0x1_0000_0000);
    } else {
      this.low = Number(BigInt.asIntN(32, value));
      this.high = Number(BigInt.asIntN(32, value >> 32n));
      if (this.high === this.low >> 31) {
        this.width = (this.low << 16) >> 16 === this.low ? 2 : 4;
        return;
      }
    }
    this.width = 8;
  }
}

const HEADER = 8;
const NO_ARENA = new Arena();
const NOWHERE = Buffer.alloc(HEADER);
const NO_WORDS = new Int32Array(2);
const sought = new Sought();
