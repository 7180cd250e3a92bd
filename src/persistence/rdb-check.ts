import { createHash } from 'node:crypto';
import type { Bytes } from '../bytes/bytes.js';
import { systemClock } from '../bytes/clock.js';
import { systemRandom } from '../bytes/random.js';
import { Keyspace } from '../keyspace/keyspace.js';
import { DamagedFile, RdbLoader, type RdbStep, type RdbWatch } from '../rdb/rdb-loader.js';
import { FileBytes } from './file-bytes.js';

/** The result of a check. */
export interface RdbReport {
  readonly isSound: boolean;
  /** Where the RDB ends, or reading stopped. */
  readonly end: number;
  readonly bytes: number;
  /** The number of keys of each type. */
  readonly types: ReadonlyMap<string, number>;
  readonly functions: number;
  /** The digest of the whole file. */
  readonly sha256: string;
}

/** The progress of a check. */
export interface CheckProgress {
  readonly name: string;
  readonly position: number;
  readonly size: number;
}

/**
 * Reads an RDB file to its end, checks every value in it, and keeps nothing. `say` gets the lines that redis-check-rdb prints for
 * the file, which is called `name`. Throws the system's error if the file cannot be read.
 */
export function checkRdb(
  path: string,
  name: string,
  say: (line: string) => void,
  onProgress: (progress: CheckProgress) => void = () => {},
): RdbReport {
  say(`[offset 0] Checking RDB file ${name}`);
  const keyspace = new Keyspace({ databases: 1, clock: systemClock, random: systemRandom() });
  const file = new FileBytes(path);
  const hash = createHash('sha256');
  file.onChunk = (chunk) => void hash.update(chunk);
  const log = new CheckLog(say, () => file.position);
  const loader = new RdbLoader(file, keyspace, {
    skipsExpired: false,
    replaces: true,
    isThorough: true,
    hasChecksum: true,
    isTrial: true,
    watch: log,
  });
  let isSound = true;
  try {
    while (!loader.step(performance.now() + PROGRESS_MS)) {
      while (keyspace.releaseSome(RELEASE_STEP));
      onProgress({ name, position: file.position, size: file.size });
    }
    say(`[offset ${file.position}] \\o/ RDB looks OK! \\o/`);
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    isSound = false;
    log.failed(error);
  } finally {
    log.totals();
  }
  const end = file.position;
  file.readToEnd();
  file.close();
  return {
    isSound,
    end,
    bytes: file.size,
    types: log.types,
    functions: loader.functions,
    sha256: hash.digest('hex'),
  };
}

/** Prints what is read, with the texts of redis-check-rdb. */
class CheckLog implements RdbWatch {
  readonly types = new Map<string, number>();
  readonly #say: (line: string) => void;
  readonly #position: () => number;
  #step: RdbStep = 'start';
  /** The type of the entry that is being read; -1 after the first one. Redis begins with 0. */
  #type = 0;
  #key: string | undefined;
  #keys = 0;
  #expires = 0;
  #expired = 0;

  constructor(say: (line: string) => void, position: () => number) {
    this.#say = say;
    this.#position = position;
  }

  doing(step: RdbStep): void {
    this.#step = step;
  }

  auxiliary(name: string, value: string): void {
    this.#at(`AUX FIELD ${name} = '${value}'`);
  }

  selected(database: number): void {
    this.#at(`Selecting DB ID ${database}`);
  }

  typed(type: number): void {
    this.#step = 'read-key';
    this.#type = type;
  }

  keyed(key: Bytes): void {
    this.#step = 'read-object-value';
    this.#key = key.toString();
    this.#keys++;
  }

  entered(type: number, expiresAt: number): void {
    this.#type = -1;
    this.#key = undefined;
    if (expiresAt >= 0) this.#expires++;
    if (expiresAt >= 0 && expiresAt < systemClock.now()) this.#expired++;
    const name = KINDS[type] ?? 'other';
    this.types.set(name, (this.types.get(name) ?? 0) + 1);
  }

  ended(isVerified: boolean): void {
    this.#at(isVerified ? 'Checksum OK' : 'RDB file was saved with checksum disabled: no check performed.');
  }

  failed({ position, reason }: DamagedFile): void {
    this.#say('--- RDB ERROR DETECTED ---');
    this.#say(`[offset ${position}] ${redisReason(reason)}`);
    this.#say(`[additional info] While doing: ${this.#step}`);
    if (this.#key !== undefined) this.#say(`[additional info] Reading key '${this.#key}'`);
    if (this.#type >= 0)
      this.#say(`[additional info] Reading type ${this.#type} (${TYPE_NAMES[this.#type] ?? 'unknown'})`);
  }

  totals(): void {
    this.#say(`[info] ${this.#keys} keys read`);
    this.#say(`[info] ${this.#expires} expires`);
    this.#say(`[info] ${this.#expired} already expired`);
  }

  #at(text: string): void {
    this.#say(`[offset ${this.#position()}] ${text}`);
  }
}

/** Redis's text for our reason, if Redis has one. */
function redisReason(reason: string): string {
  if (/^the file end/.test(reason)) return 'Unexpected EOF reading RDB file';
  if (/^CRC error/.test(reason)) return 'RDB CRC error';
  if (/^this is no RDB file/.test(reason)) return 'Wrong signature trying to load DB from file';
  const [, version] = /^version (\d+) of the format/.exec(reason) ?? [];
  if (version !== undefined) return `Can't handle RDB format version ${version}`;
  const [, type] = /^(\d+) is neither an opcode/.exec(reason) ?? [];
  return type === undefined ? reason : `Invalid object type: ${type}`;
}

/** Redis's names of the types of values in files. */
const TYPE_NAMES: Readonly<Record<number, string>> = {
  0: 'string',
  1: 'list-linked',
  2: 'set-hashtable',
  3: 'zset-v1',
  4: 'hash-hashtable',
  5: 'zset-v2',
  6: 'module-value',
  9: 'hash-zipmap',
  10: 'list-ziplist',
  11: 'set-intset',
  12: 'zset-ziplist',
  13: 'hash-ziplist',
  14: 'quicklist',
  15: 'stream',
  16: 'hash-listpack',
  17: 'zset-listpack',
  18: 'quicklist-v2',
};

/** The types of keys, as TYPE names them. */
const KINDS: Readonly<Record<number, string>> = {
  0: 'string',
  1: 'list',
  2: 'set',
  3: 'zset',
  4: 'hash',
  5: 'zset',
  9: 'hash',
  10: 'list',
  11: 'set',
  12: 'zset',
  13: 'hash',
  14: 'list',
  15: 'stream',
  16: 'hash',
  17: 'zset',
  18: 'list',
  19: 'stream',
  20: 'set',
  21: 'stream',
};

const PROGRESS_MS = 100;
const RELEASE_STEP = 10_000;
