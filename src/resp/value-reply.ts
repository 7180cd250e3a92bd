import type { Bytes } from '../bytes/bytes.js';
import { writeDouble } from '../bytes/numbers/double.js';
import { nearestInteger64 } from '../bytes/numbers/integer.js';
import { decodeBytes, decodeLatin1, decodeText } from './decode-text.js';
import type { ReplyTarget } from './reply.js';
import { ReplyFormat, ReplyReader, type ReplyValue } from './reply-reader.js';

/**
 * Turns replies into JavaScript values: the same values that a `ReplyReader` would read from a RESP2 reply, without encoding.
 *
 * All items of the outermost array are in one list; the items of a nested array follow the place of that array. Nested arrays
 * are created when the reply is complete. A mark is therefore a number, the values after it can be discarded, and a reply
 * without nested arrays is the list itself.
 */
export class ValueReply<Failure> implements ReplyTarget {
  protocol = 2;
  /** The number of values added, including the arrays themselves. */
  length = 0;
  readonly #makeError: (text: string) => Failure;
  readonly #reader: ReplyReader<Failure>;
  #format = 0;
  /** A reply that is not an array. Values added after it are ignored. */
  #single: ReplyValue<Failure> = null;
  /**
   * The list, if there is one. Each reply has a new list: writing new strings into an old list would need the garbage
   * collector's write barrier.
   */
  #list: ReplyValue<Failure>[] | undefined;
  /** The number of added values that are not in the list: 1 for the outermost array, 0 if its length is deferred. */
  #outside = 0;
  /** The number of items in the outermost array. Values added after them are ignored. */
  #size = 0;
  /** The positions of nested arrays in the list, ascending, and their lengths. */
  readonly #starts: number[] = [];
  readonly #sizes: number[] = [];
  #arrays = 0;
  /** During the creation of nested arrays: the current position, and the number of arrays that begin before it. */
  #at = 0;
  #made = 0;

  constructor(makeError: (text: string) => Failure) {
    this.#makeError = makeError;
    this.#reader = new ReplyReader(makeError);
  }

  /** Begins a reply of this `ReplyFormat`. */
  begin(format: number): void {
    this.#format = format;
    this.#list = undefined;
    this.#arrays = 0;
    this.length = 0;
  }

  /** Returns the first value, or undefined if there is none, and clears the reply. */
  take(): ReplyValue<Failure> | undefined {
    if (this.length === 0) return undefined;
    this.length = 0;
    const list = this.#list;
    if (list === undefined) {
      const single = this.#single;
      // Release the values of the finished reply.
      this.#single = null;
      return single;
    }
    const isFlat = this.#outside === 1 && this.#arrays === 0 && list.length === this.#size;
    const value = isFlat ? list : this.#nested(list);
    this.#list = undefined;
    this.#arrays = 0;
    return value;
  }

  #nested(list: readonly ReplyValue<Failure>[]): ReplyValue<Failure> {
    this.#at = 0;
    this.#made = 0;
    if (this.#outside === 0) return this.#next(list);
    const items: ReplyValue<Failure>[] = [];
    for (let left = this.#size; left > 0; left--) items.push(this.#next(list));
    return items;
  }

  #next(list: readonly ReplyValue<Failure>[]): ReplyValue<Failure> {
    const at = this.#at++;
    const index = this.#made;
    if (index >= this.#arrays || this.#starts[index] !== at) return list[at] as ReplyValue<Failure>;
    this.#made = index + 1;
    const items: ReplyValue<Failure>[] = [];
    for (let left = this.#sizes[index] as number; left > 0; left--) items.push(this.#next(list));
    return items;
  }

  // ---- for the engine ----

  truncate(mark: number): void {
    this.length = mark;
    const list = this.#list;
    if (list === undefined) return;
    if (mark === 0) {
      this.#list = undefined;
      this.#arrays = 0;
      return;
    }
    list.length = mark - this.#outside;
    while (this.#arrays > 0 && (this.#starts[this.#arrays - 1] as number) >= list.length) this.#arrays--;
  }

  raw(bytes: Buffer): void {
    this.#put(this.#reader.read(bytes, 0, this.#format));
  }

  // ---- single values ----

  ok(): void {
    if ((this.#format & ReplyFormat.bytes) === 0) this.#put('OK');
    else this.bulkText('OK');
  }

  status(text: string): void {
    this.bulkText(text);
  }

  error(text: string): void {
    this.#put(this.#makeError(decodeLatin1(LINE_END.test(text) ? text.replace(LINE_ENDS, ' ') : text)));
  }

  integer(value: number): void {
    // A negative zero has no sign in RESP.
    this.#put((this.#format & ReplyFormat.exact) === 0 ? value + 0 : nearestInteger64(value));
  }

  integer64(value: bigint): void {
    this.#put((this.#format & ReplyFormat.exact) === 0 ? Number(value) : value);
  }

  bulk(bytes: Bytes): void {
    this.bulkBuffer(bytes.buf, bytes.start, bytes.end);
  }

  bulkBuffer(buffer: Buffer, start: number, end: number): void {
    if ((this.#format & ReplyFormat.bytes) === 0) this.#put(decodeText(buffer, start, end));
    else this.#put(decodeBytes(buffer, start, end));
  }

  bulkText(text: string): void {
    if ((this.#format & ReplyFormat.bytes) === 0) this.#put(decodeLatin1(text));
    else this.#put(Buffer.from(text, 'latin1'));
  }

  bulkInteger(value: number): void {
    this.#digits(String(value));
  }

  bulkInteger64(value: bigint): void {
    this.#digits(value.toString());
  }

  double(value: number): void {
    if (value === Math.trunc(value) && Math.abs(value) < 1e15)
      this.#digits(Object.is(value, -0) ? '-0' : String(value));
    else this.bulkBuffer(scratch, 0, writeDouble(scratch, 0, value));
  }

  doubleText(text: string): void {
    this.bulkText(text);
  }

  boolean(value: boolean): void {
    this.integer(value ? 1 : 0);
  }

  verbatim(_format: string, text: string): void {
    this.bulkText(text);
  }

  bigNumber(digits: string): void {
    this.bulkText(digits);
  }

  null(): void {
    this.#put(null);
  }

  nullArray(): void {
    this.#put(null);
  }

  // ---- aggregates ----

  array(length: number): void {
    const list = this.#list;
    if (list === undefined && this.length === 0) {
      this.#list = [];
      this.#outside = 1;
      this.#size = length;
      this.length = 1;
      return;
    }
    if (list !== undefined) this.#insertArray(list.length, length);
    this.#put(null);
  }

  map(pairs: number): void {
    this.array(pairs * 2);
  }

  set(length: number): void {
    this.array(length);
  }

  push(length: number): void {
    this.array(length);
  }

  attribute(): void {
    throw new RangeError('attributes are for RESP3 clients');
  }

  defer(): number {
    if (this.#list === undefined && this.length === 0) {
      this.#list = [];
      this.#outside = 0;
    }
    return this.length;
  }

  finishArray(mark: number, length: number): void {
    this.length++;
    if (mark > 0) {
      this.#wrap(mark - this.#outside, length);
    } else {
      // The outermost array so far becomes an item of this one.
      if (this.#outside === 1) this.#wrap(0, this.#size);
      this.#outside = 1;
      this.#size = length;
    }
  }

  #wrap(place: number, size: number): void {
    if (this.#list === undefined) return;
    this.#list.splice(place, 0, null);
    this.#insertArray(place, size);
  }

  /** Records an array that begins at this position of the list; the items from there on have moved by one. */
  #insertArray(place: number, size: number): void {
    let index = this.#arrays++;
    for (; index > 0 && (this.#starts[index - 1] as number) >= place; index--) {
      this.#starts[index] = (this.#starts[index - 1] as number) + 1;
      this.#sizes[index] = this.#sizes[index - 1] as number;
    }
    this.#starts[index] = place;
    this.#sizes[index] = size;
  }

  finishMap(mark: number, pairs: number): void {
    this.finishArray(mark, pairs * 2);
  }

  finishSet(mark: number, length: number): void {
    this.finishArray(mark, length);
  }

  // ---- internal ----

  #digits(text: string): void {
    this.#put((this.#format & ReplyFormat.bytes) === 0 ? text : Buffer.from(text, 'latin1'));
  }

  #put(value: ReplyValue<Failure>): void {
    const list = this.#list;
    if (list !== undefined) list.push(value);
    else if (this.length === 0) this.#single = value;
    this.length++;
  }
}

const scratch = Buffer.allocUnsafeSlow(64);

const LINE_END = /[\r\n]/;
const LINE_ENDS = /[\r\n]/g;
