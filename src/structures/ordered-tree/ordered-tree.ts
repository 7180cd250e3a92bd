import type { Bytes } from '../../bytes/bytes.js';
import type { Arena } from '../arena/arena.js';
import { doubleIndex, NO_BLOCK, pageOf, type Ref, wordIndex } from '../arena/ref.js';
import type { Dict } from '../dict/dict.js';
import { Branches } from './ordered-tree-branches.js';
import {
  INNER_BYTES,
  INNER_CHILDREN,
  INNER_COUNTS,
  INNER_MEMBERS,
  INNER_SCORES,
  LEAF_BYTES,
  LEAF_CAPACITY,
  LEAF_MEMBERS,
  LEAF_MERGED,
  LEAF_MIN,
  LEAF_NEXT,
  LEAF_PREVIOUS,
  LEAF_SCORES,
  moveElements,
  openGap,
  removeElements,
} from './ordered-tree-node.js';

/**
 * Nodes of a dictionary ordered by score and, for equal scores, by the bytes of their keys: a B+tree that stores the number of
 * elements below each branch, so that it finds an element by its rank and a rank by its element in O(log n).
 *
 * Leaves store scores and refs of dictionary nodes and are linked in both directions. An inner node stores for each
 * child its ref, the number of elements below it, and the first of them (score and ref). The first element is always exact,
 * because a removed element could not be compared. A node is merged with a neighbour when both
 * together leave some free space. Elements are never borrowed, so a nearly empty leaf has nearly full neighbours.
 *
 * A *place* is a leaf and an index in it. The last search stored its place in `leaf` and `index`. Any change invalidates it.
 */
export class OrderedTree {
  length = 0;
  /** The place of the last search. `leaf` is 0 if it found nothing. */
  leaf = NO_BLOCK;
  index = 0;

  readonly #arena: Arena;
  readonly #branches: Branches;
  #leaves = 0;

  constructor(members: Dict) {
    this.#arena = members.arena;
    this.#branches = new Branches(members);
  }

  /** Bytes of all leaves and inner nodes. */
  get bytes(): number {
    return this.#leaves * LEAF_BYTES + this.#branches.count * INNER_BYTES;
  }

  // ---- places ----

  scoreAt(leaf: Ref, index: number): number {
    const at = doubleIndex(leaf) + LEAF_SCORES + index;
    return this.#arena.doublesOf(leaf)[at] as number;
  }

  /** The dictionary node at this place. */
  memberAt(leaf: Ref, index: number): Ref {
    const at = wordIndex(leaf) + LEAF_MEMBERS + index;
    return this.#arena.wordsOf(leaf)[at] as Ref;
  }

  /** The number of elements in the leaf; never 0. */
  sizeOf(leaf: Ref): number {
    return this.#arena.wordsOf(leaf)[wordIndex(leaf)] as number;
  }

  /** The neighbouring leaf, or 0. */
  leafAfter(leaf: Ref): Ref {
    return this.#arena.wordsOf(leaf)[wordIndex(leaf) + LEAF_NEXT] as Ref;
  }

  leafBefore(leaf: Ref): Ref {
    return this.#arena.wordsOf(leaf)[wordIndex(leaf) + LEAF_PREVIOUS] as Ref;
  }

  /** Finds the element with this rank, counted from 0. False if there is none. */
  seek(rank: number): boolean {
    if (rank < 0 || rank >= this.length) {
      this.leaf = NO_BLOCK;
      return false;
    }
    this.leaf = this.#branches.descendToRank(rank);
    this.index = this.#branches.rest;
    return true;
  }

  // ---- ranks ----

  /** The number of elements before this one: its rank, if it is in the tree. */
  rank(score: number, member: Bytes): number {
    if (this.length === 0) return 0;
    const leaf = this.#branches.descend(score, member);
    return this.#branches.countBefore() + this.#indexIn(leaf, score);
  }

  /** The number of elements with a lower score; or, if `orEqual`, a score not above this one. */
  countBelow(score: number, orEqual: boolean): number {
    if (this.length === 0) return 0;
    let before = 0;
    let node = this.#branches.root;
    for (let level = this.#branches.height; level > 0; level--) {
      const words = this.#arena.wordsOf(node);
      const at = wordIndex(node);
      const below = this.#scoresBelow(node, INNER_SCORES, score, orEqual);
      const child = below === 0 ? 0 : below - 1;
      for (let i = 0; i < child; i++) before += words[at + INNER_COUNTS + i] as number;
      node = words[at + INNER_CHILDREN + child] as Ref;
    }
    return before + this.#scoresBelow(node, LEAF_SCORES, score, orEqual);
  }

  /**
   * The number of elements with a lower member; or, if `orEqual`, a member not above this one. Only meaningful if all
   * scores are the same.
   */
  countBelowMember(member: Bytes, orEqual: boolean): number {
    if (this.length === 0) return 0;
    this.#branches.seekMember(member);
    let before = 0;
    let node = this.#branches.root;
    for (let level = this.#branches.height; level > 0; level--) {
      const words = this.#arena.wordsOf(node);
      const at = wordIndex(node);
      const below = this.#membersBelow(node, INNER_MEMBERS, orEqual);
      const child = below === 0 ? 0 : below - 1;
      for (let i = 0; i < child; i++) before += words[at + INNER_COUNTS + i] as number;
      node = words[at + INNER_CHILDREN + child] as Ref;
    }
    return before + this.#membersBelow(node, LEAF_MEMBERS, orEqual);
  }

  #scoresBelow(node: Ref, scoresAt: number, score: number, orEqual: boolean): number {
    const doubles = this.#arena.doublesOf(node);
    const first = doubleIndex(node) + scoresAt;
    let low = 0;
    let high = this.sizeOf(node);
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = doubles[first + middle] as number;
      if (other < score || (orEqual && other === score)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #membersBelow(node: Ref, membersAt: number, orEqual: boolean): number {
    const words = this.#arena.wordsOf(node);
    const first = wordIndex(node) + membersAt;
    const bound = orEqual ? 1 : 0;
    let low = 0;
    let high = this.sizeOf(node);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#branches.compareMember(words[first + middle] as Ref) < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // ---- changes ----

  /** Adds an element that is not in the tree: the dictionary node `ref`, whose key is `member`. */
  insert(score: number, member: Bytes, ref: Ref): void {
    const branches = this.#branches;
    if (branches.root === 0) branches.root = this.#newLeaf();
    const leaf = branches.descend(score, member);
    this.#insertAt(leaf, this.#indexIn(leaf, score), score, ref);
  }

  /** Adds an element that belongs after all others. */
  append(score: number, ref: Ref): void {
    const branches = this.#branches;
    if (branches.root === 0) branches.root = this.#newLeaf();
    const leaf = branches.descendToLast();
    this.#insertAt(leaf, this.sizeOf(leaf), score, ref);
  }

  #insertAt(leaf: Ref, index: number, score: number, ref: Ref): void {
    this.length++;
    this.#branches.addToPath(1);
    if (this.sizeOf(leaf) < LEAF_CAPACITY) this.#put(leaf, index, score, ref);
    else this.#putSplitting(leaf, index, score, ref);
  }

  /** Removes the element; false if it is not in the tree. */
  remove(score: number, member: Bytes, ref: Ref): boolean {
    if (!this.#find(score, member, ref)) return false;
    this.#cut(this.leaf, this.index, 1);
    return true;
  }

  /** Changes the element's score. */
  update(score: number, member: Bytes, ref: Ref, newScore: number): void {
    if (!this.#find(score, member, ref)) return;
    const { leaf, index } = this;
    if (this.#fitsAt(leaf, index, newScore)) {
      this.#arena.doublesOf(leaf)[doubleIndex(leaf) + LEAF_SCORES + index] = newScore;
      if (index === 0) this.#branches.setFirst(newScore, ref);
      return;
    }
    this.#cut(leaf, index, 1);
    this.insert(newScore, member, ref);
  }

  /**
   * Removes up to `max` elements of one leaf, beginning with this rank, and writes their refs to `refs` (`LEAF_CAPACITY` elements
   * are always enough). Returns the number removed: 0 if there is no such rank.
   */
  take(rank: number, max: number, refs: Int32Array): number {
    if (!this.seek(rank)) return 0;
    const { leaf, index } = this;
    const count = Math.min(max, this.sizeOf(leaf) - index);
    for (let i = 0; i < count; i++) refs[i] = this.memberAt(leaf, index + i);
    this.#cut(leaf, index, count);
    return count;
  }

  /**
   * Frees all inner nodes; the leaves stay linked, and the caller visits and frees them (`freeLeaf`). Returns the first
   * leaf, or 0. The tree is empty afterwards.
   */
  dismantle(): Ref {
    this.length = 0;
    return this.#branches.dismantle();
  }

  freeLeaf(leaf: Ref): void {
    this.#arena.free(leaf);
    this.#leaves--;
  }

  // ---- searching ----

  /** The index of the first element in the leaf that is not below this score and the searched member. */
  #indexIn(leaf: Ref, score: number): number {
    const words = this.#arena.wordsOf(leaf);
    const at = wordIndex(leaf);
    const doubles = this.#arena.doublesOf(leaf);
    const scores = doubleIndex(leaf) + LEAF_SCORES;
    let low = 0;
    let high = words[at] as number;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = doubles[scores + middle] as number;
      if (
        other < score ||
        (other === score && this.#branches.compareMember(words[at + LEAF_MEMBERS + middle] as Ref) < 0)
      ) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  #find(score: number, member: Bytes, ref: Ref): boolean {
    if (this.length === 0) return false;
    const leaf = this.#branches.descend(score, member);
    const index = this.#indexIn(leaf, score);
    this.leaf = leaf;
    this.index = index;
    return index < this.sizeOf(leaf) && this.memberAt(leaf, index) === ref;
  }

  /** Whether the element could keep its place with this score. No for an equal score, because members would decide. */
  #fitsAt(leaf: Ref, index: number, score: number): boolean {
    if (index > 0 ? this.scoreAt(leaf, index - 1) >= score : this.leafBefore(leaf) !== 0) return false;
    const last = this.sizeOf(leaf) - 1;
    return index < last ? this.scoreAt(leaf, index + 1) > score : this.leafAfter(leaf) === 0;
  }

  // ---- leaves: the path of `#branches` leads to the leaf ----

  #newLeaf(): Ref {
    const leaf = this.#arena.alloc(LEAF_BYTES);
    this.#leaves++;
    const words = this.#arena.wordsOf(leaf);
    const at = wordIndex(leaf);
    words[at] = 0;
    words[at + LEAF_NEXT] = 0;
    words[at + LEAF_PREVIOUS] = 0;
    return leaf;
  }

  #put(leaf: Ref, index: number, score: number, ref: Ref): void {
    this.#putOnly(leaf, index, score, ref);
    if (index === 0) this.#branches.setFirst(score, ref);
  }

  #putOnly(leaf: Ref, index: number, score: number, ref: Ref): void {
    const words = this.#arena.wordsOf(leaf);
    const doubles = this.#arena.doublesOf(leaf);
    openGap(words, doubles, doubleIndex(leaf), index);
    doubles[doubleIndex(leaf) + LEAF_SCORES + index] = score;
    words[wordIndex(leaf) + LEAF_MEMBERS + index] = ref;
  }

  /**
   * Splits a full leaf in two and inserts the element into one of them. At either end of the tree the old leaf stays
   * full, so that elements inserted in order fill the leaves.
   */
  #putSplitting(leaf: Ref, index: number, score: number, ref: Ref): void {
    const next = this.leafAfter(leaf);
    let middle = LEAF_CAPACITY >> 1;
    if (index === LEAF_CAPACITY && next === 0) middle = LEAF_CAPACITY;
    else if (index === 0 && this.leafBefore(leaf) === 0) middle = 0;
    const split = this.#newLeaf();
    moveElements(this.#arena, leaf, middle, split);
    this.#link(leaf, split);
    this.#link(split, next);
    if (index > middle || middle === LEAF_CAPACITY) this.#putOnly(split, index - middle, score, ref);
    else this.#put(leaf, index, score, ref);
    const first = this.scoreAt(split, 0);
    this.#branches.addLeaf(leaf, split, first, this.memberAt(split, 0), this.sizeOf(split));
  }

  /** Links two leaves. Either may be 0: then the other is at an end. */
  #link(left: Ref, right: Ref): void {
    const { words } = this.#arena;
    if (left !== 0) (words[pageOf(left)] as Int32Array)[wordIndex(left) + LEAF_NEXT] = right;
    if (right !== 0) (words[pageOf(right)] as Int32Array)[wordIndex(right) + LEAF_PREVIOUS] = left;
  }

  #cut(leaf: Ref, index: number, count: number): void {
    this.length -= count;
    this.#branches.addToPath(-count);
    const left = removeElements(this.#arena, leaf, index, count);
    if (left === 0) {
      this.#dropLeaf(leaf);
      this.#branches.removeLeaf();
      return;
    }
    if (index === 0) this.#branches.setFirst(this.scoreAt(leaf, 0), this.memberAt(leaf, 0));
    if (left < LEAF_MIN) this.#mergeLeaf();
  }

  #dropLeaf(leaf: Ref): void {
    this.#link(this.leafBefore(leaf), this.leafAfter(leaf));
    this.freeLeaf(leaf);
  }

  /** Joins the path's leaf with a sibling, if both together leave free space. */
  #mergeLeaf(): void {
    const branches = this.#branches;
    const right = branches.mergeableLeaf(LEAF_MERGED);
    if (right === 0) return;
    const from = branches.leafAt(right);
    moveElements(this.#arena, from, 0, branches.leafAt(right - 1));
    this.#dropLeaf(from);
    branches.leavesMerged(right);
  }
}
