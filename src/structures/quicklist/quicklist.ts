import { type Bytes, copyBytes } from '../../bytes/bytes.js';
import { byteIndex, type Ref } from '../arena/ref.js';
import { Listpack } from '../listpack/listpack.js';
import {
  EMPTY_LISTPACK_BYTES,
  entrySize,
  entrySizeBefore,
  LISTPACK_END,
  LISTPACK_HEADER,
  readUnsigned32,
} from '../listpack/listpack-format.js';
import { BLOCK, COUNT, GAP, NODE_BYTES, PACKED, PLAIN_LENGTH } from './node-chain.js';
import { NodeEnds } from './node-ends.js';
import { MERGE_SAVING, nodeAllows, nodeBytes } from './quicklist-limits.js';

/**
 * A long list: a chain of nodes, each a listpack or one large element. Elements are divided among nodes exactly as
 * in Redis, which is visible in a DUMP payload.
 *
 * The listpack of a node may begin at an offset in its block: this *gap* lets the list grow and shrink at its head
 * without moving the elements after it.
 */
export class Quicklist extends NodeEnds {
  // ---- nodes ----

  /** Points `pack` at the node's listpack, for reading. The node must not be plain. */
  open(node: Ref, pack: Listpack): Listpack {
    return pack.open(this.arena, this.block(node), this.word(node, GAP));
  }

  /** Points `view` at the node's one element (plain) or its whole listpack. */
  bytes(node: Ref, view: Bytes): Bytes {
    const block = this.block(node);
    const start = byteIndex(block) + this.word(node, GAP);
    const buf = this.arena.bytesOf(block);
    const plainLength = this.word(node, PLAIN_LENGTH);
    return view.set(buf, start, start + (plainLength >= 0 ? plainLength : readUnsigned32(buf, start)));
  }

  /** Adds a node at the tail: a block that holds a listpack of `count` entries. The list takes ownership of the block. */
  appendPacked(block: Ref, count: number): void {
    this.length += count;
    this.link(this.newNode(block, count, 0, PACKED), this.tail, true);
  }

  /** Adds a node at the tail that holds one large element. */
  appendPlain(bytes: Bytes): void {
    this.#insertPlain(this.tail, bytes, true);
  }

  /** The node that holds the element with this index. Sets `indexInNode`. */
  nodeAt(index: number): Ref {
    let node: Ref;
    if (index < this.length / 2) {
      node = this.head;
      let rest = index;
      for (let count = this.count(node); rest >= count; count = this.count(node)) {
        rest -= count;
        node = this.next(node);
      }
      this.indexInNode = rest;
    } else {
      node = this.tail;
      let first = this.length - this.count(node);
      while (first > index) {
        node = this.previous(node);
        first -= this.count(node);
      }
      this.indexInNode = index - first;
    }
    return node;
  }

  indexInNode = 0;

  // ---- ends ----

  pushTail(bytes: Bytes): void {
    if (this.pushShort(this.tail, bytes, true)) return;
    const length = bytes.end - bytes.start;
    if (this.isLarge(length)) {
      this.#insertPlain(this.tail, bytes, true);
      return;
    }
    let node = this.tail;
    if (!this.allowsInsert(node, length)) {
      if (node !== 0) this.#trim(node);
      node = this.newNode(Listpack.create(this.arena, this.#roomFor(length)), 0, 0, PACKED);
      this.link(node, this.tail, true);
    }
    if (this.appendIntoRoom(node, bytes)) return;
    this.#edit(node).append(bytes);
    this.#edited(node, 1);
  }

  pushHead(bytes: Bytes): void {
    if (this.pushShort(this.head, bytes, false)) return;
    const length = bytes.end - bytes.start;
    if (this.isLarge(length)) {
      this.#insertPlain(this.head, bytes, false);
      return;
    }
    let node = this.head;
    if (!this.allowsInsert(node, length)) {
      if (node !== 0) this.#trim(node);
      node = this.#newNodeFilledBackwards(length);
      this.link(node, this.head, false);
    }
    if (this.prependIntoGap(node, bytes)) return;
    this.#edit(node).prepend(bytes);
    this.#edited(node, 1);
  }

  /** Removes the first element. The list must not be empty. */
  removeHead(): void {
    const node = this.head;
    if (this.count(node) === 1) {
      this.removeNode(node);
      return;
    }
    if (this.guard !== undefined) this.guard(node);
    const start = this.packStart(node);
    const size = entrySize(this.page(node), start + LISTPACK_HEADER);
    this.writeHead(node, this.word(node, GAP) + size, this.packBytes(node) - size, this.count(node) - 1);
    if ((this.length & TRIM_MASK) === 0) this.#trimLast();
  }

  /** Removes the last element. The list must not be empty. */
  removeTail(): void {
    const node = this.tail;
    if (this.count(node) === 1) {
      this.removeNode(node);
      return;
    }
    if (this.guard !== undefined) this.guard(node);
    const buf = this.page(node);
    const bytes = this.packBytes(node);
    const end = this.packStart(node) + bytes - 1;
    const size = entrySizeBefore(buf, end);
    buf[end - size] = LISTPACK_END;
    this.writeHead(node, this.word(node, GAP), bytes - size, this.count(node) - 1);
    if ((this.length & TRIM_MASK) === 0) this.#trimLast();
  }

  // ---- anywhere ----

  /** Inserts before or after the element at `position` of `node` (a plain node has only one). */
  insert(node: Ref, position: number, bytes: Bytes, after: boolean): void {
    const length = bytes.end - bytes.start;
    const plain = this.isPlain(node);
    const atEdge = plain || this.#isAtEdge(node, position, after);
    if (this.isLarge(length)) {
      const large = this.#newPlainNode(bytes);
      if (!atEdge) this.link(this.#split(node, position, after), node, after);
      this.link(large, node, after);
      this.length++;
      return;
    }
    if (this.allowsInsert(node, length)) {
      const pack = this.#edit(node);
      if (after) pack.insertAfter(position, bytes);
      else pack.insertBefore(position, bytes);
      this.#edited(node, 1);
      return;
    }
    if (!atEdge) {
      const part = this.#split(node, position, after);
      this.#addAtEdge(part, bytes, !after);
      this.link(part, node, after);
      this.#mergeAround(node);
      return;
    }
    let neighbour = after ? this.next(node) : this.previous(node);
    if (!this.allowsInsert(neighbour, length)) {
      neighbour = this.newNode(Listpack.create(this.arena), 0, 0, PACKED);
      this.link(neighbour, node, after);
    }
    this.#addAtEdge(neighbour, bytes, !after);
  }

  /** Replaces the element at `position` of `node`. */
  replace(node: Ref, position: number, bytes: Bytes): void {
    const large = this.isLarge(bytes.end - bytes.start);
    if (!large && !this.isPlain(node)) {
      this.#edit(node).replace(position, bytes);
      this.#edited(node, 0);
      return;
    }
    this.insert(node, position, bytes, true);
    this.remove(node, position);
  }

  /**
   * Removes the element at `position` of `node`, and the node if that was its last. Returns the position of the element
   * that follows it in the node, or -1.
   */
  remove(node: Ref, position: number): number {
    if (this.count(node) === 1) {
      this.removeNode(node);
      return -1;
    }
    const following = this.#edit(node).delete(position);
    this.#edited(node, -1);
    return following;
  }

  /** Removes `count` elements from the index `start` on, which must exist. */
  removeRange(start: number, count: number): void {
    if (count <= 0) return;
    let node = this.nodeAt(start);
    let index = this.indexInNode;
    for (let rest = count; rest > 0; index = 0) {
      const held = this.count(node);
      const following = this.next(node);
      const removed = Math.min(rest, held - index);
      if (removed === held) {
        this.removeNode(node);
      } else {
        const pack = this.#edit(node);
        pack.delete(pack.at(index), removed);
        this.#edited(node, -removed);
      }
      rest -= removed;
      node = following;
    }
  }

  /** Frees about `steps` nodes and returns the number; fewer than `steps` means that none is left. */
  release(steps: number): number {
    let freed = 0;
    while (freed < steps && this.head !== 0) {
      this.removeNode(this.head);
      freed++;
    }
    return freed;
  }

  /** Bytes occupied, estimated from the first nodes. */
  memory(): number {
    let sampled = 0;
    let bytes = 0;
    for (let node = this.head; node !== 0 && sampled < SAMPLED_NODES; node = this.next(node)) {
      bytes += this.arena.capacity(this.block(node)) + NODE_BYTES;
      sampled++;
    }
    return OBJECT_BYTES + (sampled === 0 ? 0 : Math.round((bytes / sampled) * this.nodeCount));
  }

  // ---- limits ----

  #allowsMerge(a: Ref, b: Ref): boolean {
    if (a === 0 || b === 0 || this.isPlain(a) || this.isPlain(b)) return false;
    const bytes = this.packBytes(a) + this.packBytes(b) - MERGE_SAVING;
    return nodeAllows(this.fill, bytes, this.count(a) + this.count(b));
  }

  /** The initial size of a node whose first element has `length` bytes: the maximum, if several such elements fit. */
  #roomFor(length: number): number {
    const max = nodeBytes(this.fill);
    const needed = EMPTY_LISTPACK_BYTES + length + LONGEST_ENTRY_OVERHEAD;
    return needed * 4 <= max ? max : needed;
  }

  // ---- editing nodes ----

  /** Opens the node's listpack for an edit, which `#edited` must follow. */
  #edit(node: Ref): Listpack {
    if (this.guard !== undefined) this.guard(node);
    const block = this.block(node);
    const gap = this.word(node, GAP);
    if (gap > 0) {
      const buf = this.arena.bytesOf(block);
      const start = byteIndex(block);
      buf.copyWithin(start, start + gap, start + gap + readUnsigned32(buf, start + gap));
      this.setWord(node, GAP, 0);
    }
    return edited.open(this.arena, block);
  }

  #edited(node: Ref, added: number): void {
    this.setWord(node, BLOCK, edited.ref);
    this.setWord(node, COUNT, this.count(node) + added);
    this.length += added;
  }

  /** Adds to a node's front or back; the node may be unlinked. */
  #addAtEdge(node: Ref, bytes: Bytes, atBack: boolean): void {
    const pack = this.#edit(node);
    if (atBack) pack.append(bytes);
    else pack.prepend(bytes);
    this.#edited(node, 1);
  }

  #isAtEdge(node: Ref, position: number, after: boolean): boolean {
    return after ? this.open(node, edited).next(position) === -1 : position === LISTPACK_HEADER;
  }

  /**
   * Splits a node after (`after`) or before the element at `position`. The node keeps that element; the others
   * move to the returned node, which is not linked yet.
   */
  #split(node: Ref, position: number, after: boolean): Ref {
    const pack = this.#edit(node);
    const border = after ? pack.next(position) : position;
    let left = 0;
    for (let at = pack.first(); at !== border; at = pack.next(at)) left++;
    const right = this.count(node) - left;
    const tail = pack.splitOff(border, right);
    if (after) {
      this.setWord(node, BLOCK, pack.ref);
      this.setWord(node, COUNT, left);
      return this.newNode(tail, right, 0, PACKED);
    }
    this.setWord(node, BLOCK, tail);
    this.setWord(node, COUNT, right);
    return this.newNode(pack.ref, left, 0, PACKED);
  }

  /** Merges neighbours that fit into one node, around a node that was split. */
  #mergeAround(center: Ref): void {
    const previous = this.previous(center);
    const next = this.next(center);
    if (previous !== 0) this.#merge(this.previous(previous), previous);
    if (next !== 0) this.#merge(next, this.next(next));
    const joined = this.#merge(this.previous(center), center);
    this.#merge(joined, this.next(joined));
  }

  /** Merges the two nodes if they fit into one. Returns the node that then holds the elements of `b`. */
  #merge(a: Ref, b: Ref): Ref {
    if (!this.#allowsMerge(a, b)) return b;
    const added = this.count(b);
    this.#edit(a).appendAll(this.open(b, merged));
    this.#edited(a, added);
    this.removeNode(b);
    return a;
  }

  #insertPlain(beside: Ref, bytes: Bytes, after: boolean): void {
    this.link(this.#newPlainNode(bytes), beside, after);
    this.length++;
  }

  #newPlainNode(bytes: Bytes): Ref {
    const length = bytes.end - bytes.start;
    const block = this.arena.alloc(length);
    copyBytes(bytes.buf, bytes.start, bytes.end, this.arena.bytesOf(block), byteIndex(block));
    return this.newNode(block, 1, 0, length);
  }

  /** A node with an empty listpack at the end of its block. */
  #newNodeFilledBackwards(length: number): Ref {
    const block = this.arena.alloc(this.#roomFor(length));
    const gap = this.arena.capacity(block) - EMPTY_LISTPACK_BYTES;
    const node = this.newNode(block, 0, gap, PACKED);
    this.writeHead(node, gap, EMPTY_LISTPACK_BYTES, 0);
    this.page(node)[this.packStart(node) + LISTPACK_HEADER] = LISTPACK_END;
    return node;
  }

  /** Frees memory when pops have shortened the list to one node that is mostly empty. */
  #trimLast(): void {
    const { head } = this;
    if (this.nodeCount !== 1 || this.isPlain(head)) return;
    if (this.packBytes(head) * 4 < this.arena.capacity(this.block(head))) this.#trim(head);
  }

  /** Frees the node's unused space, when it is not expected to grow at its end. */
  #trim(node: Ref): void {
    if (this.isPlain(node)) return;
    const block = this.block(node);
    const bytes = this.packBytes(node);
    if (bytes + (bytes >> 3) + SMALLEST_TRIM >= this.arena.capacity(block)) return;
    this.#edit(node);
    const trimmed = this.arena.alloc(bytes);
    const start = byteIndex(block);
    const target = this.arena.bytesOf(trimmed);
    copyBytes(this.arena.bytesOf(block), start, start + bytes, target, byteIndex(trimmed));
    this.arena.free(block);
    this.setWord(node, BLOCK, trimmed);
  }
}

/** The max overhead of an entry. */
const LONGEST_ENTRY_OVERHEAD = 10;
const SMALLEST_TRIM = 64;
/** Pops check whether to trim at every 32nd length. */
const TRIM_MASK = 31;
const SAMPLED_NODES = 32;

/** The object itself, on the JavaScript heap. */
const OBJECT_BYTES = 96;

const edited = new Listpack();
const merged = new Listpack();
