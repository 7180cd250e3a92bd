/**
 * Positions in sorted sets. The globe is halved 26 times in each direction. The two resulting numbers of 26 bits are
 * interleaved, longitude above latitude, into a score of 52 bits. Positions with the same leading bits are in the same cell of a
 * coarser grid.
 */

export const LONGITUDE_LIMIT = 180;
/** Mercator's map ends at this latitude. */
export const LATITUDE_LIMIT = 85.05112878;
export const FINEST_STEP = 26;

/** A cell of the grid with 2^step columns and rows; a cell on the upper limit is just outside it. */
export interface GeoCell {
  readonly column: number;
  readonly row: number;
  readonly step: number;
}

/** In degrees. */
export interface GeoBounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

const WORD = 0x1_0000_0000;

// ---- cells ----

export function cellAt(longitude: number, latitude: number, step: number, latitudeLimit: number): GeoCell {
  const size = 2 ** step;
  return {
    column: Math.floor(((longitude + LONGITUDE_LIMIT) / (2 * LONGITUDE_LIMIT)) * size),
    row: Math.floor(((latitude + latitudeLimit) / (2 * latitudeLimit)) * size),
    step,
  };
}

export function boundsOf({ column, row, step }: GeoCell): GeoBounds {
  const size = 2 ** step;
  return {
    west: edge(column, size, LONGITUDE_LIMIT),
    south: edge(row, size, LATITUDE_LIMIT),
    east: edge((column + 1) >>> 0, size, LONGITUDE_LIMIT),
    north: edge((row + 1) >>> 0, size, LATITUDE_LIMIT),
  };
}

function edge(index: number, size: number, limit: number): number {
  return -limit + (index / size) * (2 * limit);
}

/** The lowest score of positions in the cell. */
export function firstScore({ column, row, step }: GeoCell): number {
  return interleave(column, row) * 4 ** (FINEST_STEP - step);
}

/** The first score above those of the cell. */
export function scoreBehind({ column, row, step }: GeoCell): number {
  return (interleave(column, row) + 1) * 4 ** (FINEST_STEP - step);
}

/** Beyond 2^53, for cells on the upper limit, the nearest double. */
function interleave(column: number, row: number): number {
  return upperWord(column, row) * WORD + lowerWord(column, row);
}

/** Columns in the odd bits, rows in the even ones. */
function lowerWord(column: number, row: number): number {
  return (spread(row & 0xffff) | (spread(column & 0xffff) << 1)) >>> 0;
}

function upperWord(column: number, row: number): number {
  return lowerWord(column >>> 16, row >>> 16);
}

/** Moves bit n of 16 to bit 2n. */
function spread(bits: number): number {
  let value = (bits | (bits << 8)) & 0x00ff_00ff;
  value = (value | (value << 4)) & 0x0f0f_0f0f;
  value = (value | (value << 2)) & 0x3333_3333;
  return (value | (value << 1)) & 0x5555_5555;
}

/** The reverse; odd bits are ignored. */
function gather(bits: number): number {
  let value = bits & 0x5555_5555;
  value = (value | (value >>> 1)) & 0x3333_3333;
  value = (value | (value >>> 2)) & 0x0f0f_0f0f;
  value = (value | (value >>> 4)) & 0x00ff_00ff;
  return (value | (value >>> 8)) & 0xffff;
}

// ---- scores ----

export function scoreOf(longitude: number, latitude: number): number {
  return firstScore(cellAt(longitude, latitude, FINEST_STEP, LATITUDE_LIMIT));
}

/** The score with all its bits: for a position on the upper limit it may need one bit more than a double has. */
export function exactScoreOf(longitude: number, latitude: number): bigint {
  const { column, row } = cellAt(longitude, latitude, FINEST_STEP, LATITUDE_LIMIT);
  return (BigInt(upperWord(column, row)) << 32n) | BigInt(lowerWord(column, row));
}

/**
 * A position, in degrees: the middle of a cell. Objects of this kind are reused as targets of decoding.
 */
export class Position {
  longitude = 0;
  latitude = 0;

  set(longitude: number, latitude: number): this {
    this.longitude = longitude;
    this.latitude = latitude;
    return this;
  }

  /** Any score has a position, even one that GEOADD never stores. */
  decode(score: number): this {
    if (!(score >= 0 && score < WORD * WORD)) return this.#decodeStrange(score);
    const high = Math.floor(score / WORD);
    return this.#decodeWords(high, Math.floor(score - high * WORD));
  }

  /** Converts doubles outside the range of unsigned 64-bit integers as processors do. */
  #decodeStrange(score: number): this {
    if (score > 0) return this.#decodeWords(0, 0);
    if (score <= -(2 ** 63)) return this.#decodeWords(0x8000_0000, 0);
    const bits = BigInt.asUintN(64, BigInt(Math.trunc(score)));
    return this.#decodeWords(Number(bits >> 32n), Number(bits & 0xffff_ffffn));
  }

  #decodeWords(high: number, low: number): this {
    const column = (gather(low >>> 1) | (gather(high >>> 1) << 16)) >>> 0;
    const row = (gather(low) | (gather(high) << 16)) >>> 0;
    this.longitude = middle(column, LONGITUDE_LIMIT);
    this.latitude = middle(row, LATITUDE_LIMIT);
    return this;
  }
}

function middle(index: number, limit: number): number {
  const size = 2 ** FINEST_STEP;
  const centre = (edge(index, size, limit) + edge((index + 1) >>> 0, size, limit)) / 2;
  return Math.min(Math.max(centre, -limit), limit);
}

// ---- text ----

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
const TEXT_LENGTH = 11;
const BITS_PER_LETTER = 5;

/**
 * The position as a standard geohash, whose latitudes range from pole to pole. The last of the eleven letters would
 * need three more bits than the score has, and is always 0.
 */
export function geohashText({ longitude, latitude }: Position): string {
  const score = firstScore(cellAt(longitude, latitude, FINEST_STEP, 90));
  let text = '';
  for (let letter = 1; letter < TEXT_LENGTH; letter++) {
    const shifted = Math.floor(score / 2 ** (2 * FINEST_STEP - letter * BITS_PER_LETTER));
    text += ALPHABET.charAt(shifted % 2 ** BITS_PER_LETTER);
  }
  return `${text}0`;
}
