import { Bytes } from '../bytes/bytes.js';
import type { Database } from '../keyspace/database.js';
import type { Entry } from '../keyspace/entry.js';
import type { EntryHead, EntryWriter, StreamPartsWriter } from '../keyspace/entry-writer.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { Encoding, Type } from '../keyspace/kinds.js';
import type { StreamValue } from '../keyspace/values/stream-value.js';
import { stringBytes, writeDigits } from '../keyspace/values/string-value.js';
import { type ByteSink, MemorySink } from './byte-sink.js';
import { MAGIC, Opcode } from './opcode.js';
import { RdbWriter } from './rdb-writer.js';
import { writeStreamTail } from './stream-writer.js';
import { NodeContainer, RDB_VERSION, ValueType } from './value-type.js';
import { valueTypeOf, writeValue } from './value-writer.js';

/** Whether entries are saved with their idle time, their frequency of use, or neither, depending on the eviction policy. */
export type SavedUsage = 'idle' | 'frequency' | undefined;

export interface RdbOptions {
  /** `rdbcompression` */
  readonly compresses: boolean;
  /** `rdbchecksum` */
  readonly hasChecksum: boolean;
  readonly usage: SavedUsage;
  /** Names and values at the beginning of the file: `redis-ver` and so on. */
  readonly auxiliary: readonly (readonly [name: string, value: string])[];
  /** Libraries of functions, as FUNCTION LOAD takes them. */
  readonly functions?: readonly Buffer[];
}

/** Entries of one numbered database: all of them, and those with a time to live. */
interface Sizes {
  readonly index: number;
  readonly entries: number;
  readonly expiring: number;
}

/** An RDB file as Redis 7.0 writes it: header, auxiliary fields, functions, sizes of databases, entries, checksum. */
export class RdbFormat {
  readonly #keyspace: Keyspace;
  readonly #options: RdbOptions;

  constructor(keyspace: Keyspace, options: RdbOptions) {
    this.#keyspace = keyspace;
    this.#options = options;
  }

  /** The sizes of all databases come first, so that entries can follow in any order. */
  begin(sink: ByteSink, databases: readonly Sizes[]): void {
    const writer = new RdbWriter(sink, this.#options.compresses);
    const magic = Buffer.from(`${MAGIC}${String(RDB_VERSION).padStart(4, '0')}`, 'latin1');
    sink.bytes(magic, 0, magic.length);
    for (const [name, value] of this.#options.auxiliary) {
      sink.byte(Opcode.aux);
      writer.string(Bytes.of(name));
      writer.string(Bytes.of(value));
    }
    for (const code of this.#options.functions ?? []) {
      sink.byte(Opcode.function2);
      writer.string(new Bytes(code));
    }
    for (const { index, entries, expiring } of databases) {
      if (entries === 0) continue;
      sink.byte(Opcode.selectDb);
      writer.length(index);
      sink.byte(Opcode.resizeDb);
      writer.length(entries);
      writer.length(expiring);
    }
  }

  writer(sink: ByteSink): RdbEntryWriter {
    return new RdbEntryWriter(sink, this.#keyspace, this.#options);
  }

  end(sink: ByteSink, checksum: () => Buffer): void {
    sink.byte(Opcode.end);
    const bytes = this.#options.hasChecksum ? checksum() : Buffer.alloc(CHECKSUM_BYTES);
    sink.bytes(bytes, 0, CHECKSUM_BYTES);
  }
}

/** Writes the parts of a stream after `begin`. */
class RdbStreamParts implements StreamPartsWriter {
  readonly #writer: RdbWriter;

  constructor(writer: RdbWriter) {
    this.#writer = writer;
  }

  block(id: Bytes, listpack: Bytes): void {
    this.#writer.string(id);
    this.#writer.string(listpack);
  }

  encodeTail(stream: StreamValue): Buffer {
    const sink = new MemorySink();
    writeStreamTail(new RdbWriter(sink, this.#writer.compresses), stream);
    return sink.buffer.subarray(0, sink.length);
  }

  tail(bytes: Buffer): void {
    this.#writer.sink.bytes(bytes, 0, bytes.length);
  }
}

/** Writes entries, each preceded by its time to live and usage, and selects databases as needed. */
export class RdbEntryWriter implements EntryWriter {
  readonly streams: StreamPartsWriter;
  readonly #keyspace: Keyspace;
  readonly #writer: RdbWriter;
  readonly #usage: SavedUsage;
  #selected = -1;

  constructor(sink: ByteSink, keyspace: Keyspace, options: RdbOptions) {
    this.#keyspace = keyspace;
    this.#usage = options.usage;
    this.#writer = new RdbWriter(sink, options.compresses);
    this.#writer.longestCompressed = LONGEST_COMPRESSED;
    this.streams = new RdbStreamParts(this.#writer);
  }

  interrupted(): void {
    this.#selected = -1;
  }

  entry(db: Database, entry: Entry): void {
    const writer = this.#writer;
    this.#attributes(db.index, db.expiries.timeOf(entry), db.usage(entry));
    writer.byte(valueTypeOf(db, entry));
    writer.string(db.key(entry, keyView));
    if (db.type(entry) === Type.string) this.#string(db, entry);
    else writeValue(writer, this.#keyspace, db, entry);
  }

  begin({ db, key, type, length, expiresAt, usage }: EntryHead): void {
    const writer = this.#writer;
    this.#attributes(db, expiresAt, usage);
    writer.byte(PART_TYPES[type] as number);
    writer.string(key);
    writer.length(length);
  }

  piece({ buf, start, end }: Bytes): void {
    this.#writer.sink.bytes(buf, start, end);
  }

  node(bytes: Bytes, plain: boolean): void {
    this.#writer.length(plain ? NodeContainer.plain : NodeContainer.packed);
    this.#writer.string(bytes);
  }

  member(member: Bytes): void {
    this.#writer.string(member);
  }

  scored(member: Bytes, score: number): void {
    this.#writer.string(member);
    this.#writer.double(score);
  }

  field(field: Bytes, value: Bytes): void {
    this.#writer.string(field);
    this.#writer.string(value);
  }

  end(): void {}

  #attributes(db: number, expiresAt: number, usage: number): void {
    const writer = this.#writer;
    if (db !== this.#selected) {
      writer.byte(Opcode.selectDb);
      writer.length(db);
      this.#selected = db;
    }
    if (expiresAt >= 0) {
      scratch[0] = Opcode.expireMs;
      scratch.writeUInt32LE(expiresAt % WORD, 1);
      scratch.writeUInt32LE(Math.floor(expiresAt / WORD), 5);
      writer.sink.bytes(scratch, 0, 9);
    }
    if (this.#usage === 'idle') {
      writer.byte(Opcode.idle);
      writer.length(this.#keyspace.usage.idleSeconds(usage));
    } else if (this.#usage === 'frequency') {
      writer.byte(Opcode.frequency);
      writer.byte(this.#keyspace.usage.frequency(usage));
    }
  }

  /** A separate buffer for digits: a command may be using the shared buffer of strings at the same time. */
  #string(db: Database, entry: Entry): void {
    const encoding = db.encoding(entry);
    if (encoding === Encoding.int) {
      this.#writer.integer(db.value(entry));
    } else if (encoding === Encoding.int64) {
      this.#writer.string(valueView.set(digits, 0, writeDigits(db, entry, digits)));
    } else {
      this.#writer.string(stringBytes(db, entry, valueView));
    }
  }
}

/** The RDB types of values that are written part by part, by `Type`. */
const PART_TYPES: Readonly<Record<number, ValueType>> = {
  [Type.string]: ValueType.string,
  [Type.list]: ValueType.listQuicklist2,
  [Type.set]: ValueType.set,
  [Type.sortedSet]: ValueType.sortedSet2,
  [Type.hash]: ValueType.hash,
  [Type.stream]: ValueType.streamListpacks2,
};

/** Compressing more than this at once would stall the engine. Larger strings are saved uncompressed. */
const LONGEST_COMPRESSED = 1 << 20;
const CHECKSUM_BYTES = 8;
const WORD = 0x1_0000_0000;
const scratch = Buffer.alloc(9);
const digits = Buffer.alloc(24);
const keyView = new Bytes();
const valueView = new Bytes();
