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
  readonly #syncsAsItGoes: boolean;
  #unsynced = 0;
  #syncing: Promise<void> | undefined;

  /**
   * Who `syncsAsItGoes` gives the disk a little to do all the time, instead of everything at the end, when others would
   * have to wait for it.
   */
  constructor(temporaryPath: string, path: string, syncsAsItGoes = false) {
    this.#temporaryPath = temporaryPath;
    this.#path = path;
    this.#syncsAsItGoes = syncsAsItGoes;
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
    await this.#syncing;
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
    await this.#syncing;
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
        this.#unsynced += sizeOf(chunks);
        if (this.#syncsAsItGoes && this.#unsynced >= SYNC_BYTES) this.#syncing ??= this.#sync(this.#file);
        this.#waitingBytes = sizeOf(this.#waiting);
        if (this.isFull && this.#waitingBytes <= MOST_WAITING) {
          this.isFull = false;
          this.onRoom();
        }
      }
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#writing = undefined;
    }
  }

  /** While more is being written. */
  async #sync(file: FileHandle): Promise<void> {
    this.#unsynced = 0;
    try {
      await file.datasync();
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#syncing = undefined;
    }
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#waiting = [];
    this.isFull = false;
    this.onFailure(error);
  }

  #open(): Promise<FileHandle> {
    return open(this.#temporaryPath, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o644);
  }
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
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
/** As many bytes at a time as Redis does. */
const SYNC_BYTES = 4 << 20;
/** The system takes a limited number of pieces at a time. */
const MOST_CHUNKS = 512;
