import { Bytes, copyBytes } from '../bytes/bytes.js';
import { parseInteger, parseInteger64, writeInteger, writeInteger64 } from '../bytes/integer.js';
import type { Database } from './database.js';
import type { Keyspace } from './keyspace.js';
import { Encoding, Type } from './kinds.js';

/**
 * Strings. Held as a 32-bit integer in the entry (`int`), a 64-bit one in eight bytes (`int64`), or as bytes in a block
 * that begins with their length (`embstr`, `raw`). Longer ones may have room to spare, so that APPEND is cheap.
 */

/** Longest value that Redis keeps in one allocation with its object. */
const LONGEST_EMBEDDED = 44;
const LONGEST_INTEGER = 20;
const HEADER = 4;

/** Sets the key to a string, whatever it held. Creates the entry if `entry` is 0. The time to live is left alone. */
export function setString(keyspace: Keyspace, db: Database, entry: number, key: Bytes, value: Bytes): number {
  const length = value.end - value.start;
  if (length <= LONGEST_INTEGER) {
    const integer = parseInteger(value.buf, value.start, value.end);
    if (!Number.isNaN(integer)) return setInteger(keyspace, db, entry, key, integer);
    if (length >= 16) {
      const exact = parseInteger64(value.buf, value.start, value.end);
      if (exact !== undefined) return setInteger64(keyspace, db, entry, key, exact);
    }
  }
  const encoding = length <= LONGEST_EMBEDDED ? Encoding.embstr : Encoding.raw;
  if (entry === 0) return keyspace.create(db, key, Type.string, encoding, newBlock(db, value));
  const held = db.encoding(entry);
  if (held === Encoding.embstr || held === Encoding.raw) {
    const ref = db.arena.resize(db.value(entry), length + HEADER, 0);
    fillBlock(db, ref, value);
    db.setValue(entry, Type.string, encoding, ref);
  } else {
    keyspace.releaseValue(db, entry);
    db.setValue(entry, Type.string, encoding, newBlock(db, value));
  }
  return entry;
}

/** Sets the key to a safe integer. */
export function setInteger(
  keyspace: Keyspace,
  db: Database,
  entry: number,
  key: Bytes,
  integer: number,
): number {
  if ((integer | 0) !== integer) return setInteger64(keyspace, db, entry, key, BigInt(integer));
  if (entry === 0) return keyspace.create(db, key, Type.string, Encoding.int, integer);
  if (db.encoding(entry) !== Encoding.int) keyspace.releaseValue(db, entry);
  db.setValue(entry, Type.string, Encoding.int, integer);
  return entry;
}

export function setInteger64(
  keyspace: Keyspace,
  db: Database,
  entry: number,
  key: Bytes,
  integer: bigint,
): number {
  if (integer >= -0x80000000n && integer <= 0x7fffffffn) {
    return setInteger(keyspace, db, entry, key, Number(integer));
  }
  let ref: number;
  if (entry !== 0 && db.encoding(entry) === Encoding.int64) {
    ref = db.value(entry);
  } else {
    if (entry !== 0) keyspace.releaseValue(db, entry);
    ref = db.arena.alloc(8);
  }
  (db.arena.bytes[ref >>> 17] as Buffer).writeBigInt64LE(integer, (ref & 0x1ffff) << 3);
  if (entry === 0) return keyspace.create(db, key, Type.string, Encoding.int64, ref);
  db.setValue(entry, Type.string, Encoding.int64, ref);
  return entry;
}

/** Points `view` at the string's bytes; of an integer, at its digits in a buffer used again by the next call. */
export function stringBytes(db: Database, entry: number, view: Bytes): Bytes {
  const encoding = db.encoding(entry);
  const value = db.value(entry);
  if (encoding === Encoding.int) return view.set(digits, 0, writeInteger(digits, 0, value));
  const buf = db.arena.bytes[value >>> 17] as Buffer;
  const offset = (value & 0x1ffff) << 3;
  if (encoding === Encoding.int64) {
    return view.set(digits, 0, writeInteger64(digits, 0, buf.readBigInt64LE(offset)));
  }
  const length = (db.arena.words[value >>> 17] as Int32Array)[offset >> 2] as number;
  return view.set(buf, offset + HEADER, offset + HEADER + length);
}

export function stringLength(db: Database, entry: number): number {
  if (db.encoding(entry) <= Encoding.int64) return stringBytes(db, entry, lengthView).length;
  const value = db.value(entry);
  return (db.arena.words[value >>> 17] as Int32Array)[(value & 0x1ffff) << 1] as number;
}

/** The string as a safe integer: NaN if it is none, or is beyond 2^53 (then ask `integer64Of`). */
export function integerOf(db: Database, entry: number): number {
  if (db.encoding(entry) === Encoding.int) return db.value(entry);
  const { buf, start, end } = stringBytes(db, entry, lengthView);
  return parseInteger(buf, start, end);
}

export function integer64Of(db: Database, entry: number): bigint | undefined {
  const { buf, start, end } = stringBytes(db, entry, lengthView);
  return parseInteger64(buf, start, end);
}

/**
 * Makes the string at `entry` one of bytes that can be changed in place (`raw`), at least `length` long: what is added is
 * zero. Points `view` at all of it. Room for growth is left beyond 1 KB, half as much again but at most 1 MB.
 */
export function editableString(
  keyspace: Keyspace,
  db: Database,
  entry: number,
  length: number,
  view: Bytes,
): Bytes {
  const old = stringBytes(db, entry, view);
  const oldLength = old.length;
  const newLength = Math.max(length, oldLength);
  const encoding = db.encoding(entry);
  let ref: number;
  if (encoding <= Encoding.int64) {
    ref = newBlock(db, old, newLength);
    keyspace.releaseValue(db, entry);
  } else {
    ref = db.value(entry);
    if (newLength + HEADER > db.arena.capacity(ref)) {
      const room = oldLength < SHORT_STRING ? 0 : Math.min(newLength >> 1, MOST_ROOM);
      ref = db.arena.resize(ref, newLength + HEADER + room, oldLength + HEADER);
    }
  }
  db.setValue(entry, Type.string, Encoding.raw, ref);
  const offset = (ref & 0x1ffff) << 3;
  const buf = db.arena.bytes[ref >>> 17] as Buffer;
  (db.arena.words[ref >>> 17] as Int32Array)[offset >> 2] = newLength;
  if (newLength > oldLength) buf.fill(0, offset + HEADER + oldLength, offset + HEADER + newLength);
  return view.set(buf, offset + HEADER, offset + HEADER + newLength);
}

function newBlock(db: Database, value: Bytes, length = value.length): number {
  const ref = db.arena.alloc(length + HEADER);
  fillBlock(db, ref, value);
  return ref;
}

function fillBlock(db: Database, ref: number, value: Bytes): void {
  const page = ref >>> 17;
  const offset = (ref & 0x1ffff) << 3;
  (db.arena.words[page] as Int32Array)[offset >> 2] = value.end - value.start;
  copyBytes(value.buf, value.start, value.end, db.arena.bytes[page] as Buffer, offset + HEADER);
}

const SHORT_STRING = 1024;
const MOST_ROOM = 1 << 20;
const digits = Buffer.alloc(24);
const lengthView = new Bytes();
