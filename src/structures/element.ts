import { Bytes, copyBytes } from '../bytes/bytes.js';
import { digitCount, writeInteger, writeInteger64 } from '../bytes/numbers/integer.js';
import type { ListpackEntry } from './listpack/listpack-format.js';

/**
 * One element of a packed collection: a byte string, or an integer that represents its digits. Created once and pointed to
 * one element after another.
 */
export class Element {
  isInteger = false;
  /** The integer, when it is one and not `isWide`. */
  integer = 0;
  /** An integer beyond ±(2^53 - 1): `integer64` returns it. */
  isWide = false;
  /** For a string, a view of its stored bytes; for an integer, its digits once `toBytes` was called. */
  readonly bytes = new Bytes();
  #low = 0;
  #high = 0;
  #digits: Buffer | undefined;

  ofEntry(buf: Buffer, entry: ListpackEntry): this {
    this.isInteger = entry.isInteger;
    if (entry.isInteger) {
      this.integer = entry.integer;
      this.isWide = entry.isWide;
      if (entry.isWide) {
        this.#low = entry.low;
        this.#high = entry.high;
      }
    } else {
      this.bytes.set(buf, entry.start, entry.end);
    }
    return this;
  }

  ofBytes(buf: Buffer, start: number, end: number): this {
    this.isInteger = false;
    this.bytes.set(buf, start, end);
    return this;
  }

  ofInteger(value: number): this {
    this.isInteger = true;
    this.isWide = false;
    this.integer = value;
    return this;
  }

  /** Sets the integer from the two halves of 64 bits. */
  ofWords(low: number, high: number): this {
    this.isInteger = true;
    this.integer = high * 0x1_0000_0000 + (low >>> 0);
    this.isWide = !Number.isSafeInteger(this.integer);
    this.#low = low >>> 0;
    this.#high = high;
    return this;
  }

  /** The integer, of any size. */
  get integer64(): bigint {
    return this.isWide ? (BigInt(this.#high) << 32n) | BigInt(this.#low) : BigInt(this.integer);
  }

  /** The integer: a number when that is exact, else a bigint. */
  get number(): number | bigint {
    return this.isWide ? this.integer64 : this.integer;
  }

  /** Length of the element as text. */
  get length(): number {
    if (!this.isInteger) return this.bytes.end - this.bytes.start;
    return this.isWide ? this.integer64.toString().length : digitCount(this.integer);
  }

  /** The element as text (latin1). */
  toString(): string {
    if (!this.isInteger) return this.bytes.toString();
    return this.isWide ? this.integer64.toString() : String(this.integer);
  }

  /** The element as a view of its stored bytes, or of digits in this object, which are valid until it reads another integer. */
  toBytes(): Bytes {
    if (!this.isInteger) return this.bytes;
    this.#digits ??= Buffer.allocUnsafeSlow(LONGEST_DIGITS);
    return this.bytes.set(this.#digits, 0, this.writeTo(this.#digits, 0));
  }

  /** Writes the element as text at `offset` and returns the offset after it. */
  writeTo(target: Buffer, offset: number): number {
    if (!this.isInteger) return copyBytes(this.bytes.buf, this.bytes.start, this.bytes.end, target, offset);
    return this.isWide
      ? writeInteger64(target, offset, this.integer64)
      : writeInteger(target, offset, this.integer);
  }
}

const LONGEST_DIGITS = 20;
