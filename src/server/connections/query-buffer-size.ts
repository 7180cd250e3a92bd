/**
 * The size of the input buffer that Redis would give a client: `qbuf` and `qbuf-free` of CLIENT LIST add up to it. It follows the
 * client's input by the rules of Redis. Here all clients share one buffer, and only an unfinished command has its own: that one
 * counts as the client's memory, this size does not.
 */
export class QueryBufferSize {
  /** In bytes; 0 until the client sends something. */
  size = 0;
  #peak = 0;

  /** Input arrived, and `bytes` bytes are waiting now, those included. */
  received(bytes: number): void {
    if (bytes > this.#peak) this.#peak = bytes;
    if (bytes > this.size || this.size < FIRST_SIZE) this.size = bytes > FIRST_SIZE ? bytes : FIRST_SIZE;
  }

  /** Called regularly; `used` bytes have not been executed. Unused space goes when the client is idle, or sends much less. */
  review(used: number, idleMs: number): void {
    const { size } = this;
    if (size - used > MAX_UNUSED) {
      if (idleMs > MAX_IDLE_MS) this.size = used;
      else if (size > ALWAYS_KEPT && this.#peak < size >> 1) this.size = Math.max(used, this.#peak);
    }
    this.#peak = used;
  }
}

/** Redis reads 16 KB at a time, for which its allocator gives it this much. */
const FIRST_SIZE = 20_474;
const MAX_UNUSED = 4096;
const ALWAYS_KEPT = 32_768;
const MAX_IDLE_MS = 2000;
