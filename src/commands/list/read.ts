import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { ListValue } from '../../keyspace/values/list-value.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { replyElement } from '../reply-element.js';
import { replyForwards } from './elements.js';

const list = new ListValue();
const element = new Element();

export function llen(call: Call): void {
  const entry = call.read(1, Type.list);
  call.reply.integer(entry === 0 ? 0 : list.open(call.keyspace, call.db, entry).length);
}

export function lindex(call: Call): void {
  const entry = call.read(1, Type.list);
  if (entry === 0) {
    call.reply.null();
    return;
  }
  const index = call.integer(2);
  list.open(call.keyspace, call.db, entry);
  if (list.seek(index)) replyElement(call.reply, list.read(element));
  else call.reply.null();
}

export function lrange(call: Call): void {
  const from = call.integer(2);
  const to = call.integer(3);
  const entry = call.read(1, Type.list);
  if (entry === 0) {
    call.reply.array(0);
    return;
  }
  const { length } = list.open(call.keyspace, call.db, entry);
  const first = from < 0 ? Math.max(length + from, 0) : from;
  const last = to < 0 ? length + to : Math.min(to, length - 1);
  if (first > last) {
    call.reply.array(0);
    return;
  }
  // The elements before the range count too, from the nearer end: their nodes are passed.
  call.visits(Math.min(last + 1, length - first));
  replyForwards(call.reply, list, first, last - first + 1);
}

interface Search {
  /** RANK: the first match to return; negative: counted from the tail. */
  readonly rank: number;
  /** COUNT: how many matches to reply with, 0 for all; undefined: one, not as an array. */
  readonly count: number | undefined;
  /** MAXLEN: how many elements to compare; 0 for all. */
  readonly maxLookedAt: number;
}

export function lpos(call: Call): void {
  const search = parseSearch(call);
  const entry = call.read(1, Type.list);
  if (entry !== 0) reportMatches(call, entry, search);
  else if (search.count === undefined) call.reply.null();
  else call.reply.array(0);
}

function parseSearch(call: Call): Search {
  let rank = 1;
  let count: number | undefined;
  let maxLookedAt = 0;
  for (let i = 3; i < call.argc; i += 2) {
    const option = call.arg(i);
    if (i + 1 === call.argc) throw errors.syntax;
    if (option.is('rank')) {
      rank = parseRank(call, i + 1);
      if (rank === 0) throw rankIsZero;
    } else if (option.is('count')) {
      count = call.integer(i + 1, negativeCount);
      if (count < 0) throw negativeCount;
    } else if (option.is('maxlen')) {
      maxLookedAt = call.integer(i + 1, negativeLength);
      if (maxLookedAt < 0) throw negativeLength;
    } else {
      throw errors.syntax;
    }
  }
  return { rank, count, maxLookedAt };
}

function parseRank(call: Call, index: number): number {
  // The lowest integer stays negative when negated, so Redis takes the first match.
  return call.text(index) === LOWEST_INTEGER ? -1 : call.integer(index);
}

function reportMatches(call: Call, entry: Entry, { rank, count, maxLookedAt }: Search): void {
  const { reply } = call;
  const sought = call.arg(2);
  const { length } = list.open(call.keyspace, call.db, entry);
  const max = maxLookedAt === 0 ? length : Math.min(maxLookedAt, length);
  const forwards = rank > 0;
  const skipped = Math.abs(rank) - 1;
  const mark = count === undefined ? 0 : reply.defer();
  let matches = 0;
  let reported = 0;
  list.seek(forwards ? 0 : -1);
  for (let lookedAt = 0; lookedAt < max; lookedAt++) {
    if (list.equals(sought) && ++matches > skipped) {
      reply.integer(forwards ? lookedAt : length - 1 - lookedAt);
      reported++;
      if (count === undefined) return;
      if (reported === count) break;
    }
    if (forwards) list.next();
    else list.previous();
  }
  if (count === undefined) reply.null();
  else reply.finishArray(mark, reported);
}

const LOWEST_INTEGER = '-9223372036854775808';
const rankIsZero = new CommandError(
  "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
);
const negativeCount = new CommandError("ERR COUNT can't be negative");
const negativeLength = new CommandError("ERR MAXLEN can't be negative");
