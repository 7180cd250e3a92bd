import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '../../commands/config/settings.js';
import { FolderLock } from '../folder-lock.js';
import { systemReason } from '../system-error.js';
import {
  baseOf,
  EMPTY_MANIFEST,
  formatManifest,
  type Manifest,
  type Part,
  parseManifest,
  withIncrement,
} from './manifest.js';

/** The folder `appenddirname` with the files of an append-only file, and the manifest that lists the current ones. */
export class AofFolder {
  readonly #settings: Settings;
  #manifest: Manifest = EMPTY_MANIFEST;
  #lock: FolderLock | undefined;
  /**
   * The highest numbers seen so far. No number is used twice, since a file of that name may still be waiting for its
   * removal.
   */
  #lastBase = 0;
  #lastIncrement = 0;
  /** How many files are being removed. */
  #removals = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get manifest(): Manifest {
    return this.#manifest;
  }

  /** `appendfilename`: the prefix of all file names. */
  get fileName(): string {
    return this.#settings.text('appendfilename');
  }

  get folderName(): string {
    return this.#settings.text('appenddirname');
  }

  get path(): string {
    return resolve(this.#settings.text('dir'), this.folderName);
  }

  pathOf(name: string): string {
    return join(this.path, name);
  }

  get isEmpty(): boolean {
    return this.#manifest.base === undefined && this.#manifest.increments.length === 0;
  }

  /** Base and increments, in the order in which they are loaded. */
  get parts(): Part[] {
    const { base, increments } = this.#manifest;
    return base === undefined ? [...increments] : [base, ...increments];
  }

  /**
   * Locks these files for this process: two processes appending to one file would corrupt it. Throws `FolderLocked`.
   */
  lock(): void {
    if (this.#lock !== undefined) return;
    this.create();
    this.#lock = FolderLock.acquire(this.path, `${this.fileName}.lock`);
  }

  unlock(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  /** Removes files that an earlier process began and did not complete. */
  removeTemporaryFiles(): void {
    for (const name of readdirSync(this.path)) {
      if (name.startsWith(`temp-${this.fileName}.`)) this.removeFile(name);
    }
  }

  create(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o755 });
  }

  /** Reads the manifest. A missing one counts as empty. Throws `ManifestError`, or the system's error. */
  read(): void {
    const path = this.#manifestPath;
    this.#adopt(existsSync(path) ? parseManifest(readFileSync(path, 'latin1')) : EMPTY_MANIFEST);
  }

  /** Reads the manifest again. Numbers continue from it, unless a file is still waiting for its removal. */
  readAgain(): void {
    if (this.#removals === 0) {
      this.#lastBase = 0;
      this.#lastIncrement = 0;
    }
    this.read();
  }

  #adopt(manifest: Manifest): void {
    this.#manifest = manifest;
    const highest = (parts: readonly Part[]): number => Math.max(0, ...parts.map(({ seq }) => seq));
    // Bases and increments have numbers of their own.
    const oldIncrements = manifest.history.filter(({ name }) => name.endsWith('.incr.aof'));
    const oldBases = manifest.history.filter((part) => !oldIncrements.includes(part));
    this.#lastBase = Math.max(this.#lastBase, manifest.base?.seq ?? 0, highest(oldBases));
    this.#lastIncrement = Math.max(this.#lastIncrement, highest(manifest.increments), highest(oldIncrements));
  }

  /** The base after the current one. */
  nextBase(format: 'rdb' | 'aof'): Part {
    return baseOf(this.fileName, this.#lastBase + 1, format);
  }

  /** The manifest with one more increment, and that increment. */
  withIncrement(): { manifest: Manifest; part: Part } {
    return withIncrement(this.#manifest, this.fileName, this.#lastIncrement + 1);
  }

  /** Makes this manifest the current one, also after a crash: it replaces the old one after it is synced to disk. */
  persist(manifest: Manifest): void {
    const temporaryPath = this.pathOf(`temp-${this.fileName}.manifest`);
    const fd = openSync(temporaryPath, 'w', 0o644);
    try {
      const bytes = Buffer.from(formatManifest(manifest), 'latin1');
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporaryPath, this.#manifestPath);
    this.#adopt(manifest);
    syncFolder(this.path);
  }

  /** The size of the file in bytes. Throws if there is none. */
  sizeOf({ name }: Part): number {
    try {
      return statSync(this.pathOf(name)).size;
    } catch (error) {
      throw new Error(`The append log file ${name} cannot be read: ${systemReason(error)}`);
    }
  }

  /**
   * Moves an append-only file of Redis 6 or earlier, `appendonly.aof` beside the folder, into the folder as its base.
   * Returns true if there was one.
   */
  upgrade(): boolean {
    const oldPath = resolve(this.#settings.text('dir'), this.fileName);
    if (!existsSync(oldPath) || !this.#expectsOldFile()) return false;
    this.create();
    this.persist({ base: { name: this.fileName, seq: 1, type: 'b' }, increments: [], history: [] });
    renameSync(oldPath, this.pathOf(this.fileName));
    syncFolder(this.path);
    return true;
  }

  /** There are no files yet, or an earlier upgrade wrote the manifest and was then interrupted. */
  #expectsOldFile(): boolean {
    const { base, increments } = this.#manifest;
    if (this.isEmpty) return true;
    return base?.name === this.fileName && increments.length === 0 && !existsSync(this.pathOf(this.fileName));
  }

  /** Removes replaced files in the background: removing large files takes time. */
  removeHistory(log: (message: string) => void): void {
    const { history } = this.#manifest;
    if (history.length === 0 || this.#settings.isOn('aof-disable-auto-gc')) return;
    for (const { name } of history) {
      log(`Removing the history file ${name} in the background`);
      this.#removals++;
      void unlink(this.pathOf(name))
        .catch(() => {})
        .finally(() => this.#removals--);
    }
    this.persist({ ...this.#manifest, history: [] });
  }

  removeFile(name: string): void {
    try {
      unlinkSync(this.pathOf(name));
    } catch {
      // It may never have been created.
    }
  }

  get #manifestPath(): string {
    return this.pathOf(`${this.fileName}.manifest`);
  }
}

/** A new file name survives a crash only after its folder is synced. */
function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
