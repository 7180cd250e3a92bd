import { readSync, writeSync } from 'node:fs';
import type { DebugChannel } from '../../commands/session.js';

/** A connection that is read and written through its descriptor, while the event loop stands still. */
export class DescriptorChannel implements DebugChannel {
  readonly #fd: number;
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);

  constructor(fd: number) {
    this.#fd = fd;
  }

  read(): Buffer | undefined {
    for (let pause = 1; ; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
      try {
        const length = readSync(this.#fd, this.#buffer, 0, BUFFER_BYTES, null);
        return length === 0 ? undefined : Buffer.from(this.#buffer.subarray(0, length));
      } catch (error) {
        if (!isBusy(error)) return undefined;
      }
      sleep(pause);
    }
  }

  /** Gives up on a client that does not read for some seconds: reading from it will fail then. */
  write(bytes: Buffer): void {
    const giveUp = performance.now() + WRITE_MS;
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(this.#fd, bytes, at);
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUp) return;
        sleep(1);
      }
    }
  }
}

function isBusy(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN';
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function sleep(milliseconds: number): void {
  Atomics.wait(sleeper, 0, 0, milliseconds);
}

const BUFFER_BYTES = 1 << 12;
/** The interval between attempts to read. */
const MAX_PAUSE_MS = 10;
const WRITE_MS = 5000;
