/*
 * How much a node of a list may hold, as `list-max-listpack-size` says: entries if positive, else -1 … -5 for
 * 4, 8, 16, 32 and 64 KB. This is the list's *fill*.
 */

/** Whether a node of so many bytes and entries is within the limit; also for a list that is still one block. */
export function nodeAllows(fill: number, bytes: number, count: number): boolean {
  if (fill < 0) return bytes <= (NODE_SIZES[-fill - 1] as number);
  return bytes <= LARGEST_COUNTED_NODE && count <= fill;
}

/** The limit as Redis keeps it: what is beyond the possible counts as the extreme. */
export function clampFill(fill: number): number {
  return Math.max(Math.min(fill, MOST_ENTRIES), -NODE_SIZES.length);
}

/** Bytes a node may grow to; 0 if it is limited by its number of entries. */
export function nodeBytes(fill: number): number {
  return fill < 0 ? (NODE_SIZES[-fill - 1] as number) : 0;
}

/** What Redis reckons an entry takes beside its bytes when it asks whether a node has room. */
export const ENTRY_OVERHEAD = 8;
/** What Redis reckons is saved when two nodes become one; really it is a header and an end, 7 bytes. */
export const MERGE_SAVING = 11;

const NODE_SIZES = [4096, 8192, 16384, 32768, 65536];
/** A node limited by its number of entries is limited to so many bytes, too. */
const LARGEST_COUNTED_NODE = 8192;
const MOST_ENTRIES = (1 << 15) - 1;
