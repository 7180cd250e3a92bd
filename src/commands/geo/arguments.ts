import type { Bytes } from '../../bytes/bytes.js';
import { formatFixed } from '../../bytes/numbers/double.js';
import { formatLongDouble, longDoubleOf } from '../../bytes/numbers/long-double.js';
import type { Reply } from '../../resp/reply.js';
import { LATITUDE_LIMIT, LONGITUDE_LIMIT, Position } from '../../structures/geo/geohash.js';
import type { Call } from '../call.js';
import { CommandError } from '../errors.js';

/** Positions and distances as clients write and read them. */

const unsupportedUnit = new CommandError('ERR unsupported unit provided. please use M, KM, FT, MI');

/** The longitude in argument `index` and the latitude behind it. */
export function positionAt(call: Call, index: number): Position {
  const longitude = call.double(index);
  const latitude = call.double(index + 1);
  if (Math.abs(longitude) > LONGITUDE_LIMIT || Math.abs(latitude) > LATITUDE_LIMIT) {
    const pair = `${formatFixed(longitude, 6)},${formatFixed(latitude, 6)}`;
    throw new CommandError(`ERR invalid longitude,latitude pair ${pair}`);
  }
  return new Position().set(longitude, latitude);
}

/** The length of the unit in metres. */
export function metresOf(unit: Bytes): number {
  if (unit.is('m')) return 1;
  if (unit.is('km')) return 1000;
  if (unit.is('ft')) return 0.3048;
  if (unit.is('mi')) return 1609.34;
  throw unsupportedUnit;
}

export function replyPosition(reply: Reply, { longitude, latitude }: Position): void {
  reply.array(2);
  reply.doubleText(formatLongDouble(longDoubleOf(longitude)));
  reply.doubleText(formatLongDouble(longDoubleOf(latitude)));
}

/** A bulk string in either protocol. */
export function replyDistance(reply: Reply, distance: number): void {
  reply.bulkText(formatFixed(distance, 4));
}
