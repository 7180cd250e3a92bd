import type { Bytes } from '../bytes/bytes.js';

/** The bytes are truncated, damaged or forged. Nothing of the value is kept. */
export class CorruptData extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CorruptData';
  }
}

/** A collection without elements. Harmless: loading a file skips such a key. */
export class EmptyCollection extends CorruptData {
  constructor() {
    super('a collection is empty');
  }
}

/** The next bytes have not arrived yet. Reading is repeated from the last mark when they have. */
export class Starved extends CorruptData {
  constructor() {
    super('the next bytes have not arrived yet');
  }
}

/** A source of encoded bytes. Both methods throw `CorruptData` when there are not enough. */
export interface ByteSource {
  byte(): number;
  /** Points `view` at the next `length` bytes; valid until something else is read. */
  bytes(length: number, view: Bytes): Bytes;
}

/** Reads from a buffer. */
export class MemorySource implements ByteSource {
  #buffer: Buffer;
  #at: number;
  #end: number;

  constructor(buffer: Buffer, start = 0, end = buffer.length) {
    this.#buffer = buffer;
    this.#at = start;
    this.#end = end;
  }

  /** Reads from another buffer. */
  reset(buffer: Buffer, start: number, end: number): void {
    this.#buffer = buffer;
    this.#at = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  byte(): number {
    if (this.#at >= this.#end) throw new CorruptData('unexpected end');
    return this.#buffer[this.#at++] as number;
  }

  bytes(length: number, view: Bytes): Bytes {
    if (length > this.#end - this.#at) throw new CorruptData('unexpected end');
    const start = this.#at;
    this.#at += length;
    return view.set(this.#buffer, start, this.#at);
  }
}
