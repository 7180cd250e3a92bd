import type { DebugChannel } from '../../commands/session.js';
import { BUSY, Patience, tryRead, tryWrite } from '../../engine/descriptor-io.js';

/** A connection that is read and written through its descriptor, while the event loop stands still. */
export class DescriptorChannel implements DebugChannel {
  readonly #fd: number;
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);

  constructor(fd: number) {
    this.#fd = fd;
  }

  read(): Buffer | undefined {
    const patience = new Patience(Number.POSITIVE_INFINITY);
    try {
      let length = tryRead(this.#fd, this.#buffer);
      while (length === BUSY) {
        patience.pause();
        length = tryRead(this.#fd, this.#buffer);
      }
      return length === 0 ? undefined : Buffer.from(this.#buffer.subarray(0, length));
    } catch {
      return undefined;
    }
  }

  /** Gives up on a client that does not read for some seconds: reading from it will fail then. */
  write(bytes: Buffer): void {
    const patience = new Patience(WRITE_MS);
    try {
      for (let at = 0; at < bytes.length; ) {
        const written = tryWrite(this.#fd, bytes, at, bytes.length);
        if (written !== BUSY) at += written;
        else if (!patience.pause()) return;
      }
    } catch {}
  }
}

const BUFFER_BYTES = 1 << 12;
const WRITE_MS = 5000;
