/** Lower-case form of each byte, ASCII letters only, as Redis compares command names. */
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** A `NameIndex` that is complete. */
export interface ReadonlyNameIndex<Value> extends Iterable<Value> {
  readonly size: number;
  lookup(buffer: Buffer, start: number, end: number): Value | undefined;
  byName(name: string): Value | undefined;
}

/**
 * Finds values by a name that lies somewhere in a buffer, in any case, without making a string: open addressing over
 * a power-of-two array, names compared byte by byte. Names are few and never removed. Values are listed in the order
 * in which they were added.
 *
 * Most names have 3 to 8 letters and nothing else. These are found by two words, the first four bytes and the last four, in a
 * fifth of the time (measured). With the bit of the case set, a byte is a letter only if it was that letter in either case, so the
 * comparison is exact.
 */
export class NameIndex<Value> implements ReadonlyNameIndex<Value> {
  /** Position in `values` plus one; 0 is an empty slot. */
  private slots = new Int32Array(32);
  private mask = 31;
  /** The names' lower-case bytes, one after another; name `i` is between `ends[i]` and `ends[i + 1]`. */
  private bytes = new Uint8Array(256);
  private ends = new Int32Array(17);
  private readonly names: string[] = [];
  private readonly values: Value[] = [];
  /** Names of 3 to 8 letters: two words, the length, and the position in `values` plus one (0 is an empty slot). */
  private letterSlots = new Int32Array(32 << 2);
  private letterShift = 27;

  get size(): number {
    return this.values.length;
  }

  /** Adds a value under a name not yet taken. */
  add(name: string, value: Value): void {
    const lowered = name.toLowerCase();
    if (this.byName(lowered) !== undefined) throw new Error(`duplicate name: ${lowered}`);
    this.reserve(lowered.length);
    const position = this.values.length;
    const start = this.ends[position] as number;
    for (let i = 0; i < lowered.length; i++) this.bytes[start + i] = lowered.charCodeAt(i);
    this.ends[position + 1] = start + lowered.length;
    this.names.push(lowered);
    this.values.push(value);
    this.place(position);
    if (LETTERS.test(lowered)) this.placeLetters(position);
  }

  /** The value whose name is `buffer[start..end)`. */
  lookup(buffer: Buffer, start: number, end: number): Value | undefined {
    const length = end - start;
    const { wide } = buffer;
    if (wide !== undefined && length >= 3 && length <= 8) {
      const first = firstWord(wide, start, length);
      const last = length === 3 ? first : wide.getInt32(end - 4, true) | LOWER_CASE;
      const position = this.letterSlots[this.letterSlot(first, last, length) + POSITION] as number;
      if (position !== 0) return this.values[position - 1];
    }
    return this.lookupBytes(buffer, start, end);
  }

  private lookupBytes(buffer: Buffer, start: number, end: number): Value | undefined {
    const { slots, mask, bytes, ends } = this;
    let hash = end - start;
    for (let i = start; i < end; i++)
      hash = (Math.imul(hash, 31) + (LOWER[buffer[i] as number] as number)) | 0;
    for (let slot = (hash ^ (hash >>> 9)) & mask; ; slot = (slot + 1) & mask) {
      const position = (slots[slot] as number) - 1;
      if (position < 0) return undefined;
      let at = ends[position] as number;
      if ((ends[position + 1] as number) - at !== end - start) continue;
      let i = start;
      while (i < end && LOWER[buffer[i] as number] === bytes[at]) {
        i++;
        at++;
      }
      if (i === end) return this.values[position];
    }
  }

  byName(name: string): Value | undefined {
    const buffer = Buffer.from(name, 'latin1');
    return this.lookup(buffer, 0, buffer.length);
  }

  /** Names and values, in the order in which they were added. */
  *entries(): IterableIterator<[string, Value]> {
    for (let i = 0; i < this.values.length; i++) yield [this.names[i] as string, this.values[i] as Value];
  }

  [Symbol.iterator](): IterableIterator<Value> {
    return this.values[Symbol.iterator]();
  }

  /** The slot of these words, or the empty one where they belong. */
  private letterSlot(first: number, last: number, length: number): number {
    const slots = this.letterSlots;
    let slot = ((Math.imul(first, 0x9e3779b1) ^ Math.imul(last, 0x85ebca6b)) >>> this.letterShift) << 2;
    while (
      slots[slot + POSITION] !== 0 &&
      (slots[slot] !== first || slots[slot + 1] !== last || slots[slot + 2] !== length)
    ) {
      slot = (slot + 4) & (slots.length - 1);
    }
    return slot;
  }

  private placeLetters(position: number): void {
    const bytes = Buffer.from(this.names[position] as string, 'latin1');
    const wide = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const first = firstWord(wide, 0, bytes.length);
    const last = bytes.length === 3 ? first : wide.getInt32(bytes.length - 4, true);
    const slot = this.letterSlot(first, last, bytes.length);
    this.letterSlots[slot] = first;
    this.letterSlots[slot + 1] = last;
    this.letterSlots[slot + 2] = bytes.length;
    this.letterSlots[slot + POSITION] = position + 1;
  }

  private place(position: number): void {
    const start = this.ends[position] as number;
    const end = this.ends[position + 1] as number;
    let hash = end - start;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (this.bytes[i] as number)) | 0;
    let slot = (hash ^ (hash >>> 9)) & this.mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & this.mask;
    this.slots[slot] = position + 1;
  }

  /** Makes room for one more name, keeping at most a quarter of the slots in use, so that collisions are rare. */
  private reserve(nameLength: number): void {
    const count = this.values.length;
    const used = this.ends[count] as number;
    if (used + nameLength > this.bytes.length) {
      this.bytes = grown(this.bytes, new Uint8Array((used + nameLength) * 2));
    }
    if (count + 2 > this.ends.length) this.ends = grown(this.ends, new Int32Array(this.ends.length * 2));
    if ((count + 1) * 4 <= this.slots.length) return;
    this.mask = this.slots.length * 2 - 1;
    this.slots = new Int32Array(this.mask + 1);
    this.letterSlots = new Int32Array(this.slots.length << 2);
    this.letterShift = Math.clz32(this.mask);
    for (let position = 0; position < count; position++) {
      this.place(position);
      if (LETTERS.test(this.names[position] as string)) this.placeLetters(position);
    }
  }
}

/** The first four bytes of a name, or three, in lower case. */
function firstWord(wide: DataView, start: number, length: number): number {
  if (length > 3) return wide.getInt32(start, true) | LOWER_CASE;
  return wide.getUint16(start, true) | (wide.getUint8(start + 2) << 16) | LOWER_CASE;
}

const LETTERS = /^[a-z]{3,8}$/;
/** Sets the bit that distinguishes lower case letters in four bytes. */
const LOWER_CASE = 0x20202020;
const POSITION = 3;

function grown<Bytes extends Uint8Array | Int32Array>(from: Bytes, to: Bytes): Bytes {
  to.set(from);
  return to;
}
