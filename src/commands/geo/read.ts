import { Type } from '../../keyspace/kinds.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import { distanceBetween } from '../../structures/geo/geo-area.js';
import { geohashText, Position } from '../../structures/geo/geohash.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { metresOf, replyDistance, replyPosition } from './arguments.js';

const sortedSet = new SortedSetValue();
const position = new Position();
const other = new Position();

export function geopos(call: Call): void {
  const { reply } = call;
  replyForEach(
    call,
    () => reply.nullArray(),
    () => replyPosition(reply, position),
  );
}

export function geohash(call: Call): void {
  const { reply } = call;
  replyForEach(
    call,
    () => reply.null(),
    () => reply.bulkText(geohashText(position)),
  );
}

/** Calls `missing` or `found` for each member; before `found`, its position is decoded. */
function replyForEach(call: Call, missing: () => void, found: () => void): void {
  const entry = call.read(1, Type.sortedSet);
  if (entry !== 0) sortedSet.open(call.keyspace, call.db, entry);
  call.reply.array(call.argc - 2);
  for (let i = 2; i < call.argc; i++) {
    const score = entry === 0 ? Number.NaN : sortedSet.score(call.arg(i));
    if (Number.isNaN(score)) {
      missing();
    } else {
      position.decode(score);
      found();
    }
  }
}

export function geodist(call: Call): void {
  const { reply } = call;
  if (call.argc > 5) throw errors.syntax;
  const metres = call.argc === 5 ? metresOf(call.arg(4)) : 1;
  const entry = call.read(1, Type.sortedSet);
  if (entry === 0) {
    reply.null();
    return;
  }
  sortedSet.open(call.keyspace, call.db, entry);
  const score = sortedSet.score(call.arg(2));
  const otherScore = sortedSet.score(call.arg(3));
  if (Number.isNaN(score) || Number.isNaN(otherScore)) {
    reply.null();
    return;
  }
  position.decode(score);
  other.decode(otherScore);
  const { longitude, latitude } = position;
  replyDistance(reply, distanceBetween(longitude, latitude, other.longitude, other.latitude) / metres);
}
