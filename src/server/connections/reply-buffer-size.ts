import type { ReplyBufferTuning } from '../../commands/statistics-port.js';

/**
 * The size of the reply buffer that Redis would give a client: CLIENT LIST shows it as `rbs`, and the most that was used of it as
 * `rbp`. It grows and shrinks with the client's replies, by the rules of Redis. Here all clients share one buffer, so it stands for
 * no memory and does not count towards any limit.
 */
export class ReplyBufferSize {
  size = MAX_SIZE;
  peak = MAX_SIZE;
  #peakResetAt = 0;

  /** Replies of this many bytes were sent at once. */
  used(bytes: number): void {
    if (bytes > this.peak) this.peak = bytes < this.size ? bytes : this.size;
  }

  /** Called regularly. Returns whether the size has changed. */
  review(now: number, { peakResetMs, isResizing }: ReplyBufferTuning): 'shrunk' | 'expanded' | undefined {
    if (!isResizing) return undefined;
    const { size, peak } = this;
    if (peakResetMs >= 0 && now - this.#peakResetAt > peakResetMs) {
      this.peak = 0;
      this.#peakResetAt = now;
    }
    if (size >> 1 >= MIN_SIZE && peak < size >> 1) {
      this.size = allocated(Math.max(MIN_SIZE, peak + 1));
      return 'shrunk';
    }
    if (size * 2 < MAX_SIZE * 2 && peak === size) {
      this.size = Math.min(MAX_SIZE, size * 2);
      return 'expanded';
    }
    return undefined;
  }
}

/** The size of the memory block for these bytes: Redis's allocator has four sizes between two powers of two. */
function allocated(bytes: number): number {
  const step = 2 ** (Math.floor(Math.log2(bytes - 1)) - 2);
  return Math.ceil(bytes / step) * step;
}

const MIN_SIZE = 1024;
const MAX_SIZE = 1 << 14;
