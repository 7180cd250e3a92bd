import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SnapshotOutput } from './snapshot-format.js';

/**
 * Writes a snapshot to a file of its own, which takes the place of another one when it is complete and safe on the disk:
 * whatever happens before, the other one stays as it is. Writing happens in the background; `isFull` while more waits
 * than shall be kept in memory.
 */
export class FileOutput implements SnapshotOutput {
  isFull = false;
  onRoom: () => void = () => {};
  onFailure: (error: Error) => void = () => {};
  readonly #temporaryPath: string;
  readonly #path: string;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #file: FileHandle | undefined;
  #failure: Error | undefined;

  constructor(temporaryPath: string, path: string) {
    this.#temporaryPath = temporaryPath;
    this.#path = path;
  }

  write(chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.isFull = this.#waitingBytes > MOST_WAITING;
    this.#writing ??= this.#writeAll();
  }

  async finish(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
    const file = this.#file ?? (await this.#open());
    this.#file = undefined;
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(this.#temporaryPath, this.#path);
    await syncDirectory(dirname(this.#path));
  }

  async discard(): Promise<void> {
    this.#failure ??= new Error('given up');
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
    await unlink(this.#temporaryPath).catch(() => {});
  }

  async #writeAll(): Promise<void> {
    try {
      this.#file ??= await this.#open();
      while (this.#waiting.length > 0 && this.#failure === undefined) {
        const chunks = this.#waiting;
        this.#waiting = [];
        await writeChunks(this.#file, chunks);
        this.#waitingBytes = this.#waiting.reduce((sum, { length }) => sum + length, 0);
        if (this.isFull && this.#waitingBytes <= MOST_WAITING) {
          this.isFull = false;
          this.onRoom();
        }
      }
    } catch (error) {
      this.#failure ??= error as Error;
      this.#waiting = [];
      this.isFull = false;
      this.onFailure(this.#failure);
    } finally {
      this.#writing = undefined;
    }
  }

  #open(): Promise<FileHandle> {
    return open(this.#temporaryPath, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o644);
  }
}

/** The system may take less than it is given. */
async function writeChunks(file: FileHandle, chunks: Buffer[]): Promise<void> {
  let all = chunks;
  while (all.length > 0) {
    const { bytesWritten } = await file.writev(all.slice(0, MOST_CHUNKS));
    all = without(all, bytesWritten);
  }
}

/** The chunks but for their first bytes. */
function without(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let left = bytes;
  let at = 0;
  while (at < chunks.length && left >= (chunks[at] as Buffer).length) left -= (chunks[at++] as Buffer).length;
  const rest = chunks.slice(at);
  if (left > 0) rest[0] = (rest[0] as Buffer).subarray(left);
  return rest;
}

/** A new name is safe only when its directory is. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const MOST_WAITING = 8 << 20;
/** The system takes a limited number of pieces at a time. */
const MOST_CHUNKS = 512;
