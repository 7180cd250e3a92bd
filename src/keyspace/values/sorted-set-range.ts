import { Bytes } from '../../bytes/bytes.js';

/** An interval of scores; either end may be excluded. */
export interface ScoreRange {
  readonly min: number;
  readonly minExclusive: boolean;
  readonly max: number;
  readonly maxExclusive: boolean;
}

export function isEmptyScoreRange({ min, minExclusive, max, maxExclusive }: ScoreRange): boolean {
  return min > max || (min === max && (minExclusive || maxExclusive));
}

export function isAboveMin(score: number, range: ScoreRange): boolean {
  return range.minExclusive ? score > range.min : score >= range.min;
}

export function isBelowMax(score: number, range: ScoreRange): boolean {
  return range.maxExclusive ? score < range.max : score <= range.max;
}

/** One end of an interval of members: a member, or beyond all members on one side (`-` and `+`). */
export interface LexBound {
  readonly kind: 'lowest' | 'member' | 'highest';
  readonly member: Bytes;
  readonly exclusive: boolean;
}

export interface LexRange {
  readonly min: LexBound;
  readonly max: LexBound;
}

export const LOWEST: LexBound = { kind: 'lowest', member: new Bytes(), exclusive: true };
export const HIGHEST: LexBound = { kind: 'highest', member: new Bytes(), exclusive: true };

/** Compares the member with the bound, like `memcmp`. */
function compareToBound(member: Bytes, bound: LexBound): number {
  if (bound.kind === 'member') return member.compare(bound.member);
  return bound.kind === 'lowest' ? 1 : -1;
}

export function isEmptyLexRange({ min, max }: LexRange): boolean {
  const order = compareBounds(min, max);
  return order > 0 || (order === 0 && (min.exclusive || max.exclusive));
}

function compareBounds(a: LexBound, b: LexBound): number {
  if (a.kind === 'member') return compareToBound(a.member, b);
  if (a.kind === b.kind) return 0;
  return a.kind === 'lowest' ? -1 : 1;
}

export function isLexAboveMin(member: Bytes, { min }: LexRange): boolean {
  const order = compareToBound(member, min);
  return min.exclusive ? order > 0 : order >= 0;
}

export function isLexBelowMax(member: Bytes, { max }: LexRange): boolean {
  const order = compareToBound(member, max);
  return max.exclusive ? order < 0 : order <= 0;
}
