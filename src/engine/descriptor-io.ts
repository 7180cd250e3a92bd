import { readSync, writeSync } from 'node:fs';

/*
 * Reads and writes connections through their descriptors while the event loop stands still. Node cannot wait for a descriptor, so
 * the thread tries repeatedly (`Patience`).
 */

/** The descriptor would block. */
export const BUSY = -1;

/** How many bytes were read, 0 at the end of the stream, or `BUSY`. Throws if the connection is broken. */
export function tryRead(fd: number, target: Buffer): number {
  try {
    return readSync(fd, target, 0, target.length, null);
  } catch (error) {
    return busyOr(error);
  }
}

/** How many bytes of `buffer[start .. end)` were written, or `BUSY`. Throws if the connection is broken. */
export function tryWrite(fd: number, buffer: Buffer, start: number, end: number): number {
  try {
    return writeSync(fd, buffer, start, end - start);
  } catch (error) {
    return busyOr(error);
  }
}

function busyOr(error: unknown): number {
  if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return BUSY;
  throw error;
}

/**
 * How long to pause before the next try. A server nearby answers within a fraction of a ms, and the system wakes a sleeping thread
 * later than that: so the first tries follow each other at once. After that, a pause is a fraction of the time waited so far.
 */
export class Patience {
  readonly #timeoutMs: number;
  #since = performance.now();

  /** @param timeoutMs How long nothing may happen. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Something was read or written: the time starts again. */
  progressed(): void {
    this.#since = performance.now();
  }

  /** Pauses; false if the time is over. */
  pause(): boolean {
    const waited = performance.now() - this.#since;
    if (waited >= this.#timeoutMs) return false;
    if (waited > AT_ONCE_MS) {
      Atomics.wait(sleeper, 0, 0, Math.min(waited / 8, MAX_PAUSE_MS, this.#timeoutMs - waited));
    }
    return true;
  }
}

const AT_ONCE_MS = 0.05;
const MAX_PAUSE_MS = 10;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
