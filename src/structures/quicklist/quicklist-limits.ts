/*
 * The max size of a node of a list, from `list-max-listpack-size`: entries if positive, else -1 … -5 for
 * 4, 8, 16, 32 and 64 KB. This is the list's *fill*.
 */

/** Whether a node with this size and number of entries is within the limit; also for a list that is still one block. */
export function nodeAllows(fill: number, bytes: number, count: number): boolean {
  if (fill < 0) return bytes <= (NODE_SIZES[-fill - 1] as number);
  return bytes <= LARGEST_COUNTED_NODE && count <= fill;
}

/** The limit as Redis stores it, clamped to the valid range. */
export function clampFill(fill: number): number {
  return Math.max(Math.min(fill, MAX_ENTRIES), -NODE_SIZES.length);
}

/** Bytes a node may grow to; 0 if it is limited by its number of entries. */
export function nodeBytes(fill: number): number {
  return fill < 0 ? (NODE_SIZES[-fill - 1] as number) : 0;
}

/** Redis's estimate of an entry's overhead, for the check whether an element fits into a node. */
export const ENTRY_OVERHEAD = 8;
/** Redis's estimate of the bytes saved by merging two nodes; the true number is 7, a header and an end mark. */
export const MERGE_SAVING = 11;

const NODE_SIZES = [4096, 8192, 16384, 32768, 65536];
/** Nodes that are limited by their number of entries are also limited to this many bytes. */
const LARGEST_COUNTED_NODE = 8192;
const MAX_ENTRIES = (1 << 15) - 1;
