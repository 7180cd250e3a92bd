/**
 * Double-precision numbers as text. Redis parses scores and increments with `strtod` and prints them with `%.17g`.
 */
import { DOUBLE_FORMAT, roundToFormat, toNumber } from './binary-float.js';
import { writeInteger } from './integer.js';
import { readNumberText } from './number-text.js';

const ZERO = 0x30;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;

/** The powers of ten that a double represents exactly. */
const EXACT_POWERS = Float64Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

/**
 * Parses a score or weight. NaN when Redis would reply "value is not a valid float": blanks, trailing bytes, nan,
 * overflow, and numbers so small that they become zero. Infinity in any spelling and hexadecimal floats are accepted.
 */
export function parseDouble(buffer: Buffer, start: number, end: number): number {
  const plain = parsePlainDecimal(buffer, start, end);
  if (!Number.isNaN(plain)) return plain;
  if (start === end || isBlank(buffer[start] as number)) return Number.NaN;
  const text = buffer.latin1Slice(start, end);
  const reading = readDouble(text);
  if (reading === undefined || reading.length !== text.length) return Number.NaN;
  const vanished = reading.outOfRange && (reading.value === 0 || !Number.isFinite(reading.value));
  return vanished ? Number.NaN : reading.value;
}

/**
 * Parses the bound of a score range (without its opening parenthesis). Redis passes the text to `strtod` without checks: leading
 * blanks are accepted, a NUL ends the text, an empty text is zero, overflow is infinity and underflow is zero. NaN when Redis
 * would reply "min or max is not a float".
 */
export function parseScoreBound(buffer: Buffer, start: number, end: number): number {
  const plain = parsePlainDecimal(buffer, start, end);
  if (!Number.isNaN(plain)) return plain;
  return readLeniently(buffer.latin1Slice(start, end))?.value ?? Number.NaN;
}

/**
 * Parses an element or weight that SORT compares as a number: as {@link parseScoreBound}, but NaN for overflow and for
 * every number below the normal range of doubles.
 */
export function parseSortWeight(buffer: Buffer, start: number, end: number): number {
  const plain = parsePlainDecimal(buffer, start, end);
  if (!Number.isNaN(plain)) return plain;
  const reading = readLeniently(buffer.latin1Slice(start, end));
  return reading === undefined || reading.outOfRange ? Number.NaN : reading.value;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/**
 * Parses a sign, digits whose number is less than 2^53, and a decimal point, without creating a string: times in µs have sixteen digits. Digits
 * and power of ten are then both exact doubles, so one division rounds correctly. NaN for any other text.
 */
function parsePlainDecimal(buffer: Uint8Array, start: number, end: number): number {
  let at = start;
  if (at === end) return Number.NaN;
  const sign = buffer[at] as number;
  if (sign === MINUS || sign === PLUS) at++;
  if (end - at > 17) return Number.NaN;
  let value = 0;
  let digits = 0;
  let pointAt = -1;
  for (; at < end; at++) {
    const byte = buffer[at] as number;
    const digit = byte - ZERO;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits++;
    } else if (byte === POINT && pointAt < 0) {
      pointAt = digits;
    } else {
      return Number.NaN;
    }
  }
  // Of seventeen digits, the number may have been rounded.
  if (digits === 0 || digits > 16 || value > Number.MAX_SAFE_INTEGER) return Number.NaN;
  if (pointAt >= 0) value /= EXACT_POWERS[digits - pointAt] as number;
  return sign === MINUS ? -value : value;
}

interface Reading {
  readonly value: number;
  readonly length: number;
  /** C would report ERANGE: the result is infinite, zero or subnormal although the text is not. */
  readonly outOfRange: boolean;
}

/** Parses the number at the beginning of the text; undefined when there is none or it is nan. */
function readDouble(text: string): Reading | undefined {
  const number = readNumberText(text);
  if (number === undefined || number.kind === 'nan') return undefined;
  const { length } = number;
  if (number.kind === 'infinity') {
    return { value: number.negative ? -Infinity : Infinity, length, outOfRange: false };
  }
  if (number.kind === 'decimal') {
    const value = Number(text.slice(0, length));
    return { value, length, outOfRange: !isNormal(value) && /[1-9]/.test(number.digits) };
  }
  const mantissa = BigInt(`0x${number.digits}`);
  const rounded = roundToFormat(mantissa, number.power, false, DOUBLE_FORMAT);
  const magnitude = rounded === undefined ? Infinity : toNumber(rounded);
  const exact = mantissa === 0n || (number.power >= DOUBLE_FORMAT.lowestExponent && magnitude !== Infinity);
  const outOfRange = !exact && !isNormal(magnitude);
  return { value: number.negative ? -magnitude : magnitude, length, outOfRange };
}

const SMALLEST_NORMAL = 2 ** -1022;

function isNormal(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude >= SMALLEST_NORMAL && magnitude !== Infinity;
}

/** The result of `strtod` for a whole C string; undefined when characters remain or the result is nan. */
function readLeniently(bytes: string): Reading | undefined {
  const terminator = bytes.indexOf('\0');
  const text = terminator < 0 ? bytes : bytes.slice(0, terminator);
  if (text === '') return { value: 0, length: 0, outOfRange: false };
  const reading = readDouble(text);
  return reading !== undefined && reading.length === text.length ? reading : undefined;
}

/** Formats a double as Redis does, in both RESP2 and RESP3: C's `%.17g`. */
export function formatDouble(value: number): string {
  if (Number.isSafeInteger(value)) return value === 0 && 1 / value < 0 ? '-0' : String(value);
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : value < 0 ? '-inf' : 'nan';
  const digits = tieDigits(value);
  return digits === undefined ? formatGeneral(value.toExponential(16)) : formatGeneral(digits);
}

/**
 * Writes {@link formatDouble}'s text at `offset` and returns the offset after it. Integers allocate nothing.
 * The text is at most 24 bytes.
 */
export function writeDouble(buffer: Buffer, offset: number, value: number): number {
  if (Number.isSafeInteger(value) && (value !== 0 || 1 / value > 0))
    return writeInteger(buffer, offset, value);
  return offset + buffer.latin1Write(formatDouble(value), offset);
}

/** Converts `-d.dddde±x`, with rounded digits, to the notation that `%g` uses. */
function formatGeneral(exponential: string): string {
  const negative = exponential.charCodeAt(0) === MINUS;
  const first = negative ? 1 : 0;
  const marker = exponential.indexOf('e');
  const exponent = Number(exponential.slice(marker + 1));
  let last = marker;
  while (exponential.charCodeAt(last - 1) === ZERO) last--;
  const digits = exponential.charAt(first) + exponential.slice(first + 2, last);
  const sign = negative ? '-' : '';
  if (exponent < -4 || exponent >= 17) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    const size = Math.abs(exponent);
    return `${sign}${digits.charAt(0)}${fraction}e${exponent < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return sign + digits.padEnd(exponent + 1, '0');
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

/** 2^25: only multiples of 2^-25 can have exactly eighteen significant digits, since 5^26 alone has nineteen. */
const TIE_SCALE = 2 ** 25;

/**
 * C rounds a number exactly between two texts of seventeen digits to the even one, JavaScript away from zero. Such a number has
 * exactly eighteen significant digits, and the last is a five. Returns C's text in exponential notation for these numbers, else
 * undefined.
 */
function tieDigits(value: number): string | undefined {
  if (!Number.isInteger(value * TIE_SCALE)) return undefined;
  let odd = value;
  let halvings = 0;
  while (!Number.isInteger(odd)) {
    odd *= 2;
    halvings++;
  }
  const estimate = Math.abs(odd) * 5 ** halvings;
  if (halvings === 0 || estimate < 0.9e17 || estimate > 1.1e18) return undefined;
  const all = String(BigInt(Math.abs(odd)) * 5n ** BigInt(halvings));
  if (all.length !== 18) return undefined;
  const kept = BigInt(all.slice(0, 17));
  const rounded = String(kept + (kept & 1n));
  const exponent = rounded.length - halvings;
  return `${value < 0 ? '-' : ''}${rounded.charAt(0)}.${rounded.slice(1)}e${exponent}`;
}

/** Formats with a fixed number of decimals: C's `%.<decimals>f`. */
export function formatFixed(value: number, decimals: number): string {
  if (!(Math.abs(value) < JAVASCRIPT_EXPONENT)) return formatLargeFixed(value, decimals);
  // An exact tie is an odd multiple of 2^-(decimals + 1): C keeps the even digit, JavaScript rounds up.
  const scaled = value * 2 ** (decimals + 1);
  if (Number.isInteger(scaled) && scaled % 2 !== 0) {
    const exact = value.toFixed(decimals + 1);
    const kept = exact.slice(0, decimals === 0 ? -2 : -1);
    if (kept.charCodeAt(kept.length - 1) % 2 === 0) return kept;
  }
  const text = value.toFixed(decimals);
  return value === 0 && 1 / value < 0 ? `-${text}` : text;
}

/** From here on, `toFixed` uses exponential notation. */
const JAVASCRIPT_EXPONENT = 1e21;

function formatLargeFixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  return decimals === 0 ? `${BigInt(value)}` : `${BigInt(value)}.${'0'.repeat(decimals)}`;
}
