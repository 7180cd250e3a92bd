import { Bytes, copyBytes } from '../../bytes/bytes.js';
import type { RandomSource } from '../../bytes/random.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Element } from '../../structures/element.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import { EMPTY_LISTPACK_BYTES, NewListpackEntry } from '../../structures/listpack/listpack-format.js';
import type { Database } from '../database.js';
import { type Entry, NO_ENTRY } from '../entry.js';
import type { Keyspace } from '../keyspace.js';
import { Encoding, Type } from '../kinds.js';
import { DictValue } from './dict-value.js';

/**
 * A hash: fields with values. Few and short ones are one listpack (field, value, field, value …), else a dictionary
 * whose nodes have the value after the field. It is never converted back.
 *
 * A `HashValue` is a cursor, made once and pointed at one hash after another; it owns nothing.
 *
 *     const hash = new HashValue();
 *     hash.open(keyspace, db, entry);                  // the hash at an entry …
 *     hash.create(keyspace, db, key);                  // … or a new, empty one at a key that does not exist …
 *     hash.begin(keyspace, db);                        // … or one at no key: then `store(key)` or `discard()`
 *     if (hash.get(field, element)) reply(element);
 *     while (hash.next(field, value)) …                // from the first on; `rewind` begins again
 *
 * Elements read are views, valid until the next change; a change also ends a walk. Bytes given to `set` must not lie in
 * the hash itself. Removing the key of a hash that has become empty is left to the caller.
 */
export class HashValue {
  /** `listpack` or `hashtable`. */
  encoding: Encoding = Encoding.listpack;
  #keyspace!: Keyspace;
  #db!: Database;
  /** 0 while the hash belongs to no key. */
  #entry = NO_ENTRY;
  readonly #pack = new Listpack();
  #table!: DictValue;
  /** The walk: a position in the listpack, or a node and its bucket. */
  #place = 0;
  #bucket = 0;

  open(keyspace: Keyspace, db: Database, entry: Entry): this {
    this.#keyspace = keyspace;
    this.#db = db;
    this.#entry = entry;
    this.encoding = db.encoding(entry);
    if (this.encoding === Encoding.listpack) this.#pack.open(db.arena, db.block(entry));
    else this.#table = db.object(entry) as DictValue;
    this.rewind();
    return this;
  }

  /** A new hash at a key that does not exist; `room` is how many bytes its listpack is going to have, if known. */
  create(keyspace: Keyspace, db: Database, key: Bytes, room = EMPTY_LISTPACK_BYTES): this {
    this.begin(keyspace, db, room);
    this.#entry = keyspace.create(db, key, Type.hash, Encoding.listpack, this.#pack.ref);
    return this;
  }

  /** A new hash without a key. */
  begin(keyspace: Keyspace, db: Database, room = EMPTY_LISTPACK_BYTES): this {
    return this.adopt(keyspace, db, Listpack.create(db.arena, room));
  }

  /** A hash without a key from a listpack of a file or DUMP payload; converted if it is over the limits. */
  adopt(keyspace: Keyspace, db: Database, listpack: Ref): this {
    this.#keyspace = keyspace;
    this.#db = db;
    this.#entry = NO_ENTRY;
    this.encoding = Encoding.listpack;
    this.#pack.open(db.arena, listpack);
    this.#convertIfMany();
    this.rewind();
    return this;
  }

  /** Stores a hash without a key at this key, replacing any old value. Returns the entry. */
  store(key: Bytes): Entry {
    const isPacked = this.encoding === Encoding.listpack;
    const value = isPacked ? this.#pack.ref : this.#db.addObject(this.#table);
    this.#entry = this.#keyspace.replace(this.#db, key, Type.hash, this.encoding, value);
    return this.#entry;
  }

  /** Converts the hash to a table, if it is known to become too large for a listpack. */
  makeLarge(): void {
    if (this.encoding === Encoding.listpack) this.#convert();
  }

  /** Frees a hash without a key. */
  discard(): void {
    if (this.encoding === Encoding.listpack) this.#pack.free();
    else this.#keyspace.release(this.#table);
  }

  /** Copies the open hash, as it is, to a key that does not exist, perhaps of another database. Returns the new entry. */
  copyTo(db: Database, key: Bytes): Entry {
    if (this.encoding === Encoding.listpack) {
      const block = Listpack.load(db.arena, this.#pack.whole(scratch));
      return this.#keyspace.create(db, key, Type.hash, this.encoding, block);
    }
    const copy = newTable(db);
    this.rewind();
    while (this.next(oldField, oldValue)) insertField(copy, oldField.toBytes(), oldValue.toBytes());
    return this.#keyspace.create(db, key, Type.hash, this.encoding, db.addObject(copy));
  }

  get length(): number {
    return this.encoding === Encoding.listpack ? this.#pack.count >> 1 : this.#table.dict.count;
  }

  /** Points `view` at the whole listpack, as files carry it. Only of a packed hash. */
  packed(view: Bytes): Bytes {
    return this.#pack.whole(view);
  }

  /** The dictionary, its nodes readable with `readNode`: for cursors. Only of a hash that is not packed. */
  get table(): DictValue {
    return this.#table;
  }

  has(field: Bytes): boolean {
    if (this.encoding === Encoding.listpack) return this.#pack.find(field, this.#pack.first(), 1) !== -1;
    return this.#table.dict.find(field) !== 0;
  }

  /** Reads the field's value. False, with `value` unchanged, if there is no such field. */
  get(field: Bytes, value: Element): boolean {
    if (this.encoding === Encoding.listpack) {
      const pack = this.#pack;
      const position = pack.find(field, pack.first(), 1);
      if (position === -1) return false;
      pack.read(pack.next(position), value);
      return true;
    }
    const node = this.#table.dict.find(field);
    if (node === 0) return false;
    this.#readValue(node, value);
    return true;
  }

  /** Sets the field; true if there was no such field. */
  set(field: Bytes, value: Bytes): boolean {
    if (this.encoding === Encoding.listpack) {
      const longest = this.#keyspace.limits.hashMaxListpackValue;
      if (field.end - field.start <= longest && value.end - value.start <= longest) {
        return this.#setPacked(field, value);
      }
      this.#convert();
    }
    const { dict } = this.#table;
    const hash = dict.hash(field);
    const node = dict.findHashed(field, hash);
    if (node === 0) {
      writeValue(this.#table, dict.insert(field, hash, value.end - value.start), value);
      return true;
    }
    writeValue(this.#table, dict.resizeTail(node, value.end - value.start), value);
    return false;
  }

  /** Deletes the field; false if there is none. */
  delete(field: Bytes): boolean {
    if (this.encoding === Encoding.listpack) {
      const pack = this.#pack;
      const position = pack.find(field, pack.first(), 1);
      if (position === -1) return false;
      pack.delete(position, 2);
      this.#saveBlock();
      return true;
    }
    const { dict } = this.#table;
    const node = dict.find(field);
    if (node === 0) return false;
    dict.remove(node);
    return true;
  }

  /**
   * Call this with the fields and values of a command before any is set: one that is too long converts the hash to a
   * dictionary, even if the same command overwrites it.
   */
  expect(args: readonly Bytes[], from: number, to: number): void {
    if (this.encoding !== Encoding.listpack) return;
    const longest = this.#keyspace.limits.hashMaxListpackValue;
    let total = 0;
    for (let i = from; i < to; i++) {
      const length = (args[i] as Bytes).length;
      if (length > longest) {
        this.#convert();
        return;
      }
      total += length;
    }
    if (!this.#pack.hasRoomFor(total)) this.#convert();
  }

  // ---- walking and choosing ----

  rewind(): void {
    if (this.encoding === Encoding.listpack) {
      this.#place = this.#pack.first();
    } else {
      this.#bucket = 0;
      this.#place = this.#table.dict.first(0);
    }
  }

  /** Reads the next field and its value; false at the end. */
  next(field: Element, value: Element): boolean {
    if (this.encoding === Encoding.listpack) {
      if (this.#place === -1) return false;
      this.#place = this.#pack.readAndAdvance(this.#place, field);
      this.#place = this.#pack.readAndAdvance(this.#place, value);
      return true;
    }
    const { dict } = this.#table;
    while (this.#place === 0) {
      if (++this.#bucket >= dict.bucketCount) return false;
      this.#place = dict.first(this.#bucket);
    }
    const node = this.#place as Ref;
    this.readNode(node, field, value);
    this.#place = dict.following(node);
    return true;
  }

  /** Reads a node of `table`. */
  readNode(node: Ref, field: Element, value: Element): void {
    const key = this.#table.dict.key(node, scratch);
    field.ofBytes(key.buf, key.start, key.end);
    value.ofBytes(key.buf, key.end, key.end + this.#table.dict.word(node, VALUE_LENGTH));
  }

  /** Reads a field chosen at random. The hash must not be empty. */
  random(random: RandomSource, field: Element, value: Element): void {
    if (this.encoding === Encoding.listpack) {
      const pack = this.#pack;
      const behind = pack.readAndAdvance(pack.at(random.integer(pack.count >> 1) << 1), field);
      pack.read(behind, value);
    } else {
      this.readNode(this.#table.dict.random(random), field, value);
    }
  }

  // ---- inside ----

  #readValue(node: Ref, value: Element): void {
    const { dict } = this.#table;
    const start = dict.tailOffset(node);
    value.ofBytes(dict.arena.bytesOf(node), start, start + dict.word(node, VALUE_LENGTH));
  }

  #setPacked(field: Bytes, value: Bytes): boolean {
    const pack = this.#pack;
    const position = pack.find(field, pack.first(), 1);
    const isNew = position === -1;
    if (isNew) {
      pack.append(field);
      pack.append(value);
    } else {
      pack.replace(pack.next(position), value);
    }
    this.#saveBlock();
    this.#convertIfMany();
    return isNew;
  }

  #saveBlock(): void {
    if (this.#entry !== 0) this.#db.moveValue(this.#entry, this.#pack.ref);
  }

  #convertIfMany(): void {
    if (this.#pack.count >> 1 > this.#keyspace.limits.hashMaxListpackEntries) this.#convert();
  }

  #convert(): void {
    const db = this.#db;
    const pack = this.#pack;
    const table = newTable(db);
    for (let at = pack.first(); at !== -1; ) {
      at = pack.readAndAdvance(at, oldField);
      at = pack.readAndAdvance(at, oldValue);
      insertField(table, oldField.toBytes(), oldValue.toBytes());
    }
    pack.free();
    this.encoding = Encoding.hashtable;
    this.#table = table;
    if (this.#entry !== 0) db.setValue(this.#entry, Type.hash, Encoding.hashtable, db.addObject(table));
  }
}

/** The size of a listpack of just these fields and values, if it is worth reserving at once. */
export function packedBytes(args: readonly Bytes[], from: number, to: number): number {
  let total = EMPTY_LISTPACK_BYTES;
  for (let i = from; i < to; i++) total += sized.ofBytes(args[i] as Bytes).size;
  return total <= MAX_ROOM ? total : EMPTY_LISTPACK_BYTES;
}

const MAX_ROOM = 8192;
/** The own word of a node. */
const VALUE_LENGTH = 0;

function newTable(db: Database): DictValue {
  return new DictValue(db.arena, db.keyedHash, 1);
}

function insertField(table: DictValue, field: Bytes, value: Bytes): void {
  const { dict } = table;
  writeValue(table, dict.insert(field, dict.hash(field), value.end - value.start), value);
}

function writeValue(table: DictValue, node: Ref, value: Bytes): void {
  const { dict } = table;
  dict.setWord(node, VALUE_LENGTH, value.end - value.start);
  copyBytes(value.buf, value.start, value.end, dict.arena.bytesOf(node), dict.tailOffset(node));
}

const scratch = new Bytes();
const sized = new NewListpackEntry();
const oldField = new Element();
const oldValue = new Element();
