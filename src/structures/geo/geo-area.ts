import { arcsine, cosine, sine } from '../../bytes/numbers/trigonometry.js';
import {
  boundsOf,
  cellAt,
  FINEST_STEP,
  type GeoBounds,
  type GeoCell,
  LATITUDE_LIMIT,
  type Position,
} from './geohash.js';

/** Distances on the globe, and areas to search. All lengths are in metres. */

const EARTH_RADIUS = 6_372_797.560856;
/** Half the circumference of the earth on Mercator's map. */
const MERCATOR_MAX = 20_037_726.37;
const DEGREE = Math.PI / 180;

/** A circle or a box around a centre. */
export type GeoArea =
  | { readonly kind: 'circle'; readonly centre: Position; readonly radius: number }
  | { readonly kind: 'box'; readonly centre: Position; readonly width: number; readonly height: number };

// ---- distances ----

/** By the haversine formula, on a sphere. */
export function distanceBetween(
  longitude: number,
  latitude: number,
  otherLongitude: number,
  otherLatitude: number,
): number {
  const v = sine((otherLongitude * DEGREE - longitude * DEGREE) / 2);
  if (v === 0) return latitudeDistance(latitude, otherLatitude);
  const angle = latitude * DEGREE;
  const otherAngle = otherLatitude * DEGREE;
  const u = sine((otherAngle - angle) / 2);
  const a = u * u + cosine(angle) * cosine(otherAngle) * v * v;
  return 2 * EARTH_RADIUS * arcsine(Math.sqrt(a));
}

function latitudeDistance(latitude: number, other: number): number {
  return EARTH_RADIUS * Math.abs(other * DEGREE - latitude * DEGREE);
}

/** The distance of a position from the area's centre; -1 if it is outside the area. */
export function distanceWithin(area: GeoArea, { longitude, latitude }: Position): number {
  const { centre } = area;
  if (area.kind === 'box') {
    if (latitudeDistance(latitude, centre.latitude) > area.height / 2) return -1;
    const across = distanceBetween(longitude, latitude, centre.longitude, latitude);
    if (across > area.width / 2) return -1;
  }
  const distance = distanceBetween(centre.longitude, centre.latitude, longitude, latitude);
  return area.kind === 'circle' && distance > area.radius ? -1 : distance;
}

// ---- cells ----

/**
 * The cells that together cover the area, in the order in which they are searched: the cell that contains the centre,
 * and those of its eight neighbours that the area overlaps.
 */
export function cellsCovering(area: GeoArea): GeoCell[] {
  const { longitude, latitude } = area.centre;
  const bounds = boundsAround(area);
  let step = stepFor(reachOf(area), latitude);
  let middle = cellAt(longitude, latitude, step, LATITUDE_LIMIT);
  if (step > 1 && !neighboursReach(middle, bounds)) {
    step--;
    middle = cellAt(longitude, latitude, step, LATITUDE_LIMIT);
  }
  const own = boundsOf(middle);
  const cells: GeoCell[] = [middle];
  for (const [columns, rows] of NEIGHBOURS) {
    if (step >= 2 && !isReached(columns, rows, own, bounds)) continue;
    const cell = neighbourOf(middle, columns, rows);
    // In a grid of few cells, the neighbours on both sides are the same cell.
    const last = cells.length > 1 ? cells.at(-1) : undefined;
    if (cell.column !== last?.column || cell.row !== last.row) cells.push(cell);
  }
  return cells;
}

/** North, south, east, west, and then the corners. */
const NEIGHBOURS = [
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
  [1, 1],
  [-1, 1],
  [1, -1],
  [-1, -1],
] as const;

/** Grids have no edge: the first column follows the last. */
function neighbourOf({ column, row, step }: GeoCell, columns: number, rows: number): GeoCell {
  return {
    column: columns === 0 ? column : wrapped(column + columns, step),
    row: rows === 0 ? row : wrapped(row + rows, step),
    step,
  };
}

function wrapped(index: number, step: number): number {
  return index & (2 ** step - 1);
}

function isReached(columns: number, rows: number, own: GeoBounds, bounds: GeoBounds): boolean {
  if (rows < 0 && own.south < bounds.south) return false;
  if (rows > 0 && own.north > bounds.north) return false;
  if (columns < 0 && own.west < bounds.west) return false;
  return !(columns > 0 && own.east > bounds.east);
}

/** Whether the cell and its neighbours cover the whole area within the bounds. */
function neighboursReach(cell: GeoCell, bounds: GeoBounds): boolean {
  if (boundsOf(neighbourOf(cell, 0, 1)).north < bounds.north) return false;
  if (boundsOf(neighbourOf(cell, 0, -1)).south > bounds.south) return false;
  if (boundsOf(neighbourOf(cell, 1, 0)).east < bounds.east) return false;
  return !(boundsOf(neighbourOf(cell, -1, 0)).west > bounds.west);
}

/** Meridians converge towards the poles: uses the side of the area that is nearer to a pole. */
function boundsAround(area: GeoArea): GeoBounds {
  const { longitude, latitude } = area.centre;
  const height = area.kind === 'circle' ? area.radius : area.height / 2;
  const width = area.kind === 'circle' ? area.radius : area.width / 2;
  const up = height / EARTH_RADIUS / DEGREE;
  const widest = latitude < 0 ? latitude - up : latitude + up;
  const across = width / EARTH_RADIUS / cosine(widest * DEGREE) / DEGREE;
  return { west: longitude - across, south: latitude - up, east: longitude + across, north: latitude + up };
}

/** From the centre to the farthest point. */
function reachOf(area: GeoArea): number {
  if (area.kind === 'circle') return area.radius;
  return Math.sqrt((area.width / 2) * (area.width / 2) + (area.height / 2) * (area.height / 2));
}

/** The finest grid in which three adjacent cells cover a circle in most cases (not near every edge of a cell). */
function stepFor(reach: number, latitude: number): number {
  if (reach === 0) return FINEST_STEP;
  let step = -1;
  for (let length = reach; length < MERCATOR_MAX; length *= 2) step++;
  const distance = Math.abs(latitude);
  if (distance > 66) step--;
  if (distance > 80) step--;
  return Math.min(Math.max(step, 1), FINEST_STEP);
}
