import { type Bytes, copyBytes } from '../../bytes/bytes.js';
import { parseInteger, parseInteger64 } from '../../bytes/numbers/integer.js';

/**
 * The bytes of a listpack, exactly as in Redis, so that files and DUMP payloads contain a block unchanged:
 *
 *     total bytes (u32 LE) · count (u16 LE, 65535: not known) · entries … · 0xff
 *
 * An entry is its encoding, its data, and the length of these two in a form that can be read from the
 * right (7 bits per byte, the high bit set on all but the leftmost), for walking backwards.
 */
export const LISTPACK_HEADER = 6;
export const LISTPACK_END = 0xff;
/** The bytes of an empty listpack. */
export const EMPTY_LISTPACK_BYTES = LISTPACK_HEADER + 1;
/** The value of the count if there are too many entries for 16 bits. */
export const UNKNOWN_COUNT = 0xffff;
/** The largest size that Redis allows. */
export const LARGEST_LISTPACK = 1 << 30;

const STRING_6 = 0x80;
const INTEGER_13 = 0xc0;
const STRING_12 = 0xe0;
const STRING_32 = 0xf0;
const INTEGER_16 = 0xf1;
const INTEGER_24 = 0xf2;
const INTEGER_32 = 0xf3;
const INTEGER_64 = 0xf4;

const TWO_POW_32 = 0x1_0000_0000;

/** Bytes of the length after an entry of `size` bytes. The limits are Redis's, one less than what would fit. */
export function backLengthSize(size: number): number {
  if (size <= 127) return 1;
  if (size < 16383) return 2;
  if (size < 2097151) return 3;
  return size < 268435455 ? 4 : 5;
}

function writeBackLength(buf: Buffer, at: number, size: number): number {
  const bytes = backLengthSize(size);
  let rest = size;
  for (let i = bytes - 1; i > 0; i--) {
    buf[at + i] = (rest & 127) | 128;
    rest >>>= 7;
  }
  buf[at] = rest;
  return at + bytes;
}

/** Bytes of the whole entry at `at`; 0 at the listpack's end, or if there is no valid entry. */
export function entrySize(buf: Buffer, at: number): number {
  const first = buf[at] as number;
  if (first < STRING_6) return 2;
  if (first < INTEGER_13) return (first & 63) + 2;
  if (first < STRING_12) return 3;
  let size: number;
  if (first < STRING_32) size = 2 + (((first & 15) << 8) | (buf[at + 1] as number));
  else if (first === STRING_32) size = 5 + readUnsigned32(buf, at + 1);
  else if (first === INTEGER_16) return 4;
  else if (first === INTEGER_24) return 5;
  else if (first === INTEGER_32) return 6;
  else return first === INTEGER_64 ? 10 : 0;
  return size + backLengthSize(size);
}

/** The offset of the entry `count` places after the one at `at`; -1 if the listpack ends before it. */
export function skipEntries(buf: Buffer, at: number, count: number): number {
  let place = at;
  for (let left = count; left > 0; left--) {
    const first = buf[place] as number;
    const size = first >= STRING_6 && first < INTEGER_13 ? (first & 63) + 2 : entrySize(buf, place);
    if (size === 0) return -1;
    place += size;
  }
  return place;
}

/** Strings of up to this many bytes have their length in the first byte (`shortStringHead`). */
export const LONGEST_SHORT = 63;

export function shortStringHead(length: number): number {
  return STRING_6 | length;
}

/** Bytes of the whole entry of such a string. */
export function shortStringSize(length: number): number {
  return length + 2;
}

/** Writes the entry of such a string, which must not be a number. */
export function writeShortString(buf: Buffer, at: number, { buf: source, start, end }: Bytes): void {
  const length = end - start;
  buf[at] = shortStringHead(length);
  buf[copyBytes(source, start, end, buf, at + 1)] = length + 1;
}

/** Whether an entry with this first byte is a string of the longer forms. */
export function isLongString(first: number): boolean {
  return first >= STRING_12 && first <= STRING_32;
}

/** Bytes of the whole entry that ends before `at`. */
export function entrySizeBefore(buf: Buffer, at: number): number {
  let byte = buf[at - 1] as number;
  if (byte < 128) return byte + 1;
  let size = byte & 127;
  let factor = 128;
  for (let i = at - 2; byte >= 128 && i > at - 6; i--) {
    byte = buf[i] as number;
    size += (byte & 127) * factor;
    factor *= 128;
  }
  return size + backLengthSize(size);
}

export function readUnsigned32(buf: Buffer, at: number): number {
  return (
    ((buf[at] as number) |
      ((buf[at + 1] as number) << 8) |
      ((buf[at + 2] as number) << 16) |
      ((buf[at + 3] as number) << 24)) >>>
    0
  );
}

export function writeUnsigned32(buf: Buffer, at: number, value: number): void {
  buf[at] = value;
  buf[at + 1] = value >>> 8;
  buf[at + 2] = value >>> 16;
  buf[at + 3] = value >>> 24;
}

export function readCount(buf: Buffer, start: number): number {
  return (buf[start + 4] as number) | ((buf[start + 5] as number) << 8);
}

export function writeCount(buf: Buffer, start: number, count: number): void {
  buf[start + 4] = count;
  buf[start + 5] = count >>> 8;
}

/** Writes the header of a listpack: its size in bytes and its number of entries. */
export function writeListpackHead(buf: Buffer, start: number, bytes: number, count: number): void {
  writeUnsigned32(buf, start, bytes);
  writeCount(buf, start, count < UNKNOWN_COUNT ? count : UNKNOWN_COUNT);
}

/** An entry read in place: the offsets of its bytes, or its integer. Reused for every entry that is read. */
export class ListpackEntry {
  isInteger = false;
  /** The integer; if `isWide`, only an approximation: the two words hold the exact value. */
  integer = 0;
  /** The integer is beyond ±2^53. */
  isWide = false;
  /** Halves of an integer stored in 64 bits. */
  low = 0;
  high = 0;
  /** The offsets of a string's bytes. */
  start = 0;
  end = 0;

  /** Reads the entry at `at` and returns the offset of the next one; `at` itself at the end. */
  read(buf: Buffer, at: number): number {
    const first = buf[at] as number;
    if (first < STRING_6) {
      this.isInteger = true;
      this.isWide = false;
      this.integer = first;
      return at + 2;
    }
    if (first < INTEGER_13) {
      this.isInteger = false;
      this.start = at + 1;
      this.end = at + 1 + (first & 63);
      return this.end + 1;
    }
    return this.#readOther(buf, at, first);
  }

  #readOther(buf: Buffer, at: number, first: number): number {
    if (first >= STRING_12 && first <= STRING_32) {
      const twelve = first < STRING_32;
      this.isInteger = false;
      this.start = at + (twelve ? 2 : 5);
      this.end =
        this.start + (twelve ? ((first & 15) << 8) | (buf[at + 1] as number) : readUnsigned32(buf, at + 1));
      return this.end + backLengthSize(this.end - at);
    }
    this.isInteger = true;
    this.isWide = false;
    if (first < STRING_12) {
      this.integer = ((((first & 31) << 8) | (buf[at + 1] as number)) << 19) >> 19;
      return at + 3;
    }
    if (first === INTEGER_16) {
      this.integer = (((buf[at + 1] as number) | ((buf[at + 2] as number) << 8)) << 16) >> 16;
      return at + 4;
    }
    if (first === INTEGER_24) {
      this.integer =
        (((buf[at + 1] as number) | ((buf[at + 2] as number) << 8) | ((buf[at + 3] as number) << 16)) << 8) >>
        8;
      return at + 5;
    }
    if (first === INTEGER_32) {
      this.integer = readUnsigned32(buf, at + 1) | 0;
      return at + 6;
    }
    if (first !== INTEGER_64) return at;
    this.low = readUnsigned32(buf, at + 1);
    this.high = readUnsigned32(buf, at + 5) | 0;
    this.integer = this.high * TWO_POW_32 + this.low;
    this.isWide = !Number.isSafeInteger(this.integer);
    return at + 10;
  }
}

/** An entry to be written: the encoding of a byte string or an integer, and its size in bytes. */
export class NewListpackEntry {
  /** Bytes of the whole entry. */
  size = 0;
  /** Stored as an integer: the bytes were canonical digits. */
  isInteger = false;
  integer = 0;
  /** Beyond ±2^53: the halves hold the value. */
  isWide = false;
  low = 0;
  high = 0;
  #encoding = 0;
  #body = 0;

  ofBytes(bytes: Bytes): this {
    if (this.readInteger(bytes)) return this.#sizeInteger();
    const length = bytes.end - bytes.start;
    this.#encoding = length < 64 ? STRING_6 : length < 4096 ? STRING_12 : STRING_32;
    this.#body = length + (length < 64 ? 1 : length < 4096 ? 2 : 5);
    this.size = this.#body + backLengthSize(this.#body);
    return this;
  }

  ofInteger(value: number | bigint): this {
    this.isInteger = true;
    if (typeof value === 'number') {
      this.integer = value;
      this.isWide = false;
    } else {
      this.#takeWide(value);
    }
    return this.#sizeInteger();
  }

  /** Whether the bytes are the canonical digits of a 64-bit integer; if so, stores it in this object. */
  readInteger(bytes: Bytes): boolean {
    const { buf, start, end } = bytes;
    this.isWide = false;
    const value = parseInteger(buf, start, end);
    this.integer = value;
    this.isInteger = !Number.isNaN(value);
    if (this.isInteger) return true;
    const length = end - start;
    if (length < 16 || length > 20 || (buf[start] as number) > 57) return false;
    const wide = parseInteger64(buf, start, end);
    if (wide === undefined) return false;
    this.isInteger = true;
    this.#takeWide(wide);
    return true;
  }

  /** Whether an integer entry that was read is this integer. */
  matches(entry: ListpackEntry): boolean {
    if (this.isWide) return entry.isWide && entry.low === this.low && entry.high === this.high;
    return !entry.isWide && entry.integer === this.integer;
  }

  /** Writes the entry at `at`; `bytes` are its content, unless it is an integer. */
  write(buf: Buffer, at: number, bytes: Bytes | undefined): void {
    if (this.isInteger) {
      this.#writeInteger(buf, at);
      return;
    }
    const { start, end } = bytes as Bytes;
    const length = end - start;
    let offset = at + 1;
    if (this.#encoding === STRING_6) {
      buf[at] = STRING_6 | length;
    } else if (this.#encoding === STRING_12) {
      buf[at] = STRING_12 | (length >>> 8);
      buf[offset++] = length;
    } else {
      buf[at] = STRING_32;
      writeUnsigned32(buf, offset, length);
      offset += 4;
    }
    writeBackLength(buf, copyBytes((bytes as Bytes).buf, start, end, buf, offset), this.#body);
  }

  #takeWide(value: bigint): void {
    this.low = Number(BigInt.asUintN(32, value));
    this.high = Number(BigInt.asIntN(32, value >> 32n));
    this.integer = this.high * TWO_POW_32 + this.low;
    this.isWide = !Number.isSafeInteger(this.integer);
  }

  #sizeInteger(): this {
    const value = this.integer;
    let data = 8;
    let encoding = INTEGER_64;
    if (value >= 0 && value <= 127) {
      data = 0;
      encoding = 0;
    } else if (value >= -4096 && value <= 4095) {
      data = 1;
      encoding = INTEGER_13;
    } else if (value >= -32768 && value <= 32767) {
      data = 2;
      encoding = INTEGER_16;
    } else if (value >= -8388608 && value <= 8388607) {
      data = 3;
      encoding = INTEGER_24;
    } else if (value >= -2147483648 && value <= 2147483647) {
      data = 4;
      encoding = INTEGER_32;
    } else if (!this.isWide) {
      this.low = value >>> 0;
      this.high = Math.floor(value / TWO_POW_32);
    }
    this.#encoding = encoding;
    this.#body = 1 + data;
    this.size = data + 2;
    return this;
  }

  #writeInteger(buf: Buffer, at: number): void {
    const value = this.integer;
    const encoding = this.#encoding;
    if (encoding === 0) {
      buf[at] = value;
    } else if (encoding === INTEGER_13) {
      buf[at] = INTEGER_13 | ((value >>> 8) & 31);
      buf[at + 1] = value;
    } else if (encoding === INTEGER_64) {
      buf[at] = encoding;
      writeUnsigned32(buf, at + 1, this.low);
      writeUnsigned32(buf, at + 5, this.high);
    } else {
      buf[at] = encoding;
      const bytes = this.#body - 1;
      for (let i = 0; i < bytes; i++) buf[at + 1 + i] = value >>> (i << 3);
    }
    buf[at + this.#body] = this.#body;
  }
}

/**
 * Whether `buf[start .. end)` is a listpack: header and end mark, and if `deep` also every entry. For bytes
 * from files and clients. The caller checks the content (duplicate fields, an odd count).
 */
export function isValidListpack(buf: Buffer, start: number, end: number, deep: boolean): boolean {
  if (end - start < EMPTY_LISTPACK_BYTES || readUnsigned32(buf, start) !== end - start) return false;
  const last = end - 1;
  if (buf[last] !== LISTPACK_END) return false;
  if (!deep) return true;
  let count = 0;
  let at = start + LISTPACK_HEADER;
  for (; at < last; count++) {
    if (at + headSize(buf[at] as number) > last) return false;
    const size = entrySize(buf, at);
    if (size === 0 || at + size > last || entrySizeBefore(buf, at + size) !== size) return false;
    at += size;
  }
  const told = readCount(buf, start);
  return at === last && (told === UNKNOWN_COUNT || told === count);
}

/** The bytes of an entry's encoding and length. */
function headSize(first: number): number {
  if (first === STRING_32) return 5;
  return first >= STRING_12 && first < STRING_32 ? 2 : 1;
}
