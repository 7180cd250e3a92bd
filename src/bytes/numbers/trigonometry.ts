/**
 * Sine, cosine and arcsine, rounded to the nearest double in all but about one of ten thousand cases. The C library that Redis
 * uses is equally exact. V8's own functions differ from it in one of thirty cases, which is visible in distances that are stored
 * or printed with all their digits.
 *
 * An angle is split into a multiple of 1/64, whose sine and cosine are known to more than 100 bits, and a small rest.
 */

const STEPS = 64;
/** Pi minus the double nearest to it. */
const PI_REST = 1.2246467991473532e-16;
const FLAT = 2 ** -10;
const SPLITTER = 2 ** 27 + 1;

/** The exact result of the last `preciseSine` minus the returned one. */
let rest = 0;

export function sine(angle: number): number {
  return preciseSine(angle) + rest;
}

/** For angles from -pi/2 to pi/2; less precise for others. */
export function cosine(angle: number): number {
  const size = Math.abs(angle);
  if (!(size <= Math.PI / 2)) return Math.cos(angle);
  const { sines, sineRests, cosines, cosineRests } = knownAngles();
  const step = Math.round(size * STEPS);
  const delta = size - step / STEPS;
  const square = delta * delta;
  const high = sines[step] as number;
  const low = sineRests[step] as number;
  const far = cosines[step] as number;
  const product = -high * delta;
  const productRest = -productError(high, delta);
  const small =
    productRest -
    low * delta -
    high * delta * sineTail(square) +
    far * cosineTail(square) +
    (cosineRests[step] as number);
  const sum = far + product;
  return sum + (sumError(far, product, sum) + small);
}

/** One step of Newton's method from an approximation. */
export function arcsine(value: number): number {
  const near = Math.asin(value);
  const slope = cosine(near);
  // Where the sine is almost flat, the step would not improve the approximation.
  if (!(slope > FLAT)) return near;
  const reached = preciseSine(near);
  return near + (value - reached - rest) / slope;
}

/** The sine of an angle from -pi to pi; the rounding error is stored in `rest`. */
function preciseSine(angle: number): number {
  const size = Math.abs(angle);
  if (!(size <= Math.PI)) {
    rest = 0;
    return Math.sin(angle);
  }
  const isObtuse = size > Math.PI / 2;
  const sum = acuteSine(isObtuse ? Math.PI - size : size, isObtuse ? PI_REST : 0);
  if (angle < 0) {
    rest = -rest;
    return -sum;
  }
  return sum;
}

/** The sine of `angle + angleRest`, which is from 0 to pi/2. */
function acuteSine(angle: number, angleRest: number): number {
  const { sines, sineRests, cosines, cosineRests } = knownAngles();
  const step = Math.round(angle * STEPS);
  const delta = angle - step / STEPS;
  const square = delta * delta;
  const high = sines[step] as number;
  const far = cosines[step] as number;
  const product = far * delta;
  const small =
    productError(far, delta) +
    far * angleRest +
    (cosineRests[step] as number) * delta +
    far * delta * sineTail(square) +
    high * cosineTail(square) +
    (sineRests[step] as number);
  const sum = high + product;
  rest = sumError(high, product, sum) + small;
  return sum;
}

/** sin(x) / x - 1 for a small angle, computed from its square. */
function sineTail(square: number): number {
  return square * (-1 / 6 + square * (1 / 120 + square * (-1 / 5040 + square / 362_880)));
}

/** cos(x) - 1. */
function cosineTail(square: number): number {
  return square * (-1 / 2 + square * (1 / 24 + square * (-1 / 720 + square / 40_320)));
}

/** The rounding error of the product of two numbers (Dekker). */
function productError(a: number, b: number): number {
  const aHigh = upperHalf(a);
  const bHigh = upperHalf(b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aLow * bLow - (a * b - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

function upperHalf(value: number): number {
  const scaled = value * SPLITTER;
  return scaled - (scaled - value);
}

/** The rounding error of the sum of two numbers (Knuth). */
function sumError(a: number, b: number, sum: number): number {
  const bPart = sum - a;
  return a - (sum - bPart) + (b - bPart);
}

// ---- known angles ----

interface KnownAngles {
  readonly sines: Float64Array;
  readonly sineRests: Float64Array;
  readonly cosines: Float64Array;
  readonly cosineRests: Float64Array;
}

let known: KnownAngles | undefined;

function knownAngles(): KnownAngles {
  known ??= computeKnownAngles();
  return known;
}

/** The series in fixed-point integers with the unit 2^-PRECISION. */
const PRECISION = 128n;
const UNIT = 2 ** 128;

function computeKnownAngles(): KnownAngles {
  const count = Math.ceil((Math.PI / 2) * STEPS) + 1;
  const [sines, sineRests, cosines, cosineRests] = Array.from({ length: 4 }, () => new Float64Array(count));
  const angles = { sines, sineRests, cosines, cosineRests } as KnownAngles;
  for (let step = 0; step < count; step++) {
    const angle = (BigInt(step) << PRECISION) / BigInt(STEPS);
    setExact(angles.sines, angles.sineRests, step, series(angle, angle, 2n));
    setExact(angles.cosines, angles.cosineRests, step, series(angle, 1n << PRECISION, 1n));
  }
  return angles;
}

/** `first - first x^2 / (n (n + 1)) + …`, with n growing by two. */
function series(x: bigint, first: bigint, n: bigint): bigint {
  const square = (x * x) >> PRECISION;
  let term = first;
  let sum = first;
  for (let i = n; term !== 0n; i += 2n) {
    term = -((term * square) >> PRECISION) / (i * (i + 1n));
    sum += term;
  }
  return sum;
}

function setExact(highs: Float64Array, lows: Float64Array, at: number, value: bigint): void {
  const high = Number(value) / UNIT;
  highs[at] = high;
  lows[at] = Number(value - BigInt(high * UNIT)) / UNIT;
}
