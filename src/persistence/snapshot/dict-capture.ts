import { Bytes } from '../../bytes/bytes.js';
import type { Database } from '../../keyspace/database.js';
import type { Entry } from '../../keyspace/entry.js';
import type { EntryHead, EntryWriter } from '../../keyspace/entry-writer.js';
import type { Keyspace } from '../../keyspace/keyspace.js';
import type { DictValue } from '../../keyspace/values/dict-value.js';
import { HashValue } from '../../keyspace/values/hash-value.js';
import type { LargeSortedSet } from '../../keyspace/values/large-sorted-set.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Element } from '../../structures/element.js';
import type { ValueCapture } from './capture.js';
import { SavedElements } from './saved-elements.js';

/** Captures a set, bucket by bucket. Each member is marked once it is written or copied. */
export class DictCapture implements ValueCapture {
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

  protected writeNode(writer: EntryWriter, node: Ref): void {
    writer.member(this.large.dict.key(node, view));
  }

  protected saveAside(node: Ref, aside: SavedElements): void {
    aside.add(this.large.dict.key(node, view));
  }

  protected writeSaved(writer: EntryWriter, aside: SavedElements): void {
    writer.member(aside.next(view));
  }
}

export class HashCapture extends DictCapture {
  readonly #hash = new HashValue();
  readonly #field = new Element();
  readonly #value = new Element();

  constructor(head: EntryHead, keyspace: Keyspace, db: Database, entry: Entry) {
    super(head, db.object(entry) as DictValue);
    this.#hash.open(keyspace, db, entry);
  }

  protected override writeNode(writer: EntryWriter, node: Ref): void {
    this.#hash.readNode(node, this.#field, this.#value);
    writer.field(this.#field.bytes, this.#value.bytes);
  }

  protected override saveAside(node: Ref, aside: SavedElements): void {
    this.#hash.readNode(node, this.#field, this.#value);
    aside.add(this.#field.bytes);
    aside.add(this.#value.bytes);
  }

  protected override writeSaved(writer: EntryWriter, aside: SavedElements): void {
    const field = aside.next(view);
    writer.field(field, aside.next(secondView));
  }
}

/** Highest score first, as Redis writes: the loader then always inserts at the front. */
export class SortedSetCapture extends DictCapture {
  declare readonly large: LargeSortedSet;
  /** The member written last, where the walk continues. Members before it in the order are still to be written. */
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

  protected override writeNode(writer: EntryWriter, node: Ref): void {
    writer.scored(this.large.dict.key(node, view), this.large.scoreOf(node));
  }

  protected override saveAside(node: Ref, aside: SavedElements): void {
    aside.add(this.large.dict.key(node, view));
    aside.addNumber(this.large.scoreOf(node));
  }

  protected override writeSaved(writer: EntryWriter, aside: SavedElements): void {
    const member = aside.next(view);
    writer.scored(member, aside.nextNumber());
  }
}

const view = new Bytes();
const secondView = new Bytes();

/** Elements between two checks of the clock. */
const BATCH = 16;
