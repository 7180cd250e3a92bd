import { Bytes } from '../bytes/bytes.js';
import type { Database } from '../keyspace/database.js';
import type { DictValue } from '../keyspace/dict-value.js';
import type { EntryHead, EntryWriter } from '../keyspace/entry-writer.js';
import { HashValue } from '../keyspace/hash-value.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { Encoding, OBJECT_ENCODINGS, Type } from '../keyspace/kinds.js';
import type { LargeSortedSet } from '../keyspace/large-sorted-set.js';
import type { LargeValue } from '../keyspace/large-value.js';
import { stringBytes, stringLength } from '../keyspace/string-value.js';
import { Element } from '../structures/element.js';
import { Quicklist } from '../structures/quicklist.js';
import { SavedElements } from './saved-elements.js';

/**
 * A large value as it was at one moment, to be written part by part while commands go on changing it: what is about to
 * change and has not been written yet is put aside first, element by element (of lists: node by node).
 */
export interface ValueCapture {
  readonly head: EntryHead;
  /** The value itself, which must not be released meanwhile; undefined for strings. */
  readonly large: LargeValue | undefined;
  /** Writes parts until `performance.now()` is beyond `until`. True when all have been written. */
  step(writer: EntryWriter, until: number): boolean;
  /** The value is left to itself again. To be called once, when `step` has returned true. */
  close(): void;
}

/** How many bytes a value may take to be written in one go. */
export interface WholeLimits {
  readonly collection: number;
  readonly string: number;
}

/** Writing a collection of 100 KB takes about a quarter of a millisecond; strings go much faster. */
export const WHOLE_LIMITS: WholeLimits = { collection: 100_000, string: 1 << 20 };

/** Whether an entry's value is better not written in one go. */
export function isLarge(db: Database, entry: number, limits: WholeLimits): boolean {
  const encoding = db.encoding(entry);
  if (encoding >= OBJECT_ENCODINGS) {
    return encoding !== Encoding.stream && db.object(entry).memory() > limits.collection;
  }
  return encoding === Encoding.raw && stringLength(db, entry) > limits.string;
}

/** Captures the value of an entry that `isLarge`. */
export function captureValue(keyspace: Keyspace, db: Database, entry: number): ValueCapture {
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
  if (large instanceof Quicklist) return new ListCapture(head(large.nodeCount), large);
  if (type === Type.sortedSet) return new SortedSetCapture(head(large.length), large as LargeSortedSet);
  if (type === Type.hash) return new HashCapture(head(large.length), keyspace, db, entry);
  return new DictCapture(head(large.length), large as DictValue);
}

/** A set, bucket by bucket; each member is marked when it has been written or put aside. */
class DictCapture implements ValueCapture {
  readonly head: EntryHead;
  readonly large: DictValue;
  readonly #aside = new SavedElements();
  #bucket = 0;

  constructor(head: EntryHead, large: DictValue) {
    this.head = head;
    this.large = large;
    const { dict } = large;
    dict.pin();
    dict.unmarkAll();
    dict.guard = (node) => {
      if (dict.isMarked(node)) return;
      dict.mark(node);
      this.saveAside(node, this.#aside);
    };
  }

  step(writer: EntryWriter, until: number): boolean {
    if (!this.walk(writer, until)) return false;
    while (this.#aside.hasMore) {
      for (let i = 0; i < BATCH && this.#aside.hasMore; i++) this.writeSaved(writer, this.#aside);
      if (performance.now() > until) return false;
    }
    return true;
  }

  close(): void {
    this.large.dict.guard = undefined;
    this.large.dict.unpin();
  }

  protected walk(writer: EntryWriter, until: number): boolean {
    const { dict } = this.large;
    while (this.#bucket < dict.bucketCount) {
      for (let node = dict.first(this.#bucket); node !== 0; node = dict.following(node)) {
        if (dict.isMarked(node)) continue;
        dict.mark(node);
        this.writeNode(writer, node);
      }
      if ((++this.#bucket & (BATCH - 1)) === 0 && performance.now() > until) break;
    }
    return this.#bucket >= dict.bucketCount;
  }

  protected writeNode(writer: EntryWriter, node: number): void {
    writer.member(this.large.dict.key(node, view));
  }

  protected saveAside(node: number, aside: SavedElements): void {
    aside.add(this.large.dict.key(node, view));
  }

  protected writeSaved(writer: EntryWriter, aside: SavedElements): void {
    writer.member(aside.next(view));
  }
}

class HashCapture extends DictCapture {
  readonly #hash = new HashValue();
  readonly #field = new Element();
  readonly #value = new Element();

  constructor(head: EntryHead, keyspace: Keyspace, db: Database, entry: number) {
    super(head, db.object(entry) as DictValue);
    this.#hash.open(keyspace, db, entry);
  }

  protected override writeNode(writer: EntryWriter, node: number): void {
    this.#hash.readNode(node, this.#field, this.#value);
    writer.field(this.#field.bytes, this.#value.bytes);
  }

  protected override saveAside(node: number, aside: SavedElements): void {
    this.#hash.readNode(node, this.#field, this.#value);
    aside.add(this.#field.bytes);
    aside.add(this.#value.bytes);
  }

  protected override writeSaved(writer: EntryWriter, aside: SavedElements): void {
    const field = aside.next(view);
    writer.field(field, aside.next(secondView));
  }
}

/** Highest score first, as Redis writes: whoever reads the file then always inserts at the front. */
class SortedSetCapture extends DictCapture {
  declare readonly large: LargeSortedSet;
  /** The member written last, where the walk goes on; what comes before it in the order is still to be written. */
  #score = Number.POSITIVE_INFINITY;
  #member: Bytes | undefined;

  protected override walk(writer: EntryWriter, until: number): boolean {
    const { tree, dict } = this.large;
    const last = this.#member;
    const rank = last === undefined ? tree.length - 1 : tree.rank(this.#score, last) - 1;
    if (!tree.seek(rank)) return true;
    let { leaf, index } = tree;
    for (let count = 1; ; count++) {
      const node = tree.memberAt(leaf, index);
      if (!dict.isMarked(node)) {
        dict.mark(node);
        this.writeNode(writer, node);
      }
      if ((count & (BATCH - 1)) === 0 && performance.now() > until) {
        this.#score = tree.scoreAt(leaf, index);
        this.#member = dict.key(node, view).copy();
        return false;
      }
      if (index > 0) index--;
      else {
        leaf = tree.leafBefore(leaf);
        if (leaf === 0) return true;
        index = tree.sizeOf(leaf) - 1;
      }
    }
  }

  protected override writeNode(writer: EntryWriter, node: number): void {
    writer.scored(this.large.dict.key(node, view), this.large.scoreOf(node));
  }

  protected override saveAside(node: number, aside: SavedElements): void {
    aside.add(this.large.dict.key(node, view));
    aside.addNumber(this.large.scoreOf(node));
  }

  protected override writeSaved(writer: EntryWriter, aside: SavedElements): void {
    const member = aside.next(view);
    writer.scored(member, aside.nextNumber());
  }
}

/** A list node by node, in its order: which nodes there are is remembered at once, their contents when they change. */
class ListCapture implements ValueCapture {
  readonly head: EntryHead;
  readonly large: Quicklist;
  readonly #nodes: Int32Array;
  /** Contents of nodes that changed before they were written. */
  readonly #aside = new Map<number, SavedNode>();
  /** Nodes still to be written that are as they were. */
  readonly #unchanged = new Set<number>();
  #at = 0;

  constructor(head: EntryHead, list: Quicklist) {
    this.head = head;
    this.large = list;
    this.#nodes = new Int32Array(list.nodeCount);
    let count = 0;
    for (let node = list.head; node !== 0; node = list.next(node)) {
      this.#nodes[count++] = node;
      this.#unchanged.add(node);
    }
    list.guard = (node) => {
      if (!this.#unchanged.delete(node)) return;
      this.#aside.set(node, { bytes: list.bytes(node, view).copy(), plain: list.isPlain(node) });
    };
  }

  step(writer: EntryWriter, until: number): boolean {
    while (this.#at < this.#nodes.length) {
      const node = this.#nodes[this.#at++] as number;
      if (this.#unchanged.delete(node)) {
        writer.node(this.large.bytes(node, view), this.large.isPlain(node));
      } else {
        const { bytes, plain } = this.#aside.get(node) as SavedNode;
        this.#aside.delete(node);
        writer.node(bytes, plain);
      }
      if (performance.now() > until) break;
    }
    return this.#at === this.#nodes.length;
  }

  close(): void {
    this.large.guard = undefined;
  }
}

interface SavedNode {
  readonly bytes: Bytes;
  readonly plain: boolean;
}

/**
 * A long string in pieces. A string is one block, so that what is left of it is copied whole when it is about to change
 * (`detach`): at the speed of memory, some 20 ms for 100 MB.
 */
export class StringCapture implements ValueCapture {
  readonly head: EntryHead;
  readonly large = undefined;
  /** The entry it still reads from; 0 once it has a copy. */
  entry: number;
  readonly #db: Database;
  #copy: Buffer | undefined;
  #copiedFrom = 0;
  #at = 0;

  constructor(head: EntryHead, db: Database, entry: number) {
    this.head = head;
    this.#db = db;
    this.entry = entry;
  }

  detach(): void {
    const { buf, start, end } = stringBytes(this.#db, this.entry, view);
    this.#copy = Buffer.from(buf.subarray(start + this.#at, end));
    this.#copiedFrom = this.#at;
    this.entry = 0;
  }

  step(writer: EntryWriter, until: number): boolean {
    const { length } = this.head;
    while (this.#at < length) {
      const end = Math.min(length, this.#at + PIECE_BYTES);
      if (this.#copy === undefined) {
        const { buf, start } = stringBytes(this.#db, this.entry, view);
        writer.piece(view.set(buf, start + this.#at, start + end));
      } else {
        writer.piece(view.set(this.#copy, this.#at - this.#copiedFrom, end - this.#copiedFrom));
      }
      this.#at = end;
      if (performance.now() > until) break;
    }
    return this.#at === length;
  }

  close(): void {}
}

const view = new Bytes();
const secondView = new Bytes();

const PIECE_BYTES = 1 << 16;
/** Elements between two looks at the clock. */
const BATCH = 16;
