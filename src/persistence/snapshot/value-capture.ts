import { Bytes } from '../../bytes/bytes.js';
import type { Database } from '../../keyspace/database.js';
import type { Entry } from '../../keyspace/entry.js';
import type { EntryHead, EntryWriter, StreamPartsWriter } from '../../keyspace/entry-writer.js';
import type { Keyspace } from '../../keyspace/keyspace.js';
import { Encoding, OBJECT_ENCODINGS, Type } from '../../keyspace/kinds.js';
import type { DictValue } from '../../keyspace/values/dict-value.js';
import type { LargeSortedSet } from '../../keyspace/values/large-sorted-set.js';
import { StreamValue } from '../../keyspace/values/stream-value.js';
import { stringLength } from '../../keyspace/values/string-value.js';
import { Quicklist } from '../../structures/quicklist/quicklist.js';
import type { ValueCapture } from './capture.js';
import { DictCapture, HashCapture, SortedSetCapture } from './dict-capture.js';
import { ListCapture, StreamCapture } from './node-capture.js';
import { StringCapture } from './string-capture.js';

/** The maximum size, in bytes, of a value that is written at once. */
export interface WholeLimits {
  readonly collection: number;
  readonly string: number;
}

/** Writing a collection of 100 KB takes about a quarter of a millisecond; strings go much faster. */
export const WHOLE_LIMITS: WholeLimits = { collection: 100_000, string: 1 << 20 };

/** Whether an entry's value should be written in parts, and can be. */
export function isLarge(db: Database, entry: Entry, limits: WholeLimits, writer: EntryWriter): boolean {
  const encoding = db.encoding(entry);
  if (encoding >= OBJECT_ENCODINGS) {
    if (encoding === Encoding.stream && writer.streams === undefined) return false;
    return db.object(entry).memory() > limits.collection;
  }
  return encoding === Encoding.raw && stringLength(db, entry) > limits.string;
}

/** Captures the value of an entry for which `isLarge` is true. */
export function captureValue(
  keyspace: Keyspace,
  db: Database,
  entry: Entry,
  writer: EntryWriter,
): ValueCapture {
  const type = db.type(entry);
  const head = (length: number): EntryHead => ({
    db: db.index,
    key: db.key(entry, new Bytes()).copy(),
    type,
    length,
    expiresAt: db.expiries.timeOf(entry),
    usage: db.usage(entry),
  });
  if (type === Type.string) return new StringCapture(head(stringLength(db, entry)), db, entry);
  const large = db.object(entry);
  if (large instanceof StreamValue) {
    return new StreamCapture(head(large.blocks.count), large, writer.streams as StreamPartsWriter);
  }
  if (large instanceof Quicklist) return new ListCapture(head(large.nodeCount), large);
  if (type === Type.sortedSet) return new SortedSetCapture(head(large.length), large as LargeSortedSet);
  if (type === Type.hash) return new HashCapture(head(large.length), keyspace, db, entry);
  return new DictCapture(head(large.length), large as DictValue);
}
