import type { Arena } from '../arena/arena.js';
import { doubleIndex, type Ref, wordIndex } from '../arena/ref.js';

/**
 * The layout of an `OrderedTree`'s nodes in their blocks. Their sizes match the arena's size classes.
 *
 * A leaf: its number of elements, the leaves after and before it, one spare word; scores; refs of members.
 * An inner node: its number of children, one spare word; of each child the first score; the first member; the child's
 * ref; and the number of elements below it.
 *
 * Offsets are in words from the block's start, except those of scores, which are in doubles.
 */
export const LEAF_CAPACITY = 62;
export const LEAF_NEXT = 1;
export const LEAF_PREVIOUS = 2;
export const LEAF_SCORES = 2;
export const LEAF_MEMBERS = 4 + LEAF_CAPACITY * 2;
export const LEAF_BYTES = (LEAF_MEMBERS + LEAF_CAPACITY) * 4;

export const INNER_CAPACITY = 50;
export const INNER_SCORES = 1;
export const INNER_MEMBERS = 2 + INNER_CAPACITY * 2;
export const INNER_CHILDREN = INNER_MEMBERS + INNER_CAPACITY;
export const INNER_COUNTS = INNER_CHILDREN + INNER_CAPACITY;
export const INNER_BYTES = (INNER_COUNTS + INNER_CAPACITY) * 4;

/** Below this, a node is merged with a sibling if the merged node has space for a quarter more. */
export const LEAF_MIN = LEAF_CAPACITY >> 2;
export const LEAF_MERGED = LEAF_CAPACITY - LEAF_MIN;
export const INNER_MIN = INNER_CAPACITY >> 2;
export const INNER_MERGED = INNER_CAPACITY - INNER_MIN;

/** Makes space for one element at `index` of the leaf at `offset` (in doubles), which is not full. */
export function openGap(words: Int32Array, doubles: Float64Array, offset: number, index: number): void {
  const at = offset << 1;
  const count = words[at] as number;
  const scores = offset + LEAF_SCORES;
  const members = at + LEAF_MEMBERS;
  for (let i = count; i > index; i--) {
    doubles[scores + i] = doubles[scores + i - 1] as number;
    words[members + i] = words[members + i - 1] as number;
  }
  words[at] = count + 1;
}

/** Removes `removed` elements of the leaf from `index` on; returns the number left. */
export function removeElements(arena: Arena, leaf: Ref, index: number, removed: number): number {
  const words = arena.wordsOf(leaf);
  const doubles = arena.doublesOf(leaf);
  const at = wordIndex(leaf);
  const left = (words[at] as number) - removed;
  const scores = doubleIndex(leaf) + LEAF_SCORES;
  const members = at + LEAF_MEMBERS;
  for (let i = index; i < left; i++) {
    doubles[scores + i] = doubles[scores + i + removed] as number;
    words[members + i] = words[members + i + removed] as number;
  }
  words[at] = left;
  return left;
}

/** Moves the elements of `leaf` from `index` on to the end of `target`. */
export function moveElements(arena: Arena, leaf: Ref, index: number, target: Ref): void {
  const words = arena.wordsOf(leaf);
  const doubles = arena.doublesOf(leaf);
  const at = wordIndex(leaf);
  const targetWords = arena.wordsOf(target);
  const targetDoubles = arena.doublesOf(target);
  const targetAt = wordIndex(target);
  const moved = (words[at] as number) - index;
  const held = targetWords[targetAt] as number;
  for (let i = 0; i < moved; i++) {
    targetDoubles[doubleIndex(target) + LEAF_SCORES + held + i] = doubles[
      doubleIndex(leaf) + LEAF_SCORES + index + i
    ] as number;
    targetWords[targetAt + LEAF_MEMBERS + held + i] = words[at + LEAF_MEMBERS + index + i] as number;
  }
  words[at] = index;
  targetWords[targetAt] = held + moved;
}

/** Inserts a child at `place` of an inner node that is not full. */
export function insertChild(
  arena: Arena,
  node: Ref,
  place: number,
  child: Ref,
  score: number,
  member: Ref,
  below: number,
): void {
  const words = arena.wordsOf(node);
  const doubles = arena.doublesOf(node);
  const at = wordIndex(node);
  const scores = doubleIndex(node) + INNER_SCORES;
  const count = words[at] as number;
  for (let i = count; i > place; i--) {
    doubles[scores + i] = doubles[scores + i - 1] as number;
    words[at + INNER_MEMBERS + i] = words[at + INNER_MEMBERS + i - 1] as number;
    words[at + INNER_CHILDREN + i] = words[at + INNER_CHILDREN + i - 1] as number;
    words[at + INNER_COUNTS + i] = words[at + INNER_COUNTS + i - 1] as number;
  }
  doubles[scores + place] = score;
  words[at + INNER_MEMBERS + place] = member;
  words[at + INNER_CHILDREN + place] = child;
  words[at + INNER_COUNTS + place] = below;
  words[at] = count + 1;
}

/** Removes a child of an inner node; returns the number left. */
export function removeChild(arena: Arena, node: Ref, place: number): number {
  const words = arena.wordsOf(node);
  const doubles = arena.doublesOf(node);
  const at = wordIndex(node);
  const scores = doubleIndex(node) + INNER_SCORES;
  const left = (words[at] as number) - 1;
  for (let i = place; i < left; i++) {
    doubles[scores + i] = doubles[scores + i + 1] as number;
    words[at + INNER_MEMBERS + i] = words[at + INNER_MEMBERS + i + 1] as number;
    words[at + INNER_CHILDREN + i] = words[at + INNER_CHILDREN + i + 1] as number;
    words[at + INNER_COUNTS + i] = words[at + INNER_COUNTS + i + 1] as number;
  }
  words[at] = left;
  return left;
}

/** Moves the children of `node` from `index` on to the end of `target`. */
export function moveChildren(arena: Arena, node: Ref, index: number, target: Ref): void {
  const words = arena.wordsOf(node);
  const doubles = arena.doublesOf(node);
  const at = wordIndex(node);
  const count = words[at] as number;
  let held = arena.wordsOf(target)[wordIndex(target)] as number;
  for (let i = index; i < count; i++) {
    insertChild(
      arena,
      target,
      held++,
      words[at + INNER_CHILDREN + i] as Ref,
      doubles[doubleIndex(node) + INNER_SCORES + i] as number,
      words[at + INNER_MEMBERS + i] as Ref,
      words[at + INNER_COUNTS + i] as number,
    );
  }
  words[at] = index;
}
