import { writeInteger, writeInteger64 } from '../../bytes/numbers/integer.js';

/**
 * The ID of a stream entry: two unsigned 64-bit numbers, a time in ms and a sequence number. Stored as four unsigned
 * 32-bit words, so that IDs are exact, are compared without creating objects, and can be copied to arena blocks.
 *
 * Mutable on purpose: code that iterates over a stream keeps one object and changes it.
 */
export class StreamId {
  msHigh = 0;
  msLow = 0;
  seqHigh = 0;
  seqLow = 0;

  /** An ID of exact numbers, i.e. below 2^53. */
  static of(ms: number, seq: number): StreamId {
    return new StreamId().setMs(ms).setSeq(seq);
  }

  set(other: StreamId): this {
    this.msHigh = other.msHigh;
    this.msLow = other.msLow;
    this.seqHigh = other.seqHigh;
    this.seqLow = other.seqLow;
    return this;
  }

  setMs(value: number | bigint): this {
    this.msHigh = highWord(value);
    this.msLow = lowWord(value);
    return this;
  }

  setSeq(value: number | bigint): this {
    this.seqHigh = highWord(value);
    this.seqLow = lowWord(value);
    return this;
  }

  /** The smallest ID, 0-0, which no entry has. */
  setLeast(): this {
    this.msHigh = this.msLow = this.seqHigh = this.seqLow = 0;
    return this;
  }

  setGreatest(): this {
    this.msHigh = this.msLow = this.seqHigh = this.seqLow = LARGEST_WORD;
    return this;
  }

  get isLeast(): boolean {
    return (this.msHigh | this.msLow | this.seqHigh | this.seqLow) === 0;
  }

  get isGreatest(): boolean {
    return (this.msHigh & this.msLow & this.seqHigh & this.seqLow) === -1;
  }

  /** Negative, zero or positive. */
  compare(other: StreamId): number {
    if (this.msHigh !== other.msHigh) return this.msHigh - other.msHigh;
    if (this.msLow !== other.msLow) return this.msLow - other.msLow;
    if (this.seqHigh !== other.seqHigh) return this.seqHigh - other.seqHigh;
    return this.seqLow - other.seqLow;
  }

  equals(other: StreamId): boolean {
    return this.compare(other) === 0;
  }

  hasSameMs(other: StreamId): boolean {
    return this.msHigh === other.msHigh && this.msLow === other.msLow;
  }

  /** Moves to the next ID. If this was the greatest, becomes the smallest and returns false. */
  increment(): boolean {
    if (++this.seqLow <= LARGEST_WORD) return true;
    this.seqLow = 0;
    if (++this.seqHigh <= LARGEST_WORD) return true;
    this.seqHigh = 0;
    if (++this.msLow <= LARGEST_WORD) return true;
    this.msLow = 0;
    if (++this.msHigh <= LARGEST_WORD) return true;
    this.msHigh = 0;
    return false;
  }

  /** Moves to the previous ID. If this was the smallest, becomes the greatest and returns false. */
  decrement(): boolean {
    if (--this.seqLow >= 0) return true;
    this.seqLow = LARGEST_WORD;
    if (--this.seqHigh >= 0) return true;
    this.seqHigh = LARGEST_WORD;
    if (--this.msLow >= 0) return true;
    this.msLow = LARGEST_WORD;
    if (--this.msHigh >= 0) return true;
    this.msHigh = LARGEST_WORD;
    return false;
  }

  /** The difference of each half to that of `base`, as the signed 64-bit number that a block stores. */
  msAbove(base: StreamId): number | bigint {
    return difference(this.msHigh, this.msLow, base.msHigh, base.msLow);
  }

  seqAbove(base: StreamId): number | bigint {
    return difference(this.seqHigh, this.seqLow, base.seqHigh, base.seqLow);
  }

  /** Adds a difference that `msAbove` returned. */
  addMs(delta: number | bigint): void {
    const low = this.msLow + lowWord(delta);
    this.msHigh = (this.msHigh + highWord(delta) + (low > LARGEST_WORD ? 1 : 0)) >>> 0;
    this.msLow = low >>> 0;
  }

  addSeq(delta: number | bigint): void {
    const low = this.seqLow + lowWord(delta);
    this.seqHigh = (this.seqHigh + highWord(delta) + (low > LARGEST_WORD ? 1 : 0)) >>> 0;
    this.seqLow = low >>> 0;
  }

  /** Reads the ID from four words. */
  readWords(words: Int32Array, at: number): this {
    this.msHigh = (words[at] as number) >>> 0;
    this.msLow = (words[at + 1] as number) >>> 0;
    this.seqHigh = (words[at + 2] as number) >>> 0;
    this.seqLow = (words[at + 3] as number) >>> 0;
    return this;
  }

  writeWords(words: Int32Array, at: number): void {
    words[at] = this.msHigh;
    words[at + 1] = this.msLow;
    words[at + 2] = this.seqHigh;
    words[at + 3] = this.seqLow;
  }

  /** Sixteen bytes, the most significant first: the format of files. */
  decode(buf: Buffer, at: number): this {
    this.msHigh = buf.readUInt32BE(at);
    this.msLow = buf.readUInt32BE(at + 4);
    this.seqHigh = buf.readUInt32BE(at + 8);
    this.seqLow = buf.readUInt32BE(at + 12);
    return this;
  }

  encode(buf: Buffer, at: number): void {
    buf.writeUInt32BE(this.msHigh, at);
    buf.writeUInt32BE(this.msLow, at + 4);
    buf.writeUInt32BE(this.seqHigh, at + 8);
    buf.writeUInt32BE(this.seqLow, at + 12);
  }

  get ms(): number | bigint {
    return unsigned64(this.msHigh, this.msLow);
  }

  get seq(): number | bigint {
    return unsigned64(this.seqHigh, this.seqLow);
  }

  /** Writes `ms-seq` at `offset`, at most `LONGEST_ID` bytes, and returns the offset after it. */
  writeText(buf: Buffer, offset: number): number {
    const dash = writeUnsigned(buf, offset, this.ms);
    buf[dash] = 0x2d;
    return writeUnsigned(buf, dash + 1, this.seq);
  }

  toString(): string {
    return `${this.ms}-${this.seq}`;
  }
}

/** Bytes of the longest ID as text. */
export const LONGEST_ID = 41;

/** The unsigned number of these two words: a bigint if a number would not be exact. */
export function unsigned64(high: number, low: number): number | bigint {
  if (high <= LARGEST_SAFE_HIGH) return high * TWO_POW_32 + low;
  return (BigInt(high) << 32n) | BigInt(low);
}

/** The lower 32 bits of the number's 64, unsigned. */
export function lowWord(value: number | bigint): number {
  return typeof value === 'number' ? value >>> 0 : Number(BigInt.asUintN(32, value));
}

/** The upper 32 bits, unsigned. */
export function highWord(value: number | bigint): number {
  if (typeof value === 'number') return Math.floor(value / TWO_POW_32) >>> 0;
  return Number(BigInt.asUintN(32, value >> 32n));
}

function difference(high: number, low: number, baseHigh: number, baseLow: number): number | bigint {
  const near = (high - baseHigh) * TWO_POW_32 + (low - baseLow);
  if (Number.isSafeInteger(near)) return near;
  const exact = (BigInt(high) << 32n) + BigInt(low) - (BigInt(baseHigh) << 32n) - BigInt(baseLow);
  return BigInt.asIntN(64, exact);
}

function writeUnsigned(buf: Buffer, offset: number, value: number | bigint): number {
  return typeof value === 'number' ? writeInteger(buf, offset, value) : writeInteger64(buf, offset, value);
}

const TWO_POW_32 = 0x1_0000_0000;
const LARGEST_WORD = 0xffff_ffff;
const LARGEST_SAFE_HIGH = (1 << 21) - 1;
