import type { StreamId } from './stream-id.js';

/**
 * The layout of an `IdTree`'s nodes in their blocks, in words: the number of elements, the next and the previous leaf
 * (not used in inner nodes), one spare word, then the elements, each an ID and its data. In an inner node the data
 * is the child's ref.
 */
export const NODE_BYTES = 1024;
export const NEXT = 1;
export const PREVIOUS = 2;
export const HEADER_WORDS = 4;
export const ID_WORDS = 4;
export const INNER_STRIDE = ID_WORDS + 1;
export const INNER_CAPACITY = leafCapacity(INNER_STRIDE);

/** The number of elements of `stride` words that fit into a node. */
export function leafCapacity(stride: number): number {
  return Math.floor(((NODE_BYTES >> 2) - HEADER_WORDS) / stride);
}

/** The number of elements of the node at `at` with an ID up to this one. */
export function countNotAbove(words: Int32Array, at: number, stride: number, id: StreamId): number {
  const first = at + HEADER_WORDS;
  let low = 0;
  let high = words[at] as number;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareAt(words, first + middle * stride, id) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares the ID in these words with another. */
function compareAt(words: Int32Array, at: number, id: StreamId): number {
  let word = (words[at] as number) >>> 0;
  if (word !== id.msHigh) return word - id.msHigh;
  word = (words[at + 1] as number) >>> 0;
  if (word !== id.msLow) return word - id.msLow;
  word = (words[at + 2] as number) >>> 0;
  if (word !== id.seqHigh) return word - id.seqHigh;
  return ((words[at + 3] as number) >>> 0) - id.seqLow;
}

/** Makes space for one element at `index`. */
export function insertGap(words: Int32Array, at: number, stride: number, index: number): void {
  const count = words[at] as number;
  const from = at + HEADER_WORDS + index * stride;
  if (index < count) words.copyWithin(from + stride, from, at + HEADER_WORDS + count * stride);
  words[at] = count + 1;
}

export function removeElement(words: Int32Array, at: number, stride: number, index: number): void {
  const count = words[at] as number;
  const from = at + HEADER_WORDS + index * stride;
  if (index + 1 < count) words.copyWithin(from, from + stride, at + HEADER_WORDS + count * stride);
  words[at] = count - 1;
}

/** Moves the elements from `index` on to the end of another node. */
export function appendElements(
  words: Int32Array,
  at: number,
  index: number,
  targetWords: Int32Array,
  targetAt: number,
  stride: number,
): void {
  const count = words[at] as number;
  const held = targetWords[targetAt] as number;
  const from = at + HEADER_WORDS + index * stride;
  const to = targetAt + HEADER_WORDS + held * stride;
  const moved = (count - index) * stride;
  for (let i = 0; i < moved; i++) targetWords[to + i] = words[from + i] as number;
  words[at] = index;
  targetWords[targetAt] = held + count - index;
}
