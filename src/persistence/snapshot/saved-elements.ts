import type { Bytes } from '../../bytes/bytes.js';
import { MemorySink } from '../../rdb/byte-sink.js';

/** A queue of byte strings and numbers, stored one after another in a buffer. */
export class SavedElements {
  readonly #sink = new MemorySink(256);
  readonly #number = Buffer.alloc(8);
  #read = 0;

  get hasMore(): boolean {
    return this.#read < this.#sink.length;
  }

  add({ buf, start, end }: Bytes): void {
    this.#number.writeUInt32LE(end - start);
    this.#sink.bytes(this.#number, 0, 4);
    this.#sink.bytes(buf, start, end);
  }

  addNumber(value: number): void {
    this.#number.writeDoubleLE(value);
    this.#sink.bytes(this.#number, 0, 8);
  }

  /** Points `view` at the oldest element and removes it from the queue. The view is valid until the next `add`. */
  next(view: Bytes): Bytes {
    const { buffer } = this.#sink;
    const start = this.#read + 4;
    this.#read = start + buffer.readUInt32LE(this.#read);
    return view.set(buffer, start, this.#read);
  }

  nextNumber(): number {
    const value = this.#sink.buffer.readDoubleLE(this.#read);
    this.#read += 8;
    return value;
  }
}
