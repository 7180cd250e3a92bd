import type { Arena } from '../arena/arena.js';
import { NO_BLOCK, type Ref, wordIndex } from '../arena/ref.js';
import {
  appendElements,
  countNotAbove,
  HEADER_WORDS,
  ID_WORDS,
  INNER_CAPACITY,
  INNER_STRIDE,
  insertGap,
  leafCapacity,
  NEXT,
  NODE_BYTES,
  PREVIOUS,
  removeElement,
} from './id-tree-node.js';
import { StreamId } from './stream-id.js';

/**
 * Records ordered by stream ID: a B+tree in an arena. Each record has a fixed number of the owner's words, given when the
 * tree is created. IDs inserted in order fill the leaves. A single leaf is no larger than needed, so a tree of a
 * few records uses a few dozen bytes.
 *
 * The tree has a *place*: the record of the last search, step or insertion. `readId`, `word` and `setWord` use it.
 * A removal invalidates the place.
 */
export class IdTree {
  count = 0;
  readonly #arena: Arena;
  readonly #stride: number;
  /** The topmost node: a leaf while `#height` is 0. 0 if the tree is empty. */
  #root = NO_BLOCK;
  #height = 0;
  #nodes = 0;
  /** The place. */
  #leaf = NO_BLOCK;
  #index = 0;

  constructor(arena: Arena, ownWords: number) {
    this.#arena = arena;
    this.#stride = ID_WORDS + ownWords;
  }

  /** The bytes of all nodes. */
  get bytes(): number {
    if (this.#root === 0) return 0;
    return this.#nodes === 1 ? this.#arena.capacity(this.#root) : this.#nodes * NODE_BYTES;
  }

  // ---- places ----

  /** Moves to the record with exactly this ID. */
  find(id: StreamId): boolean {
    return this.floor(id) && this.readId(found).equals(id);
  }

  /** Moves to the last record whose ID is not above this one. */
  floor(id: StreamId): boolean {
    if (this.#root === 0) return false;
    this.#leaf = this.#descend(id);
    this.#index = countNotAbove(this.#arena.wordsOf(this.#leaf), wordIndex(this.#leaf), this.#stride, id) - 1;
    return this.#index >= 0 || this.previous();
  }

  /** Moves to the first record whose ID is not below this one. */
  ceiling(id: StreamId): boolean {
    if (!this.floor(id)) return this.first();
    return this.readId(found).equals(id) || this.next();
  }

  first(): boolean {
    this.#leaf = this.#edge(false);
    this.#index = 0;
    return this.#leaf !== 0;
  }

  last(): boolean {
    this.#leaf = this.#edge(true);
    if (this.#leaf === 0) return false;
    this.#index = this.#size(this.#leaf) - 1;
    return true;
  }

  next(): boolean {
    if (++this.#index < this.#size(this.#leaf)) return true;
    this.#leaf = this.#link(this.#leaf, NEXT);
    this.#index = 0;
    return this.#leaf !== 0;
  }

  previous(): boolean {
    if (--this.#index >= 0) return true;
    this.#leaf = this.#link(this.#leaf, PREVIOUS);
    if (this.#leaf === 0) return false;
    this.#index = this.#size(this.#leaf) - 1;
    return true;
  }

  readId(id: StreamId): StreamId {
    return id.readWords(this.#arena.wordsOf(this.#leaf), this.#elementAt(this.#leaf, this.#index));
  }

  /** One of the owner's words at the place, counted from 0. */
  word(index: number): number {
    return this.#arena.wordsOf(this.#leaf)[
      this.#elementAt(this.#leaf, this.#index) + ID_WORDS + index
    ] as number;
  }

  setWord(index: number, value: number): void {
    this.#arena.wordsOf(this.#leaf)[this.#elementAt(this.#leaf, this.#index) + ID_WORDS + index] = value;
  }

  // ---- changes ----

  /** Adds a record, which must not exist, and moves to it. The owner's words are not set. */
  insert(id: StreamId): void {
    this.count++;
    if (this.#root === 0) {
      this.#root = this.#newLeaf((HEADER_WORDS + this.#stride) << 2);
      this.#put(this.#root, 0, id);
      return;
    }
    const leaf = this.#descend(id);
    const index = countNotAbove(this.#arena.wordsOf(leaf), wordIndex(leaf), this.#stride, id);
    if (this.#size(leaf) < this.#capacity(leaf)) this.#put(leaf, index, id);
    else if (this.#size(leaf) < leafCapacity(this.#stride)) this.#put(this.#grownRoot(), index, id);
    else this.#putSplitting(leaf, index, id);
  }

  /** Removes the record with this ID; false if there is none. */
  remove(id: StreamId): boolean {
    if (this.#root === 0) return false;
    const leaf = this.#descend(id);
    const words = this.#arena.wordsOf(leaf);
    const index = countNotAbove(words, wordIndex(leaf), this.#stride, id) - 1;
    if (index < 0 || !found.readWords(words, this.#elementAt(leaf, index)).equals(id)) return false;
    this.count--;
    this.#leaf = NO_BLOCK;
    removeElement(words, wordIndex(leaf), this.#stride, index);
    const left = this.#size(leaf);
    if (left === 0) this.#dropLeaf(leaf);
    else if (left < leafCapacity(this.#stride) >> 2) this.#mergeLeaf();
    return true;
  }

  /**
   * For freeing the tree in steps: frees all inner nodes, and returns whether there is a leaf. After that, only
   * `freeLeaf` may be called.
   */
  dismantle(): boolean {
    const first = this.#height === 0 ? this.#root : this.#freeInner(this.#root, this.#height);
    this.#root = first;
    this.#height = 0;
    return this.first();
  }

  /** The number of records in the leaf at the place. */
  get leafSize(): number {
    return this.#size(this.#leaf);
  }

  /** Frees the leaf of a dismantled tree at the place and moves to the next; false if that was the last. */
  freeLeaf(): boolean {
    const next = this.#link(this.#leaf, NEXT);
    this.#freeNode(this.#leaf);
    this.#root = this.#leaf = next;
    this.#index = 0;
    if (next === 0) this.count = 0;
    return next !== 0;
  }

  // ---- searching ----

  /** The leaf where this ID is or belongs. Stores the path to it. */
  #descend(id: StreamId): Ref {
    let node = this.#root;
    for (let level = 0; level < this.#height; level++) {
      const words = this.#arena.wordsOf(node);
      const child = Math.max(countNotAbove(words, wordIndex(node), INNER_STRIDE, id) - 1, 0);
      pathNode[level] = node;
      pathChild[level] = child;
      node = this.#child(node, child);
    }
    return node;
  }

  #edge(last: boolean): Ref {
    let node = this.#root;
    for (let level = 0; level < this.#height; level++) {
      node = this.#child(node, last ? this.#size(node) - 1 : 0);
    }
    return node;
  }

  // ---- leaves ----

  #put(leaf: Ref, index: number, id: StreamId): void {
    const words = this.#arena.wordsOf(leaf);
    insertGap(words, wordIndex(leaf), this.#stride, index);
    id.writeWords(words, this.#elementAt(leaf, index));
    this.#leaf = leaf;
    this.#index = index;
  }

  /** Enlarges the root, a leaf that is smaller than a full-size one. */
  #grownRoot(): Ref {
    const used = (HEADER_WORDS + this.#size(this.#root) * this.#stride) << 2;
    this.#root = this.#arena.resize(this.#root, Math.min(used * 2, NODE_BYTES), used);
    return this.#root;
  }

  /** At the end of the tree the old leaf stays full, so that IDs inserted in order fill the leaves. */
  #putSplitting(leaf: Ref, index: number, id: StreamId): void {
    const capacity = leafCapacity(this.#stride);
    const next = this.#link(leaf, NEXT);
    const middle = index === capacity && next === 0 ? capacity : capacity >> 1;
    const split = this.#newLeaf(NODE_BYTES);
    appendElements(
      this.#arena.wordsOf(leaf),
      wordIndex(leaf),
      middle,
      this.#arena.wordsOf(split),
      wordIndex(split),
      this.#stride,
    );
    this.#join(leaf, split);
    this.#join(split, next);
    if (index > middle || middle === capacity) this.#put(split, index - middle, id);
    else this.#put(leaf, index, id);
    separator.readWords(this.#arena.wordsOf(split), this.#elementAt(split, 0));
    this.#addChild(this.#height - 1, leaf, split, separator);
  }

  #dropLeaf(leaf: Ref): void {
    this.#join(this.#link(leaf, PREVIOUS), this.#link(leaf, NEXT));
    this.#freeNode(leaf);
    this.#removeChild(this.#height - 1);
  }

  /** Joins the path's leaf with a sibling if both together leave free space. */
  #mergeLeaf(): void {
    if (this.#height === 0) return;
    const capacity = leafCapacity(this.#stride);
    const right = this.#mergeable(this.#height - 1, capacity - (capacity >> 2));
    if (right === 0) return;
    const parent = pathNode[this.#height - 1] as Ref;
    const from = this.#child(parent, right);
    const into = this.#child(parent, right - 1);
    appendElements(
      this.#arena.wordsOf(from),
      wordIndex(from),
      0,
      this.#arena.wordsOf(into),
      wordIndex(into),
      this.#stride,
    );
    pathChild[this.#height - 1] = right;
    this.#dropLeaf(from);
  }

  /** Links two leaves. Either may be 0: then the other is at an end. */
  #join(left: Ref, right: Ref): void {
    if (left !== 0) this.#arena.wordsOf(left)[wordIndex(left) + NEXT] = right;
    if (right !== 0) this.#arena.wordsOf(right)[wordIndex(right) + PREVIOUS] = left;
  }

  // ---- inner nodes: a child's ID is a lower bound of its IDs and above those of the previous child; the first is unused ----

  #addChild(level: number, left: Ref, right: Ref, id: StreamId): void {
    if (level < 0) {
      const root = this.#newInner();
      this.#putChild(root, 0, left, MIN_ID);
      this.#putChild(root, 1, right, id);
      this.#root = root;
      this.#height++;
      return;
    }
    const node = pathNode[level] as Ref;
    const place = (pathChild[level] as number) + 1;
    if (this.#size(node) < INNER_CAPACITY) {
      this.#putChild(node, place, right, id);
      return;
    }
    const middle = place === INNER_CAPACITY ? INNER_CAPACITY : INNER_CAPACITY >> 1;
    const split = this.#newInner();
    appendElements(
      this.#arena.wordsOf(node),
      wordIndex(node),
      middle,
      this.#arena.wordsOf(split),
      wordIndex(split),
      INNER_STRIDE,
    );
    if (place > middle || middle === INNER_CAPACITY) this.#putChild(split, place - middle, right, id);
    else this.#putChild(node, place, right, id);
    const first = new StreamId().readWords(this.#arena.wordsOf(split), wordIndex(split) + HEADER_WORDS);
    this.#addChild(level - 1, node, split, first);
  }

  /** Removes the path's child at `level`. */
  #removeChild(level: number): void {
    if (level < 0) {
      this.#root = NO_BLOCK;
      this.#height = 0;
      return;
    }
    const node = pathNode[level] as Ref;
    removeElement(this.#arena.wordsOf(node), wordIndex(node), INNER_STRIDE, pathChild[level] as number);
    const left = this.#size(node);
    if (left === 0) {
      this.#freeNode(node);
      this.#removeChild(level - 1);
    } else if (level === 0) {
      this.#shrinkRoot();
    } else if (left < INNER_CAPACITY >> 2) {
      this.#mergeInner(level);
    }
  }

  #mergeInner(level: number): void {
    const right = this.#mergeable(level - 1, INNER_CAPACITY - (INNER_CAPACITY >> 2));
    if (right === 0) return;
    const parent = pathNode[level - 1] as Ref;
    const from = this.#child(parent, right);
    const into = this.#child(parent, right - 1);
    // The first child's ID was unused. It is no longer the first child, so it needs the separator from the parent.
    separator
      .readWords(this.#arena.wordsOf(parent), wordIndex(parent) + HEADER_WORDS + right * INNER_STRIDE)
      .writeWords(this.#arena.wordsOf(from), wordIndex(from) + HEADER_WORDS);
    appendElements(
      this.#arena.wordsOf(from),
      wordIndex(from),
      0,
      this.#arena.wordsOf(into),
      wordIndex(into),
      INNER_STRIDE,
    );
    this.#freeNode(from);
    pathChild[level - 1] = right;
    this.#removeChild(level - 1);
  }

  /** The right one of two siblings that together have at most `max` elements, or 0. One is the path's child at `level`. */
  #mergeable(level: number, max: number): number {
    const node = pathNode[level] as Ref;
    const child = pathChild[level] as number;
    const size = this.#size(this.#child(node, child));
    const after = child + 1 < this.#size(node) ? this.#size(this.#child(node, child + 1)) : max;
    if (size + after <= max) return child + 1;
    return child > 0 && size + this.#size(this.#child(node, child - 1)) <= max ? child : 0;
  }

  #shrinkRoot(): void {
    while (this.#height > 0 && this.#size(this.#root) === 1) {
      const root = this.#root;
      this.#root = this.#child(root, 0);
      this.#freeNode(root);
      this.#height--;
    }
  }

  #freeInner(node: Ref, height: number): Ref {
    const size = this.#size(node);
    let first = this.#child(node, 0);
    if (height > 1) {
      for (let i = size - 1; i >= 0; i--) first = this.#freeInner(this.#child(node, i), height - 1);
    }
    this.#freeNode(node);
    return first;
  }

  // ---- nodes ----

  #newLeaf(bytes: number): Ref {
    const leaf = this.#arena.alloc(bytes);
    this.#nodes++;
    this.#arena.wordsOf(leaf).fill(0, wordIndex(leaf), wordIndex(leaf) + HEADER_WORDS);
    return leaf;
  }

  #newInner(): Ref {
    return this.#newLeaf(NODE_BYTES);
  }

  #freeNode(node: Ref): void {
    this.#arena.free(node);
    this.#nodes--;
  }

  #putChild(node: Ref, place: number, child: Ref, id: StreamId): void {
    const words = this.#arena.wordsOf(node);
    const at = wordIndex(node);
    insertGap(words, at, INNER_STRIDE, place);
    id.writeWords(words, at + HEADER_WORDS + place * INNER_STRIDE);
    words[at + HEADER_WORDS + place * INNER_STRIDE + ID_WORDS] = child;
  }

  #child(node: Ref, place: number): Ref {
    return this.#arena.wordsOf(node)[wordIndex(node) + HEADER_WORDS + place * INNER_STRIDE + ID_WORDS] as Ref;
  }

  #link(node: Ref, which: number): Ref {
    return this.#arena.wordsOf(node)[wordIndex(node) + which] as Ref;
  }

  #size(node: Ref): number {
    return this.#arena.wordsOf(node)[wordIndex(node)] as number;
  }

  /** The capacity of a leaf. Only the root may be smaller than the others. */
  #capacity(leaf: Ref): number {
    if (leaf !== this.#root) return leafCapacity(this.#stride);
    const room = ((this.#arena.capacity(leaf) >> 2) - HEADER_WORDS) / this.#stride;
    return Math.min(Math.floor(room), leafCapacity(this.#stride));
  }

  #elementAt(node: Ref, index: number): number {
    return wordIndex(node) + HEADER_WORDS + index * this.#stride;
  }
}

/** The path: the inner node and the index of its child at each level. Shared: no search interrupts another. */
const MAX_DEPTH = 16;
const pathNode = new Int32Array(MAX_DEPTH);
const pathChild = new Int32Array(MAX_DEPTH);

const found = new StreamId();
const separator = new StreamId();
const MIN_ID = new StreamId();
