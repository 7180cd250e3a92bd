import { Bytes } from '../bytes/bytes.js';
import { Arena } from '../structures/arena/arena.js';
import { pageOf, type Ref, wordIndex } from '../structures/arena/ref.js';
import { Dict } from '../structures/dict/dict.js';
import type { KeyedHash } from '../structures/dict/keyed-hash.js';
import type { Entry } from './entry.js';
import { ExpiryQueue } from './expiry-queue.js';
import { Encoding, OBJECT_ENCODINGS, type Type } from './kinds.js';
import { SLOT_WORDS, SlotKeys } from './slot-keys.js';
import type { LargeValue } from './values/large-value.js';

/**
 * One numbered database: entries by key, each with a value, an optional time to live, and its usage for eviction.
 *
 * This class only stores: `Keyspace` adds expiry, and the classes in `values` interpret the bytes of values.
 */
export class Database {
  readonly index: number;
  /** The hash function of its keys, and of the elements of its large values. */
  readonly keyedHash: KeyedHash;
  arena: Arena;
  keys: Dict<Entry>;
  expiries: ExpiryQueue;
  /** The keys by cluster slot; undefined unless `indexSlots` was called. */
  slotKeys: SlotKeys | undefined;
  /** Large values. An entry's value word is an index into this array. */
  #objects: (LargeValue | undefined)[] = [];
  #freeObjects: number[] = [];

  constructor(index: number, keyedHash: KeyedHash) {
    this.index = index;
    this.keyedHash = keyedHash;
    this.arena = new Arena();
    this.keys = new Dict<Entry>(this.arena, keyedHash, OWN_WORDS);
    this.expiries = new ExpiryQueue(this.keys, EXPIRY_WORD);
    this.slotKeys = undefined;
  }

  /** Keeps the keys by cluster slot from now on. The database must be empty. */
  indexSlots(): void {
    if (this.size > 0) throw new Error('Slots can be indexed only while the database is empty.');
    this.keys = new Dict<Entry>(this.arena, this.keyedHash, OWN_WORDS + SLOT_WORDS);
    this.expiries = new ExpiryQueue(this.keys, EXPIRY_WORD);
    this.slotKeys = new SlotKeys(this.keys, OWN_WORDS);
  }

  get size(): number {
    return this.keys.count;
  }

  find(key: Bytes): Entry {
    return this.keys.find(key);
  }

  /** A new entry; the key must not exist. `value` is a block's ref, an int, or an object's number, as the encoding says. */
  create(key: Bytes, type: Type, encoding: Encoding, value: number, usage: number): Entry {
    const entry = this.keys.insert(key, this.keys.hash(key));
    const words = this.arena.wordsOf(entry);
    const at = wordIndex(entry);
    words[at + KIND_AT] = (usage << 8) | (type << 4) | encoding;
    words[at + VALUE_AT] = value;
    if (this.slotKeys !== undefined) this.slotKeys.add(entry, key);
    return entry;
  }

  /** Removes the entry and frees its value. A large value is returned instead, to be freed in steps. */
  remove(entry: Entry): LargeValue | undefined {
    const detached = this.releaseValue(entry);
    this.removeKeepingValue(entry);
    return detached;
  }

  /** Removes the entry but does not free its value, which another entry now holds. */
  removeKeepingValue(entry: Entry): void {
    this.expiries.remove(entry);
    if (this.slotKeys !== undefined) this.slotKeys.remove(entry);
    this.keys.remove(entry);
  }

  type(entry: Entry): Type {
    return (((this.arena.wordsOf(entry)[wordIndex(entry) + KIND_AT] as number) >> 4) & 15) as Type;
  }

  encoding(entry: Entry): Encoding {
    return ((this.arena.wordsOf(entry)[wordIndex(entry) + KIND_AT] as number) & 15) as Encoding;
  }

  /** The value's word: a block's ref, an int, or an object's number. */
  value(entry: Entry): number {
    return this.arena.wordsOf(entry)[wordIndex(entry) + VALUE_AT] as number;
  }

  /** The block with the value, of an encoding that has one. */
  block(entry: Entry): Ref {
    return this.value(entry) as Ref;
  }

  /** Replaces type, encoding and value word. The caller must have freed or moved the old value. */
  setValue(entry: Entry, type: Type, encoding: Encoding, value: number): void {
    const words = this.arena.wordsOf(entry);
    const at = wordIndex(entry);
    words[at + KIND_AT] = ((words[at + KIND_AT] as number) & ~255) | (type << 4) | encoding;
    words[at + VALUE_AT] = value;
  }

  /** Sets the value word after the value has moved to another block. */
  moveValue(entry: Entry, value: number): void {
    this.arena.wordsOf(entry)[wordIndex(entry) + VALUE_AT] = value;
  }

  /** Frees the value. `setValue` must follow, or the entry must be removed. */
  releaseValue(entry: Entry): LargeValue | undefined {
    const words = this.arena.wordsOf(entry);
    const at = wordIndex(entry);
    const encoding = (words[at + KIND_AT] as number) & 15;
    const value = words[at + VALUE_AT] as Ref;
    if (encoding >= OBJECT_ENCODINGS) return this.#takeObject(value);
    if (encoding !== Encoding.int) this.arena.free(value);
    return undefined;
  }

  /** 24 bits of usage: LRU clock or LFU counter, depending on the eviction policy. */
  usage(entry: Entry): number {
    return (this.arena.wordsOf(entry)[wordIndex(entry) + KIND_AT] as number) >>> 8;
  }

  setUsage(entry: Entry, usage: number): void {
    const words = this.arena.wordsOf(entry);
    const at = wordIndex(entry) + KIND_AT;
    words[at] = (usage << 8) | ((words[at] as number) & 255);
  }

  /** Loads the first bytes of these entries' values (0 is no entry), so that the waits for memory overlap: see `Dict.touch`. */
  touchValues(entries: Int32Array, count: number): number {
    const { words } = this.arena;
    let touched = 0;
    for (let i = 0; i < count; i++) {
      const entry = entries[i] as Entry;
      if (entry === 0) continue;
      const pageWords = words[pageOf(entry)] as Int32Array;
      const at = wordIndex(entry);
      const encoding = (pageWords[at + KIND_AT] as number) & 15;
      if (encoding >= OBJECT_ENCODINGS || encoding === Encoding.int) continue;
      const value = pageWords[at + VALUE_AT] as Ref;
      touched ^= (words[pageOf(value)] as Int32Array)[wordIndex(value)] as number;
    }
    return touched;
  }

  /** Points `view` at the entry's key. */
  key(entry: Entry, view: Bytes): Bytes {
    return this.keys.key(entry, view);
  }

  keyText(entry: Entry): string {
    return this.keys.key(entry, keyView).toString();
  }

  // ---- objects ----

  addObject(object: LargeValue): number {
    const at = this.#freeObjects.pop() ?? this.#objects.length;
    this.#objects[at] = object;
    return at;
  }

  object(entry: Entry): LargeValue {
    return this.#objects[this.value(entry)] as LargeValue;
  }

  /** The dictionary of a large hash, set or sorted set; undefined for other values, and for no entry. */
  dictOf(entry: Entry): Dict | undefined {
    return entry !== 0 && this.encoding(entry) >= OBJECT_ENCODINGS ? this.object(entry).dict : undefined;
  }

  /** Removes an object from the table without freeing its contents. */
  #takeObject(number: number): LargeValue {
    const object = this.#objects[number] as LargeValue;
    this.#objects[number] = undefined;
    this.#freeObjects.push(number);
    return object;
  }

  /** Removes everything, in constant time: the arena is dropped as a whole. */
  clear(): void {
    this.arena = new Arena();
    this.keys = new Dict<Entry>(this.arena, this.keyedHash, OWN_WORDS);
    this.expiries = new ExpiryQueue(this.keys, EXPIRY_WORD);
    this.#objects = [];
    this.#freeObjects = [];
    if (this.slotKeys !== undefined) this.indexSlots();
  }

  /**
   * Another object with the same contents and number, which keeps the contents when this database is emptied or swapped:
   * for a snapshot. Until then changes are visible in both.
   */
  contents(): Database {
    const contents = new Database(this.index, this.keyedHash);
    contents.arena = this.arena;
    contents.keys = this.keys;
    contents.expiries = this.expiries;
    contents.slotKeys = this.slotKeys;
    contents.#objects = this.#objects;
    contents.#freeObjects = this.#freeObjects;
    return contents;
  }

  /** Exchanges everything but the number with another database. */
  swapContents(other: Database): void {
    [this.arena, other.arena] = [other.arena, this.arena];
    [this.keys, other.keys] = [other.keys, this.keys];
    [this.expiries, other.expiries] = [other.expiries, this.expiries];
    [this.slotKeys, other.slotKeys] = [other.slotKeys, this.slotKeys];
    [this.#objects, other.#objects] = [other.#objects, this.#objects];
    [this.#freeObjects, other.#freeObjects] = [other.#freeObjects, this.#freeObjects];
  }

  /** Bytes in use, as `used_memory` counts them. */
  get usedBytes(): number {
    return (
      this.arena.usedBytes +
      this.keys.tableBytes +
      (this.slotKeys?.tableBytes ?? 0) +
      this.expiries.size * 12 +
      (this.#objects.length - this.#freeObjects.length) * OBJECT_BYTES
    );
  }
}

const keyView = new Bytes();

/** Approximate heap size of a large value's object and its first tables. */
const OBJECT_BYTES = 320;

/** Own words of an entry's node: usage, type and encoding; the value; the place in the expiry queue. Then those of `SlotKeys`. */
const OWN_WORDS = 3;
const EXPIRY_WORD = 2;
const KIND_AT = 2;
const VALUE_AT = 3;
