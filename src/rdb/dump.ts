import { Bytes, EMPTY_BUFFER } from '../bytes/bytes.js';
import { Crc64 } from '../bytes/crc64.js';
import type { Database } from '../keyspace/database.js';
import type { Entry } from '../keyspace/entry.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { CountingSink, MemorySink } from './byte-sink.js';
import { CorruptData, MemorySource } from './byte-source.js';
import { RdbReader } from './rdb-reader.js';
import { RdbWriter } from './rdb-writer.js';
import { type LoadedValue, readValue } from './value-reader.js';
import { RDB_VERSION, ValueType } from './value-type.js';
import { valueTypeOf, writeValue } from './value-writer.js';

/*
 * The payload of DUMP and RESTORE: type byte, value, the format's version (u16 LE), CRC-64 of all before it.
 */
const VERSION_BYTES = 2;
export const FOOTER_BYTES = VERSION_BYTES + 8;

/** The payload of an entry's value; the view is valid until the next call. */
export function dumpValue(keyspace: Keyspace, db: Database, entry: Entry, compresses: boolean): Bytes {
  sink.reset();
  const writer = new RdbWriter(sink, compresses);
  writer.byte(valueTypeOf(db, entry));
  writeValue(writer, keyspace, db, entry);
  writeFooter(sink);
  return payload.set(sink.buffer, 0, sink.length);
}

/** Version and checksum, at the end of the payload. */
export function writeFooter(sink: MemorySink): void {
  sink.byte(RDB_VERSION & 255);
  sink.byte(RDB_VERSION >>> 8);
  checksum.reset().update(sink.buffer, 0, sink.length).writeTo(footer, 0);
  sink.bytes(footer, 0, footer.length);
}

/** Whether the payload's version can be read and its checksum, if it is checked, is right. */
export function isIntactPayload({ buf, start, end }: Bytes, checksChecksum = true): boolean {
  if (end - start < FOOTER_BYTES) return false;
  const versionAt = end - FOOTER_BYTES;
  if (buf.readUInt16LE(versionAt) > RDB_VERSION) return false;
  const checksumAt = versionAt + VERSION_BYTES;
  if (!checksChecksum) return true;
  return checksum.reset().update(buf, start, checksumAt).equalsAt(buf, checksumAt);
}

/**
 * Reads the value of a payload with a valid checksum. Throws `CorruptData`, since a forged payload can have one too. As in
 * Redis, a value may extend into the footer, or end before it.
 */
export function loadPayload({ buf, start, end }: Bytes, keyspace: Keyspace, db: Database): LoadedValue {
  source.reset(buf, start, end);
  const type = reader.byte();
  if (type > ValueType.streamListpacks2) throw new CorruptData(`${type} is no type of this version`);
  return readValue(reader, type, keyspace, db);
}

/** The number of bytes of the entry's value in a file, without its type byte: DEBUG OBJECT's `serializedlength`. */
export function serializedLength(
  keyspace: Keyspace,
  db: Database,
  entry: Entry,
  compresses: boolean,
): number {
  const counter = new CountingSink();
  writeValue(new RdbWriter(counter, compresses), keyspace, db, entry);
  return counter.length;
}

const sink = new MemorySink();
const checksum = new Crc64();
const footer = Buffer.alloc(8);
const payload = new Bytes();
const source = new MemorySource(EMPTY_BUFFER);
const reader = new RdbReader(source);
