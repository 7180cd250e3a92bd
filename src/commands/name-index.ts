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
  }

  /** The value whose name is `buffer[start..end)`. */
  lookup(buffer: Buffer, start: number, end: number): Value | undefined {
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
    for (let position = 0; position < count; position++) this.place(position);
  }
}

function grown<Bytes extends Uint8Array | Int32Array>(from: Bytes, to: Bytes): Bytes {
  to.set(from);
  return to;
}
