import { Bytes } from '../bytes/bytes.js';
import { FileBytes } from '../persistence/file-bytes.js';
import type { SnapshotOutput } from '../persistence/snapshot/snapshot-format.js';
import type { Replica } from './replica.js';

/** A complete snapshot, of known length, to be sent to replicas. */
export interface StoredSnapshot {
  readonly size: number;
  /** The next bytes, a bounded number of them. Called until `size` bytes were read. */
  read(): Buffer;
  close(): void;
}

/** Keeps a snapshot in memory: for an engine without files. */
export class MemoryOutput implements SnapshotOutput {
  readonly isFull = false;
  onRoom: () => void = () => {};
  onFailure: (error: Error) => void = () => {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  write(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  async finish(): Promise<void> {}

  async discard(): Promise<void> {}

  /** The snapshot, for one replica. */
  open(): StoredSnapshot {
    const chunks = this.#chunks;
    let at = 0;
    return { size: this.#size, read: () => chunks[at++] as Buffer, close() {} };
  }
}

/** Opens a snapshot in a file. Throws the system's error. */
export function openSnapshotFile(path: string): StoredSnapshot {
  const file = new FileBytes(path, false);
  const view = new Bytes();
  return {
    size: file.size,
    read: () => file.bytes(Math.min(FILE_CHUNK, file.size - file.position), view).toBuffer(),
    close: () => file.close(),
  };
}

/** Sends a stored snapshot to one replica, as fast as it reads; then calls `done`. Stops if the replica is gone. */
export function sendStored(
  replica: Replica,
  snapshot: StoredSnapshot,
  now: () => number,
  done: () => void,
): void {
  const { session } = replica;
  const { sink } = session;
  let sent = 0;
  const proceed = (): void => {
    if (session.closing) {
      snapshot.close();
      return;
    }
    replica.progressAt = now();
    while (sent < snapshot.size && (sink.pending < MAX_UNSENT || sink.whenSent === undefined)) {
      const chunk = snapshot.read();
      sent += chunk.length;
      sink.send(chunk);
    }
    if (sent < snapshot.size) {
      sink.whenSent?.(proceed);
      return;
    }
    snapshot.close();
    done();
  };
  replica.hasSnapshotBegun = true;
  sink.send(Buffer.from(`$${snapshot.size}\r\n`));
  proceed();
}

const FILE_CHUNK = 1 << 18;
const MAX_UNSENT = 1 << 20;
