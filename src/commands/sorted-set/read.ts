import { Type } from '../../keyspace/kinds.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Call } from '../call.js';
import { lexRange, scoreRange } from './range-arguments.js';

const sortedSet = new SortedSetValue();

export function zscore(call: Call): void {
  const entry = call.read(1, Type.sortedSet);
  if (entry === 0) {
    call.reply.null();
    return;
  }
  replyScore(call, sortedSet.open(call.keyspace, call.db, entry).score(call.arg(2)));
}

export function zmscore(call: Call): void {
  const { argc, reply } = call;
  const entry = call.read(1, Type.sortedSet);
  if (entry !== 0) sortedSet.open(call.keyspace, call.db, entry);
  reply.array(argc - 2);
  for (let i = 2; i < argc; i++) replyScore(call, entry === 0 ? Number.NaN : sortedSet.score(call.arg(i)));
}

function replyScore({ reply }: Call, score: number): void {
  if (Number.isNaN(score)) reply.null();
  else reply.double(score);
}

export function zcard(call: Call): void {
  const entry = call.read(1, Type.sortedSet);
  call.reply.integer(entry === 0 ? 0 : sortedSet.open(call.keyspace, call.db, entry).length);
}

export function zcount(call: Call): void {
  const range = scoreRange(call, 2, 3);
  const entry = call.read(1, Type.sortedSet);
  call.reply.integer(entry === 0 ? 0 : sortedSet.open(call.keyspace, call.db, entry).ranksByScore(range));
}

export function zlexcount(call: Call): void {
  const range = lexRange(call, 2, 3);
  const entry = call.read(1, Type.sortedSet);
  call.reply.integer(entry === 0 ? 0 : sortedSet.open(call.keyspace, call.db, entry).ranksByLex(range));
}

export function zrank(call: Call): void {
  replyRank(call, false);
}

export function zrevrank(call: Call): void {
  replyRank(call, true);
}

function replyRank(call: Call, reverse: boolean): void {
  const entry = call.read(1, Type.sortedSet);
  const rank = entry === 0 ? -1 : sortedSet.open(call.keyspace, call.db, entry).rank(call.arg(2));
  if (rank < 0) call.reply.null();
  else call.reply.integer(reverse ? sortedSet.length - 1 - rank : rank);
}
