import { wideBuffer } from '../bytes/wide-buffer.js';

/**
 * Reuses buffers for unfinished commands: a new buffer of 1 MB costs 256 page faults, more time than filling it.
 * Keeps only the larger buffers, up to a limit in total.
 */
export class BufferPool {
  readonly #spare: Buffer[] = [];
  #spareBytes = 0;

  /** Returns a buffer of at least `size` bytes with arbitrary content. */
  take(size: number): Buffer {
    if (size >= SMALLEST_POOLED) {
      for (let i = this.#spare.length - 1; i >= 0; i--) {
        const buffer = this.#spare[i] as Buffer;
        if (buffer.length < size || buffer.length > size + (size >> 3)) continue;
        this.#spare.splice(i, 1);
        this.#spareBytes -= buffer.length;
        return buffer;
      }
    }
    return wideBuffer(size);
  }

  /** Takes back a buffer that is no longer used. */
  giveBack(buffer: Buffer): void {
    if (buffer.length < SMALLEST_POOLED || this.#spareBytes + buffer.length > MAX_SPARE_BYTES) return;
    this.#spare.push(buffer);
    this.#spareBytes += buffer.length;
  }
}

const SMALLEST_POOLED = 1 << 14;
const MAX_SPARE_BYTES = 1 << 26;
