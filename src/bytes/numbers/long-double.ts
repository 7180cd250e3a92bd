/**
 * The x86 `long double` (64 significant bits), which Redis uses for INCRBYFLOAT and HINCRBYFLOAT. Therefore 0.1 + 0.2 is 0.3
 * in Redis, and 1234.56 + 0.01 is not exactly 1234.57.
 */
import { EXTENDED_FORMAT, powerOfTen, roundDecimal, roundToFormat } from './binary-float.js';
import { readNumberText } from './number-text.js';

export interface LongDouble {
  readonly negative: boolean;
  /** The magnitude is `mantissa * 2^exponent`; infinite when undefined. */
  readonly mantissa: bigint | undefined;
  readonly exponent: number;
}

/** Redis reads floats through a buffer of this size, terminator included. */
const LONGEST_TEXT = 5 * 1024 - 1;

function fromParts(
  negative: boolean,
  magnitude: { mantissa: bigint; exponent: number } | undefined,
): LongDouble {
  return magnitude === undefined
    ? { negative, mantissa: undefined, exponent: 0 }
    : { negative, mantissa: magnitude.mantissa, exponent: magnitude.exponent };
}

/**
 * Parses a float. Undefined when Redis would reply "value is not a valid float": blanks, trailing bytes, nan, overflow, underflow
 * to zero, over-long text. The text of infinity is accepted; check sums with {@link isFiniteLongDouble}.
 */
export function parseLongDouble(text: string): LongDouble | undefined {
  if (text.length === 0 || text.length > LONGEST_TEXT || /^[ \t-\r]/.test(text)) return undefined;
  const number = readNumberText(text);
  if (number === undefined || number.length !== text.length || number.kind === 'nan') return undefined;
  if (number.kind === 'infinity') return fromParts(number.negative, undefined);
  const digits = BigInt(number.kind === 'decimal' ? number.digits : `0x${number.digits}`);
  const magnitude =
    number.kind === 'decimal'
      ? roundDecimal(digits, number.power, EXTENDED_FORMAT)
      : roundToFormat(digits, number.power, false, EXTENDED_FORMAT);
  if (magnitude === undefined || (magnitude.mantissa === 0n && digits !== 0n)) return undefined;
  return fromParts(number.negative, magnitude);
}

/** Converts a finite double, which is always exact. */
export function longDoubleOf(value: number): LongDouble {
  if (!Number.isFinite(value)) return fromParts(value < 0, undefined);
  let mantissa = Math.abs(value);
  let exponent = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    exponent--;
  }
  return { negative: value < 0, mantissa: BigInt(mantissa), exponent };
}

export function isFiniteLongDouble(value: LongDouble): boolean {
  return value.mantissa !== undefined;
}

/** The sum, rounded to the nearest long double; infinite when it is out of range or either operand is infinite. */
export function addLongDouble(left: LongDouble, right: LongDouble): LongDouble {
  if (left.mantissa === undefined) return left;
  if (right.mantissa === undefined) return right;
  const exponent = Math.min(left.exponent, right.exponent);
  const sum = signed(left, exponent) + signed(right, exponent);
  const negative = sum < 0n;
  return fromParts(negative, roundToFormat(negative ? -sum : sum, exponent, false, EXTENDED_FORMAT));
}

function signed(value: LongDouble, exponent: number): bigint {
  const shifted = (value.mantissa as bigint) << BigInt(value.exponent - exponent);
  return value.negative ? -shifted : shifted;
}

const DECIMALS = 17;

/**
 * Formats the result of INCRBYFLOAT and the coordinates of GEOPOS: seventeen decimals, trailing zeros
 * removed, never "-0".
 */
export function formatLongDouble(value: LongDouble): string {
  if (value.mantissa === undefined) return value.negative ? '-inf' : 'inf';
  const scaled = String(scaleToInteger(value.mantissa * powerOfTen(DECIMALS), value.exponent));
  const padded = scaled.padStart(DECIMALS + 1, '0');
  const whole = padded.slice(0, -DECIMALS);
  const fraction = padded.slice(-DECIMALS).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return value.negative && text !== '0' ? `-${text}` : text;
}

/** `value * 2^exponent` to the nearest integer, ties to even. */
function scaleToInteger(value: bigint, exponent: number): bigint {
  if (exponent >= 0) return value << BigInt(exponent);
  const shift = BigInt(-exponent);
  const floor = value >> shift;
  const rest = value - (floor << shift);
  const half = 1n << (shift - 1n);
  return rest > half || (rest === half && (floor & 1n) === 1n) ? floor + 1n : floor;
}
