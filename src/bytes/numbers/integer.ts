import { charCodeAt } from '../text.js';

/**
 * Integers as text, in the formats that Redis reads and writes.
 *
 * Parsing has two functions so that the common case allocates nothing: `parseInteger` handles every integer that a JavaScript
 * number represents exactly, `parseInteger64` the rest of the signed 64-bit range.
 */

const ZERO = 0x30;
const MINUS = 0x2d;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/** Longer text is not a 64-bit integer: a sign and nineteen digits. */
const LONGEST_INTEGER = 20;
/** Any run of this many digits is a safe integer, so no range check is needed. */
const ALWAYS_SAFE_DIGITS = 15;

/**
 * Parses a strict decimal integer: an optional minus, no leading zero, no plus, no blanks, and no "-0".
 * Returns NaN when the bytes are not such an integer or the integer is beyond ±(2^53 - 1).
 */
export function parseInteger(buffer: Uint8Array, start: number, end: number): number {
  let at = start;
  let length = end - start;
  if (length === 0 || length > LONGEST_INTEGER) return Number.NaN;
  const negative = (buffer[at] as number) === MINUS;
  if (negative) {
    at++;
    length--;
    if (length === 0) return Number.NaN;
  }
  const first = (buffer[at] as number) - ZERO;
  if (first === 0) return length === 1 && !negative ? 0 : Number.NaN;
  if (first < 0 || first > 9) return Number.NaN;
  let value = first;
  for (at++; at < end; at++) {
    const digit = (buffer[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  if (length > ALWAYS_SAFE_DIGITS && value > Number.MAX_SAFE_INTEGER) return Number.NaN;
  return negative ? -value : value;
}

/** {@link parseInteger} on a latin1 string. */
export function parseIntegerText(text: string): number {
  const end = text.length;
  let at = 0;
  let length = end;
  if (length === 0 || length > LONGEST_INTEGER) return Number.NaN;
  const negative = charCodeAt(text, 0) === MINUS;
  if (negative) {
    at++;
    length--;
    if (length === 0) return Number.NaN;
  }
  const first = charCodeAt(text, at) - ZERO;
  if (first === 0) return length === 1 && !negative ? 0 : Number.NaN;
  if (first < 0 || first > 9) return Number.NaN;
  let value = first;
  for (at++; at < end; at++) {
    const digit = charCodeAt(text, at) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  if (length > ALWAYS_SAFE_DIGITS && value > Number.MAX_SAFE_INTEGER) return Number.NaN;
  return negative ? -value : value;
}

/** Parses a strict decimal integer of the full signed 64-bit range, by the rules of {@link parseInteger}. */
export function parseInteger64(buffer: Buffer, start: number, end: number): bigint | undefined {
  if (end - start > LONGEST_INTEGER) return undefined;
  return parseInteger64Text(buffer.latin1Slice(start, end));
}

/** {@link parseInteger64} on a latin1 string. */
export function parseInteger64Text(text: string): bigint | undefined {
  if (text.length > LONGEST_INTEGER || !/^(?:0|-?[1-9][0-9]*)$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/**
 * Parses like C's `strtoull`: blanks, a sign (minus wraps around 2^64), digits with leading zeros; a NUL ends the
 * text. Undefined when anything else follows or the magnitude is beyond 64 bits. No digits at all is undefined too,
 * except that the empty text reads as zero.
 */
function parseAsStrtoull(text: string): bigint | undefined {
  const terminator = text.indexOf('\0');
  const visible = terminator < 0 ? text : text.slice(0, terminator);
  if (visible === '') return 0n;
  const match = /^[ \t-\r]*([+-]?)([0-9]+)$/.exec(visible);
  if (match === null) return undefined;
  const magnitude = BigInt(match[2] as string);
  if (magnitude > UINT64_MAX) return undefined;
  return match[1] === '-' ? BigInt.asUintN(64, -magnitude) : magnitude;
}

/**
 * Parses one half of a stream ID, an unsigned 64-bit integer. A strict integer must not be negative. Anything else is parsed by
 * C's `strtoull`, so "007", "+7", " 7" and even "-07" (2^64 - 7) are accepted, as in Redis.
 */
export function parseUnsigned64(text: string): bigint | undefined {
  const strict = parseInteger64Text(text);
  if (strict !== undefined) return strict < 0n ? undefined : strict;
  if (text === '' || charCodeAt(text, 0) === 0) return undefined;
  return parseAsStrtoull(text);
}

/**
 * Parses a SCAN cursor. NaN when Redis would reply "invalid cursor". Redis accepts any unsigned 64-bit number and uses its low
 * bits. For numbers above 2^53 - 1, which no server returns, the low 53 bits are returned.
 */
export function parseCursor(buffer: Buffer, start: number, end: number): number {
  const plain = parseInteger(buffer, start, end);
  if (plain >= 0) return plain;
  const text = buffer.latin1Slice(start, end);
  if (/^[ \t-\r]/.test(text)) return Number.NaN;
  const value = parseAsStrtoull(text);
  return value === undefined ? Number.NaN : Number(BigInt.asUintN(53, value));
}

/** The bytes "00", "01" … "99", one pair after the other. */
const DIGIT_PAIRS = new Uint8Array(200);
for (let pair = 0; pair < 100; pair++) {
  DIGIT_PAIRS[pair * 2] = ZERO + Math.floor(pair / 10);
  DIGIT_PAIRS[pair * 2 + 1] = ZERO + (pair % 10);
}

/** The number of bytes that {@link writeInteger} writes for a safe integer, including the minus sign. */
export function digitCount(value: number): number {
  let magnitude = value;
  let count = 1;
  if (magnitude < 0) {
    magnitude = -magnitude;
    count = 2;
  }
  if (magnitude >= 1e8) {
    magnitude = Math.floor(magnitude / 1e8);
    count += 8;
  }
  if (magnitude < 10) return count;
  if (magnitude < 100) return count + 1;
  if (magnitude < 1000) return count + 2;
  if (magnitude < 10000) return count + 3;
  if (magnitude < 100000) return count + 4;
  if (magnitude < 1000000) return count + 5;
  if (magnitude < 10000000) return count + 6;
  return count + 7;
}

/** Writes exactly the last `count` decimal digits of an integer below 2^31, ending before `end`. */
function writeDigitsBackwards(buffer: Uint8Array, end: number, value: number, count: number): void {
  let rest = value | 0;
  let at = end;
  let left = count;
  while (left >= 2) {
    const quotient = (rest / 100) | 0;
    const pair = (rest - quotient * 100) << 1;
    buffer[--at] = DIGIT_PAIRS[pair + 1] as number;
    buffer[--at] = DIGIT_PAIRS[pair] as number;
    rest = quotient;
    left -= 2;
  }
  if (left === 1) buffer[at - 1] = ZERO + (rest % 10);
}

/** Writes the decimal digits of a safe integer at `offset` and returns the offset after them. */
export function writeInteger(buffer: Uint8Array, offset: number, value: number): number {
  if (value >= 0 && value < 10) {
    buffer[offset] = ZERO + value;
    return offset + 1;
  }
  const end = offset + digitCount(value);
  let magnitude = value;
  let start = offset;
  if (magnitude < 0) {
    buffer[start++] = MINUS;
    magnitude = -magnitude;
  }
  if (magnitude < 1e8) {
    writeDigitsBackwards(buffer, end, magnitude, end - start);
    return end;
  }
  // Floor is exact here: the quotient stays below 2^27, where doubles are less than 1e-8 apart.
  const high = Math.floor(magnitude / 1e8);
  writeDigitsBackwards(buffer, end, magnitude - high * 1e8, 8);
  writeDigitsBackwards(buffer, end - 8, high, end - 8 - start);
  return end;
}

/** {@link writeInteger} for integers beyond 2^53 - 1. */
export function writeInteger64(buffer: Buffer, offset: number, value: bigint): number {
  return offset + buffer.latin1Write(value.toString(), offset);
}

/** The 64-bit integer nearest to a number of any size: times and counts from files can be beyond 2^53. NaN becomes 0. */
export function nearestInteger64(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** 63) return INT64_MAX;
  return value <= -(2 ** 63) ? INT64_MIN : BigInt(Math.trunc(value));
}
