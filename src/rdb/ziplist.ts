import { Bytes } from '../bytes/bytes.js';
import type { Arena } from '../structures/arena/arena.js';
import type { Ref } from '../structures/arena/ref.js';
import { Listpack } from '../structures/listpack/listpack.js';
import { CorruptData } from './byte-source.js';

/*
 * Converts the packed forms of old versions of Redis to listpacks.
 *
 * A ziplist: total bytes (u32 LE), offset of the last entry (u32 LE), count (u16 LE, 65535: not known), entries, 0xff. An
 * entry: the size of the entry before it (one byte, or 0xfe and u32 LE), its encoding, its data.
 *
 * A zipmap: count (one byte, 254: not known), then key length, key, value length, unused bytes (one byte), value,
 * unused …, 0xff. A length is one byte, or 0xfe and u32 LE.
 */

const ZIPLIST_HEADER = 10;
const END = 0xff;
const LONG = 0xfe;
const UNKNOWN_COUNT = 0xffff;

/** A block with a listpack of the same elements. Throws `CorruptData` unless the whole ziplist is valid. */
export function listpackOfZiplist(arena: Arena, bytes: Bytes): Ref {
  const { buf, start, end } = bytes;
  const last = end - 1;
  if (end - start <= ZIPLIST_HEADER || buf.readUInt32LE(start) !== end - start || buf[last] !== END) {
    throw new CorruptData('a ziplist has a wrong header');
  }
  const pack = new Listpack(arena).open(arena, Listpack.create(arena, end - start));
  try {
    let count = 0;
    let at = start + ZIPLIST_HEADER;
    let previous = at;
    for (let size = 0; at < last; count++) {
      const next = appendZiplistEntry(pack, buf, at, last, size);
      previous = at;
      size = next - at;
      at = next;
    }
    const told = buf.readUInt16LE(start + 8);
    if (buf.readUInt32LE(start + 4) !== previous - start || (told !== UNKNOWN_COUNT && told !== count)) {
      throw new CorruptData('a ziplist has a wrong header');
    }
    return pack.ref;
  } catch (error) {
    pack.free();
    throw error;
  }
}

/** Adds the entry at `at` to the listpack and returns where the next one begins. */
function appendZiplistEntry(
  pack: Listpack,
  buf: Buffer,
  at: number,
  end: number,
  previousSize: number,
): number {
  const isLong = buf[at] === LONG;
  const encodingAt = within(at + (isLong ? 5 : 1), end - 1);
  if ((isLong ? buf.readUInt32LE(at + 1) : buf[at]) !== previousSize) {
    throw new CorruptData('a ziplist entry does not know the one before it');
  }
  const encoding = buf[encodingAt] as number;
  const data = encodingAt + 1;
  if (encoding < 0xc0) return appendZiplistString(pack, buf, encodingAt, end);
  const bytes = INTEGER_BYTES.get(encoding);
  if (bytes !== undefined) {
    const next = within(data + bytes, end);
    pack.appendInteger(bytes === 8 ? buf.readBigInt64LE(data) : buf.readIntLE(data, bytes));
    return next;
  }
  if (encoding < FIRST_IMMEDIATE || encoding > LAST_IMMEDIATE) {
    throw new CorruptData('a ziplist entry has no known encoding');
  }
  pack.appendInteger(encoding - FIRST_IMMEDIATE);
  return data;
}

function appendZiplistString(pack: Listpack, buf: Buffer, at: number, end: number): number {
  const encoding = buf[at] as number;
  let data = at + 1;
  let length = encoding & 0x3f;
  if (encoding >= 0x80) {
    data = within(at + 5, end);
    length = buf.readUInt32BE(at + 1);
  } else if (encoding >= 0x40) {
    data = within(at + 2, end);
    length = (length << 8) | (buf[at + 1] as number);
  }
  const next = within(data + length, end);
  pack.append(view.set(buf, data, next));
  return next;
}

/** Bytes of the integer that follows these encodings. */
const INTEGER_BYTES: ReadonlyMap<number, number> = new Map([
  [0xc0, 2],
  [0xd0, 4],
  [0xe0, 8],
  [0xf0, 3],
  [0xfe, 1],
]);
/** The encoding itself holds 0 to 12. */
const FIRST_IMMEDIATE = 0xf1;
const LAST_IMMEDIATE = 0xfd;

/** A block with a listpack of the same keys and values. Throws `CorruptData` unless the whole zipmap is valid. */
export function listpackOfZipmap(arena: Arena, bytes: Bytes): Ref {
  const { buf, start, end } = bytes;
  if (end - start < 2 || buf[end - 1] !== END) throw new CorruptData('a zipmap has no end');
  const pack = new Listpack(arena).open(arena, Listpack.create(arena, end - start));
  try {
    let count = 0;
    let at = start + 1;
    for (; buf[at] !== END; count++) {
      at = appendZipmapString(pack, buf, at, end - 1, 0);
      at = appendZipmapString(pack, buf, at, end - 1, 1);
    }
    const told = buf[start] as number;
    if (at !== end - 1 || (told < LONG && told !== count)) throw new CorruptData('a zipmap has a wrong size');
    return pack.ref;
  } catch (error) {
    pack.free();
    throw error;
  }
}

/** `spareBytes` is 1 for a value, which has a byte with the number of unused bytes after it. */
function appendZipmapString(
  pack: Listpack,
  buf: Buffer,
  at: number,
  end: number,
  spareBytes: number,
): number {
  const isLong = buf[at] === LONG;
  if (buf[at] === END) throw new CorruptData('a zipmap ends within an entry');
  const lengthEnd = within(at + (isLong ? 5 : 1), end);
  const length = isLong ? buf.readUInt32LE(at + 1) : (buf[at] as number);
  if (isLong && length < LONG) throw new CorruptData('a zipmap has a short length in long form');
  const data = within(lengthEnd + spareBytes, end);
  const dataEnd = within(data + length, end);
  pack.append(view.set(buf, data, dataEnd));
  return within(dataEnd + (spareBytes === 1 ? (buf[lengthEnd] as number) : 0), end);
}

/** Checks that the place is not beyond `end`, and returns it. */
function within(at: number, end: number): number {
  if (at > end) throw new CorruptData('an entry is longer than what is there');
  return at;
}

const view = new Bytes();
