import { createHash } from 'node:crypto';
import { Bytes } from '../bytes/bytes.js';
import { formatDouble } from '../bytes/numbers/double.js';
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

const DIGEST_BYTES = 20;

class Digest {
  #bytes: Buffer = Buffer.alloc(DIGEST_BYTES);

  clear(): this {
    this.#bytes.fill(0);
    return this;
  }

  /** Adds an unordered part. */
  xor(data: Buffer): void {
    const hash = sha1(data);
    for (let i = 0; i < DIGEST_BYTES; i++) this.#bytes[i] = (this.#bytes[i] as number) ^ (hash[i] as number);
  }

  xorDigest(other: Digest): void {
    this.xor(other.#bytes);
  }

  /** Adds a part that follows the parts before it. */
  mix(data: Buffer): void {
    this.xor(data);
    this.#bytes = sha1(this.#bytes);
  }

  mixNumber(value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    this.mix(bytes);
  }

  toString(): string {
    return this.#bytes.toString('hex');
  }
}

function sha1(data: Buffer): Buffer {
  return createHash('sha1').update(data).digest();
}

/** The digest of all databases; that of an empty keyspace is all zeros. Expired keys count until they are deleted. */
export function keyspaceDigest(keyspace: Keyspace): string {
  const all = new Digest();
  const each = new Digest();
  for (const db of keyspace.databases) {
    if (db.size === 0) continue;
    all.mixNumber(db.index);
    db.keys.forEach((entry) => {
      each.clear().mix(slice(db.key(entry, view)));
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
      digest.mix(slice(stringBytes(db, entry, view)));
      return;
    case Type.list:
      list.open(keyspace, db, entry);
      for (let more = list.seek(0); more; ) {
        more = list.readAndAdvance(element);
        digest.mix(slice(element.toBytes()));
      }
      return;
    case Type.set:
      set.open(keyspace, db, entry);
      while (set.next(element)) digest.xor(slice(element.toBytes()));
      return;
    case Type.sortedSet:
      sortedSet.open(keyspace, db, entry);
      for (let ok = sortedSet.seek(0); ok; ok = sortedSet.next()) {
        const score = Buffer.from(formatDouble(sortedSet.memberScore), 'latin1');
        addPair(digest, slice(sortedSet.member), score);
      }
      return;
    case Type.hash:
      hash.open(keyspace, db, entry);
      while (hash.next(element, second)) addPair(digest, slice(element.toBytes()), slice(second.toBytes()));
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
    digest.mix(Buffer.from(`${cursor.id.ms}.${cursor.id.seq}`, 'latin1'));
    for (let i = 0; i < cursor.fieldCount; i++) {
      digest.mix(slice(cursor.readField(element).toBytes()));
      digest.mix(slice(cursor.readValue(element).toBytes()));
    }
  }
}

function addPair(digest: Digest, first: Buffer, following: Buffer): void {
  pair.clear().mix(first);
  pair.mix(following);
  digest.xorDigest(pair);
}

function slice({ buf, start, end }: Bytes): Buffer {
  return buf.subarray(start, end);
}

const EXPIRES = Buffer.from('!!expire!!');
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
