import { Bytes } from '../../bytes/bytes.js';
import { type Ref, wordIndex } from '../../structures/arena/ref.js';
import type { OrderedTree } from '../../structures/ordered-tree/ordered-tree.js';
import { radixOrder } from '../../structures/radix-order.js';
import type { LargeSortedSet } from './large-sorted-set.js';

/**
 * The members of a sorted set whose tree is still empty, with keys that sort as they do: the score and the first eight bytes of the member.
 * Sorting 17,000 members and appending them takes a quarter of the time of inserting them one by one (measured).
 */
export class OrderKeys {
  readonly #set: LargeSortedSet;
  readonly #nodes: Int32Array;
  readonly #keys: Uint32Array;

  constructor(set: LargeSortedSet) {
    const { dict } = set;
    this.#set = set;
    this.#nodes = new Int32Array(dict.count);
    this.#keys = new Uint32Array(dict.count * KEY_WORDS);
    let count = 0;
    for (let bucket = 0; bucket < dict.bucketCount; bucket++) {
      for (let node = dict.first(bucket); node !== 0; node = dict.following(node)) this.#add(node, count++);
    }
  }

  /** Adds all members to the tree. */
  fill(tree: OrderedTree): void {
    const set = this.#set;
    const nodes = this.#nodes;
    const order = radixOrder(this.#keys, KEY_WORDS, nodes.length);
    for (let i = 0; i < order.length; i++) {
      const node = nodes[order[i] as number] as Ref;
      const score = set.scoreOf(node);
      // Members with the same first bytes are compared.
      if (i > 0 && this.#areEqual(order[i - 1] as number, order[i] as number)) {
        tree.insert(score, set.dict.key(node, memberView), node);
      } else {
        tree.append(score, node);
      }
    }
  }

  #add(node: Ref, place: number): void {
    const { dict } = this.#set;
    const keys = this.#keys;
    const at = place * KEY_WORDS;
    this.#nodes[place] = node;
    // Adding 0 makes -0 a 0, which is equal.
    scoreDouble[0] = this.#set.scoreOf(node) + 0;
    const high = scoreWords[1] as number;
    // Doubles sort as unsigned integers do, if the sign bit of positive ones and all bits of negative ones are inverted.
    const inverted = high >> 31;
    keys[at] = high ^ (inverted | SIGN_BIT);
    keys[at + 1] = (scoreWords[0] as number) ^ inverted;
    const words = dict.arena.wordsOf(node);
    const first = wordIndex(node) + dict.headerWords;
    const length = dict.keyLength(node);
    keys[at + 2] = length > 0 ? beginning(words[first] as number, length) : 0;
    keys[at + 3] = length > 4 ? beginning(words[first + 1] as number, length - 4) : 0;
  }

  #areEqual(one: number, other: number): boolean {
    const keys = this.#keys;
    const [a, b] = [one * KEY_WORDS, other * KEY_WORDS];
    for (let word = KEY_WORDS - 1; word >= 0; word--) {
      if (keys[a + word] !== keys[b + word]) return false;
    }
    return true;
  }
}

/** The bytes of a word as a number that sorts as they do; only the first `length` count, at least one. */
function beginning(word: number, length: number): number {
  const swapped = (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
  return length >= 4 ? swapped : swapped & (-1 << ((4 - length) << 3));
}

/** Two words of the score, two of the member. */
const KEY_WORDS = 4;
const SIGN_BIT = 1 << 31;
const scoreDouble = new Float64Array(1);
const scoreWords = new Int32Array(scoreDouble.buffer);
const memberView = new Bytes();
