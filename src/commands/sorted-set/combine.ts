import { Bytes } from '../../bytes/bytes.js';
import { LargeSortedSet } from '../../keyspace/values/large-sorted-set.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Ref } from '../../structures/arena/ref.js';
import type { Dict } from '../../structures/dict/dict.js';
import { DictWalk } from '../../structures/dict/dict-walk.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { openSources, type Source } from './combine-source.js';
import { replyMember, replyMembersHeader } from './reply-members.js';
import { storeResult } from './store.js';

const result = new SortedSetValue();

type Combine = (request: CombineRequest, into: LargeSortedSet) => void;

export function zunion(call: Call): void {
  replyCombined(call, 'weighted', union);
}

export function zinter(call: Call): void {
  replyCombined(call, 'weighted', intersect);
}

export function zdiff(call: Call): void {
  replyCombined(call, 'plain', subtract);
}

export function zunionstore(call: Call): void {
  storeCombined(call, 'weighted', union, 'zunionstore');
}

export function zinterstore(call: Call): void {
  storeCombined(call, 'weighted', intersect, 'zinterstore');
}

export function zdiffstore(call: Call): void {
  storeCombined(call, 'plain', subtract, 'zdiffstore');
}

export function zintercard(call: Call): void {
  const { sources, limit } = parseRequest(call, 1, 'cardinality', false);
  const [first, ...others] = smallestFirst(sources);
  let count = 0;
  while ((limit === 0 || count < limit) && (first as Source).next()) {
    if (others.every((other) => !Number.isNaN(other.scoreOf((first as Source).member)))) count++;
  }
  call.reply.integer(count);
}

function replyCombined(call: Call, kind: OptionKind, combine: Combine): void {
  const { reply } = call;
  const request = parseRequest(call, 1, kind, false);
  compute(call, request, combine);
  replyMembersHeader(reply, result.length, request.withScores);
  for (let ok = result.seek(0); ok; ok = result.next()) replyMember(reply, result, request.withScores);
  result.discard();
}

function storeCombined(call: Call, kind: OptionKind, combine: Combine, event: string): void {
  compute(call, parseRequest(call, 2, kind, true), combine);
  result.packIfSmall();
  storeResult(call, result, event);
}

/** Leaves the combination in `result`, without a key. */
function compute(call: Call, request: CombineRequest, combine: Combine): void {
  const large = new LargeSortedSet(call.db.arena, call.db.keyedHash);
  combine(request, large);
  large.order();
  result.adoptLarge(call.keyspace, call.db, large);
}

// ---- the combinations ----

/** Sums of floats depend on the order: Redis adds the scores beginning with the smallest input. */
function smallestFirst(sources: readonly Source[]): Source[] {
  return [...sources].sort((a, b) => a.length - b.length);
}

function union({ sources, aggregate }: CombineRequest, into: LargeSortedSet): void {
  const { dict } = into;
  for (const source of smallestFirst(sources)) {
    while (source.next()) {
      const hash = dict.hash(source.member);
      const node = dict.findHashed(source.member, hash);
      if (node === 0) into.collect(source.member, hash, source.weighted);
      else into.rescore(node, aggregate(into.scoreOf(node), source.weighted));
    }
  }
}

function intersect({ sources, aggregate }: CombineRequest, into: LargeSortedSet): void {
  const [first, ...others] = smallestFirst(sources) as [Source, ...Source[]];
  const { dict } = first;
  if (dict !== undefined && dict.count >= WORTH_LOADING_AHEAD) {
    intersectLarge(first, dict, others, aggregate, into);
    return;
  }
  while (first.next()) {
    let score = first.weighted;
    let inAll = true;
    for (const other of others) {
      const found = other.scoreOf(first.member);
      if (Number.isNaN(found)) {
        inAll = false;
        break;
      }
      score = aggregate(score, found * other.weight);
    }
    if (inAll) into.collect(first.member, into.dict.hash(first.member), score);
  }
}

/** The same in batches, whose members are looked up together: the waits for memory overlap. */
function intersectLarge(
  first: Source,
  dict: Dict,
  others: readonly Source[],
  aggregate: Aggregate,
  into: LargeSortedSet,
): void {
  const { nodes, hashes } = walk;
  for (let count = walk.start(dict); count > 0; count = walk.next()) {
    for (let i = 0; i < count; i++) scores[i] = first.weigh(first.nodeScore(nodes[i] as Ref));
    let kept = count;
    for (const other of others) kept = keepMembersOf(other, dict, kept, aggregate);
    for (let i = 0; i < kept; i++) {
      into.collect(dict.key(nodes[i] as Ref, memberView), hashes[i] as number, scores[i] as number);
    }
  }
}

/** Keeps the members of the batch that `other` has, too, with their new scores. Returns how many there are. */
function keepMembersOf(other: Source, dict: Dict, count: number, aggregate: Aggregate): number {
  const { nodes, hashes } = walk;
  const theirs = other.dict;
  if (theirs !== undefined) walk.touched ^= theirs.touch(hashes, theirNodes, count);
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const node = nodes[i] as Ref;
    const member = dict.key(node, memberView);
    let score: number;
    if (theirs === undefined) {
      score = other.scoreOf(member);
      if (Number.isNaN(score)) continue;
    } else {
      const found = theirs.findHashed(member, hashes[i] as number);
      if (found === 0) continue;
      score = other.nodeScore(found);
    }
    nodes[kept] = node;
    hashes[kept] = hashes[i] as number;
    scores[kept++] = aggregate(scores[i] as number, score * other.weight);
  }
  return kept;
}

/** Smaller sets fit in the processor's caches, or take little time anyway. */
const WORTH_LOADING_AHEAD = 512;
const walk = new DictWalk();
const scores = new Float64Array(walk.nodes.length);
const theirNodes = new Int32Array(walk.nodes.length);
const memberView = new Bytes();

function subtract({ sources }: CombineRequest, into: LargeSortedSet): void {
  const [first, ...others] = sources as [Source, ...Source[]];
  while (first.next()) {
    if (others.every((other) => Number.isNaN(other.scoreOf(first.member)))) {
      into.collect(first.member, into.dict.hash(first.member), first.score);
    }
  }
}

/** Aggregates two scores. NaN does not change `min` and `max`. */
type Aggregate = (score: number, other: number) => number;

/** Infinities of both signs add up to zero. */
function sum(score: number, other: number): number {
  const total = score + other;
  return Number.isNaN(total) ? 0 : total;
}

function lower(score: number, other: number): number {
  return other < score ? other : score;
}

function higher(score: number, other: number): number {
  return other > score ? other : score;
}

// ---- arguments ----

interface CombineRequest {
  readonly sources: readonly Source[];
  readonly aggregate: Aggregate;
  readonly withScores: boolean;
  /** The limit of ZINTERCARD; 0 is no limit. */
  readonly limit: number;
}

/** Which options a command takes: WEIGHTS and AGGREGATE; none; LIMIT. And WITHSCORES, if it replies with members. */
type OptionKind = 'weighted' | 'plain' | 'cardinality';

/** Reads the arguments from the number of keys (`countAt`) on. As in Redis, keys are looked up before options are read. */
function parseRequest(call: Call, countAt: number, kind: OptionKind, stores: boolean): CombineRequest {
  const { argc } = call;
  const keys = call.integer(countAt);
  if (keys < 1) throw tooFewKeys(call);
  if (keys > argc - countAt - 1) throw errors.syntax;
  const sources = openSources(call, countAt + 1, countAt + 1 + keys);
  let aggregate: Aggregate = sum;
  let withScores = false;
  let limit = 0;
  for (let i = countAt + 1 + keys; i < argc; ) {
    const option = call.arg(i);
    const left = argc - i;
    if (kind === 'weighted' && left > keys && option.is('weights')) {
      for (const [at, source] of sources.entries()) source.weight = call.double(i + 1 + at, weightNotFloat);
      i += 1 + keys;
    } else if (kind === 'weighted' && left >= 2 && option.is('aggregate')) {
      aggregate = parseAggregate(call, i + 1);
      i += 2;
    } else if (kind !== 'cardinality' && !stores && option.is('withscores')) {
      withScores = true;
      i++;
    } else if (kind === 'cardinality' && left >= 2 && option.is('limit')) {
      limit = call.integer(i + 1, negativeLimit);
      if (limit < 0) throw negativeLimit;
      i += 2;
    } else {
      throw errors.syntax;
    }
  }
  return { sources, aggregate, withScores, limit };
}

function parseAggregate(call: Call, index: number): Aggregate {
  const word = call.arg(index);
  if (word.is('sum')) return sum;
  if (word.is('min')) return lower;
  if (word.is('max')) return higher;
  throw errors.syntax;
}

function tooFewKeys(call: Call): CommandError {
  return new CommandError(`ERR at least 1 input key is needed for '${call.command.fullName}' command`);
}

const weightNotFloat = new CommandError('ERR weight value is not a float');
const negativeLimit = new CommandError("ERR LIMIT can't be negative");
