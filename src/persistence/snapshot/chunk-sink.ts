import { copyBytes } from '../../bytes/bytes.js';
import { Crc64 } from '../../bytes/crc64.js';
import type { ByteSink } from '../../rdb/byte-sink.js';

/** Collects bytes into chunks, counts them, updates the checksum, and passes each full chunk on. */
export class ChunkSink implements ByteSink {
  /** Bytes written so far. */
  total = 0;
  readonly #onChunk: (chunk: Buffer) => void;
  readonly #crc: Crc64 | undefined;
  readonly #reusesChunk: boolean;
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #length = 0;
  /** How much of the chunk is in the checksum. */
  #summed = 0;

  /** With `reusesChunk`, a chunk is overwritten after `onChunk` has returned. */
  constructor(hasChecksum: boolean, onChunk: (chunk: Buffer) => void, reusesChunk = false) {
    this.#reusesChunk = reusesChunk;
    this.#crc = hasChecksum ? new Crc64() : undefined;
    this.#onChunk = onChunk;
  }

  byte(value: number): void {
    if (this.#length === CHUNK_BYTES) this.flush();
    this.#chunk[this.#length++] = value;
    this.total++;
  }

  bytes(buffer: Buffer, start: number, end: number): void {
    const length = end - start;
    this.total += length;
    if (length <= CHUNK_BYTES - this.#length) {
      copyBytes(buffer, start, end, this.#chunk, this.#length);
      this.#length += length;
      return;
    }
    for (let at = start; at < end; ) {
      if (this.#length === CHUNK_BYTES) this.flush();
      const taken = Math.min(end - at, CHUNK_BYTES - this.#length);
      buffer.copy(this.#chunk, this.#length, at, at + taken);
      this.#length += taken;
      at += taken;
    }
  }

  /** Brings the checksum up to date. Called often, so that a full chunk does not cost much at once: while its code is cold, ms. */
  sum(): void {
    this.#crc?.update(this.#chunk, this.#summed, this.#length);
    this.#summed = this.#length;
  }

  /** Passes on the last, partly filled chunk. */
  flush(): void {
    if (this.#length === 0) return;
    this.sum();
    const chunk = this.#chunk.subarray(0, this.#length);
    if (!this.#reusesChunk) this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#length = this.#summed = 0;
    this.#onChunk(chunk);
  }

  /** The checksum of all bytes written so far; zeros if checksums are off. */
  checksum(): Buffer {
    this.flush();
    const bytes = Buffer.alloc(8);
    this.#crc?.writeTo(bytes, 0);
    return bytes;
  }
}

/** Computing the checksum of one chunk takes a fraction of a millisecond. */
const CHUNK_BYTES = 1 << 16;
