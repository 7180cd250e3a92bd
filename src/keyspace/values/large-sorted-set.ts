import { Bytes } from '../../bytes/bytes.js';
import type { Arena } from '../../structures/arena/arena.js';
import { doubleIndex, NO_BLOCK, type Ref } from '../../structures/arena/ref.js';
import type { KeyedHash } from '../../structures/dict/keyed-hash.js';
import { OrderedTree } from '../../structures/ordered-tree/ordered-tree.js';
import { LEAF_CAPACITY } from '../../structures/ordered-tree/ordered-tree-node.js';
import { DictValue } from './dict-value.js';
import { OrderKeys } from './order-keys.js';

/**
 * What Redis calls the `skiplist` encoding: a dictionary from members to scores, and a tree of its nodes in the order of
 * the scores.
 */
export class LargeSortedSet extends DictValue {
  readonly tree: OrderedTree;
  /** While being released: the leaf reached, and the index in it. */
  #releasing = false;
  #leaf = NO_BLOCK;
  #index = 0;

  constructor(arena: Arena, keyedHash: KeyedHash) {
    super(arena, keyedHash, SCORE_WORDS);
    this.tree = new OrderedTree(this.dict);
  }

  scoreOf(node: Ref): number {
    return this.dict.arena.doublesOf(node)[doubleIndex(node) + SCORE_AT] as number;
  }

  /** Adds a member that is not there; `hash` is `dict.hash(member)`. */
  insert(member: Bytes, hash: number, score: number): void {
    this.tree.insert(score, member, this.collect(member, hash, score));
  }

  setScore(node: Ref, score: number): void {
    if (this.dict.guard !== undefined) this.dict.guard(node);
    this.tree.update(this.scoreOf(node), this.dict.key(node, memberView), node, score);
    this.#write(node, score);
  }

  remove(node: Ref): void {
    this.tree.remove(this.scoreOf(node), this.dict.key(node, memberView), node);
    this.dict.remove(node);
  }

  /** Removes `count` members from this rank on. */
  removeRanks(rank: number, count: number): void {
    for (let left = count; left > 0; ) {
      const taken = this.tree.take(rank, left, takenNodes);
      if (taken === 0) return;
      for (let i = 0; i < taken; i++) this.dict.remove(takenNodes[i] as Ref);
      left -= taken;
    }
  }

  rankOf(node: Ref): number {
    return this.tree.rank(this.scoreOf(node), this.dict.key(node, memberView));
  }

  // ---- collecting first, ordering afterwards: for results whose scores change while they are computed ----

  /** Like `insert`, but the member has no rank until `order` is called. */
  collect(member: Bytes, hash: number, score: number): Ref {
    const node = this.dict.insert(member, hash);
    this.#write(node, score);
    return node;
  }

  /** Changes the score of a member that has no rank yet. */
  rescore(node: Ref, score: number): void {
    this.#write(node, score);
  }

  /** Gives all members their ranks. Call this once, on a set that was filled by `collect` alone. */
  order(): void {
    const { dict, tree } = this;
    if (dict.count < WORTH_SORTING) {
      for (let bucket = 0; bucket < dict.bucketCount; bucket++) {
        for (let node = dict.first(bucket); node !== 0; node = dict.following(node)) {
          tree.insert(this.scoreOf(node), dict.key(node, memberView), node);
        }
      }
    } else {
      new OrderKeys(this).fill(tree);
    }
  }

  // ---- as a large value ----

  override memory(): number {
    return super.memory() + this.tree.bytes;
  }

  /** Leaf by leaf. The dictionary's chains are not maintained, because its table is dropped as a whole. */
  override release(steps: number): number {
    const { tree } = this;
    if (!this.#releasing) {
      this.#releasing = true;
      this.#leaf = tree.dismantle();
    }
    for (let step = 0; step < steps; step++) {
      const leaf = this.#leaf;
      if (leaf === 0) return step;
      this.dict.arena.free(tree.memberAt(leaf, this.#index++));
      if (this.#index === tree.sizeOf(leaf)) {
        this.#leaf = tree.leafAfter(leaf);
        this.#index = 0;
        tree.freeLeaf(leaf);
      }
    }
    return steps;
  }

  #write(node: Ref, score: number): void {
    this.dict.arena.doublesOf(node)[doubleIndex(node) + SCORE_AT] = score;
  }
}

/** The score takes two of a node's own words, which follow two others: it is the node's second double. */
const SCORE_WORDS = 2;
const SCORE_AT = 1;

/** From this length on, sorting takes less time than inserting one by one. */
const WORTH_SORTING = 128;

const memberView = new Bytes();
const takenNodes = new Int32Array(LEAF_CAPACITY);
