import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Bytes } from '../bytes/bytes.js';
import { Crc64 } from '../bytes/crc64.js';
import { CorruptData } from '../rdb/byte-source.js';
import type { FileSource } from '../rdb/rdb-loader.js';

/** Reads a file from its beginning, a chunk at a time, and computes the checksum of the bytes taken. */
export class FileBytes implements FileSource {
  readonly size: number;
  /** Called with every chunk read from the file, in order. Used to compute other digests. */
  onChunk: ((chunk: Buffer) => void) | undefined;
  readonly #fd: number;
  #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** Bytes in the buffer that are not taken yet are `#at` to `#end`. `#start` is the buffer's offset in the file. */
  #at = 0;
  #end = 0;
  #start = 0;
  readonly #crc: Crc64 | undefined;
  #checked = 0;

  /** Throws the system's error if the file cannot be opened. */
  constructor(path: string, hasChecksum = true) {
    this.#fd = openSync(path, 'r');
    this.size = fstatSync(this.#fd).size;
    this.#crc = hasChecksum ? new Crc64() : undefined;
  }

  get position(): number {
    return this.#start + this.#at;
  }

  byte(): number {
    if (this.#at === this.#end) this.#fill(1);
    return this.#buffer[this.#at++] as number;
  }

  bytes(length: number, view: Bytes): Bytes {
    if (length > this.#end - this.#at) this.#fill(length);
    const start = this.#at;
    this.#at += length;
    return view.set(this.#buffer, start, this.#at);
  }

  checksum(): Crc64 {
    this.#check();
    return this.#crc ?? new Crc64();
  }

  /** Reads the rest of the file, so that `onChunk` sees all of it. */
  readToEnd(): void {
    while (this.position < this.size) {
      this.#at = this.#end;
      if (this.position < this.size) this.#fill(1);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Makes sure that `length` bytes are in the buffer, starting at `#at`. */
  #fill(length: number): void {
    const left = this.#end - this.#at;
    if (length > left + this.size - this.#start - this.#end) {
      throw new CorruptData(`the file ends after ${this.size} bytes, in the middle of a value`);
    }
    this.#check();
    const room = Math.max(CHUNK_BYTES, length);
    // A buffer that was enlarged for one long string is not kept.
    const target = this.#buffer.length === room ? this.#buffer : Buffer.allocUnsafeSlow(room);
    this.#buffer.copy(target, 0, this.#at, this.#end);
    this.#buffer = target;
    this.#start += this.#at;
    this.#at = 0;
    this.#end = left;
    this.#checked = 0;
    while (this.#end < length) this.#read();
  }

  #read(): void {
    const offset = this.#start + this.#end;
    const count = readSync(this.#fd, this.#buffer, this.#end, this.#buffer.length - this.#end, offset);
    if (count === 0) throw new CorruptData(`the file ended at byte ${offset} while it was being read`);
    this.onChunk?.(this.#buffer.subarray(this.#end, this.#end + count));
    this.#end += count;
  }

  #check(): void {
    this.#crc?.update(this.#buffer, this.#checked, this.#at);
    this.#checked = this.#at;
  }
}

const CHUNK_BYTES = 1 << 18;
