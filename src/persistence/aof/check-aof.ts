import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../bytes/clock.js';
import { systemRandom } from '../../bytes/random.js';
import { Keyspace } from '../../keyspace/keyspace.js';
import { DamagedFile, RdbLoader } from '../../rdb/rdb-loader.js';
import { FileBytes } from '../file-bytes.js';
import { isRdb } from './aof-loading.js';
import { AofReader, Found } from './aof-reader.js';
import { parseManifest } from './manifest.js';

export interface CheckOptions {
  /** Cut off the invalid end; only in the last file, since no commands may be missing before another file. */
  readonly fixes: boolean;
  /** Go back to this time (Unix seconds), using the annotations of `aof-timestamp-enabled`. */
  readonly truncateTo: number | undefined;
  onProgress(progress: { readonly name: string; readonly position: number; readonly size: number }): void;
}

/** What is wrong with a file, and at which byte. */
export interface Damage {
  readonly position: number;
  readonly reason: string;
}

/** The contents of one file, and what is wrong with it. */
export interface FileReport {
  readonly name: string;
  readonly bytes: number;
  readonly keys: number;
  readonly commands: number;
  /** Everything before this byte can be loaded. */
  readonly soundUpTo: number;
  readonly damage: Damage | undefined;
  /** Where the file was truncated. */
  readonly truncatedTo: number | undefined;
  /** The digest of the file as it is now. */
  readonly sha256: string;
}

/** Checks an append-only file, or all files that a manifest names. Throws `ManifestError`, or the system's error. */
export function checkAof(path: string, options: CheckOptions): FileReport[] {
  if (!isManifest(path)) return [checkFile(path, true, options)];
  const { base, increments } = parseManifest(readFileSync(path, 'latin1'));
  const names = [...(base === undefined ? [] : [base]), ...increments].map(({ name }) => name);
  return names.map((name, index) =>
    checkFile(join(dirname(path), name), index === names.length - 1, options),
  );
}

function isManifest(path: string): boolean {
  return path.endsWith('.manifest');
}

function checkFile(path: string, isLast: boolean, options: CheckOptions): FileReport {
  const check = new FileCheck(path, options);
  check.run();
  const { bytes, soundUpTo, cutAt } = check;
  let { damage } = check;
  let truncatedTo: number | undefined;
  const target = cutAt ?? (damage !== undefined && options.fixes ? soundUpTo : undefined);
  if (target !== undefined && target < bytes) {
    if (cutAt === 0) {
      const reason = `it has no commands from before ${options.truncateTo}: aborting, the file is unchanged`;
      damage ??= { position: 0, reason };
    } else if (isLast) {
      truncate(path, target);
      truncatedTo = target;
    } else {
      damage ??= { position: target, reason: 'it cannot be truncated there: it is not the last file' };
    }
  }
  const { keys, commands } = check;
  return {
    name: basename(path),
    bytes,
    keys,
    commands,
    soundUpTo,
    damage,
    truncatedTo,
    sha256: sha256Of(path),
  };
}

/** Reads one file to its end, or to the first invalid byte. */
class FileCheck {
  readonly bytes: number;
  keys = 0;
  commands = 0;
  soundUpTo = 0;
  damage: Damage | undefined;
  /** The offset of the first command after `truncateTo`. */
  cutAt: number | undefined;
  readonly #path: string;
  readonly #options: CheckOptions;

  constructor(path: string, options: CheckOptions) {
    this.#path = path;
    this.#options = options;
    this.bytes = statSync(path).size;
  }

  run(): void {
    try {
      if (isRdb(this.#path)) this.#readRdb();
      this.#readCommands();
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      this.damage = { position: error.position, reason: error.reason };
    }
  }

  #readRdb(): void {
    const keyspace = new Keyspace({ databases: MAX_DATABASES, clock: systemClock, random: systemRandom() });
    const file = new FileBytes(this.#path);
    const loader = new RdbLoader(file, keyspace, {
      skipsExpired: false,
      replaces: true,
      isThorough: true,
      hasChecksum: true,
      isTrial: true,
    });
    try {
      while (!loader.step(performance.now() + PROGRESS_MS)) {
        while (keyspace.releaseSome(RELEASE_STEP));
        this.#report(file.position);
      }
      this.soundUpTo = file.position;
    } finally {
      this.keys = loader.loaded + loader.empty;
      file.close();
    }
  }

  #readCommands(): void {
    const reader = new AofReader(this.#path, this.soundUpTo);
    const { truncateTo } = this.#options;
    let isInTransaction = false;
    let loggedAt = performance.now();
    try {
      for (;;) {
        const found = reader.next();
        if (truncateTo !== undefined && reader.timestamp > truncateTo) {
          this.cutAt = Math.min(reader.begin, this.soundUpTo);
          return;
        }
        if (found !== Found.command) {
          this.#judgeEnd(found, isInTransaction);
          return;
        }
        this.commands++;
        const [name] = reader.args;
        if (name?.is('multi') === true) {
          if (isInTransaction) throw new DamagedFile(reader.begin, 'MULTI within a transaction');
          isInTransaction = true;
        } else if (name?.is('exec') === true) {
          if (!isInTransaction) throw new DamagedFile(reader.begin, 'EXEC without MULTI');
          isInTransaction = false;
        }
        if (!isInTransaction) this.soundUpTo = reader.position;
        if (performance.now() - loggedAt > PROGRESS_MS) {
          loggedAt = performance.now();
          this.#report(reader.position);
        }
      }
    } finally {
      reader.close();
    }
  }

  #judgeEnd(found: Found, isInTransaction: boolean): void {
    if (found === Found.cut) {
      this.damage = { position: this.bytes, reason: 'the file ends in the middle of a command' };
    } else if (isInTransaction) {
      this.damage = { position: this.bytes, reason: 'the file ends between MULTI and EXEC' };
    } else {
      this.soundUpTo = this.bytes;
    }
  }

  #report(position: number): void {
    this.#options.onProgress({ name: basename(this.#path), position, size: this.bytes });
  }
}

function truncate(path: string, length: number): void {
  const fd = openSync(path, 'r+');
  try {
    ftruncateSync(fd, length);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function sha256Of(path: string): string {
  const hash = createHash('sha256');
  const fd = openSync(path, 'r');
  const chunk = Buffer.allocUnsafeSlow(1 << 20);
  try {
    for (;;) {
      const count = readSync(fd, chunk, 0, chunk.length, null);
      if (count === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(fd);
  }
}

const PROGRESS_MS = 100;
const RELEASE_STEP = 10_000;
/** The file may come from a server with more databases than the default. */
const MAX_DATABASES = 1024;
