import { Bytes, copyBytes } from '../../bytes/bytes.js';
import {
  digitCount,
  parseInteger,
  parseInteger64,
  writeInteger,
  writeInteger64,
} from '../../bytes/numbers/integer.js';
import { byteIndex, pageOf, type Ref, wordIndex } from '../../structures/arena/ref.js';
import type { Database } from '../database.js';
import type { Entry } from '../entry.js';
import type { Keyspace } from '../keyspace.js';
import { Encoding, Type } from '../kinds.js';

/**
 * Strings. Stored as a 32-bit integer in the entry (`int`), a 64-bit one in eight bytes (`int64`), or as bytes in a block
 * that begins with their length (`embstr`, `raw`; the same thing, but shown under Redis's two names). Strings that are
 * edited may have room to spare, so that APPEND is cheap.
 *
 * A string's bytes begin at an address divisible by four: bitmap commands read them as words.
 */

/** Longest value that Redis keeps in one allocation with its object. */
const LONGEST_EMBEDDED = 44;
const LONGEST_INTEGER = 20;
/** Texts shorter than this are integers that a JavaScript number holds exactly, or no integers. */
const SHORTEST_UNSAFE_INTEGER = 16;
const HEADER = 4;

// ---- replacing the whole value ----

/**
 * Sets the key, of whatever type, to a string. The text of an integer is stored as an integer. Creates the entry if
 * `entry` is 0. The time to live is left alone.
 */
export function setString(keyspace: Keyspace, db: Database, entry: Entry, key: Bytes, value: Bytes): Entry {
  const { buf, start, end } = value;
  const length = end - start;
  if (length <= LONGEST_INTEGER) {
    const integer = parseInteger(buf, start, end);
    if (!Number.isNaN(integer)) return setInteger(keyspace, db, entry, key, integer);
    if (length >= SHORTEST_UNSAFE_INTEGER && isAllDigits(buf, start, end)) {
      const exact = parseInteger64(buf, start, end);
      if (exact !== undefined) return setInteger64(keyspace, db, entry, key, exact);
    }
  }
  return setText(keyspace, db, entry, key, value);
}

/** Like `setString`, but stores even the digits of an integer as text, as INCRBYFLOAT does. */
export function setText(keyspace: Keyspace, db: Database, entry: Entry, key: Bytes, value: Bytes): Entry {
  const encoding = value.end - value.start <= LONGEST_EMBEDDED ? Encoding.embstr : Encoding.raw;
  return setBlock(keyspace, db, entry, key, value, encoding);
}

/** Like `setText`, but with the encoding `raw`, as PFADD does. `value` must not be in the old string. */
export function setRaw(keyspace: Keyspace, db: Database, entry: Entry, key: Bytes, value: Bytes): Entry {
  return setBlock(keyspace, db, entry, key, value, Encoding.raw);
}

function setBlock(
  keyspace: Keyspace,
  db: Database,
  entry: Entry,
  key: Bytes,
  value: Bytes,
  encoding: Encoding,
): Entry {
  if (entry === 0) return keyspace.create(db, key, Type.string, encoding, newBlock(db, value));
  const held = db.encoding(entry);
  if (held === Encoding.embstr || held === Encoding.raw) {
    const ref = blockToFill(keyspace, db, db.block(entry), value.end - value.start + HEADER);
    fillBlock(db, ref, value);
    db.setValue(entry, Type.string, encoding, ref);
  } else {
    keyspace.releaseValue(db, entry);
    db.setValue(entry, Type.string, encoding, newBlock(db, value));
  }
  return entry;
}

/** The entry's block, or a new one if that does not fit or a snapshot still needs its content. */
function blockToFill({ changeGuard }: Keyspace, { arena }: Database, ref: Ref, size: number): Ref {
  if (changeGuard === undefined || !changeGuard.holds(arena.bytesOf(ref))) {
    return arena.resize(ref, size, 0);
  }
  arena.free(ref);
  return arena.alloc(size);
}

/** Sets the key to a safe integer. */
export function setInteger(
  keyspace: Keyspace,
  db: Database,
  entry: Entry,
  key: Bytes,
  integer: number,
): Entry {
  if ((integer | 0) !== integer) {
    return setWords(keyspace, db, entry, key, integer | 0, Math.floor(integer / WORD));
  }
  if (entry === 0) return keyspace.create(db, key, Type.string, Encoding.int, integer);
  if (db.encoding(entry) !== Encoding.int) keyspace.releaseValue(db, entry);
  db.setValue(entry, Type.string, Encoding.int, integer);
  return entry;
}

/** Sets the key to any 64-bit integer. */
export function setInteger64(
  keyspace: Keyspace,
  db: Database,
  entry: Entry,
  key: Bytes,
  integer: bigint,
): Entry {
  const near = Number(integer);
  if (Number.isSafeInteger(near)) return setInteger(keyspace, db, entry, key, near);
  const low = Number(BigInt.asIntN(32, integer));
  return setWords(keyspace, db, entry, key, low, Number(integer >> 32n));
}

function setWords(
  keyspace: Keyspace,
  db: Database,
  entry: Entry,
  key: Bytes,
  low: number,
  high: number,
): Entry {
  let ref: Ref;
  if (entry !== 0 && db.encoding(entry) === Encoding.int64) {
    ref = db.block(entry);
  } else {
    if (entry !== 0) keyspace.releaseValue(db, entry);
    ref = db.arena.alloc(8);
  }
  const words = db.arena.wordsOf(ref);
  const at = wordIndex(ref);
  words[at] = low;
  words[at + 1] = high;
  if (entry === 0) return keyspace.create(db, key, Type.string, Encoding.int64, ref);
  db.setValue(entry, Type.string, Encoding.int64, ref);
  return entry;
}

// ---- reading ----

/**
 * Points `view` at the string's bytes. For an integer, at its digits in a buffer that the next call overwrites: to read
 * two strings at a time, copy the first (`ownStringBytes`).
 */
export function stringBytes(db: Database, entry: Entry, view: Bytes): Bytes {
  if (db.encoding(entry) <= Encoding.int64) return view.set(digits, 0, writeDigits(db, entry, digits));
  const block = db.block(entry);
  const start = byteIndex(block) + HEADER;
  const length = db.arena.wordsOf(block)[wordIndex(block)] as number;
  return view.set(db.arena.bytesOf(block), start, start + length);
}

/** Like `stringBytes`, but the digits of an integer are in their own memory. */
export function ownStringBytes(db: Database, entry: Entry, view: Bytes): Bytes {
  const bytes = stringBytes(db, entry, view);
  return bytes.buf === digits ? bytes.copy() : bytes;
}

export function stringLength(db: Database, entry: Entry): number {
  const encoding = db.encoding(entry);
  if (encoding === Encoding.int) return digitCount(db.value(entry));
  if (encoding === Encoding.int64) return writeDigits(db, entry, digits);
  const block = db.block(entry);
  return db.arena.wordsOf(block)[wordIndex(block)] as number;
}

/** The string as a safe integer; NaN if it is not an integer, or is beyond 2^53 (then use `integer64Of`). */
export function integerOf(db: Database, entry: Entry): number {
  const encoding = db.encoding(entry);
  if (encoding === Encoding.int) return db.value(entry);
  if (encoding === Encoding.int64) {
    const block = db.block(entry);
    const words = db.arena.wordsOf(block);
    const at = wordIndex(block);
    const integer = (words[at + 1] as number) * WORD + ((words[at] as number) >>> 0);
    return Number.isSafeInteger(integer) ? integer : Number.NaN;
  }
  const { buf, start, end } = stringBytes(db, entry, scratch);
  return parseInteger(buf, start, end);
}

/** The string as a 64-bit integer; undefined if it is not one. */
export function integer64Of(db: Database, entry: Entry): bigint | undefined {
  const { buf, start, end } = stringBytes(db, entry, scratch);
  return parseInteger64(buf, start, end);
}

/** Bytes the value occupies beside its entry. */
export function stringMemory(db: Database, entry: Entry): number {
  return db.encoding(entry) === Encoding.int ? 0 : db.arena.capacity(db.block(entry));
}

/**
 * A copy of the string in another database (or the same), as the value word of a new entry with the same encoding: for
 * COPY and MOVE.
 */
export function copyStringValue(from: Database, entry: Entry, to: Database): number {
  const encoding = from.encoding(entry);
  if (encoding === Encoding.int) return from.value(entry);
  const block = from.block(entry);
  const size = encoding === Encoding.int64 ? 8 : stringLength(from, entry) + HEADER;
  const copy = to.arena.alloc(size);
  const start = byteIndex(block);
  copyBytes(from.arena.bytesOf(block), start, start + size, to.arena.bytesOf(copy), byteIndex(copy));
  return copy;
}

// ---- editing in place ----

/**
 * Makes the string at `entry` editable in place (`raw`) and at least `length` long: added bytes
 * are zero. Points `view` at all of it. If only bytes from `from` on will change, pass `from`: a
 * snapshot then has to save less of a huge string.
 */
export function editableString(
  keyspace: Keyspace,
  db: Database,
  entry: Entry,
  length: number,
  view: Bytes,
  from?: number,
): Bytes {
  const oldLength = stringLength(db, entry);
  const oldValue = db.value(entry);
  const bytes = growString(keyspace, db, entry, Math.max(length, oldLength), view);
  const block = db.block(entry);
  // Zeros that are not written take no memory: a large sparse bitmap costs little.
  const isZeroed = block !== oldValue && db.arena.hasOwnPage(block);
  if (length > oldLength && !isZeroed) bytes.buf.fill(0, bytes.start + oldLength, bytes.end);
  if (keyspace.changeGuard !== undefined) {
    const { buf, start, end } = bytes;
    if (from === undefined) keyspace.changeGuard.beforeEdit(buf, start, end);
    else keyspace.changeGuard.beforeEdit(buf, start + from, start + length);
  }
  return bytes;
}

/** A new key with an editable string of `length` zeros. Points `view` at it and returns the entry. */
export function createEditableString(
  keyspace: Keyspace,
  db: Database,
  key: Bytes,
  length: number,
  view: Bytes,
): Entry {
  const ref = newRawBlock(db, length, view);
  if (!db.arena.hasOwnPage(ref)) view.buf.fill(0, view.start, view.end);
  return keyspace.create(db, key, Type.string, Encoding.raw, ref);
}

/** Adds bytes at the end and returns the new length. */
export function appendToString(keyspace: Keyspace, db: Database, entry: Entry, value: Bytes): number {
  const oldLength = stringLength(db, entry);
  const bytes = growString(keyspace, db, entry, oldLength + value.length, scratch);
  value.writeTo(bytes.buf, bytes.start + oldLength);
  return bytes.length;
}

/**
 * A block for a `raw` string of `length` bytes that belongs to no entry yet. Points `view` at them, to be filled; give
 * the ref to `keyspace.replace` or `keyspace.create` as the value.
 */
export function newRawBlock(db: Database, length: number, view: Bytes): Ref {
  const ref = db.arena.alloc(length + HEADER);
  const page = pageOf(ref);
  const offset = byteIndex(ref);
  (db.arena.words[page] as Int32Array)[offset >> 2] = length;
  view.set(db.arena.bytes[page] as Buffer, offset + HEADER, offset + HEADER + length);
  return ref;
}

/** Makes the string raw and `length` long, which must not be less than its length. Added bytes are not cleared. */
function growString(keyspace: Keyspace, db: Database, entry: Entry, length: number, view: Bytes): Bytes {
  let ref: Ref;
  if (db.encoding(entry) <= Encoding.int64) {
    const end = writeDigits(db, entry, digits);
    ref = db.arena.alloc(length + HEADER);
    fillBlock(db, ref, view.set(digits, 0, end));
    keyspace.releaseValue(db, entry);
  } else {
    ref = db.block(entry);
    if (length + HEADER > db.arena.capacity(ref)) {
      const oldLength = stringLength(db, entry);
      ref = db.arena.resize(ref, length + HEADER + roomFor(oldLength, length), oldLength + HEADER);
    }
  }
  db.setValue(entry, Type.string, Encoding.raw, ref);
  const offset = byteIndex(ref);
  db.arena.wordsOf(ref)[offset >> 2] = length;
  return view.set(db.arena.bytesOf(ref), offset + HEADER, offset + HEADER + length);
}

/**
 * Spare room for a string that grows: half as much again up to 1 MB, an eighth for the largest ones, so that a string
 * built of many pieces is copied a few times only.
 */
function roomFor(oldLength: number, length: number): number {
  if (oldLength < SHORT_STRING) return 0;
  return Math.max(Math.min(length >> 1, MAX_ROOM), length >> 3);
}

function newBlock(db: Database, value: Bytes): Ref {
  const ref = db.arena.alloc(value.end - value.start + HEADER);
  fillBlock(db, ref, value);
  return ref;
}

function fillBlock(db: Database, ref: Ref, value: Bytes): void {
  const page = pageOf(ref);
  const offset = byteIndex(ref);
  (db.arena.words[page] as Int32Array)[offset >> 2] = value.end - value.start;
  copyBytes(value.buf, value.start, value.end, db.arena.bytes[page] as Buffer, offset + HEADER);
}

/** Writes the digits of a string that is held as an integer to the start of `target`. Returns how many there are. */
export function writeDigits(db: Database, entry: Entry, target: Buffer): number {
  const integer = integerOf(db, entry);
  if (!Number.isNaN(integer)) return writeInteger(target, 0, integer);
  const block = db.block(entry);
  return writeInteger64(target, 0, db.arena.bytesOf(block).readBigInt64LE(byteIndex(block)));
}

/** True if the bytes are decimal digits with an optional minus sign, and so may be an integer. */
function isAllDigits(buf: Buffer, start: number, end: number): boolean {
  for (let i = buf[start] === MINUS ? start + 1 : start; i < end; i++) {
    const byte = buf[i] as number;
    if (byte < 48 || byte > 57) return false;
  }
  return true;
}

const WORD = 0x1_0000_0000;
const MINUS = 45;
const SHORT_STRING = 256;
const MAX_ROOM = 1 << 20;
const digits = Buffer.alloc(24);
const scratch = new Bytes();
