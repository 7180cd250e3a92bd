import { createHash } from 'node:crypto';
import { Bytes } from '../bytes/bytes.js';
import { formatDouble } from '../bytes/numbers/double.js';
import { Sha1 } from '../bytes/sha1.js';
import { Element } from '../structures/element.js';
import { StreamId } from '../structures/stream/stream-id.js';
import type { Database } from './database.js';
import type { Entry } from './entry.js';
import type { Keyspace } from './keyspace.js';
import { Type } from './kinds.js';
import { HashValue } from './values/hash-value.js';
import { ListValue } from './values/list-value.js';
import { SetValue } from './values/set-value.js';
import { SortedSetValue } from './values/sorted-set-value.js';
import { StreamCursor } from './values/stream-cursor.js';
import { StreamValue } from './values/stream-value.js';
import { stringBytes } from './values/string-value.js';

/*
 * DEBUG DIGEST and DEBUG DIGEST-VALUE: equal for two servers with the same keys and values, byte for byte as Redis
 * computes it. Unordered parts are combined by exclusive or, ordered parts by hashing them with the parts before.
 */

/** Five words of SHA-1. */
class Digest {
  readonly #words = new Int32Array(5);

  clear(): this {
    this.#words.fill(0);
    return this;
  }

  /** Adds an unordered part. */
  xor({ buf, start, end }: Bytes): void {
    if (end - start > LONG_BYTES) hashLong(buf.subarray(start, end));
    else sha1.hash(buf, start, end);
    this.#xorWords(sha1.words);
  }

  xorDigest(other: Digest): void {
    sha1.hashWords(other.#words);
    this.#xorWords(sha1.words);
  }

  #xorWords(words: Int32Array): void {
    for (let i = 0; i < 5; i++) this.#words[i] = (this.#words[i] as number) ^ (words[i] as number);
  }

  /** Adds a part that follows the parts before it. */
  mix(bytes: Bytes): void {
    this.xor(bytes);
    this.#hashAgain();
  }

  mixNumber(value: number): void {
    this.#xorWords(hashOfNumber(value));
    this.#hashAgain();
  }

  #hashAgain(): void {
    sha1.hashWords(this.#words);
    this.#words.set(sha1.words);
  }

  toString(): string {
    return Array.from(this.#words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}

function hashLong(bytes: Buffer): void {
  const hash = createHash('sha1').update(bytes).digest();
  for (let i = 0; i < 5; i++) sha1.words[i] = hash.readInt32BE(i * 4);
}

/** Numbers are types and indexes of databases: few, and every entry has one. */
function hashOfNumber(value: number): Int32Array {
  let hash = hashesOfNumbers.get(value);
  if (hash === undefined) {
    fourBytes.writeUInt32BE(value);
    sha1.hash(fourBytes, 0, 4);
    hash = sha1.words.slice();
    hashesOfNumbers.set(value, hash);
  }
  return hash;
}

const sha1 = new Sha1();
const fourBytes = Buffer.alloc(4);
const hashesOfNumbers = new Map<number, Int32Array>();
/** From this length on, node:crypto is faster. */
const LONG_BYTES = 512;

/** The digest of all databases; that of an empty keyspace is all zeros. Expired keys count until they are deleted. */
export function keyspaceDigest(keyspace: Keyspace): string {
  const all = new Digest();
  const each = new Digest();
  for (const db of keyspace.databases) {
    if (db.size === 0) continue;
    all.mixNumber(db.index);
    db.keys.forEach((entry) => {
      each.clear().mix(db.key(entry, view));
      addEntry(keyspace, db, entry, each);
      all.xorDigest(each);
    });
  }
  return all.toString();
}

/** The digest of one entry's value and of whether it expires; its key and when it expires do not matter. */
export function valueDigest(keyspace: Keyspace, db: Database, entry: Entry): string {
  const digest = new Digest();
  addEntry(keyspace, db, entry, digest);
  return digest.toString();
}

/** The reply of DEBUG DIGEST-VALUE for a missing key. */
export const NO_VALUE_DIGEST = new Digest().toString();

function addEntry(keyspace: Keyspace, db: Database, entry: Entry, digest: Digest): void {
  digest.mixNumber(db.type(entry));
  addValue(keyspace, db, entry, digest);
  if (db.expiries.timeOf(entry) >= 0) digest.xor(EXPIRES);
}

function addValue(keyspace: Keyspace, db: Database, entry: Entry, digest: Digest): void {
  const type = db.type(entry);
  switch (type) {
    case Type.string:
      digest.mix(stringBytes(db, entry, view));
      return;
    case Type.list:
      list.open(keyspace, db, entry);
      for (let more = list.seek(0); more; ) {
        more = list.readAndAdvance(element);
        digest.mix(element.toBytes());
      }
      return;
    case Type.set:
      set.open(keyspace, db, entry);
      while (set.next(element)) digest.xor(element.toBytes());
      return;
    case Type.sortedSet:
      sortedSet.open(keyspace, db, entry);
      for (let ok = sortedSet.seek(0); ok; ok = sortedSet.next()) {
        const score = Bytes.of(formatDouble(sortedSet.memberScore));
        addPair(digest, sortedSet.member, score);
      }
      return;
    case Type.hash:
      hash.open(keyspace, db, entry);
      while (hash.next(element, second)) addPair(digest, element.toBytes(), second.toBytes());
      return;
    case Type.stream:
      addEntries(digest, StreamValue.open(db, entry));
      return;
    default:
      throw new Error(`values of type ${type} have no digest yet`);
  }
}

/** Only the entries; groups are ignored. */
function addEntries(digest: Digest, stream: StreamValue): void {
  for (cursor.open(stream, MIN_ID, GREATEST_ID); cursor.next(); ) {
    digest.mix(Bytes.of(`${cursor.id.ms}.${cursor.id.seq}`));
    for (let i = 0; i < cursor.fieldCount; i++) {
      digest.mix(cursor.readField(element).toBytes());
      digest.mix(cursor.readValue(element).toBytes());
    }
  }
}

function addPair(digest: Digest, first: Bytes, following: Bytes): void {
  pair.clear().mix(first);
  pair.mix(following);
  digest.xorDigest(pair);
}

const EXPIRES = Bytes.of('!!expire!!');
const pair = new Digest();
const view = new Bytes();
const element = new Element();
const second = new Element();
const list = new ListValue();
const set = new SetValue();
const hash = new HashValue();
const sortedSet = new SortedSetValue();
const cursor = new StreamCursor();
const MIN_ID = new StreamId();
const GREATEST_ID = new StreamId().setGreatest();
