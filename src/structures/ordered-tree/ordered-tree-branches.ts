import { Bytes, compareBytes, copyBytes } from '../../bytes/bytes.js';
import type { Arena } from '../arena/arena.js';
import { doubleIndex, NO_BLOCK, pageOf, type Ref, wordIndex } from '../arena/ref.js';
import { type Dict, KEY_LENGTH_MASK } from '../dict/dict.js';
import {
  INNER_BYTES,
  INNER_CAPACITY,
  INNER_CHILDREN,
  INNER_COUNTS,
  INNER_MEMBERS,
  INNER_MERGED,
  INNER_MIN,
  INNER_SCORES,
  insertChild,
  LEAF_MEMBERS,
  LEAF_SCORES,
  moveChildren,
  removeChild,
} from './ordered-tree-node.js';

/**
 * The inner nodes of an `OrderedTree`, from the root down to the leaves, and the path of the last search through them.
 * A search (`descend`, `descendToRank`) records its path; the following changes use it.
 */
export class Branches {
  /** The topmost node: a leaf while `height` is 0. 0 if the tree is empty. */
  root = NO_BLOCK;
  /** Levels of inner nodes. */
  height = 0;
  /** The number of inner nodes. */
  count = 0;
  /** The index in the leaf that `descendToRank` found. */
  rest = 0;

  readonly #arena: Arena;
  readonly #headerWords: number;
  #sought: Bytes = NOTHING;
  #isCopied = false;

  constructor(members: Dict) {
    this.#arena = members.arena;
    this.#headerWords = members.headerWords;
  }

  // ---- searching ----

  /** Sets the member that `compareMember` compares with. */
  seekMember(member: Bytes): void {
    this.#sought = member;
    this.#isCopied = false;
  }

  /**
   * Compares the key of the dictionary node `ref` with the searched member, word by word as long as they are equal, which
   * takes a third of the time if members have a common prefix (measured). The member was copied to a word boundary for this.
   */
  compareMember(ref: Ref): number {
    const page = pageOf(ref);
    const words = this.#arena.words[page] as Int32Array;
    const first = wordIndex(ref) + this.#headerWords;
    const length = (words[first - 1] as number) & KEY_LENGTH_MASK;
    const sought = this.#sought;
    if (!this.#isCopied) this.#copySought();
    const shared = Math.min(length, sought.end - sought.start, SOUGHT_WORDS << 2) >> 2;
    let i = 0;
    while (i < shared && words[first + i] === soughtWords[i]) i++;
    return compareBytes(
      this.#arena.bytes[page] as Buffer,
      (first + i) << 2,
      (first << 2) + length,
      sought.buf,
      sought.start + (i << 2),
      sought.end,
    );
  }

  #copySought(): void {
    const { buf, start, end } = this.#sought;
    copyBytes(buf, start, Math.min(end, start + (SOUGHT_WORDS << 2)), soughtBytes, 0);
    this.#isCopied = true;
  }

  /** Descends to the leaf where this element is or belongs. */
  descend(score: number, member: Bytes): Ref {
    this.seekMember(member);
    let node = this.root;
    for (let level = 0; level < this.height; level++) {
      const words = this.#arena.wordsOf(node);
      const at = wordIndex(node);
      const doubles = this.#arena.doublesOf(node);
      const scores = doubleIndex(node) + INNER_SCORES;
      let low = 1;
      let high = words[at] as number;
      while (low < high) {
        const middle = (low + high) >> 1;
        const other = doubles[scores + middle] as number;
        if (
          other < score ||
          (other === score && this.compareMember(words[at + INNER_MEMBERS + middle] as Ref) <= 0)
        ) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      pathNode[level] = node;
      pathChild[level] = low - 1;
      node = words[at + INNER_CHILDREN + low - 1] as Ref;
    }
    return node;
  }

  /** Descends to the leaf with the element of this rank, which must exist; `rest` becomes its index in the leaf. */
  descendToRank(rank: number): Ref {
    let node = this.root;
    let rest = rank;
    for (let level = 0; level < this.height; level++) {
      const words = this.#arena.wordsOf(node);
      const at = wordIndex(node);
      let child = 0;
      for (;;) {
        const below = words[at + INNER_COUNTS + child] as number;
        if (rest < below) break;
        rest -= below;
        child++;
      }
      pathNode[level] = node;
      pathChild[level] = child;
      node = words[at + INNER_CHILDREN + child] as Ref;
    }
    this.rest = rest;
    return node;
  }

  /** Descends to the last leaf. */
  descendToLast(): Ref {
    let node = this.root;
    for (let level = 0; level < this.height; level++) {
      const words = this.#arena.wordsOf(node);
      const at = wordIndex(node);
      const last = (words[at] as number) - 1;
      pathNode[level] = node;
      pathChild[level] = last;
      node = words[at + INNER_CHILDREN + last] as Ref;
    }
    return node;
  }

  /** The number of elements to the left of the path. */
  countBefore(): number {
    let before = 0;
    for (let level = 0; level < this.height; level++) {
      const node = pathNode[level] as Ref;
      const words = this.#arena.wordsOf(node);
      const counts = wordIndex(node) + INNER_COUNTS;
      const child = pathChild[level] as number;
      for (let i = 0; i < child; i++) before += words[counts + i] as number;
    }
    return before;
  }

  // ---- changing ----

  /** Adds `change` to the counts of elements along the path. */
  addToPath(change: number): void {
    for (let level = 0; level < this.height; level++) {
      const node = pathNode[level] as Ref;
      const words = this.#arena.wordsOf(node);
      const at = wordIndex(node) + INNER_COUNTS + (pathChild[level] as number);
      words[at] = (words[at] as number) + change;
    }
  }

  /** The first element of the path's leaf has changed. */
  setFirst(score: number, member: Ref): void {
    this.#setFirst(this.height - 1, score, member);
  }

  /** The same for the path's child at `level`, and for the levels above as far as it is their first child. */
  #setFirst(level: number, score: number, member: Ref): void {
    for (let l = level; l >= 0; l--) {
      const node = pathNode[l] as Ref;
      const child = pathChild[l] as number;
      this.#arena.doublesOf(node)[doubleIndex(node) + INNER_SCORES + child] = score;
      this.#arena.wordsOf(node)[wordIndex(node) + INNER_MEMBERS + child] = member;
      if (child !== 0) return;
    }
  }

  /**
   * A leaf was split off the path's leaf and becomes its next sibling. It holds `count` elements, which were counted
   * with those of the path's leaf, and begins with `score` and `member`.
   */
  addLeaf(leaf: Ref, split: Ref, score: number, member: Ref, count: number): void {
    this.#addChild(this.height - 1, leaf, split, score, member, count);
  }

  #addChild(level: number, left: Ref, right: Ref, score: number, member: Ref, count: number): void {
    if (level < 0) {
      this.#growRoot(left, right, score, member, count);
      return;
    }
    const node = pathNode[level] as Ref;
    const place = (pathChild[level] as number) + 1;
    const words = this.#arena.wordsOf(node);
    const at = wordIndex(node);
    words[at + INNER_COUNTS + place - 1] = (words[at + INNER_COUNTS + place - 1] as number) - count;
    if ((words[at] as number) < INNER_CAPACITY) {
      insertChild(this.#arena, node, place, right, score, member, count);
      return;
    }
    // At the end of the tree the old node stays full, so that elements inserted in order fill the nodes.
    const middle = place === INNER_CAPACITY ? INNER_CAPACITY : INNER_CAPACITY >> 1;
    const split = this.#newNode();
    moveChildren(this.#arena, node, middle, split);
    if (place > middle || middle === INNER_CAPACITY) {
      insertChild(this.#arena, split, place - middle, right, score, member, count);
    } else {
      insertChild(this.#arena, node, place, right, score, member, count);
    }
    this.#addChild(
      level - 1,
      node,
      split,
      this.#firstScore(split),
      this.#firstMember(split),
      this.#sum(split),
    );
  }

  #growRoot(left: Ref, right: Ref, score: number, member: Ref, count: number): void {
    const root = this.#newNode();
    const isLeaf = this.height === 0;
    const scores = doubleIndex(left) + (isLeaf ? LEAF_SCORES : INNER_SCORES);
    const members = wordIndex(left) + (isLeaf ? LEAF_MEMBERS : INNER_MEMBERS);
    const firstScore = this.#arena.doublesOf(left)[scores] as number;
    const firstMember = this.#arena.wordsOf(left)[members] as Ref;
    const before = isLeaf ? this.#size(left) : this.#sum(left);
    insertChild(this.#arena, root, 0, left, firstScore, firstMember, before);
    insertChild(this.#arena, root, 1, right, score, member, count);
    this.root = root;
    this.height++;
  }

  /** The path's leaf was removed. */
  removeLeaf(): void {
    this.#removeChild(this.height - 1);
    this.#shrinkRoot();
  }

  #removeChild(level: number): void {
    if (level < 0) {
      this.root = NO_BLOCK;
      this.height = 0;
      return;
    }
    const node = pathNode[level] as Ref;
    const child = pathChild[level] as number;
    const left = removeChild(this.#arena, node, child);
    if (left === 0) {
      this.#freeNode(node);
      this.#removeChild(level - 1);
      return;
    }
    if (child === 0) this.#setFirst(level - 1, this.#firstScore(node), this.#firstMember(node));
    if (left < INNER_MIN && level > 0) this.#mergeNode(level);
  }

  /** Joins the path's node at `level` with a sibling, if both together leave free space. */
  #mergeNode(level: number): void {
    const right = this.#mergeable(level - 1, INNER_MERGED);
    if (right === 0) return;
    const from = this.#childAt(level - 1, right);
    moveChildren(this.#arena, from, 0, this.#childAt(level - 1, right - 1));
    this.#freeNode(from);
    this.#joinCounts(level - 1, right);
  }

  /** The child of the path's lowest node that could be merged into the previous child; one of the two is the path's leaf. */
  mergeableLeaf(max: number): number {
    return this.height === 0 ? 0 : this.#mergeable(this.height - 1, max);
  }

  /** A child of the path's lowest node. */
  leafAt(child: number): Ref {
    return this.#childAt(this.height - 1, child);
  }

  /** Leaf `right` of the path's lowest node was removed; its elements are in the previous leaf. */
  leavesMerged(right: number): void {
    this.#joinCounts(this.height - 1, right);
    this.#shrinkRoot();
  }

  /** The right one of two siblings that together have at most `max` elements, or 0. One is the path's child at `level`. */
  #mergeable(level: number, max: number): number {
    const child = pathChild[level] as number;
    const siblings = this.#size(pathNode[level] as Ref);
    const size = this.#size(this.#childAt(level, child));
    if (child + 1 < siblings && size + this.#size(this.#childAt(level, child + 1)) <= max) return child + 1;
    if (child > 0 && size + this.#size(this.#childAt(level, child - 1)) <= max) return child;
    return 0;
  }

  #joinCounts(level: number, right: number): void {
    const node = pathNode[level] as Ref;
    const words = this.#arena.wordsOf(node);
    const counts = wordIndex(node) + INNER_COUNTS;
    words[counts + right - 1] = (words[counts + right - 1] as number) + (words[counts + right] as number);
    pathChild[level] = right;
    this.#removeChild(level);
  }

  #shrinkRoot(): void {
    while (this.height > 0 && this.#size(this.root) === 1) {
      const { root } = this;
      const words = this.#arena.wordsOf(root);
      this.root = words[wordIndex(root) + INNER_CHILDREN] as Ref;
      this.#freeNode(root);
      this.height--;
    }
  }

  /** Frees all inner nodes and detaches the leaves; returns the leftmost leaf, or 0. */
  dismantle(): Ref {
    const { root, height } = this;
    this.root = NO_BLOCK;
    this.height = 0;
    return height === 0 ? root : this.#freeBelow(root, height);
  }

  #freeBelow(node: Ref, height: number): Ref {
    const words = this.#arena.wordsOf(node);
    const at = wordIndex(node);
    const count = words[at] as number;
    let first = words[at + INNER_CHILDREN] as Ref;
    if (height > 1) {
      first = this.#freeBelow(first, height - 1);
      for (let i = 1; i < count; i++) this.#freeBelow(words[at + INNER_CHILDREN + i] as Ref, height - 1);
    }
    this.#freeNode(node);
    return first;
  }

  // ---- nodes ----

  #newNode(): Ref {
    const node = this.#arena.alloc(INNER_BYTES);
    this.count++;
    this.#arena.wordsOf(node)[wordIndex(node)] = 0;
    return node;
  }

  #freeNode(node: Ref): void {
    this.#arena.free(node);
    this.count--;
  }

  /** Children of an inner node, or elements of a leaf. */
  #size(node: Ref): number {
    return this.#arena.wordsOf(node)[wordIndex(node)] as number;
  }

  #sum(node: Ref): number {
    const words = this.#arena.wordsOf(node);
    const at = wordIndex(node);
    const count = words[at] as number;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += words[at + INNER_COUNTS + i] as number;
    return sum;
  }

  #childAt(level: number, child: number): Ref {
    const node = pathNode[level] as Ref;
    const at = wordIndex(node) + INNER_CHILDREN + child;
    return this.#arena.wordsOf(node)[at] as Ref;
  }

  #firstScore(node: Ref): number {
    return this.#arena.doublesOf(node)[doubleIndex(node) + INNER_SCORES] as number;
  }

  #firstMember(node: Ref): Ref {
    return this.#arena.wordsOf(node)[wordIndex(node) + INNER_MEMBERS] as Ref;
  }
}

/** The path: the inner node and the index of its child at each level. Shared: no search interrupts another. */
const MAX_DEPTH = 16;
const pathNode = new Int32Array(MAX_DEPTH);
const pathChild = new Int32Array(MAX_DEPTH);

/** The beginning of the searched member, as words. */
const SOUGHT_WORDS = 32;
const soughtWords = new Int32Array(SOUGHT_WORDS);
const soughtBytes = Buffer.from(soughtWords.buffer);
const NOTHING = new Bytes();
