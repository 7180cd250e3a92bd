import { Bytes } from '../bytes/bytes.js';
import type { Crc64 } from '../bytes/crc64.js';
import type { Database } from '../keyspace/database.js';
import { type Entry, NO_ENTRY } from '../keyspace/entry.js';
import { MAX_TIME } from '../keyspace/expiry-queue.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { setString } from '../keyspace/values/string-value.js';
import { type ByteSource, CorruptData, EmptyCollection, Starved } from './byte-source.js';
import { moduleTypeName } from './module-name.js';
import { FIRST_WITH_CHECKSUM, HEADER_BYTES, MAGIC, Opcode } from './opcode.js';
import { RdbReader } from './rdb-reader.js';
import { readValue } from './value-reader.js';
import { NEWEST_FILE_VERSION, ValueType } from './value-type.js';

/** The bytes of a file, from its beginning. */
export interface FileSource extends ByteSource {
  /** The number of bytes read so far. */
  readonly position: number;
  /** The checksum of all bytes read so far. */
  checksum(): Crc64;
}

/** A source whose bytes are still arriving. Reading what is not there yet throws `Starved`. */
export interface ArrivingSource extends FileSource {
  /** Everything before this place has been used. */
  mark(): void;
  /** Goes back to the mark. */
  rewind(): void;
  /** Resolves when it is worth to read on. */
  arrival(): Promise<void>;
}

/** A file that cannot be loaded, with the offset where reading stopped. */
export class DamagedFile extends Error {
  readonly position: number;
  readonly reason: string;

  constructor(position: number, reason: string) {
    super(`byte ${position}: ${reason}`);
    this.name = 'DamagedFile';
    this.position = position;
    this.reason = reason;
  }
}

export interface RdbLoaderOptions {
  /** Skip expired keys: on a master. They are kept if replicas may have the same data: those must be told of the deletion (`repl-id`). */
  readonly skipsExpired: boolean;
  /** Replace existing keys. Otherwise a key that exists already means that the file is damaged. */
  readonly replaces: boolean;
  /** Also check packed values for duplicates and wrong order. */
  readonly isThorough: boolean;
  /** Verify the checksum: `rdbchecksum`. */
  readonly hasChecksum: boolean;
  /** Called with the code of each library of functions. */
  readonly onFunction?: ((code: Bytes) => void) | undefined;
  /** Called for each key that is skipped because its collection is empty. */
  readonly onEmpty?: ((key: Bytes) => void) | undefined;
  /** Only read and check, keep nothing: for check tools. */
  readonly isTrial?: boolean;
  readonly watch?: RdbWatch;
  /** The source, if its bytes are still arriving. */
  readonly arriving?: ArrivingSource | undefined;
}

/** What a check tool is told while a file is read. */
export interface RdbWatch {
  /** What is read next, as redis-check-rdb calls it. */
  doing(step: RdbStep): void;
  auxiliary(name: string, value: string): void;
  selected(database: number): void;
  /** The type of the next entry; its key and value follow. */
  typed(type: number): void;
  keyed(key: Bytes): void;
  /** The entry is complete. `expiresAt` is -1 without a time to live. */
  entered(type: number, expiresAt: number): void;
  /** The file is complete. `isVerified`: it has a checksum, which is right. */
  ended(isVerified: boolean): void;
}

export type RdbStep =
  | 'start'
  | 'read-type'
  | 'read-expire'
  | 'read-key'
  | 'read-object-value'
  | 'check-sum'
  | 'read-len'
  | 'read-aux'
  | 'read-functions';

/**
 * Loads an RDB file of any supported version into a keyspace, in slices. Errors are `DamagedFile`s; what was loaded
 * before stays.
 */
export class RdbLoader {
  /** `redis-ver` and other auxiliary fields. */
  readonly auxiliary = new Map<string, string>();
  version = 0;
  /** The number of keys that were loaded, have a time to live, had expired, and were skipped as empty. */
  loaded = 0;
  expiring = 0;
  expired = 0;
  empty = 0;
  functions = 0;
  /** The last step ended because the source has to be waited for (`ArrivingSource.arrival`). */
  isStarved = false;
  readonly #source: FileSource;
  readonly #reader: RdbReader;
  readonly #keyspace: Keyspace;
  readonly #options: RdbLoaderOptions;
  #db: Database;
  #selected = 0;
  /** Attributes of the next entry: -1 if not given. */
  #expiresAt = -1;
  #idle = -1;
  #frequency = -1;
  #keyBuffer = Buffer.allocUnsafeSlow(256);
  readonly #key = new Bytes();
  /** The start of the item that is being read. */
  #itemAt = 0;
  #isReadingValue = false;

  constructor(source: FileSource, keyspace: Keyspace, options: RdbLoaderOptions) {
    this.#source = source;
    this.#reader = new RdbReader(source);
    this.#reader.isThorough = options.isThorough;
    this.#keyspace = keyspace;
    this.#options = options;
    this.#db = keyspace.databases[0] as Database;
  }

  /** Loads until `performance.now()` is beyond `until`, and at most `keys` keys. True when the file has been read to its end and is valid. */
  step(until: number, keys = Number.POSITIVE_INFINITY): boolean {
    const { arriving } = this.#options;
    const last = this.loaded + keys;
    const batch = Math.min(BATCH, keys);
    this.isStarved = false;
    try {
      if (this.version === 0) this.#readHeader();
      for (;;) {
        for (let item = 0; item < batch; item++) {
          arriving?.mark();
          if (!this.#readItem()) return true;
        }
        if (performance.now() > until || this.loaded >= last) return false;
      }
    } catch (error) {
      if (error instanceof Starved && arriving !== undefined) {
        arriving.rewind();
        this.#isReadingValue = false;
        this.isStarved = true;
        return false;
      }
      if (error instanceof CorruptData) throw new DamagedFile(this.#source.position, this.#reason(error));
      throw error;
    }
  }

  #reason(error: CorruptData): string {
    if (!this.#isReadingValue) return error.message;
    const key = JSON.stringify(this.#key.toString().slice(0, LONGEST_SHOWN));
    return `${error.message} (in key ${key} of database ${this.#selected}, which begins at byte ${this.#itemAt})`;
  }

  #readHeader(): void {
    const header = this.#source.bytes(HEADER_BYTES, view).toString();
    const version = Number(header.slice(MAGIC.length));
    if (!header.startsWith(MAGIC) || !/^\d{4}$/.test(header.slice(MAGIC.length))) {
      throw new CorruptData('this is no RDB file: it does not begin with REDIS and a version');
    }
    if (version < 1 || version > NEWEST_FILE_VERSION) {
      throw new CorruptData(
        `version ${version} of the format is not known, only those up to ${NEWEST_FILE_VERSION}`,
      );
    }
    this.version = version;
  }

  /** False at the end of the file. */
  #readItem(): boolean {
    const reader = this.#reader;
    const source = this.#source;
    const watch = this.#options.watch;
    this.#itemAt = source.position;
    watch?.doing('read-type');
    const code = source.byte();
    switch (code) {
      case Opcode.expireMs:
        watch?.doing('read-expire');
        this.#expiresAt = Math.min(readInt64(source), MAX_TIME);
        return true;
      case Opcode.expireSeconds: {
        watch?.doing('read-expire');
        const { buf, start } = source.bytes(4, view);
        this.#expiresAt = buf.readInt32LE(start) * 1000;
        return true;
      }
      case Opcode.selectDb:
        watch?.doing('read-len');
        this.#select(reader.length());
        watch?.selected(this.#selected);
        return true;
      case Opcode.resizeDb:
        watch?.doing('read-len');
        this.#db.keys.reserve(Math.min(reader.length(), MAX_RESERVED));
        reader.length();
        return true;
      case Opcode.slotInfo:
        for (let i = 0; i < SLOT_NUMBERS; i++) reader.length();
        return true;
      case Opcode.idle:
        this.#idle = reader.length();
        return true;
      case Opcode.frequency:
        this.#frequency = source.byte();
        return true;
      case Opcode.aux:
        watch?.doing('read-aux');
        this.#readAuxiliary();
        return true;
      case Opcode.function2:
        watch?.doing('read-functions');
        this.#options.onFunction?.(reader.string());
        this.functions++;
        return true;
      case Opcode.functionPreRelease:
        throw new CorruptData('functions are in the form of a release candidate of Redis 7.0');
      case Opcode.moduleAux:
        throw this.#moduleData();
      case Opcode.end:
        watch?.doing('check-sum');
        this.#readEnd();
        return false;
      default:
        this.#readEntry(code);
        return true;
    }
  }

  #select(index: number): void {
    this.#selected = index;
    if (this.#options.isTrial === true) return;
    const db = this.#keyspace.databases[index];
    if (db === undefined) {
      const count = this.#keyspace.databases.length;
      throw new CorruptData(`there is a database ${index}, but this server has only ${count} ('databases')`);
    }
    this.#db = db;
  }

  #readAuxiliary(): void {
    const name = this.#reader.string().toString();
    const value = this.#reader.string().toString();
    this.auxiliary.set(name, value);
    this.#options.watch?.auxiliary(name, value);
  }

  #moduleData(): CorruptData {
    const name = moduleTypeName(this.#longLength());
    return new CorruptData(`there is data of the module type '${name}', and modules cannot be loaded`);
  }

  /** A 64-bit length. */
  #longLength(): bigint {
    const first = this.#source.byte();
    if (first !== 0x81) throw new CorruptData('a module has no name');
    const { buf, start } = this.#source.bytes(8, view);
    return buf.readBigUInt64BE(start);
  }

  #readEntry(type: number): void {
    if (type > ValueType.streamListpacks3 && type <= LAST_FIELD_EXPIRY_TYPE) {
      throw new CorruptData('there is a hash whose fields have times to live, which Redis 7.0 does not know');
    }
    if (type > ValueType.streamListpacks3 || type === 8) {
      throw new CorruptData(`${type} is neither an opcode nor a type of value`);
    }
    const { watch } = this.#options;
    watch?.typed(type);
    const key = this.#readKey();
    watch?.keyed(key);
    this.#isReadingValue = true;
    if (type === ValueType.module2 || type === ValueType.moduleOld) throw this.#moduleData();
    const isExpired = this.#isExpired();
    const isSkipped = isExpired && !this.auxiliary.has('repl-id');
    if (!this.#options.replaces && !isSkipped && this.#db.find(key) !== 0) {
      throw new CorruptData('the key is there twice');
    }
    const empty = this.empty;
    const entry = this.#readValue(type, key, isSkipped || this.#options.isTrial === true);
    this.#isReadingValue = false;
    if (isExpired) this.expired++;
    else if (this.empty === empty) this.loaded++;
    if (this.#expiresAt >= 0) this.expiring++;
    watch?.entered(type, this.#expiresAt);
    if (entry !== 0) this.#setAttributes(entry);
    this.#expiresAt = -1;
    this.#idle = -1;
    this.#frequency = -1;
  }

  /** Whether the entry has expired, on a master. It is kept if replicas have to be told of its deletion. */
  #isExpired(): boolean {
    if (!this.#options.skipsExpired) return false;
    return this.#expiresAt >= 0 && this.#expiresAt < this.#keyspace.now;
  }

  /** Kept until the next one. */
  #readKey(): Bytes {
    const read = this.#reader.string();
    if (read.length > this.#keyBuffer.length) this.#keyBuffer = Buffer.allocUnsafeSlow(read.length * 2);
    return this.#key.set(this.#keyBuffer, 0, read.writeTo(this.#keyBuffer, 0));
  }

  /** The new entry, or 0 if there is none. */
  #readValue(type: number, key: Bytes, isDropped: boolean): Entry {
    const db = this.#db;
    if (type === ValueType.string) {
      const value = this.#reader.string();
      if (isDropped) return NO_ENTRY;
      const found = this.#options.replaces ? this.#keyspace.write(db, key) : NO_ENTRY;
      if (found !== 0) db.expiries.remove(found);
      return setString(this.#keyspace, db, found, key, value);
    }
    try {
      const value = readValue(this.#reader, type, this.#keyspace, db);
      if (!isDropped) return value.store(key);
      value.discard();
    } catch (error) {
      if (!(error instanceof EmptyCollection)) throw error;
      this.empty++;
      this.#options.onEmpty?.(key);
    }
    return NO_ENTRY;
  }

  #setAttributes(entry: Entry): void {
    const db = this.#db;
    const { usage } = this.#keyspace;
    if (this.#expiresAt >= 0) db.expiries.set(entry, this.#expiresAt);
    if (usage.countsFrequency) {
      if (this.#frequency >= 0) db.setUsage(entry, usage.ofFrequency(this.#frequency));
    } else if (this.#idle >= 0) {
      db.setUsage(entry, usage.ofIdleSeconds(this.#idle));
    }
  }

  #readEnd(): void {
    const { watch } = this.#options;
    if (this.version < FIRST_WITH_CHECKSUM) return;
    const computed = this.#source.checksum();
    const { low, high } = computed;
    const { buf, start } = this.#source.bytes(8, view);
    if (!this.#options.hasChecksum) return;
    const told = { low: buf.readUInt32LE(start), high: buf.readUInt32LE(start + 4) };
    if (told.low === 0 && told.high === 0) {
      watch?.ended(false);
      return;
    }
    if (told.low !== low || told.high !== high) {
      throw new CorruptData(
        `CRC error: the checksum is ${hex(told)}, but that of the bytes is ${hex({ low, high })}: some byte before has changed`,
      );
    }
    watch?.ended(true);
  }
}

function hex({ low, high }: { low: number; high: number }): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

function readInt64(source: ByteSource): number {
  const { buf, start } = source.bytes(8, view);
  return buf.readInt32LE(start + 4) * 0x1_0000_0000 + buf.readUInt32LE(start);
}

/** The max number of announced entries to reserve room for, 4 bytes each. */
const MAX_RESERVED = 1 << 24;
/** Characters of a key in an error. */
const LONGEST_SHOWN = 100;
/** Numbers per slot: the slot, its keys, its keys with a time to live. */
const SLOT_NUMBERS = 3;
/** Redis 7.4 has four more types, all for hashes whose fields expire. */
const LAST_FIELD_EXPIRY_TYPE = 25;
/** Items read between two checks of the clock. */
const BATCH = 64;
const view = new Bytes();
