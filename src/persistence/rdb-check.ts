import { createHash } from 'node:crypto';
import { systemClock } from '../bytes/clock.js';
import { systemRandom } from '../bytes/random.js';
import { Keyspace } from '../keyspace/keyspace.js';
import { RdbLoader } from '../rdb/rdb-loader.js';
import { FileBytes } from './file-bytes.js';

/** The contents of a valid file. */
export interface RdbReport {
  readonly version: number;
  readonly auxiliary: ReadonlyMap<string, string>;
  readonly keys: number;
  readonly expiring: number;
  readonly expired: number;
  readonly functions: number;
  readonly bytes: number;
  /** Bytes after the end, which are ignored. */
  readonly bytesBehind: number;
  readonly sha256: string;
}

/** The progress of a check. */
export interface CheckProgress {
  readonly position: number;
  readonly size: number;
  readonly keys: number;
}

/**
 * Reads a file to its end, checks every value in it, and keeps nothing. Throws `DamagedFile`, or the system's error
 * if the file cannot be read.
 */
export function checkRdb(path: string, onProgress: (progress: CheckProgress) => void): RdbReport {
  const keyspace = new Keyspace({ databases: 1, clock: systemClock, random: systemRandom() });
  const file = new FileBytes(path);
  const hash = createHash('sha256');
  file.onChunk = (chunk) => void hash.update(chunk);
  const loader = new RdbLoader(file, keyspace, {
    skipsExpired: true,
    replaces: true,
    isThorough: true,
    hasChecksum: true,
    isTrial: true,
  });
  const keys = (): number => loader.loaded + loader.expired + loader.empty;
  try {
    while (!loader.step(performance.now() + PROGRESS_MS)) {
      while (keyspace.releaseSome(RELEASE_STEP));
      onProgress({ position: file.position, size: file.size, keys: keys() });
    }
    const bytesBehind = file.size - file.position;
    file.readToEnd();
    return {
      version: loader.version,
      auxiliary: loader.auxiliary,
      keys: keys(),
      expiring: loader.expiring,
      expired: loader.expired,
      functions: loader.functions,
      bytes: file.size,
      bytesBehind,
      sha256: hash.digest('hex'),
    };
  } catch (error) {
    onProgress({ position: file.position, size: file.size, keys: keys() });
    throw error;
  } finally {
    file.close();
  }
}

const PROGRESS_MS = 100;
const RELEASE_STEP = 10_000;
