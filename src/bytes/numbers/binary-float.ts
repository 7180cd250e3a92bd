/**
 * Binary floating point of any width, on BigInt: the exact arithmetic for hexadecimal doubles and the 80-bit numbers of
 * INCRBYFLOAT. Magnitudes only; the callers handle signs.
 */

/** The value `mantissa * 2^exponent`. */
export interface BinaryFloat {
  readonly mantissa: bigint;
  readonly exponent: number;
}

export interface BinaryFormat {
  /** Significant bits, including the leading one. */
  readonly precision: number;
  /** The exponent of the lowest bit of a subnormal number. */
  readonly lowestExponent: number;
  /** Values from 2^highestExponent are infinite. */
  readonly highestExponent: number;
}

export const DOUBLE_FORMAT: BinaryFormat = { precision: 53, lowestExponent: -1074, highestExponent: 1024 };
export const EXTENDED_FORMAT: BinaryFormat = {
  precision: 64,
  lowestExponent: -16445,
  highestExponent: 16384,
};

const ZERO: BinaryFloat = { mantissa: 0n, exponent: 0 };

const doubleBits = new DataView(new ArrayBuffer(8));

/** The number of bits in a positive integer; zero for zero. */
export function bitLength(value: bigint): number {
  if (value === 0n) return 0;
  const approximation = Number(value);
  if (approximation === Infinity) {
    const hex = value.toString(16);
    return (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex.charAt(0), 16)));
  }
  doubleBits.setFloat64(0, approximation);
  const length = (doubleBits.getUint16(0) >>> 4) - 1022;
  // Rounding to a double may have carried into the next power of two.
  return value >> BigInt(length - 1) === 0n ? length - 1 : length;
}

/**
 * Rounds to the nearest number of the format, ties to even. `sticky` means that the true value is larger than
 * `mantissa * 2^exponent`, by less than one unit of the mantissa; the mantissa must then be wider than the precision.
 * Undefined means infinity.
 */
export function roundToFormat(
  mantissa: bigint,
  exponent: number,
  sticky: boolean,
  format: BinaryFormat,
): BinaryFloat | undefined {
  if (mantissa === 0n) return ZERO;
  const width = bitLength(mantissa);
  const drop = Math.max(width - format.precision, format.lowestExponent - exponent);
  let rounded = mantissa;
  let roundedExponent = exponent;
  // The value is less than half of the lowest bit.
  if (drop > width) return ZERO;
  if (drop > 0) {
    const shift = BigInt(drop);
    rounded = mantissa >> shift;
    roundedExponent = exponent + drop;
    const rest = mantissa - (rounded << shift);
    const half = 1n << (shift - 1n);
    if (rest > half || (rest === half && (sticky || (rounded & 1n) === 1n))) rounded += 1n;
    if (rounded === 0n) return ZERO;
  }
  if (bitLength(rounded) + roundedExponent > format.highestExponent) return undefined;
  return { mantissa: rounded, exponent: roundedExponent };
}

const POWERS_OF_TEN: bigint[] = [];

/** 10^power; powers up to 64 are cached. */
export function powerOfTen(power: number): bigint {
  if (power > 64) return 10n ** BigInt(power);
  let value = POWERS_OF_TEN[power];
  if (value === undefined) {
    value = 10n ** BigInt(power);
    POWERS_OF_TEN[power] = value;
  }
  return value;
}

/** The number of the format nearest to `digits * 10^power`; undefined means infinity. */
export function roundDecimal(digits: bigint, power: number, format: BinaryFormat): BinaryFloat | undefined {
  if (digits === 0n) return ZERO;
  // Far out of range, the power of ten itself would be too large to compute.
  const magnitude = bitLength(digits) + power * Math.LOG2E * Math.LN10;
  if (magnitude > format.highestExponent + 64) return undefined;
  if (magnitude < format.lowestExponent - 64) return ZERO;
  if (power >= 0) return roundToFormat(digits * powerOfTen(power), 0, false, format);
  const divisor = powerOfTen(-power);
  const shift = Math.max(0, format.precision + 2 + bitLength(divisor) - bitLength(digits));
  const dividend = digits << BigInt(shift);
  const quotient = dividend / divisor;
  return roundToFormat(quotient, -shift, quotient * divisor !== dividend, format);
}

/** The JavaScript number of a value that has been rounded to {@link DOUBLE_FORMAT}. */
export function toNumber(value: BinaryFloat): number {
  // In two steps: 2^exponent may be below the smallest double even if the product is not.
  const half = Math.trunc(value.exponent / 2);
  return Number(value.mantissa) * 2 ** half * 2 ** (value.exponent - half);
}
