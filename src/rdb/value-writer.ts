import { Bytes } from '../bytes/bytes.js';
import type { Database } from '../keyspace/database.js';
import type { Entry } from '../keyspace/entry.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { Encoding, Type } from '../keyspace/kinds.js';
import { HashValue } from '../keyspace/values/hash-value.js';
import { forEachListNode, listNodeCount } from '../keyspace/values/list-nodes.js';
import { SetValue } from '../keyspace/values/set-value.js';
import { SortedSetValue } from '../keyspace/values/sorted-set-value.js';
import { StreamValue } from '../keyspace/values/stream-value.js';
import { stringBytes } from '../keyspace/values/string-value.js';
import { Element } from '../structures/element.js';
import type { RdbWriter } from './rdb-writer.js';
import { writeStream } from './stream-writer.js';
import { NodeContainer, ValueType } from './value-type.js';

/** The type byte for what `writeValue` writes for this entry. */
export function valueTypeOf(db: Database, entry: Entry): ValueType {
  const type = db.type(entry);
  const encoding = db.encoding(entry);
  switch (type) {
    case Type.string:
      return ValueType.string;
    case Type.list:
      return ValueType.listQuicklist2;
    case Type.set:
      return encoding === Encoding.intset ? ValueType.setIntset : ValueType.set;
    case Type.sortedSet:
      return encoding === Encoding.listpack ? ValueType.sortedSetListpack : ValueType.sortedSet2;
    case Type.hash:
      return encoding === Encoding.listpack ? ValueType.hashListpack : ValueType.hash;
    case Type.stream:
      return ValueType.streamListpacks2;
    default:
      throw new Error(`values of type ${type} have no encoding yet`);
  }
}

/** Writes the entry's value, byte for byte as Redis 7.0 does, except for the order of hash tables. */
export function writeValue(writer: RdbWriter, keyspace: Keyspace, db: Database, entry: Entry): void {
  const type = db.type(entry);
  switch (type) {
    case Type.string:
      writer.string(stringBytes(db, entry, view));
      return;
    case Type.list:
      writeList(writer, db, entry);
      return;
    case Type.set:
      writeSet(writer, set.open(keyspace, db, entry));
      return;
    case Type.sortedSet:
      writeSortedSet(writer, sortedSet.open(keyspace, db, entry));
      return;
    case Type.hash:
      writeHash(writer, hash.open(keyspace, db, entry));
      return;
    case Type.stream:
      writeStream(writer, StreamValue.open(db, entry));
      return;
    default:
      throw new Error(`values of type ${type} have no encoding yet`);
  }
}

function writeList(writer: RdbWriter, db: Database, entry: Entry): void {
  writer.length(listNodeCount(db, entry));
  forEachListNode(db, entry, (bytes, plain) => {
    writer.length(plain ? NodeContainer.plain : NodeContainer.packed);
    writer.string(bytes);
  });
}

function writeSet(writer: RdbWriter, { encoding }: SetValue): void {
  if (encoding === Encoding.intset) {
    writer.string(set.packed(view));
    return;
  }
  writer.length(set.length);
  while (set.next(element)) writer.string(element.toBytes());
}

/** Highest score first: the reader then always inserts at the front. */
function writeSortedSet(writer: RdbWriter, { encoding, length }: SortedSetValue): void {
  if (encoding === Encoding.listpack) {
    writer.string(sortedSet.packed(view));
    return;
  }
  writer.length(length);
  for (let ok = sortedSet.seek(length - 1); ok; ok = sortedSet.previous()) {
    writer.string(sortedSet.member);
    writer.double(sortedSet.memberScore);
  }
}

function writeHash(writer: RdbWriter, { encoding }: HashValue): void {
  if (encoding === Encoding.listpack) {
    writer.string(hash.packed(view));
    return;
  }
  writer.length(hash.length);
  while (hash.next(element, second)) {
    writer.string(element.toBytes());
    writer.string(second.toBytes());
  }
}

const view = new Bytes();
const element = new Element();
const second = new Element();
const set = new SetValue();
const sortedSet = new SortedSetValue();
const hash = new HashValue();
