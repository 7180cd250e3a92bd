import { type Bytes, copyBytes, sameBytes } from '../../bytes/bytes.js';
import { Arena } from '../arena/arena.js';
import { byteIndex, NO_BLOCK, type Ref } from '../arena/ref.js';
import type { Element } from '../element.js';
import {
  EMPTY_LISTPACK_BYTES,
  entrySize,
  entrySizeBefore,
  isLongString,
  LARGEST_LISTPACK,
  LISTPACK_END,
  LISTPACK_HEADER,
  ListpackEntry,
  LONGEST_SHORT,
  NewListpackEntry,
  readCount,
  readUnsigned32,
  shortStringHead,
  skipEntries,
  UNKNOWN_COUNT,
  writeCount,
  writeUnsigned32,
} from './listpack-format.js';

/**
 * A small sequence of byte strings and integers in one arena block, in Redis's listpack format.
 *
 * A `Listpack` is a cursor. It owns no memory and is pointed at one block after another (`open`), so that no operation
 * allocates. An edit may move the block: after an edit, read `ref` again. A *position* is an
 * entry's offset from the listpack's start, -1 for none; an edit invalidates the positions after it.
 *
 * Byte strings passed to an edit must not be in the edited block.
 */
export class Listpack {
  /** The block; 0 while nothing is open. */
  ref = NO_BLOCK;
  #arena: Arena;
  /** The page of the block, and the offset of the listpack in it. */
  #buf: Buffer;
  #start = 0;

  /** Without an arena here, `open` must pass one. */
  constructor(arena: Arena = NO_ARENA) {
    this.#arena = arena;
    this.#buf = NOWHERE;
  }

  /** A block with an empty listpack. `room` is the number of bytes to reserve for a listpack that will grow. */
  static create(arena: Arena, room = EMPTY_LISTPACK_BYTES): Ref {
    const ref = arena.alloc(room);
    const buf = arena.bytesOf(ref);
    const start = byteIndex(ref);
    writeUnsigned32(buf, start, EMPTY_LISTPACK_BYTES);
    writeCount(buf, start, 0);
    buf[start + LISTPACK_HEADER] = LISTPACK_END;
    return ref;
  }

  /** A block with a listpack of the `count` entries that are `buf[from .. to)`. */
  static ofEntries(arena: Arena, buf: Buffer, from: number, to: number, count: number): Ref {
    const size = to - from + EMPTY_LISTPACK_BYTES;
    const ref = arena.alloc(size);
    const target = arena.bytesOf(ref);
    const start = byteIndex(ref);
    writeUnsigned32(target, start, size);
    writeCount(target, start, Math.min(count, UNKNOWN_COUNT));
    target[copyBytes(buf, from, to, target, start + LISTPACK_HEADER)] = LISTPACK_END;
    return ref;
  }

  /** A block with a copy of these bytes, which are a listpack (see `isValidListpack`). */
  static load(arena: Arena, bytes: Bytes): Ref {
    const ref = arena.alloc(bytes.end - bytes.start);
    copyBytes(bytes.buf, bytes.start, bytes.end, arena.bytesOf(ref), byteIndex(ref));
    return ref;
  }

  /**
   * Points at the listpack in this block. One that begins `gap` bytes into its block (see `Quicklist`) can only be read,
   * not edited.
   */
  open(arena: Arena, ref: Ref, gap = 0): this {
    this.#arena = arena;
    this.#point(ref);
    this.#start += gap;
    return this;
  }

  get byteLength(): number {
    return readUnsigned32(this.#buf, this.#start);
  }

  /** The number of entries; if there are more than 65,534, they are counted. */
  get count(): number {
    const told = readCount(this.#buf, this.#start);
    return told === UNKNOWN_COUNT ? this.#countEntries() : told;
  }

  get isEmpty(): boolean {
    return this.byteLength === EMPTY_LISTPACK_BYTES;
  }

  /** Whether the listpack with this many more bytes stays below the largest size that Redis allows. */
  hasRoomFor(bytes: number): boolean {
    return this.byteLength + bytes <= LARGEST_LISTPACK;
  }

  /** Points `view` at the whole listpack: its bytes in a file or a DUMP payload. */
  whole(view: Bytes): Bytes {
    return view.set(this.#buf, this.#start, this.#start + this.byteLength);
  }

  // ---- positions ----

  first(): number {
    return this.#buf[this.#start + LISTPACK_HEADER] === LISTPACK_END ? -1 : LISTPACK_HEADER;
  }

  last(): number {
    return this.previous(this.byteLength - 1);
  }

  /** The position of the end mark, after the last entry, for `previous` and `insertBefore`. */
  get end(): number {
    return this.byteLength - 1;
  }

  next(position: number): number {
    const at = this.#start + position;
    const following = at + entrySize(this.#buf, at);
    return this.#buf[following] === LISTPACK_END ? -1 : following - this.#start;
  }

  previous(position: number): number {
    return position <= LISTPACK_HEADER ? -1 : position - entrySizeBefore(this.#buf, this.#start + position);
  }

  /** The entry with this index, counted from the end if negative; -1 if there is none. */
  at(index: number): number {
    const told = readCount(this.#buf, this.#start);
    let forward = index >= 0;
    let steps = forward ? index : -index - 1;
    if (told !== UNKNOWN_COUNT) {
      if (steps >= told) return -1;
      if (steps > told >> 1) {
        forward = !forward;
        steps = told - 1 - steps;
      }
    }
    let position = forward ? this.first() : this.last();
    for (; steps > 0 && position !== -1; steps--) {
      position = forward ? this.next(position) : this.previous(position);
    }
    return position;
  }

  // ---- reading ----

  /** Reads the entry into `element`, whose bytes are a view of the block: valid until the next edit. */
  read(position: number, element: Element): Element {
    const buf = this.#buf;
    entry.read(buf, this.#start + position);
    return element.ofEntry(buf, entry);
  }

  /** Like `read`, but also returns the position of the next entry, or -1: one decoding for both. */
  readAndAdvance(position: number, element: Element): number {
    const buf = this.#buf;
    const following = entry.read(buf, this.#start + position);
    element.ofEntry(buf, entry);
    return buf[following] === LISTPACK_END ? -1 : following - this.#start;
  }

  /** Whether the entry, as text, is these bytes. */
  equals(position: number, bytes: Bytes): boolean {
    const buf = this.#buf;
    entry.read(buf, this.#start + position);
    if (entry.isInteger) return fresh.readInteger(bytes) && fresh.matches(entry);
    return isEntry(buf, bytes);
  }

  /** The first entry at or after `from` that equals these bytes, skipping `skip` entries after each one compared. */
  find(bytes: Bytes, from: number, skip = 0): number {
    if (from === -1) return -1;
    const isInteger = fresh.readInteger(bytes);
    if (!isInteger && bytes.end - bytes.start <= LONGEST_SHORT) return this.#findShort(bytes, from, skip);
    const buf = this.#buf;
    for (let at = this.#start + from; ; ) {
      const following = entry.read(buf, at);
      if (following === at) return -1;
      if (entry.isInteger ? isInteger && fresh.matches(entry) : isEntry(buf, bytes)) return at - this.#start;
      at = skipEntries(buf, following, skip);
      if (at === -1) return -1;
    }
  }

  /** The same for a short string: entries with another head or last byte are skipped without a full comparison. */
  #findShort(bytes: Bytes, from: number, skip: number): number {
    const buf = this.#buf;
    const { buf: sought, start, end } = bytes;
    const length = end - start;
    const head = shortStringHead(length);
    const last = length === 0 ? head : (sought[end - 1] as number);
    for (let at = this.#start + from; at !== -1; at = skipEntries(buf, at, skip + 1)) {
      const first = buf[at] as number;
      if (first === head) {
        if (buf[at + length] === last && sameBytes(buf, at + 1, sought, start, length))
          return at - this.#start;
      } else if (isLongString(first)) {
        // A file may have short strings in a longer encoding.
        entry.read(buf, at);
        if (isEntry(buf, bytes)) return at - this.#start;
      }
    }
    return -1;
  }

  // ---- editing ----

  append(bytes: Bytes): void {
    fresh.ofBytes(bytes);
    this.#insert(this.end, bytes);
  }

  appendInteger(value: number | bigint): void {
    fresh.ofInteger(value);
    this.#insert(this.end, undefined);
  }

  prepend(bytes: Bytes): void {
    fresh.ofBytes(bytes);
    this.#insert(LISTPACK_HEADER, bytes);
  }

  prependInteger(value: number | bigint): void {
    fresh.ofInteger(value);
    this.#insert(LISTPACK_HEADER, undefined);
  }

  /** Inserts before the entry at `position` (or at `end`) and returns the new entry's position: the same number. */
  insertBefore(position: number, bytes: Bytes): number {
    fresh.ofBytes(bytes);
    this.#insert(position, bytes);
    return position;
  }

  insertIntegerBefore(position: number, value: number | bigint): number {
    fresh.ofInteger(value);
    this.#insert(position, undefined);
    return position;
  }

  /** Inserts after the entry at `position` and returns the new entry's position. */
  insertAfter(position: number, bytes: Bytes): number {
    return this.insertBefore(position + entrySize(this.#buf, this.#start + position), bytes);
  }

  /** Replaces the entry; its position stays the same. */
  replace(position: number, bytes: Bytes): number {
    fresh.ofBytes(bytes);
    this.#replace(position, bytes);
    return position;
  }

  replaceInteger(position: number, value: number | bigint): number {
    fresh.ofInteger(value);
    this.#replace(position, undefined);
    return position;
  }

  /** Deletes up to `entries` entries from `position` on and returns the position of the next entry, or -1. */
  delete(position: number, entries = 1): number {
    const buf = this.#buf;
    const from = this.#start + position;
    let to = from;
    let deleted = 0;
    for (; deleted < entries; deleted++) {
      const size = entrySize(buf, to);
      if (size === 0) break;
      to += size;
    }
    const told = readCount(buf, this.#start);
    if (told !== UNKNOWN_COUNT) writeCount(buf, this.#start, told - deleted);
    this.#splice(position, to - from, 0);
    return this.#buf[this.#start + position] === LISTPACK_END ? -1 : position;
  }

  /** Appends all entries of another listpack. */
  appendAll(other: Listpack): void {
    const total = this.byteLength;
    const added = other.byteLength - EMPTY_LISTPACK_BYTES;
    const count = this.count + other.count;
    this.#reserve(total + added, total);
    const end = this.#start + total - 1;
    const from = other.#start + LISTPACK_HEADER;
    this.#buf[copyBytes(other.#buf, from, from + added, this.#buf, end)] = LISTPACK_END;
    writeUnsigned32(this.#buf, this.#start, total + added);
    writeCount(this.#buf, this.#start, Math.min(count, UNKNOWN_COUNT));
  }

  /** Moves the `count` entries from `position` to the end to a new listpack. */
  splitOff(position: number, count: number): Ref {
    const end = this.#start + this.byteLength - 1;
    const tail = Listpack.ofEntries(this.#arena, this.#buf, this.#start + position, end, count);
    this.delete(position, count);
    return tail;
  }

  /** Frees the block. */
  free(): void {
    this.#arena.free(this.ref);
    this.ref = NO_BLOCK;
  }

  #insert(position: number, bytes: Bytes | undefined): void {
    const told = readCount(this.#buf, this.#start);
    this.#splice(position, 0, fresh.size);
    fresh.write(this.#buf, this.#start + position, bytes);
    if (told !== UNKNOWN_COUNT) writeCount(this.#buf, this.#start, told + 1);
  }

  #replace(position: number, bytes: Bytes | undefined): void {
    this.#splice(position, entrySize(this.#buf, this.#start + position), fresh.size);
    fresh.write(this.#buf, this.#start + position, bytes);
  }

  /** Replaces `removed` bytes at `position` with `inserted` unwritten bytes; does not change the count. */
  #splice(position: number, removed: number, inserted: number): void {
    if (removed === inserted) return;
    const total = this.byteLength;
    const size = total - removed + inserted;
    if (inserted > removed) this.#reserve(size, total);
    const buf = this.#buf;
    const start = this.#start;
    moveBytes(buf, start + position + inserted, start + position + removed, start + total);
    writeUnsigned32(buf, start, size);
    if (inserted < removed) this.#moveTo(this.#arena.resize(this.ref, size, size));
  }

  /**
   * Small blocks grow by the arena's size classes, at most an eighth at a time, so that a small collection wastes little.
   * Larger blocks grow by an eighth, so that they are not copied for every entry.
   */
  #reserve(size: number, keep: number): void {
    if (size <= this.#arena.capacity(this.ref)) return;
    this.#moveTo(this.#arena.resize(this.ref, size <= UNSLACKED ? size : size + (size >> 3), keep));
  }

  #moveTo(ref: Ref): void {
    if (ref !== this.ref) this.#point(ref);
  }

  #point(ref: Ref): this {
    this.ref = ref;
    this.#buf = this.#arena.bytesOf(ref);
    this.#start = byteIndex(ref);
    return this;
  }

  #countEntries(): number {
    const buf = this.#buf;
    let count = 0;
    for (let at = this.#start + LISTPACK_HEADER; buf[at] !== LISTPACK_END; at += entrySize(buf, at)) count++;
    if (count < UNKNOWN_COUNT) writeCount(buf, this.#start, count);
    return count;
  }
}

/** Blocks up to this size come from the arena's size classes, which already have slack. */
const UNSLACKED = 1 << 14;

/** Below this length, a loop is faster than a call into native code. */
const SHORT_MOVE = 32;

function moveBytes(buf: Buffer, to: number, from: number, end: number): void {
  const length = end - from;
  if (length > SHORT_MOVE) buf.copyWithin(to, from, end);
  else if (to < from) for (let i = 0; i < length; i++) buf[to + i] = buf[from + i] as number;
  else for (let i = length - 1; i >= 0; i--) buf[to + i] = buf[from + i] as number;
}

const NO_ARENA = new Arena();
const NOWHERE = Buffer.alloc(EMPTY_LISTPACK_BYTES);
NOWHERE[0] = EMPTY_LISTPACK_BYTES;
NOWHERE[LISTPACK_HEADER] = LISTPACK_END;

/** The entry being read and the entry being written. Shared: no call in this module interrupts another. */
const entry = new ListpackEntry();
const fresh = new NewListpackEntry();

/** Whether `entry`, which was read from `buf` and is a string, is these bytes. */
function isEntry(buf: Buffer, bytes: Bytes): boolean {
  const length = bytes.end - bytes.start;
  return entry.end - entry.start === length && sameBytes(buf, entry.start, bytes.buf, bytes.start, length);
}
