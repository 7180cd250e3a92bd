import { copyBytes } from '../bytes/bytes.js';

/** The destination of encoded bytes: memory, a file, a socket, or only a counter. */
export interface ByteSink {
  byte(value: number): void;
  /** Takes `buffer[start .. end)`. The caller may reuse the buffer when this returns. */
  bytes(buffer: Buffer, start: number, end: number): void;
}

/** Collects everything in one buffer that grows. */
export class MemorySink implements ByteSink {
  /** The written bytes are `buffer[0 .. length)`. */
  buffer: Buffer;
  length = 0;
  readonly #firstSize: number;

  constructor(size = 4096) {
    this.#firstSize = size;
    this.buffer = Buffer.allocUnsafeSlow(size);
  }

  byte(value: number): void {
    if (this.length === this.buffer.length) this.#grow(1);
    this.buffer[this.length++] = value;
  }

  bytes(buffer: Buffer, start: number, end: number): void {
    if (this.length + end - start > this.buffer.length) this.#grow(end - start);
    this.length = copyBytes(buffer, start, end, this.buffer, this.length);
  }

  /** Forgets what was written. Frees an unusually large buffer. */
  reset(): void {
    this.length = 0;
    if (this.buffer.length > LARGEST_KEPT) this.buffer = Buffer.allocUnsafeSlow(this.#firstSize);
  }

  #grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.length + room));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

const LARGEST_KEPT = 1 << 20;

/** Only counts bytes. */
export class CountingSink implements ByteSink {
  length = 0;

  byte(_value: number): void {
    this.length++;
  }

  bytes(_buffer: Buffer, start: number, end: number): void {
    this.length += end - start;
  }
}
