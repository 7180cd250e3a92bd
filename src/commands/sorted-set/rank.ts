/*
 * Ranks as arguments: counted from 0 at the beginning, or from -1 at the end.
 */

/** The start of a range of ranks: at least 0, possibly after the end. */
export function firstRank(start: number, length: number): number {
  return Math.max(0, start < 0 ? length + start : start);
}

/** The last rank of a range: below `length`, perhaps negative. */
export function lastRank(end: number, length: number): number {
  return Math.min(length - 1, end < 0 ? length + end : end);
}
