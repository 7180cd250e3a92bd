import { Bytes } from '../../bytes/bytes.js';
import { parseDouble, writeDouble } from '../../bytes/numbers/double.js';
import type { Arena } from '../../structures/arena/arena.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Element } from '../../structures/element.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import {
  isAboveMin,
  isBelowMax,
  isLexAboveMin,
  isLexBelowMax,
  type LexRange,
  type ScoreRange,
} from './sorted-set-range.js';

/**
 * A small sorted set as one listpack, exactly as Redis has it: member, score, member, score …, in order. A score that is
 * an integer of at most 2^62 is stored as one (so -0 becomes 0), any other as its text.
 *
 * A cursor, as `Listpack` is: read `ref` again after a change. Positions are those of members.
 */
export class PackedSortedSet {
  readonly #pack = new Listpack();
  readonly #member = new Element();
  readonly #score = new Element();
  /** Result of a search for a range: the ranks from `from` up to, but not including, `to`. */
  from = 0;
  to = 0;

  open(arena: Arena, ref: Ref): void {
    this.#pack.open(arena, ref);
  }

  get ref(): Ref {
    return this.#pack.ref;
  }

  get length(): number {
    return this.#pack.count >> 1;
  }

  get pack(): Listpack {
    return this.#pack;
  }

  /** The member's position, or -1. */
  find(member: Bytes): number {
    return this.#pack.find(member, this.#pack.first(), 1);
  }

  /** The position of the member with this rank, or -1. */
  at(rank: number): number {
    return this.#pack.at(rank << 1);
  }

  /** Reads the member at `position` and returns the position of the next one, or -1; its score is `lastScore`. */
  read(position: number, member: Element): number {
    const behind = this.#pack.readAndAdvance(position, member);
    const next = this.#pack.readAndAdvance(behind, this.#score);
    this.lastScore = scoreOf(this.#score);
    return next;
  }

  lastScore = 0;

  /** The position of the member before the one at `position`, or -1. */
  before(position: number): number {
    const score = this.#pack.previous(position);
    return score === -1 ? -1 : this.#pack.previous(score);
  }

  scoreAt(position: number): number {
    return scoreOf(this.#pack.read(this.#pack.next(position), this.#score));
  }

  rankOf(position: number): number {
    let rank = 0;
    for (let at = this.before(position); at !== -1; at = this.before(at)) rank++;
    return rank;
  }

  /** Adds a member that is not there. */
  insert(member: Bytes, score: number): void {
    const pack = this.#pack;
    for (let at = pack.first(); at !== -1; ) {
      const here = at;
      at = pack.readAndAdvance(pack.next(here), this.#score);
      const other = scoreOf(this.#score);
      if (other < score || (other === score && this.#memberAt(here).compare(member) <= 0)) continue;
      this.#insertScoreBefore(here, score);
      pack.insertBefore(here, member);
      return;
    }
    this.append(member, score);
  }

  /** Adds a member that is above all others. */
  append(member: Bytes, score: number): void {
    this.#pack.append(member);
    this.#insertScoreBefore(this.#pack.end, score);
  }

  removeAt(position: number): void {
    this.#pack.delete(position, 2);
  }

  removeRanks(rank: number, count: number): void {
    this.#pack.delete(this.at(rank), count << 1);
  }

  #insertScoreBefore(position: number, score: number): void {
    const pack = this.#pack;
    if (Number.isInteger(score) && score >= -LARGEST_INTEGER && score <= LARGEST_INTEGER) {
      // `+ 0` makes 0 of -0.
      pack.insertIntegerBefore(position, Number.isSafeInteger(score) ? score + 0 : BigInt(score));
    } else {
      pack.insertBefore(position, scoreText.set(scoreBuffer, 0, writeDouble(scoreBuffer, 0, score)));
    }
  }

  // ---- ranges ----

  /** Finds the ranks of the scores within the range, which is not empty in itself. */
  ranksByScore(range: ScoreRange): void {
    let from = 0;
    let to = 0;
    for (let at = this.#pack.first(); at !== -1; to++) {
      at = this.read(at, this.#member);
      if (!isBelowMax(this.lastScore, range)) break;
      if (!isAboveMin(this.lastScore, range)) from++;
    }
    this.from = from;
    this.to = to;
  }

  /**
   * Finds the ranks of the members within the range, which is not empty in itself. Where scores differ, members are not in
   * order, and Redis finds the first run of them that is within the range (`reverse`: the last).
   */
  ranksByLex(range: LexRange, reverse: boolean): void {
    this.from = 0;
    this.to = 0;
    const first = this.#pack.first();
    const last = this.at(-1);
    if (first === -1 || !this.#isAboveMin(last, range) || !this.#isBelowMax(first, range)) return;
    if (reverse) this.#lastRun(range, last);
    else this.#firstRun(range, first);
  }

  #firstRun(range: LexRange, first: number): void {
    let at = first;
    let rank = 0;
    for (; at !== -1 && !this.#isAboveMin(at, range); rank++) at = this.#after(at);
    this.from = rank;
    for (; at !== -1 && this.#isBelowMax(at, range); rank++) at = this.#after(at);
    this.to = rank;
  }

  #lastRun(range: LexRange, last: number): void {
    let at = last;
    let rank = this.length;
    for (; at !== -1 && !this.#isBelowMax(at, range); rank--) at = this.before(at);
    this.to = rank;
    for (; at !== -1 && this.#isAboveMin(at, range); rank--) at = this.before(at);
    this.from = rank;
  }

  #after(position: number): number {
    return this.#pack.next(this.#pack.next(position));
  }

  #isAboveMin(position: number, range: LexRange): boolean {
    return isLexAboveMin(this.#memberAt(position), range);
  }

  #isBelowMax(position: number, range: LexRange): boolean {
    return isLexBelowMax(this.#memberAt(position), range);
  }

  #memberAt(position: number): Bytes {
    return this.#pack.read(position, this.#member).toBytes();
  }
}

function scoreOf(element: Element): number {
  if (element.isInteger) return element.integer;
  const { buf, start, end } = element.bytes;
  return parseDouble(buf, start, end);
}

const LARGEST_INTEGER = 2 ** 62;
const scoreBuffer = Buffer.alloc(32);
const scoreText = new Bytes(scoreBuffer);
