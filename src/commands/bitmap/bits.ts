import { countOnes, countOnesBetween, findBit } from '../../bytes/bits.js';
import { Bytes } from '../../bytes/bytes.js';
import type { Database } from '../../keyspace/database.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import {
  createEditableString,
  editableString,
  stringBytes,
  stringLength,
} from '../../keyspace/values/string-value.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { bitOffset } from './bit-offset.js';

/** Single bits, and counting and finding them. */

const view = new Bytes();

const invalidBit = new CommandError('ERR bit is not an integer or out of range');

export function setbit(call: Call): void {
  const offset = bitOffset(call, 2);
  const bit = call.integer(3, invalidBit);
  if (bit !== 0 && bit !== 1) throw invalidBit;
  const index = Math.floor(offset / 8);
  const grew = openBits(call, index, index + 1, view);
  const at = view.start + index;
  const mask = 0x80 >> (offset % 8);
  const byte = view.buf[at] as number;
  const old = (byte & mask) === 0 ? 0 : 1;
  if (grew || old !== bit) {
    view.buf[at] = bit === 1 ? byte | mask : byte & ~mask;
    call.effects.changed(call.db, call.arg(1), EventClass.string, 'setbit');
  }
  call.reply.integer(old);
}

/**
 * Points `bytes` at the string of the first key, made at least `length` long, of which the bytes `from` to `length` may
 * be changed. True if it was created or became longer.
 */
export function openBits(call: Call, from: number, length: number, bytes: Bytes): boolean {
  const { db, keyspace } = call;
  const entry = call.write(1, Type.string);
  if (entry === 0) {
    createEditableString(keyspace, db, call.arg(1), length, bytes);
    return true;
  }
  const oldLength = stringLength(db, entry);
  editableString(keyspace, db, entry, length, bytes, from);
  return length > oldLength;
}

export function getbit(call: Call): void {
  const offset = bitOffset(call, 2);
  const entry = call.read(1, Type.string);
  call.reply.integer(entry === 0 ? 0 : bitAt(call.db, entry, offset));
}

function bitAt(db: Database, entry: Entry, offset: number): number {
  const { buf, start, end } = stringBytes(db, entry, view);
  const at = start + Math.floor(offset / 8);
  return at < end ? ((buf[at] as number) >> (7 - (offset % 8))) & 1 : 0;
}

export function bitcount(call: Call): void {
  const entry = call.read(1, Type.string);
  if (entry === 0) {
    call.reply.integer(0);
    return;
  }
  const bytes = stringBytes(call.db, entry, view);
  if (call.argc === 2) {
    call.reply.integer(countOnes(bytes));
    return;
  }
  if (call.argc > 5 || call.argc < 4) throw errors.syntax;
  const first = call.integer(2);
  const last = call.integer(3);
  if (first < 0 && last < 0 && first > last) {
    call.reply.integer(0);
    return;
  }
  const range = bitRange(first, last, call.argc === 5 && countsBits(call, 4), bytes.length);
  call.reply.integer(range.first > range.last ? 0 : countOnesBetween(bytes, range.first, range.last));
}

const notABit = new CommandError('ERR The bit argument must be 1 or 0.');

export function bitpos(call: Call): void {
  const bit = call.integer(2);
  if (bit !== 0 && bit !== 1) throw notABit;
  const entry = call.read(1, Type.string);
  if (entry === 0) {
    call.reply.integer(bit === 1 ? -1 : 0);
    return;
  }
  const bytes = stringBytes(call.db, entry, view);
  if (call.argc > 6) throw errors.syntax;
  const first = call.argc > 3 ? call.integer(3) : 0;
  const isInBits = call.argc === 6 && countsBits(call, 5);
  const last = call.argc > 4 ? call.integer(4) : -1;
  const range = bitRange(first, last, isInBits, bytes.length);
  if (range.first > range.last) {
    call.reply.integer(-1);
    return;
  }
  const found = findBit(bytes, bit, range.first, range.last);
  // Without an end, the string counts as followed by an endless run of zeros.
  const isOpen = bit === 0 && call.argc < 5;
  call.reply.integer(found < 0 && isOpen ? bytes.length * 8 : found);
}

/** Whether argument `index`, BYTE or BIT, says that a range is in bits. */
function countsBits(call: Call, index: number): boolean {
  const unit = call.arg(index);
  if (unit.is('bit')) return true;
  if (unit.is('byte')) return false;
  throw errors.syntax;
}

interface BitRange {
  first: number;
  last: number;
}

/** The bits from `first` to `last`, given in bits or bytes and perhaps from the end; empty if `first > last`. */
function bitRange(first: number, last: number, isInBits: boolean, byteLength: number): BitRange {
  const total = isInBits ? byteLength * 8 : byteLength;
  if (first < 0) first = Math.max(0, total + first);
  if (last < 0) last = Math.max(0, total + last);
  if (last >= total) last = total - 1;
  if (isInBits || first > last) return { first, last };
  return { first: first * 8, last: last * 8 + 7 };
}
