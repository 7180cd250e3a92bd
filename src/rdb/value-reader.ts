import type { Bytes } from '../bytes/bytes.js';
import { parseDouble } from '../bytes/numbers/double.js';
import type { Database } from '../keyspace/database.js';
import type { Entry } from '../keyspace/entry.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { HashValue } from '../keyspace/values/hash-value.js';
import { SetValue } from '../keyspace/values/set-value.js';
import { AddResult, SortedSetValue } from '../keyspace/values/sorted-set-value.js';
import { setString } from '../keyspace/values/string-value.js';
import type { Ref } from '../structures/arena/ref.js';
import { Element } from '../structures/element.js';
import { IntSet, isValidIntSet } from '../structures/intset.js';
import { Listpack } from '../structures/listpack/listpack.js';
import { isValidListpack } from '../structures/listpack/listpack-format.js';
import { CorruptData, EmptyCollection } from './byte-source.js';
import { readListOfElements, readQuicklist, readZiplistList } from './list-reader.js';
import type { RdbReader } from './rdb-reader.js';
import { readStream } from './stream-reader.js';
import { ValueType } from './value-type.js';
import { listpackOfZiplist, listpackOfZipmap } from './ziplist.js';

/** A value that has no key yet. Call one of the two methods before anything else is read. */
export interface LoadedValue {
  /** Stores it at this key, replacing any old value. Returns the entry. */
  store(key: Bytes): Entry;
  discard(): void;
}

/**
 * Reads a value of any type and encoding that Redis 7.0 can read, into the database's arena. All packed forms are
 * fully checked, so that damaged or forged bytes can do no harm later. Throws `CorruptData`.
 */
export function readValue(reader: RdbReader, type: number, keyspace: Keyspace, db: Database): LoadedValue {
  switch (type) {
    case ValueType.string:
      return readString(reader, keyspace, db);
    case ValueType.list:
      return readListOfElements(reader, keyspace, db);
    case ValueType.listQuicklist:
      return readQuicklist(reader, keyspace, db, false);
    case ValueType.listQuicklist2:
      return readQuicklist(reader, keyspace, db, true);
    case ValueType.listZiplist:
      return readZiplistList(reader, keyspace, db);
    case ValueType.set:
      return readSet(reader, keyspace, db);
    case ValueType.setListpack:
      return readSetListpack(reader, keyspace, db);
    case ValueType.setIntset:
      return readIntset(reader, keyspace, db);
    case ValueType.sortedSet:
      return readSortedSet(reader, keyspace, db, false);
    case ValueType.sortedSet2:
      return readSortedSet(reader, keyspace, db, true);
    case ValueType.sortedSetZiplist:
      return adoptSortedSet(reader, keyspace, db, listpackOfZiplist(db.arena, reader.string()));
    case ValueType.sortedSetListpack:
      return adoptSortedSet(reader, keyspace, db, loadListpack(db, reader.string()));
    case ValueType.hash:
      return readHash(reader, keyspace, db);
    case ValueType.hashZipmap:
      return adoptHash(reader, keyspace, db, listpackOfZipmap(db.arena, reader.string()), true);
    case ValueType.hashZiplist:
      return adoptHash(reader, keyspace, db, listpackOfZiplist(db.arena, reader.string()), false);
    case ValueType.hashListpack:
      return adoptHash(reader, keyspace, db, loadListpack(db, reader.string()), false);
    case ValueType.streamListpacks:
      return readStream(reader, keyspace, db, 1);
    case ValueType.streamListpacks2:
      return readStream(reader, keyspace, db, 2);
    case ValueType.streamListpacks3:
      return readStream(reader, keyspace, db, 3);
    default:
      throw new CorruptData(`no value is of type ${type}`);
  }
}

function readString(reader: RdbReader, keyspace: Keyspace, db: Database): LoadedValue {
  const value = reader.string();
  return {
    store: (key) => {
      const entry = keyspace.write(db, key);
      if (entry !== 0) db.expiries.remove(entry);
      return setString(keyspace, db, entry, key, value);
    },
    discard: () => {},
  };
}

function readSet(reader: RdbReader, keyspace: Keyspace, db: Database): LoadedValue {
  const length = reader.length();
  set.begin(keyspace, db);
  return filled(length, set, () => {
    if (!set.add(reader.string())) throw new CorruptData('a set has a member twice');
  });
}

function readIntset(reader: RdbReader, keyspace: Keyspace, db: Database): LoadedValue {
  const bytes = reader.string();
  if (!isValidIntSet(bytes.buf, bytes.start, bytes.end, true)) throw new CorruptData('an intset is damaged');
  return set.adopt(keyspace, db, IntSet.load(db.arena, bytes));
}

/** Added member by member, because Redis 7.0 packs only integers. */
function readSetListpack(reader: RdbReader, keyspace: Keyspace, db: Database): LoadedValue {
  const block = loadListpack(db, reader.string());
  const members = new Listpack().open(db.arena, block);
  let at = members.first();
  set.begin(keyspace, db);
  try {
    return filled(members.count, set, () => {
      at = members.readAndAdvance(at, element);
      if (!set.add(element.toBytes())) throw new CorruptData('a set has a member twice');
    });
  } finally {
    db.arena.free(block);
  }
}

function readSortedSet(
  reader: RdbReader,
  keyspace: Keyspace,
  db: Database,
  hasBinaryScores: boolean,
): LoadedValue {
  const length = reader.length();
  sortedSet.begin(keyspace, db);
  if (length > keyspace.limits.zsetMaxListpackEntries) {
    sortedSet.makeLarge();
    sortedSet.large.dict.reserve(Math.min(length, MAX_RESERVED));
  }
  return filled(length, sortedSet, () => {
    const member = reader.keptString();
    const score = hasBinaryScores ? reader.score() : reader.scoreText();
    if (sortedSet.add(member, score) !== AddResult.added) {
      throw new CorruptData('a sorted set has a member twice');
    }
  });
}

function readHash(reader: RdbReader, keyspace: Keyspace, db: Database): LoadedValue {
  const length = reader.length();
  hash.begin(keyspace, db);
  if (length > keyspace.limits.hashMaxListpackEntries) {
    hash.makeLarge();
    hash.table.dict.reserve(Math.min(length, MAX_RESERVED));
  }
  return filled(length, hash, () => {
    const field = reader.keptString();
    if (!hash.set(field, reader.string())) throw new CorruptData('a hash has a field twice');
  });
}

/** Reads `count` elements into the value; there must be at least one. */
function filled(length: number, value: LoadedValue, readElement: () => void): LoadedValue {
  try {
    if (length === 0) throw new EmptyCollection();
    for (let i = 0; i < length; i++) readElement();
  } catch (error) {
    value.discard();
    throw error;
  }
  return value;
}

// ---- packed collections ----

function loadListpack(db: Database, bytes: Bytes): Ref {
  if (!isValidListpack(bytes.buf, bytes.start, bytes.end, true)) {
    throw new CorruptData('a listpack is damaged');
  }
  return Listpack.load(db.arena, bytes);
}

/** As in Redis, only zipmaps are also checked for the length of fields and values. */
function adoptHash(
  reader: RdbReader,
  keyspace: Keyspace,
  db: Database,
  block: Ref,
  hasLengthLimit: boolean,
): LoadedValue {
  if (!reader.isThorough && !hasLengthLimit) {
    checkCount(db, block);
    const isPacked = pack.count / 2 <= keyspace.limits.hashMaxListpackEntries;
    return isPacked ? hash.adopt(keyspace, db, block) : rebuiltHash(keyspace, db, block);
  }
  const longest = checkPairs(db, block, undefined);
  if (hasLengthLimit && longest > keyspace.limits.hashMaxListpackValue)
    return rebuiltHash(keyspace, db, block);
  return hash.adopt(keyspace, db, block);
}

/** Added field by field, so that too many fields, or one that is too long, make it a hash table. */
function rebuiltHash(keyspace: Keyspace, db: Database, block: Ref): LoadedValue {
  hash.begin(keyspace, db);
  pack.open(db.arena, block);
  let at = pack.first();
  try {
    return filled(pack.count / 2, hash, () => {
      at = pack.readAndAdvance(at, element);
      at = pack.readAndAdvance(at, second);
      if (!hash.set(element.toBytes(), second.toBytes())) throw new CorruptData('listpack with dup elements');
    });
  } finally {
    db.arena.free(block);
  }
}

function adoptSortedSet(reader: RdbReader, keyspace: Keyspace, db: Database, block: Ref): LoadedValue {
  if (!reader.isThorough) {
    checkCount(db, block);
    return sortedSet.adopt(keyspace, db, block);
  }
  const order = new OrderCheck();
  checkPairs(db, block, (member, score) => order.follows(member, score));
  return sortedSet.adopt(keyspace, db, block);
}

/** Members must be in the order of the sorted set, with scores that are numbers. */
class OrderCheck {
  #previousScore = Number.NEGATIVE_INFINITY;
  #previousMember: Bytes | undefined;

  follows(member: Element, scoreElement: Element): boolean {
    const { buf, start, end } = scoreElement.bytes;
    const score = scoreElement.isInteger ? scoreElement.integer : parseDouble(buf, start, end);
    if (!(score >= this.#previousScore)) return false;
    const isOrdered =
      score > this.#previousScore ||
      this.#previousMember === undefined ||
      this.#previousMember.compare(member.toBytes()) < 0;
    this.#previousScore = score;
    this.#previousMember = member.toBytes().copy();
    return isOrdered;
  }
}

/** Checks only that the listpack holds pairs, at least one. Frees the block before it throws. */
function checkCount(db: Database, block: Ref): void {
  const { count } = pack.open(db.arena, block);
  if (count !== 0 && count % 2 === 0) return;
  db.arena.free(block);
  throw count === 0 ? new EmptyCollection() : new CorruptData('a packed collection is damaged');
}

/**
 * Checks that the listpack holds at least one pair, no two pairs with the same first element, and that `isRight` accepts
 * each pair. Returns the length of the longest element. Frees the block before it throws.
 */
function checkPairs(
  db: Database,
  block: Ref,
  isRight: ((first: Element, following: Element) => boolean) | undefined,
): number {
  checkCount(db, block);
  const seen = new Set<string>();
  let longest = 0;
  let damage: string | undefined;
  for (let at = pack.first(); at !== -1 && damage === undefined; ) {
    at = pack.readAndAdvance(at, element);
    if (seen.has(element.toString())) {
      damage = 'listpack with dup elements';
      break;
    }
    seen.add(element.toString());
    at = pack.readAndAdvance(at, second);
    longest = Math.max(longest, element.length, second.length);
    if (isRight !== undefined && !isRight(element, second)) damage = 'a packed collection is damaged';
  }
  if (damage !== undefined) {
    db.arena.free(block);
    throw new CorruptData(damage);
  }
  return longest;
}

/** The max number of announced elements to reserve room for. */
const MAX_RESERVED = 1 << 20;

const pack = new Listpack();
const element = new Element();
const second = new Element();
const set = new SetValue();
const sortedSet = new SortedSetValue();
const hash = new HashValue();
