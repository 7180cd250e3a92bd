import type { Bytes } from '../../bytes/bytes.js';

/**
 * MurmurHash64A with the seed of HyperLogLogs, computed in halves of 32 bits: the hash is the whole cost of adding
 * an element, and a BigInt for each step would be a hundred times slower.
 */
export const elementHash = { high: 0, low: 0 };

const SEED = 0xadc8_3b19;
const FACTOR_HIGH = 0xc6a4_a793 | 0;
const FACTOR_LOW = 0x5bd1_e995;

/** Stores the hash of the bytes in `elementHash`. */
export function hashElement({ buf, start, end }: Bytes): void {
  const length = end - start;
  multiply(0, length);
  let high = productHigh;
  let low = productLow ^ SEED;
  const wholeEnd = end - (length & 7);
  for (let at = start; at < wholeEnd; at += 8) {
    multiply(word(buf, at + 4), word(buf, at));
    // Combine the upper 17 of 64 bits, shifted down by 47, with the lower ones.
    multiply(productHigh, productLow ^ (productHigh >>> 15));
    multiply(high ^ productHigh, low ^ productLow);
    high = productHigh;
    low = productLow;
  }
  if (wholeEnd < end) {
    for (let at = wholeEnd; at < end; at++) {
      const index = at - wholeEnd;
      if (index < 4) low ^= (buf[at] as number) << (8 * index);
      else high ^= (buf[at] as number) << (8 * (index - 4));
    }
    multiply(high, low);
    high = productHigh;
    low = productLow;
  }
  multiply(high, low ^ (high >>> 15));
  elementHash.high = productHigh;
  elementHash.low = productLow ^ (productHigh >>> 15);
}

let productHigh = 0;
let productLow = 0;

/** The lower 64 bits of a number times the factor. */
function multiply(high: number, low: number): void {
  const a = low & 0xffff;
  const b = low >>> 16;
  const factorA = FACTOR_LOW & 0xffff;
  const factorB = FACTOR_LOW >>> 16;
  const bottom = Math.imul(a, factorA) >>> 0;
  // Each sum of two products and a carry stays below 2^53.
  const middle = a * factorB + b * factorA + (bottom >>> 16);
  const carry = b * factorB + Math.floor(middle / 0x1_0000);
  productLow = Math.imul(low, FACTOR_LOW);
  productHigh = (carry + Math.imul(high, FACTOR_LOW) + Math.imul(low, FACTOR_HIGH)) | 0;
}

function word(buf: Buffer, at: number): number {
  return (
    (buf[at] as number) |
    ((buf[at + 1] as number) << 8) |
    ((buf[at + 2] as number) << 16) |
    ((buf[at + 3] as number) << 24)
  );
}
