import type { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import { Type } from '../../keyspace/kinds.js';
import { LargeSortedSet } from '../../keyspace/values/large-sorted-set.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import { cellsCovering, distanceWithin, type GeoArea } from '../../structures/geo/geo-area.js';
import { firstScore, Position, scoreBehind } from '../../structures/geo/geohash.js';
import { sortFirst } from '../../structures/partial-sort.js';
import type { Call } from '../call.js';
import { replyDistance, replyPosition } from './arguments.js';
import { parseSearch, type SearchKind, type SearchRequest } from './search-options.js';

/** Finding members in an area. */

interface Found {
  readonly member: Bytes;
  readonly score: number;
  /** From the centre, in metres. */
  readonly distance: number;
}

const source = new SortedSetValue();
const stored = new SortedSetValue();
const position = new Position();

export function georadius(call: Call): void {
  search(call, { from: 'position', store: 'option' });
}

export function georadiusRo(call: Call): void {
  search(call, { from: 'position', store: 'never' });
}

export function georadiusbymember(call: Call): void {
  search(call, { from: 'member', store: 'option' });
}

export function georadiusbymemberRo(call: Call): void {
  search(call, { from: 'member', store: 'never' });
}

export function geosearch(call: Call): void {
  search(call, { from: 'options', store: 'never' });
}

export function geosearchstore(call: Call): void {
  search(call, { from: 'options', store: 'argument' });
}

function search(call: Call, kind: SearchKind): void {
  const entry = call.read(kind.store === 'argument' ? 2 : 1, Type.sortedSet);
  if (entry !== 0) source.open(call.keyspace, call.db, entry);
  const request = parseSearch(call, kind, entry === 0 ? undefined : source);
  const found = entry === 0 || request.area === undefined ? [] : find(request.area, request);
  if (request.storeKey === undefined) replyFound(call, found, request);
  else storeFound(call, found, request, request.storeKey, kind);
}

// ---- finding ----

/** The members wanted, in the order wanted. */
function find(area: GeoArea, { any, count, order }: SearchRequest): Found[] {
  const found = membersIn(area, any ? count : Number.POSITIVE_INFINITY);
  const wanted = count === 0 ? found.length : Math.min(count, found.length);
  if (order !== 'none') {
    const compare = order === 'ascending' ? nearestFirst : farthestFirst;
    if (wanted === found.length) found.sort(compare);
    else sortFirst(found, wanted, compare);
  }
  found.length = wanted;
  return found;
}

function nearestFirst(a: Found, b: Found): number {
  return a.distance - b.distance;
}

function farthestFirst(a: Found, b: Found): number {
  return b.distance - a.distance;
}

/** Members in the area, cell by cell; at most `max`. */
function membersIn(area: GeoArea, max: number): Found[] {
  const found: Found[] = [];
  for (const cell of cellsCovering(area)) {
    const range = {
      min: firstScore(cell),
      max: scoreBehind(cell),
      minExclusive: false,
      maxExclusive: true,
    };
    let left = source.ranksByScore(range);
    for (let ok = left > 0 && source.seek(source.from); ok; ok = --left > 0 && source.next()) {
      const distance = distanceWithin(area, position.decode(source.memberScore));
      if (distance < 0) continue;
      found.push({ member: source.member.copy(), score: source.memberScore, distance });
      if (found.length >= max) return found;
    }
  }
  return found;
}

// ---- results ----

function replyFound(call: Call, found: readonly Found[], request: SearchRequest): void {
  const { reply } = call;
  const { withDistance, withHash, withPosition } = request;
  const details = Number(withDistance) + Number(withHash) + Number(withPosition);
  reply.array(found.length);
  for (const { member, score, distance } of found) {
    if (details > 0) reply.array(1 + details);
    reply.bulk(member);
    if (withDistance) replyDistance(reply, distance / request.unit);
    if (withHash) reply.integer64(asInteger(score));
    if (withPosition) replyPosition(reply, position.decode(score));
  }
}

/** Converts a double to a 64-bit integer as an x86 processor does. */
function asInteger(score: number): bigint {
  if (!(score >= -(2 ** 63) && score < 2 ** 63)) return -(2n ** 63n);
  return BigInt(Math.trunc(score));
}

function storeFound(
  call: Call,
  found: readonly Found[],
  request: SearchRequest,
  key: Bytes,
  kind: SearchKind,
): void {
  const { db, effects, keyspace } = call;
  if (found.length > 0) {
    const large = new LargeSortedSet(db.arena, db.keyedHash);
    for (const { member, score, distance } of found) {
      large.collect(
        member,
        large.dict.hash(member),
        request.storesDistance ? distance / request.unit : score,
      );
    }
    large.order();
    stored.adoptLarge(keyspace, db, large).packIfSmall();
    stored.store(key);
    const event = kind.from === 'options' ? 'geosearchstore' : 'georadiusstore';
    effects.changed(db, key, EventClass.sortedSet, event, found.length);
  } else if (keyspace.discard(db, key)) {
    effects.changed(db, key, EventClass.generic, 'del');
  }
  call.reply.integer(found.length);
}
