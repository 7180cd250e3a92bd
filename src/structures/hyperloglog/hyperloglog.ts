import type { Bytes } from '../../bytes/bytes.js';
import { denseRegister, isSparse, LARGEST_VALUE, REGISTERS } from './hyperloglog-format.js';
import { elementHash, hashElement } from './hyperloglog-hash.js';
import { SparseRuns } from './hyperloglog-sparse.js';

/** Computes the register and value of an element, and the number of elements that registers represent. */

const INDEX_BITS = 14;
/** Bits of a hash that are not the index. */
const COUNTED_BITS = 64 - INDEX_BITS;

export const elementRegister = { index: 0, value: 0 };

/**
 * Sets `elementRegister` to the register of an element (the lowest 14 bits of its hash) and the value (the position of
 * the lowest bit set in the rest).
 */
export function locateElement(element: Bytes): void {
  hashElement(element);
  const { high, low } = elementHash;
  elementRegister.index = low & (REGISTERS - 1);
  const restLow = (low >>> INDEX_BITS) | (high << (32 - INDEX_BITS));
  // An extra bit after the last one bounds the search.
  const restHigh = (high >>> INDEX_BITS) | (1 << (COUNTED_BITS - 32));
  elementRegister.value = restLow !== 0 ? lowestBit(restLow) + 1 : lowestBit(restHigh) + 33;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

// ---- all registers ----

const runs = new SparseRuns();

/** Raises each of `maxima`, 16384 bytes, to the register of a valid string. False if it is corrupt. */
export function raiseToRegisters(maxima: Uint8Array, bytes: Bytes): boolean {
  const { buf, start, end } = bytes;
  if (!isSparse(bytes)) {
    for (let i = 0; i < REGISTERS; i++) {
      const value = denseRegister(buf, start, i);
      if (value > (maxima[i] as number)) maxima[i] = value;
    }
    return true;
  }
  let index = 0;
  runs.open(buf, start, end);
  while (runs.next()) {
    const { length, value } = runs;
    if (index + length > REGISTERS) return false;
    for (let i = index; value > 0 && i < index + length; i++) {
      if (value > (maxima[i] as number)) maxima[i] = value;
    }
    index += length;
  }
  return index === REGISTERS;
}

/** The number of registers with each value. Undefined if the string is corrupt. */
export function countValues(bytes: Bytes): Float64Array | undefined {
  const counts = new Float64Array(LARGEST_VALUE + 1);
  const { buf, start, end } = bytes;
  if (!isSparse(bytes)) {
    for (let i = 0; i < REGISTERS; i++) countOne(counts, denseRegister(buf, start, i), 1);
    return counts;
  }
  let index = 0;
  runs.open(buf, start, end);
  while (runs.next()) {
    countOne(counts, runs.value, runs.length);
    index += runs.length;
  }
  return index === REGISTERS ? counts : undefined;
}

/** The same for registers stored one per byte. */
export function countMaxima(maxima: Uint8Array): Float64Array {
  const counts = new Float64Array(LARGEST_VALUE + 1);
  for (let i = 0; i < REGISTERS; i++) countOne(counts, maxima[i] as number, 1);
  return counts;
}

function countOne(counts: Float64Array, value: number, by: number): void {
  counts[value] = (counts[value] as number) + by;
}

// ---- estimating ----

/** Only forged registers lead to such an estimate. It overflows to a negative number, as C's integers do. */
const TOO_MANY = 2 ** 63;
const ALPHA = 0.7213475204444817;

/** The estimated number of elements, after Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches". */
export function estimate(counts: Float64Array): number {
  let z = REGISTERS * tau((REGISTERS - (counts[COUNTED_BITS + 1] as number)) / REGISTERS);
  for (let value = COUNTED_BITS; value >= 1; value--) z = (z + (counts[value] as number)) * 0.5;
  z += REGISTERS * sigma((counts[0] as number) / REGISTERS);
  const elements = Math.round((ALPHA * REGISTERS * REGISTERS) / z);
  return elements < TOO_MANY ? elements : -TOO_MANY;
}

/** The term for registers that are still zero. */
function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let x = share;
  let y = 1;
  let z = share;
  for (let before = Number.NaN; before !== z; ) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

/** The term for registers at the maximum. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let x = share;
  let y = 1;
  let z = 1 - share;
  for (let before = Number.NaN; before !== z; ) {
    x = Math.sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) * (1 - x) * y;
  }
  return z / 3;
}
