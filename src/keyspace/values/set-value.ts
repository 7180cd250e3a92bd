import { Bytes } from '../../bytes/bytes.js';
import type { RandomSource } from '../../bytes/random.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Element } from '../../structures/element.js';
import { IntSet, integerOf } from '../../structures/intset.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import type { Database } from '../database.js';
import { type Entry, NO_ENTRY } from '../entry.js';
import type { Keyspace } from '../keyspace.js';
import { Encoding, Type } from '../kinds.js';
import { DictValue } from './dict-value.js';

/**
 * A set. Integers alone, and not too many, are an intset; anything else is what Redis calls a hash table: here a listpack
 * while there are only a few short members (a dictionary of its own would cost more than they do), then a dictionary.
 * It is never converted back.
 *
 * A `SetValue` is a cursor, made once and pointed at one set after another; it owns nothing.
 *
 *     const set = new SetValue();
 *     set.open(keyspace, db, entry);                   // the set at an entry …
 *     set.create(keyspace, db, key);                   // … or a new, empty one at a key that does not exist …
 *     set.begin(keyspace, db);                         // … or one at no key: then `store(key)` or `discard()`
 *     while (set.next(member)) …                       // from the first on; `rewind` begins again
 *
 * Elements read are views, valid until the next change; a change also ends a walk. Members given to `add` must not lie in
 * the set itself. Removing the key of a set that has become empty is left to the caller.
 */
export class SetValue {
  /** `intset`, `packedSet` or `hashtable`. */
  encoding: Encoding = Encoding.intset;
  #keyspace!: Keyspace;
  #db!: Database;
  /** 0 while the set belongs to no key. */
  #entry = NO_ENTRY;
  readonly #integers = new IntSet();
  readonly #pack = new Listpack();
  #table!: DictValue;
  /** The walk: an index in the intset, a position in the listpack, or a node and its bucket. */
  #place = 0;
  #bucket = 0;

  open(keyspace: Keyspace, db: Database, entry: Entry): this {
    this.#keyspace = keyspace;
    this.#db = db;
    this.#entry = entry;
    this.encoding = db.encoding(entry);
    if (this.encoding === Encoding.intset) this.#integers.open(db.arena, db.block(entry));
    else if (this.encoding === Encoding.packedSet) this.#pack.open(db.arena, db.block(entry));
    else this.#table = db.object(entry) as DictValue;
    this.rewind();
    return this;
  }

  /** A new set at a key that does not exist. */
  create(keyspace: Keyspace, db: Database, key: Bytes): this {
    this.begin(keyspace, db);
    this.#entry = keyspace.create(db, key, Type.set, Encoding.intset, this.#integers.ref);
    return this;
  }

  /** A new set without a key. */
  begin(keyspace: Keyspace, db: Database): this {
    return this.adopt(keyspace, db, IntSet.create(db.arena));
  }

  /** A set without a key from an intset of a file or DUMP payload; converted if it is over the limit. */
  adopt(keyspace: Keyspace, db: Database, intset: Ref): this {
    this.#keyspace = keyspace;
    this.#db = db;
    this.#entry = NO_ENTRY;
    this.encoding = Encoding.intset;
    this.#integers.open(db.arena, intset);
    this.#convertIfMany();
    this.rewind();
    return this;
  }

  /** Stores a set without a key at this key, replacing any old value. Returns the entry. */
  store(key: Bytes): Entry {
    this.#entry = this.#keyspace.replace(this.#db, key, Type.set, this.encoding, this.#valueWord());
    return this.#entry;
  }

  /** Replaces the set at `entry` by a set without a key. The time to live is kept. */
  storeAt(entry: Entry): void {
    this.#keyspace.releaseValue(this.#db, entry);
    this.#db.setValue(entry, Type.set, this.encoding, this.#valueWord());
    this.#entry = entry;
  }

  /** Frees a set without a key. */
  discard(): void {
    if (this.encoding === Encoding.intset) this.#integers.free();
    else if (this.encoding === Encoding.packedSet) this.#pack.free();
    else this.#keyspace.release(this.#table);
  }

  /** Copies the open set, as it is, to a key that does not exist, perhaps of another database. Returns the new entry. */
  copyTo(db: Database, key: Bytes): Entry {
    let value: number;
    if (this.encoding === Encoding.intset) value = IntSet.load(db.arena, this.#integers.whole(scratch));
    else if (this.encoding === Encoding.packedSet) value = Listpack.load(db.arena, this.#pack.whole(scratch));
    else value = db.addObject(this.#copyOfTable(db));
    return this.#keyspace.create(db, key, Type.set, this.encoding, value);
  }

  get length(): number {
    if (this.encoding === Encoding.intset) return this.#integers.length;
    return this.encoding === Encoding.packedSet ? this.#pack.count : this.#table.dict.count;
  }

  /** Points `view` at the whole intset, as files carry it. Only of an intset. */
  packed(view: Bytes): Bytes {
    return this.#integers.whole(view);
  }

  /** The dictionary, whose keys are the members: for cursors. Only where the encoding is `hashtable`. */
  get table(): DictValue {
    return this.#table;
  }

  has(member: Bytes): boolean {
    if (this.encoding === Encoding.hashtable) return this.#table.dict.find(member) !== 0;
    if (this.encoding === Encoding.packedSet) return this.#pack.find(member, this.#pack.first()) !== -1;
    const integer = integerOf(member);
    return integer !== undefined && this.#integers.contains(integer);
  }

  hasElement(member: Element): boolean {
    if (this.encoding === Encoding.intset && member.isInteger) return this.#integers.contains(member.number);
    return this.has(member.toBytes());
  }

  /** Adds the member; false if it was there. */
  add(member: Bytes): boolean {
    if (this.encoding === Encoding.intset) {
      const integer = integerOf(member);
      if (integer !== undefined) return this.#addInteger(integer);
      this.#convert(member);
    }
    if (this.encoding === Encoding.packedSet) {
      const pack = this.#pack;
      if (pack.find(member, pack.first()) !== -1) return false;
      if (pack.count < MAX_PACKED && member.end - member.start <= LONGEST_PACKED) {
        pack.append(member);
        this.#moved(pack.ref);
        return true;
      }
      this.#convert(member);
    }
    const { dict } = this.#table;
    const hash = dict.hash(member);
    if (dict.findHashed(member, hash) !== 0) return false;
    dict.insert(member, hash);
    return true;
  }

  /** Adds an element of another set. */
  addElement(member: Element): boolean {
    if (this.encoding === Encoding.intset && member.isInteger) return this.#addInteger(member.number);
    return this.add(member.toBytes());
  }

  /** Removes the member; false if it was not there. */
  remove(member: Bytes): boolean {
    if (this.encoding === Encoding.hashtable) {
      const node = this.#table.dict.find(member);
      if (node === 0) return false;
      this.#table.dict.remove(node);
      return true;
    }
    if (this.encoding === Encoding.packedSet) {
      const position = this.#pack.find(member, this.#pack.first());
      if (position === -1) return false;
      this.removeAt(position);
      return true;
    }
    const integer = integerOf(member);
    if (integer === undefined || !this.#integers.remove(integer)) return false;
    this.#moved(this.#integers.ref);
    return true;
  }

  // ---- walking and choosing ----

  rewind(): void {
    if (this.encoding === Encoding.intset) {
      this.#place = 0;
    } else if (this.encoding === Encoding.packedSet) {
      this.#place = this.#pack.first();
    } else {
      this.#bucket = 0;
      this.#place = this.#table.dict.first(0);
    }
  }

  /** Reads the next member; false at the end. */
  next(member: Element): boolean {
    if (this.encoding === Encoding.intset) {
      if (this.#place === this.#integers.length) return false;
      this.#integers.at(this.#place++, member);
      return true;
    }
    if (this.encoding === Encoding.packedSet) {
      if (this.#place === -1) return false;
      this.#place = this.#pack.readAndAdvance(this.#place, member);
      return true;
    }
    const { dict } = this.#table;
    while (this.#place === 0) {
      if (++this.#bucket >= dict.bucketCount) return false;
      this.#place = dict.first(this.#bucket);
    }
    const node = this.#place as Ref;
    this.readNode(node, member);
    this.#place = dict.following(node);
    return true;
  }

  /** Reads a node of `table`. */
  readNode(node: Ref, member: Element): void {
    const key = this.#table.dict.key(node, scratch);
    member.ofBytes(key.buf, key.start, key.end);
  }

  /** Reads a member chosen at random and returns where it is, for `removeAt`. The set must not be empty. */
  random(random: RandomSource, member: Element): number {
    if (this.encoding === Encoding.intset) {
      const index = random.integer(this.#integers.length);
      this.#integers.at(index, member);
      return index;
    }
    if (this.encoding === Encoding.packedSet) {
      const position = this.#pack.at(random.integer(this.#pack.count));
      this.#pack.read(position, member);
      return position;
    }
    const node = this.#table.dict.random(random);
    this.readNode(node, member);
    return node;
  }

  /** Removes the member at the place that `random` returned. The set must not have changed since. */
  removeAt(place: number): void {
    if (this.encoding === Encoding.intset) {
      this.#integers.removeAt(place);
      this.#moved(this.#integers.ref);
    } else if (this.encoding === Encoding.packedSet) {
      this.#pack.delete(place);
      this.#moved(this.#pack.ref);
    } else {
      this.#table.dict.remove(place as Ref);
    }
  }

  // ---- inside ----

  #addInteger(integer: number | bigint): boolean {
    if (!this.#integers.add(integer)) return false;
    this.#moved(this.#integers.ref);
    this.#convertIfMany();
    return true;
  }

  /** Updates the ref: an edit may move the block. */
  #moved(ref: Ref): void {
    if (this.#entry !== 0) this.#db.moveValue(this.#entry, ref);
  }

  /** The entry's value word for this set. */
  #valueWord(): number {
    if (this.encoding === Encoding.intset) return this.#integers.ref;
    return this.encoding === Encoding.packedSet ? this.#pack.ref : this.#db.addObject(this.#table);
  }

  #convertIfMany(): void {
    if (this.#integers.length > this.#keyspace.limits.setMaxIntsetEntries) this.#convert(NOTHING);
  }

  /** Converts to the next larger encoding that can also hold `further`. */
  #convert(further: Bytes): void {
    const small = this.length < MAX_PACKED && further.end - further.start <= LONGEST_PACKED;
    if (this.encoding === Encoding.intset && small) this.#convertToPacked();
    else this.#convertToTable();
    if (this.#entry !== 0) this.#db.setValue(this.#entry, Type.set, this.encoding, this.#valueWord());
  }

  #convertToPacked(): void {
    const { arena } = this.#db;
    this.#pack.open(arena, Listpack.create(arena));
    for (let index = 0; index < this.#integers.length; index++) {
      this.#pack.appendInteger(this.#integers.at(index, old).number);
    }
    this.#integers.free();
    this.encoding = Encoding.packedSet;
  }

  #convertToTable(): void {
    const table = this.#copyOfTable(this.#db);
    if (this.encoding === Encoding.intset) this.#integers.free();
    else this.#pack.free();
    this.encoding = Encoding.hashtable;
    this.#table = table;
  }

  /** A new dictionary with the members of any encoding. */
  #copyOfTable(db: Database): DictValue {
    const copy = new DictValue(db.arena, db.keyedHash, 0);
    this.rewind();
    while (this.next(old)) {
      const member = old.toBytes();
      copy.dict.insert(member, copy.dict.hash(member));
    }
    return copy;
  }
}

/** Measured: five members take a third of a dictionary's memory; a search among sixteen takes 1.5 times as long. */
const MAX_PACKED = 16;
const LONGEST_PACKED = 64;

const NOTHING = new Bytes();
const scratch = new Bytes();
const old = new Element();
