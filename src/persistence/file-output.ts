import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SnapshotOutput } from './snapshot/snapshot-format.js';
import { finished, removeIfThere, started } from './temporary-files.js';

/**
 * Writes a snapshot to a temporary file, which replaces the target file once it is complete and synced to disk. Until
 * then the target file stays unchanged. Writing happens in the background; `isFull` is true while more bytes wait
 * than should be kept in memory.
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
   * With `syncsAsItGoes` the file is synced in small steps while it is written. One large sync at the end would delay
   * other users of the disk.
   */
  constructor(temporaryPath: string, path: string, syncsAsItGoes = false) {
    this.#temporaryPath = temporaryPath;
    started(temporaryPath);
    this.#path = path;
    this.#syncsAsItGoes = syncsAsItGoes;
  }

  /** Creates the file now, not when the first bytes are written. */
  open(): void {
    this.#writing ??= this.#writeAll();
  }

  write(chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.isFull = this.#waitingBytes > MAX_WAITING_BYTES;
    this.#writing ??= this.#writeAll();
  }

  async finish(): Promise<void> {
    await this.#writing;
    await this.#syncing;
    if (this.#failure !== undefined) throw this.#failure;
    const file = this.#file ?? (await this.#create());
    this.#file = undefined;
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(this.#temporaryPath, this.#path);
    finished(this.#temporaryPath);
    await syncDirectory(dirname(this.#path));
  }

  async discard(): Promise<void> {
    this.#failure ??= new Error('aborted');
    // At once, where open files can be removed: a server that ends has removed it when it stops listening, as Redis has.
    removeIfThere(this.#temporaryPath);
    await this.#writing;
    await this.#syncing;
    await this.#file?.close();
    this.#file = undefined;
    await unlink(this.#temporaryPath).catch(() => {});
    finished(this.#temporaryPath);
  }

  async #writeAll(): Promise<void> {
    try {
      this.#file ??= await this.#create();
      while (this.#waiting.length > 0 && this.#failure === undefined) {
        const chunks = this.#waiting;
        this.#waiting = [];
        await writeChunks(this.#file, chunks);
        this.#unsynced += sizeOf(chunks);
        if (this.#syncsAsItGoes && this.#unsynced >= SYNC_BYTES) this.#syncing ??= this.#sync(this.#file);
        this.#waitingBytes = sizeOf(this.#waiting);
        if (this.isFull && this.#waitingBytes <= MAX_WAITING_BYTES) {
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

  /** Runs while more is being written. */
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

  #create(): Promise<FileHandle> {
    return open(this.#temporaryPath, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o644);
  }
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** The operating system may write fewer bytes than requested. */
async function writeChunks(file: FileHandle, chunks: Buffer[]): Promise<void> {
  let all = chunks;
  while (all.length > 0) {
    const { bytesWritten } = await file.writev(all.slice(0, MAX_CHUNKS));
    all = without(all, bytesWritten);
  }
}

/** The chunks without their first `bytes` bytes. */
function without(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let left = bytes;
  let at = 0;
  while (at < chunks.length && left >= (chunks[at] as Buffer).length) left -= (chunks[at++] as Buffer).length;
  const rest = chunks.slice(at);
  if (left > 0) rest[0] = (rest[0] as Buffer).subarray(left);
  return rest;
}

/** A renamed file survives a crash only after its directory is synced. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const MAX_WAITING_BYTES = 8 << 20;
/** The same number of bytes per sync as in Redis. */
const SYNC_BYTES = 4 << 20;
/** `writev` accepts a limited number of buffers per call. */
const MAX_CHUNKS = 512;
