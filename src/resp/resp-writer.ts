import { type Bytes, copyBytes } from '../bytes/bytes.js';
import { writeDouble } from '../bytes/numbers/double.js';
import { nearestInteger64, writeInteger } from '../bytes/numbers/integer.js';
import { wideBuffer } from '../bytes/wide-buffer.js';
import type { ReplyTarget } from './reply.js';

/**
 * Encodes replies into one growing buffer. A server keeps a single writer for all its clients: it is filled while a
 * chunk of input is processed, its bytes are sent, and it starts over.
 */
export class RespWriter implements ReplyTarget {
  protocol = 2;
  buffer: Buffer;
  /** The number of bytes in `buffer` that are filled. */
  length = 0;
  /** The reply exceeded its client's limit: it is dropped, and further writes are ignored. */
  isAbandoned = false;
  /** Called before the buffer grows to this many bytes. */
  mayHold: (size: number) => boolean = () => true;

  constructor(capacity = 1 << 16) {
    this.buffer = wideBuffer(capacity);
  }

  /** Empties the writer and frees a buffer that one huge reply has enlarged. */
  reset(): void {
    this.length = 0;
    this.isAbandoned = false;
    if (this.buffer.length > LARGEST_KEPT) this.buffer = wideBuffer(LARGEST_KEPT >> 2);
  }

  /** Removes everything written since `length` was `mark`. */
  truncate(mark: number): void {
    if (!this.isAbandoned) this.length = mark;
  }

  /** A copy of the bytes written since `length` was `mark`. */
  copyFrom(mark: number): Buffer {
    return Buffer.from(this.buffer.subarray(mark, this.length));
  }

  ok(): void {
    const at = this.#room(5);
    const { buffer } = this;
    buffer[at] = PLUS;
    buffer[at + 1] = 79;
    buffer[at + 2] = 75;
    buffer[at + 3] = CR;
    buffer[at + 4] = LF;
    this.length = at + 5;
  }

  status(text: string): void {
    this.#line(PLUS, text);
  }

  error(text: string): void {
    this.#line(MINUS, LINE_END.test(text) ? text.replace(LINE_ENDS, ' ') : text);
  }

  integer(value: number): void {
    if (!(value <= MAX_EXACT && value >= -MAX_EXACT)) {
      this.integer64(nearestInteger64(value));
      return;
    }
    const at = this.#room(24);
    this.buffer[at] = COLON;
    this.#endLine(writeInteger(this.buffer, at + 1, value));
  }

  integer64(value: bigint): void {
    this.#line(COLON, value.toString());
  }

  bulk(bytes: Bytes): void {
    this.bulkBuffer(bytes.buf, bytes.start, bytes.end);
  }

  bulkBuffer(source: Buffer, start: number, end: number): void {
    const length = end - start;
    let at = this.#room(length + 16);
    const { buffer } = this;
    if (length < SHORT_HEADERS) {
      // Most replies: the header is one precomputed word, and a line feed if the length has two digits.
      const wide = buffer.wide as DataView;
      wide.setInt32(at, BULK_HEADERS[length] as number, true);
      buffer[at + 4] = LF;
      at = copyBytes(source, start, end, buffer, length < 10 ? at + 4 : at + 5);
    } else {
      buffer[at] = DOLLAR;
      at = writeInteger(buffer, at + 1, length);
      buffer[at] = CR;
      buffer[at + 1] = LF;
      at = copyBytes(source, start, end, buffer, at + 2);
    }
    buffer[at] = CR;
    buffer[at + 1] = LF;
    this.length = at + 2;
  }

  bulkText(text: string): void {
    const at = this.#header(DOLLAR, text.length, text.length + 2);
    this.#endLine(at + this.buffer.latin1Write(text, at));
  }

  bulkInteger(value: number): void {
    if (!(value <= MAX_EXACT && value >= -MAX_EXACT)) {
      this.bulkInteger64(nearestInteger64(value));
      return;
    }
    const start = this.#room(40);
    const end = writeInteger(this.buffer, start + 5, value);
    this.#prependBulkHeader(start, start + 5, end);
  }

  bulkInteger64(value: bigint): void {
    this.bulkText(value.toString());
  }

  double(value: number): void {
    if (this.protocol === 2) {
      // At most 26 characters, so the length has at most two digits. It is written in front of the text when it is known.
      const start = this.#room(40);
      const end = writeDouble(this.buffer, start + 5, value);
      this.#prependBulkHeader(start, start + 5, end);
      return;
    }
    const at = this.#room(40);
    this.buffer[at] = COMMA;
    this.#endLine(writeDouble(this.buffer, at + 1, value));
  }

  doubleText(text: string): void {
    if (this.protocol === 2) this.bulkText(text);
    else this.#line(COMMA, text);
  }

  boolean(value: boolean): void {
    if (this.protocol === 2) this.integer(value ? 1 : 0);
    else this.#line(HASH, value ? 't' : 'f');
  }

  verbatim(format: string, text: string): void {
    if (this.protocol === 2) {
      this.bulkText(text);
      return;
    }
    const length = text.length + 4;
    const at = this.#header(EQUALS, length, length + 2);
    this.#endLine(at + this.buffer.latin1Write(`${format}:${text}`, at));
  }

  bigNumber(digits: string): void {
    if (this.protocol === 2) this.bulkText(digits);
    else this.#line(PAREN, digits);
  }

  null(): void {
    this.#null(DOLLAR);
  }

  nullArray(): void {
    this.#null(STAR);
  }

  array(length: number): void {
    this.length = this.#header(STAR, length, 0);
  }

  map(pairs: number): void {
    this.length = this.protocol === 2 ? this.#header(STAR, pairs * 2, 0) : this.#header(PERCENT, pairs, 0);
  }

  set(length: number): void {
    this.length = this.#header(this.protocol === 2 ? STAR : TILDE, length, 0);
  }

  push(length: number): void {
    this.length = this.#header(this.protocol === 2 ? STAR : GREATER, length, 0);
  }

  attribute(pairs: number): void {
    this.length = this.#header(BAR, pairs, 0);
  }

  defer(): number {
    return this.length;
  }

  finishArray(mark: number, length: number): void {
    this.#insertHeader(mark, STAR, length);
  }

  finishMap(mark: number, pairs: number): void {
    if (this.protocol === 2) this.#insertHeader(mark, STAR, pairs * 2);
    else this.#insertHeader(mark, PERCENT, pairs);
  }

  finishSet(mark: number, length: number): void {
    this.#insertHeader(mark, this.protocol === 2 ? STAR : TILDE, length);
  }

  /** Bytes that are already RESP. */
  raw(bytes: Buffer): void {
    const at = this.#room(bytes.length);
    bytes.copy(this.buffer, at);
    this.length = at + bytes.length;
  }

  #null(resp2Type: number): void {
    let at = this.#room(5);
    const { buffer } = this;
    if (this.protocol === 2) {
      buffer[at++] = resp2Type;
      buffer[at++] = MINUS;
      buffer[at++] = 49;
    } else {
      buffer[at++] = UNDERSCORE;
    }
    this.#endLine(at);
  }

  /** Reserves space for `size` more bytes and returns their offset. */
  #room(size: number): number {
    const at = this.length;
    return at + size <= this.buffer.length ? at : this.#grow(size);
  }

  #grow(size: number): number {
    const needed = this.length + size;
    if (!this.isAbandoned) this.isAbandoned = !this.mayHold(needed);
    // The reply is dropped: overwrite the buffer from the start.
    if (this.isAbandoned) this.length = 0;
    if (this.length + size > this.buffer.length) this.#enlarge(this.length + size);
    return this.length;
  }

  #enlarge(needed: number): void {
    const larger = wideBuffer(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  /** Writes `*3\r\n` and the like, with space for `more` bytes after it; returns the offset after it. */
  #header(mark: number, length: number, more: number): number {
    let at = this.#room(24 + more);
    const { buffer } = this;
    buffer[at] = mark;
    at = writeInteger(buffer, at + 1, length);
    buffer[at] = CR;
    buffer[at + 1] = LF;
    return at + 2;
  }

  #insertHeader(mark: number, type: number, length: number): void {
    const end = this.length;
    const digits = String(length);
    const size = digits.length + 3;
    this.#room(size);
    if (this.isAbandoned) return;
    const { buffer } = this;
    buffer.copyWithin(mark + size, mark, end);
    buffer[mark] = type;
    buffer.latin1Write(digits, mark + 1);
    buffer[mark + size - 2] = CR;
    buffer[mark + size - 1] = LF;
    this.length = end + size;
  }

  /** Turns the bytes at `from` (fewer than 100), which is `start + 5`, into a bulk string that begins at `start`. */
  #prependBulkHeader(start: number, from: number, end: number): void {
    const { buffer } = this;
    const length = end - from;
    buffer[start] = DOLLAR;
    let at = start + 1;
    if (length >= 10) buffer[at++] = 48 + ((length / 10) | 0);
    buffer[at++] = 48 + (length % 10);
    buffer[at++] = CR;
    buffer[at++] = LF;
    if (at !== from) for (let i = 0; i < length; i++) buffer[at + i] = buffer[from + i] as number;
    this.#endLine(at + length);
  }

  #line(mark: number, text: string): void {
    const at = this.#room(text.length + 3);
    this.buffer[at] = mark;
    this.#endLine(at + 1 + this.buffer.latin1Write(text, at + 1));
  }

  #endLine(at: number): void {
    this.buffer[at] = CR;
    this.buffer[at + 1] = LF;
    this.length = at + 2;
  }
}

/** The maximum size of the buffer that a writer keeps between uses. */
const LARGEST_KEPT = 1 << 22;

const LINE_END = /[\r\n]/;
const LINE_ENDS = /[\r\n]/g;

const CR = 13;
const LF = 10;
const PLUS = 43;
const MINUS = 45;
const COLON = 58;
const DOLLAR = 36;
const STAR = 42;
const COMMA = 44;
const HASH = 35;
const EQUALS = 61;
const PAREN = 40;
const UNDERSCORE = 95;
const PERCENT = 37;
const TILDE = 126;
const GREATER = 62;
const BAR = 124;

/** The headers of bulk strings below this length are precomputed. */
const SHORT_HEADERS = 100;
/** The first four bytes of the header for each length: `$7\r\n`, or `$20\r` without the line feed. Little-endian. */
const BULK_HEADERS = Int32Array.from({ length: SHORT_HEADERS }, (_, length) =>
  length < 10
    ? DOLLAR | ((48 + length) << 8) | (CR << 16) | (LF << 24)
    : DOLLAR | ((48 + Math.floor(length / 10)) << 8) | ((48 + (length % 10)) << 16) | (CR << 24),
);

/** Larger numbers are not exact, and have more digits than `writeInteger` supports. */
const MAX_EXACT = Number.MAX_SAFE_INTEGER;
