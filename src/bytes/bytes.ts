import { charCodeAt, MAX_TEXT } from './text.js';

/**
 * A byte string as a view: `buf[start .. end)`. It owns nothing. Arguments of a command, keys in an arena and values
 * for a reply are all passed as `Bytes`, so that no JavaScript string has to be created.
 *
 * A view is valid until the call that passed it returns; to keep the bytes, copy them (`copy`).
 * The objects are mutable on purpose: hot paths keep one and point it to the next bytes (`set`).
 */
export class Bytes {
  buf: Buffer;
  start: number;
  end: number;

  constructor(buf: Buffer = EMPTY_BUFFER, start = 0, end = buf.length) {
    this.buf = buf;
    this.start = start;
    this.end = end;
  }

  /** Bytes of a latin1 (one byte per character) string. */
  static of(text: string): Bytes {
    return new Bytes(Buffer.from(text, 'latin1'));
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Points this view at other bytes. */
  set(buf: Buffer, start: number, end: number): this {
    this.buf = buf;
    this.start = start;
    this.end = end;
    return this;
  }

  at(index: number): number {
    return this.buf[this.start + index] as number;
  }

  /** The bytes as a latin1 string: one character per byte, without loss. Throws if there are more than `MAX_TEXT`. */
  toString(): string {
    return this.buf.latin1Slice(this.start, this.end);
  }

  /** Whether `toString` is possible. */
  get fitsText(): boolean {
    return this.end - this.start <= MAX_TEXT;
  }

  /** The first `max` bytes as a latin1 string. */
  prefix(max: number): string {
    return this.buf.latin1Slice(this.start, Math.min(this.end, this.start + max));
  }

  toUtf8(): string {
    return this.buf.utf8Slice(this.start, this.end);
  }

  /** A copy with its own memory. */
  copy(): Bytes {
    return new Bytes(this.toBuffer());
  }

  toBuffer(): Buffer {
    const copy = Buffer.allocUnsafeSlow(this.end - this.start);
    this.buf.copy(copy, 0, this.start, this.end);
    return copy;
  }

  /** Writes the bytes at `offset` of `target` and returns the offset after them. */
  writeTo(target: Buffer, offset: number): number {
    return copyBytes(this.buf, this.start, this.end, target, offset);
  }

  equals(other: Bytes): boolean {
    const length = this.end - this.start;
    return (
      length === other.end - other.start && sameBytes(this.buf, this.start, other.buf, other.start, length)
    );
  }

  /** True when the bytes are this ASCII word in any letter case; `lowerCaseWord` must be in lower case. */
  is(lowerCaseWord: string): boolean {
    const { buf, start } = this;
    const length = this.end - start;
    if (length !== lowerCaseWord.length) return false;
    for (let i = 0; i < length; i++) {
      let byte = buf[start + i] as number;
      if (byte >= 65 && byte <= 90) byte |= 32;
      if (byte !== charCodeAt(lowerCaseWord, i)) return false;
    }
    return true;
  }

  /** Compares like `memcmp`, then by length: negative, zero or positive. */
  compare(other: Bytes): number {
    return compareBytes(this.buf, this.start, this.end, other.buf, other.start, other.end);
  }
}

export const EMPTY_BUFFER: Buffer = Buffer.alloc(0);

/** Below this length, a loop is faster than a call into native code (measured: equal between 40 and 80 bytes). */
const SHORT = 48;
/** The same for buffers created by `wideBuffer`. */
const SHORT_IF_WIDE = 96;

export function copyBytes(from: Buffer, start: number, end: number, to: Buffer, offset: number): number {
  const length = end - start;
  const { wide: source } = from;
  const { wide: target } = to;
  if (source !== undefined && target !== undefined && length < SHORT_IF_WIDE) {
    let i = 0;
    for (; i + 4 <= length; i += 4) target.setInt32(offset + i, source.getInt32(start + i, true), true);
    for (; i < length; i++) to[offset + i] = from[start + i] as number;
  } else if (length < SHORT) {
    for (let i = 0; i < length; i++) to[offset + i] = from[start + i] as number;
  } else {
    from.copy(to, offset, start, end);
  }
  return offset + length;
}

export function sameBytes(a: Buffer, aStart: number, b: Buffer, bStart: number, length: number): boolean {
  const { wide: aWide } = a;
  const { wide: bWide } = b;
  let i = 0;
  if (aWide !== undefined && bWide !== undefined && length < SHORT_IF_WIDE) {
    for (; i + 4 <= length; i += 4) {
      if (aWide.getInt32(aStart + i, true) !== bWide.getInt32(bStart + i, true)) return false;
    }
  } else if (length >= SHORT) {
    return a.compare(b, bStart, bStart + length, aStart, aStart + length) === 0;
  }
  for (; i < length; i++) if (a[aStart + i] !== b[bStart + i]) return false;
  return true;
}

export function compareBytes(
  a: Buffer,
  aStart: number,
  aEnd: number,
  b: Buffer,
  bStart: number,
  bEnd: number,
): number {
  const aLength = aEnd - aStart;
  const bLength = bEnd - bStart;
  const shared = aLength < bLength ? aLength : bLength;
  if (shared >= SHORT) return a.compare(b, bStart, bEnd, aStart, aEnd);
  for (let i = 0; i < shared; i++) {
    const difference = (a[aStart + i] as number) - (b[bStart + i] as number);
    if (difference !== 0) return difference;
  }
  return aLength - bLength;
}
