import type { Bytes } from '../../bytes/bytes.js';
import { NO_BLOCK, type Ref } from '../../structures/arena/ref.js';
import { Element } from '../../structures/element.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import { EMPTY_LISTPACK_BYTES } from '../../structures/listpack/listpack-format.js';
import { Quicklist } from '../../structures/quicklist/quicklist.js';
import { clampFill, ENTRY_OVERHEAD, nodeAllows } from '../../structures/quicklist/quicklist-limits.js';
import type { Database } from '../database.js';
import { type Entry, NO_ENTRY } from '../entry.js';
import type { Keyspace } from '../keyspace.js';
import { Encoding, Type } from '../kinds.js';

/**
 * Lists. One that fits into a single node is one listpack block and nothing else (`packedList`); a longer one is a
 * `Quicklist`. A `ListValue` hides the difference: it is a cursor, opened on one list after another, so
 * that no command allocates.
 *
 * It is positioned on one element at a time: `seek`, `next` and `previous` move it, and `read`, `equals`,
 * `replace`, `remove` and the insertions work at its position. Any other edit invalidates the position.
 */
export class ListValue {
  #keyspace!: Keyspace;
  #db!: Database;
  #entry = NO_ENTRY;
  /** The node that the cursor is in, or the whole packed list. */
  readonly #pack = new Listpack();
  #quick: Quicklist | undefined;
  #node = NO_BLOCK;
  /** The position in the node; `PLAIN` in a plain node, which has only one element. */
  #position = NOWHERE;

  /** A new entry with an empty list, to be filled at once. The key must not exist. */
  static create(keyspace: Keyspace, db: Database, key: Bytes, firstLength: number): Entry {
    const room = firstLength < LARGEST_ROOM ? EMPTY_LISTPACK_BYTES + firstLength + 2 : EMPTY_LISTPACK_BYTES;
    return keyspace.create(db, key, Type.list, Encoding.packedList, Listpack.create(db.arena, room));
  }

  open(keyspace: Keyspace, db: Database, entry: Entry): this {
    this.#keyspace = keyspace;
    this.#db = db;
    this.#entry = entry;
    this.#node = NO_BLOCK;
    this.#position = NOWHERE;
    if (db.encoding(entry) === Encoding.packedList) {
      this.#quick = undefined;
      this.#pack.open(db.arena, db.block(entry));
    } else {
      this.#quick = db.object(entry) as Quicklist;
    }
    return this;
  }

  get length(): number {
    return this.#quick === undefined ? this.#pack.count : this.#quick.length;
  }

  // ---- moving ----

  /** Moves to the element with this index, counted from the end if negative. False if there is none. */
  seek(index: number): boolean {
    const quick = this.#quick;
    if (quick === undefined) {
      this.#position = this.#pack.at(index);
      return this.#position !== NOWHERE;
    }
    const { length } = quick;
    const at = index < 0 ? length + index : index;
    if (at < 0 || at >= length) {
      this.#position = NOWHERE;
      return false;
    }
    const node = quick.nodeAt(at);
    const { indexInNode } = quick;
    if (this.#enter(node)) this.#position = this.#pack.at(indexInNode);
    return true;
  }

  next(): boolean {
    if (this.#position !== PLAIN) {
      this.#position = this.#pack.next(this.#position);
      if (this.#position !== NOWHERE) return true;
    }
    return this.#enterNext();
  }

  previous(): boolean {
    if (this.#position !== PLAIN) {
      this.#position = this.#pack.previous(this.#position);
      if (this.#position !== NOWHERE) return true;
    }
    return this.#enterPrevious();
  }

  /** Reads the element into `element`: a view, valid until the list is edited. */
  read(element: Element): Element {
    if (this.#position !== PLAIN) return this.#pack.read(this.#position, element);
    return this.#readPlain(element);
  }

  /** Reads the element and moves to the next one; true if there is one. */
  readAndAdvance(element: Element): boolean {
    if (this.#position !== PLAIN) {
      this.#position = this.#pack.readAndAdvance(this.#position, element);
      if (this.#position !== NOWHERE) return true;
    } else {
      this.#readPlain(element);
    }
    return this.#enterNext();
  }

  equals(bytes: Bytes): boolean {
    if (this.#position !== PLAIN) return this.#pack.equals(this.#position, bytes);
    return this.#readPlain(compared).bytes.equals(bytes);
  }

  // ---- editing at the ends ----

  pushHead(bytes: Bytes): void {
    if (!this.#packedTakes(bytes)) {
      this.#toQuicklist().pushHead(bytes);
    } else {
      this.#pack.prepend(bytes);
      this.#saveBlock();
    }
  }

  pushTail(bytes: Bytes): void {
    if (!this.#packedTakes(bytes)) {
      this.#toQuicklist().pushTail(bytes);
    } else {
      this.#pack.append(bytes);
      this.#saveBlock();
    }
  }

  removeHead(): void {
    if (this.#quick !== undefined) {
      this.#quick.removeHead();
    } else {
      this.#pack.delete(this.#pack.first());
      this.#saveBlock();
    }
  }

  removeTail(): void {
    if (this.#quick !== undefined) {
      this.#quick.removeTail();
    } else {
      this.#pack.delete(this.#pack.last());
      this.#saveBlock();
    }
  }

  /** Removes `count` elements from the index `start` on, which must exist. */
  removeRange(start: number, count: number): void {
    if (count <= 0) return;
    if (this.#quick !== undefined) {
      this.#quick.removeRange(start, count);
    } else {
      this.#pack.delete(this.#pack.at(start), count);
      this.#saveBlock();
    }
  }

  // ---- editing at the position ----

  insertBefore(bytes: Bytes): void {
    this.#insert(bytes, false);
  }

  insertAfter(bytes: Bytes): void {
    this.#insert(bytes, true);
  }

  replace(bytes: Bytes): void {
    if (this.#quick === undefined && !this.#isLarge(bytes)) {
      this.#pack.replace(this.#position, bytes);
      this.#saveBlock();
    } else {
      const quick = this.#toQuicklist();
      quick.replace(this.#node, this.#position, bytes);
    }
  }

  /** Removes the element and moves to the next one. False if there is none. */
  removeAndAdvance(): boolean {
    const quick = this.#quick;
    if (quick === undefined) {
      this.#position = this.#pack.delete(this.#position);
      this.#saveBlock();
      return this.#position !== NOWHERE;
    }
    const following = quick.next(this.#node);
    const position = quick.remove(this.#node, this.#position);
    if (position === NOWHERE) return this.#enterFirst(following);
    quick.open(this.#node, this.#pack);
    this.#position = position;
    return true;
  }

  /** Removes the element and moves to the previous one. False if there is none. */
  removeAndRetreat(): boolean {
    const quick = this.#quick;
    const position = this.#position === PLAIN ? NOWHERE : this.#pack.previous(this.#position);
    if (quick === undefined) {
      this.#pack.delete(this.#position);
      this.#saveBlock();
      this.#position = position;
      return position !== NOWHERE;
    }
    const preceding = quick.previous(this.#node);
    quick.remove(this.#node, this.#position);
    if (position === NOWHERE) return this.#enterLast(preceding);
    quick.open(this.#node, this.#pack);
    this.#position = position;
    return true;
  }

  #insert(bytes: Bytes, after: boolean): void {
    if (this.#packedTakes(bytes)) {
      if (after) this.#pack.insertAfter(this.#position, bytes);
      else this.#pack.insertBefore(this.#position, bytes);
      this.#saveBlock();
      return;
    }
    this.#toQuicklist().insert(this.#node, this.#position, bytes, after);
  }

  #isLarge(bytes: Bytes): boolean {
    return bytes.end - bytes.start >= this.#keyspace.limits.listPackedThreshold;
  }

  /** Whether the list is one block and stays one with this element added. An empty one takes anything that is not large. */
  #packedTakes(bytes: Bytes): boolean {
    if (this.#quick !== undefined || this.#isLarge(bytes)) return false;
    const pack = this.#pack;
    const size = pack.byteLength;
    if (size === EMPTY_LISTPACK_BYTES) return true;
    const fill = clampFill(this.#keyspace.limits.listMaxListpackSize);
    return nodeAllows(fill, size + bytes.end - bytes.start + ENTRY_OVERHEAD, fill < 0 ? 0 : pack.count + 1);
  }

  /** The list as a quicklist, converted if needed. The cursor keeps its position. */
  #toQuicklist(): Quicklist {
    if (this.#quick !== undefined) return this.#quick;
    const { limits } = this.#keyspace;
    const db = this.#db;
    const quick = new Quicklist(db.arena, limits.listMaxListpackSize, limits);
    if (this.#pack.isEmpty) this.#pack.free();
    else quick.appendPacked(this.#pack.ref, this.#pack.count);
    this.#node = quick.head;
    this.#quick = quick;
    db.setValue(this.#entry, Type.list, Encoding.quicklist, db.addObject(quick));
    return quick;
  }

  #saveBlock(): void {
    this.#db.moveValue(this.#entry, this.#pack.ref);
  }

  #readPlain(element: Element): Element {
    element.isInteger = false;
    (this.#quick as Quicklist).bytes(this.#node, element.bytes);
    return element;
  }

  /** Moves the cursor to `node`. True if the node is packed: then the position in it must still be found. */
  #enter(node: Ref): boolean {
    const quick = this.#quick as Quicklist;
    this.#node = node;
    if (quick.isPlain(node)) {
      this.#position = PLAIN;
      return false;
    }
    quick.open(node, this.#pack);
    return true;
  }

  #enterNext(): boolean {
    return this.#quick !== undefined && this.#enterFirst(this.#quick.next(this.#node));
  }

  #enterPrevious(): boolean {
    return this.#quick !== undefined && this.#enterLast(this.#quick.previous(this.#node));
  }

  #enterFirst(node: Ref): boolean {
    if (node === 0) {
      this.#position = NOWHERE;
      return false;
    }
    if (this.#enter(node)) this.#position = this.#pack.first();
    return true;
  }

  #enterLast(node: Ref): boolean {
    if (node === 0) {
      this.#position = NOWHERE;
      return false;
    }
    if (this.#enter(node)) this.#position = this.#pack.last();
    return true;
  }
}

const NOWHERE = -1;
const PLAIN = -2;
/** For a first element longer than this, no room is reserved in advance. */
const LARGEST_ROOM = 64;
const compared = new Element();
