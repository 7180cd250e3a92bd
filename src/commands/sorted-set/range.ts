import { Type } from '../../keyspace/kinds.js';
import type { LexRange, ScoreRange } from '../../keyspace/values/sorted-set-range.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { lexRange, scoreRange } from './range-arguments.js';
import { firstRank, lastRank } from './rank.js';
import { replyMember, replyMembersHeader } from './reply-members.js';
import { storeResult } from './store.js';

const sortedSet = new SortedSetValue();
const stored = new SortedSetValue();

type By = 'rank' | 'score' | 'lex';

/** Which part of a sorted set is wanted, in which direction. */
type Part =
  | { readonly by: 'rank'; readonly start: number; readonly end: number }
  | { readonly by: 'score'; readonly range: ScoreRange }
  | { readonly by: 'lex'; readonly range: LexRange };

interface RangeRequest {
  readonly part: Part;
  readonly reverse: boolean;
  readonly withScores: boolean;
  readonly offset: number;
  /** Negative: no limit. */
  readonly limit: number;
}

/** The properties that the command's name determines; options may add others. */
interface Fixed {
  readonly by: By | undefined;
  readonly reverse: boolean | undefined;
  readonly stores: boolean;
}

const ZRANGE: Fixed = { by: undefined, reverse: undefined, stores: false };
const ZREVRANGE: Fixed = { by: 'rank', reverse: true, stores: false };
const ZRANGEBYSCORE: Fixed = { by: 'score', reverse: false, stores: false };
const ZREVRANGEBYSCORE: Fixed = { by: 'score', reverse: true, stores: false };
const ZRANGEBYLEX: Fixed = { by: 'lex', reverse: false, stores: false };
const ZREVRANGEBYLEX: Fixed = { by: 'lex', reverse: true, stores: false };
const ZRANGESTORE: Fixed = { by: undefined, reverse: undefined, stores: true };

export function zrange(call: Call): void {
  if (call.argc === 4) replyRanks(call, false);
  else replyRange(call, ZRANGE);
}

export function zrevrange(call: Call): void {
  if (call.argc === 4) replyRanks(call, true);
  else replyRange(call, ZREVRANGE);
}

export function zrangebyscore(call: Call): void {
  replyRange(call, ZRANGEBYSCORE);
}

export function zrevrangebyscore(call: Call): void {
  replyRange(call, ZREVRANGEBYSCORE);
}

export function zrangebylex(call: Call): void {
  replyRange(call, ZRANGEBYLEX);
}

export function zrevrangebylex(call: Call): void {
  replyRange(call, ZREVRANGEBYLEX);
}

/** The usual request, a range of ranks without options: nothing is allocated. */
function replyRanks(call: Call, reverse: boolean): void {
  const { reply } = call;
  const start = call.integer(2);
  const end = call.integer(3);
  const entry = call.read(1, Type.sortedSet);
  if (entry === 0) {
    reply.array(0);
    return;
  }
  sortedSet.open(call.keyspace, call.db, entry);
  let left = locateRanks(start, end, reverse);
  call.visits(left);
  reply.array(left);
  if (left === 0) return;
  sortedSet.seek(reverse ? sortedSet.to - 1 : sortedSet.from);
  reply.bulk(sortedSet.member);
  while (--left > 0) {
    if (reverse) sortedSet.previous();
    else sortedSet.next();
    reply.bulk(sortedSet.member);
  }
}

function replyRange(call: Call, fixed: Fixed): void {
  const { reply } = call;
  const request = parseRange(call, 1, fixed);
  const entry = call.read(1, Type.sortedSet);
  if (entry === 0) {
    reply.array(0);
    return;
  }
  sortedSet.open(call.keyspace, call.db, entry);
  let left = locate(request);
  call.visits(left);
  replyMembersHeader(reply, left, request.withScores);
  for (let ok = left > 0 && begin(request); ok; ok = --left > 0 && advance(request)) {
    replyMember(reply, sortedSet, request.withScores);
  }
}

export function zrangestore(call: Call): void {
  const { db, keyspace } = call;
  const request = parseRange(call, 2, ZRANGESTORE);
  const entry = call.read(2, Type.sortedSet);
  stored.begin(keyspace, db);
  if (entry !== 0) {
    sortedSet.open(keyspace, db, entry);
    let left = locate(request);
    for (let ok = left > 0 && begin(request); ok; ok = --left > 0 && advance(request)) {
      stored.add(sortedSet.member, sortedSet.memberScore);
    }
  }
  storeResult(call, stored, 'zrangestore');
}

/** Moves to the first member of the range, which has been located and is not empty. */
function begin({ reverse }: RangeRequest): boolean {
  return sortedSet.seek(reverse ? sortedSet.to - 1 : sortedSet.from);
}

function advance({ reverse }: RangeRequest): boolean {
  return reverse ? sortedSet.previous() : sortedSet.next();
}

/** Finds the ranks of the range, `sortedSet.from` up to `sortedSet.to`, and returns their number. */
function locate({ part, reverse, offset, limit }: RangeRequest): number {
  if (part.by === 'rank') return locateRanks(part.start, part.end, reverse);
  const found =
    part.by === 'score' ? sortedSet.ranksByScore(part.range) : sortedSet.ranksByLex(part.range, reverse);
  if (offset < 0 || offset >= found) return 0;
  const count = limit < 0 ? found - offset : Math.min(limit, found - offset);
  if (reverse) sortedSet.to -= offset;
  else sortedSet.from += offset;
  return count;
}

function locateRanks(start: number, end: number, reverse: boolean): number {
  const { length } = sortedSet;
  const first = firstRank(start, length);
  const last = lastRank(end, length);
  sortedSet.from = reverse ? length - 1 - last : first;
  sortedSet.to = reverse ? length - first : last + 1;
  return Math.max(0, last + 1 - first);
}

/** Reads the range and the options behind the key in argument `keyAt`. */
function parseRange(call: Call, keyAt: number, fixed: Fixed): RangeRequest {
  let by = fixed.by;
  let reverse = fixed.reverse;
  let withScores = false;
  let offset = 0;
  let limit = -1;
  for (let i = keyAt + 3; i < call.argc; i++) {
    const option = call.arg(i);
    if (!fixed.stores && option.is('withscores')) {
      withScores = true;
    } else if (option.is('limit') && i + 2 < call.argc) {
      offset = call.integer(i + 1);
      limit = call.integer(i + 2);
      i += 2;
    } else if (reverse === undefined && option.is('rev')) {
      reverse = true;
    } else if (by === undefined && option.is('bylex')) {
      by = 'lex';
    } else if (by === undefined && option.is('byscore')) {
      by = 'score';
    } else {
      throw errors.syntax;
    }
  }
  by ??= 'rank';
  reverse ??= false;
  if (limit !== -1 && by === 'rank') throw limitWithRanks;
  if (withScores && by === 'lex') throw scoresWithLex;
  return { part: parsePart(call, keyAt, by, reverse), reverse, withScores, offset, limit };
}

/** The two arguments after the key. For scores and members in reverse order, the higher one comes first. */
function parsePart(call: Call, keyAt: number, by: By, reverse: boolean): Part {
  if (by === 'rank') return { by, start: call.integer(keyAt + 1), end: call.integer(keyAt + 2) };
  const minAt = reverse ? keyAt + 2 : keyAt + 1;
  const maxAt = reverse ? keyAt + 1 : keyAt + 2;
  return by === 'score'
    ? { by, range: scoreRange(call, minAt, maxAt) }
    : { by, range: lexRange(call, minAt, maxAt) };
}

const limitWithRanks = new CommandError(
  'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
);
const scoresWithLex = new CommandError(
  'ERR syntax error, WITHSCORES not supported in combination with BYLEX',
);
