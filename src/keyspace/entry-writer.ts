import type { Bytes } from '../bytes/bytes.js';
import type { Database } from './database.js';
import type { Entry } from './entry.js';
import type { Type } from './kinds.js';
import type { StreamValue } from './values/stream-value.js';

/** The properties of an entry that a writer needs before its value is written in several calls. */
export interface EntryHead {
  /** The database's number. */
  readonly db: number;
  /** A copy: the entry may have been removed. */
  readonly key: Bytes;
  readonly type: Type;
  /** The number of parts: members, fields, nodes of a list, blocks of a stream; for a string, its bytes. */
  readonly length: number;
  /** Unix ms; -1 for never. */
  readonly expiresAt: number;
  /** The value of `Database.usage`. */
  readonly usage: number;
}

/** Writes streams part by part: all blocks, then the tail. */
export interface StreamPartsWriter {
  /** The next block: its id, encoded as in files, and its listpack. */
  block(id: Bytes, listpack: Bytes): void;
  /** Encodes everything but the blocks (last id, groups, pending entries), to be passed to `tail` later. */
  encodeTail(stream: StreamValue): Buffer;
  tail(bytes: Buffer): void;
}

/**
 * Writes entries in some format: RDB, or commands that create them. A snapshot calls `entry` for most of them; a large
 * value is written part by part over several turns: `begin`, one of the part methods for each part, `end`. Nothing
 * else is written by the same writer in between. Views are valid only during the call.
 */
export interface EntryWriter {
  /** The whole entry: key, time to live, value. */
  entry(db: Database, entry: Entry): void;
  begin(head: EntryHead): void;
  /** The next bytes of a string. */
  piece(bytes: Bytes): void;
  /** The next node of a list, head first: a listpack or, if plain, one element. */
  node(bytes: Bytes, plain: boolean): void;
  /** A member of a set; sets, sorted sets and hashes come in no particular order, each element once. */
  member(member: Bytes): void;
  /** A member of a sorted set. */
  scored(member: Bytes, score: number): void;
  /** A field of a hash. */
  field(field: Bytes, value: Bytes): void;
  end(): void;
  /** Absent where streams can only be written whole, with `entry`. */
  readonly streams?: StreamPartsWriter;
}
