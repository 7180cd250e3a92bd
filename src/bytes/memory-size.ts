/** Amounts of memory, in the formats of the configuration and of INFO. */
import { formatFixed } from './numbers/double.js';

const UNITS: Readonly<Record<string, bigint>> = {
  '': 1n,
  b: 1n,
  k: 1000n,
  kb: 1024n,
  m: 1000n ** 2n,
  mb: 1024n ** 2n,
  g: 1000n ** 3n,
  gb: 1024n ** 3n,
};

const UINT64_MAX = 2n ** 64n - 1n;
/** Redis reads the digits through a buffer of 128 bytes, terminator included. */
const MAX_DIGITS = 127;

/**
 * Parses an amount such as "100mb" or "1k": digits and a unit in any letter case, where "k" is 1000 and "kb" 1024. Undefined
 * when Redis would reply "argument must be a memory value". As in Redis, no digits mean zero, too many digits mean the largest
 * 64-bit number, and a product beyond 64 bits wraps around. A NUL ends the text.
 */
export function parseMemorySize(bytes: string): bigint | undefined {
  const terminator = bytes.indexOf('\0');
  const text = terminator < 0 ? bytes : bytes.slice(0, terminator);
  const match = /^([0-9]*)([a-z]{0,2})$/i.exec(text);
  if (match === null) return undefined;
  const digits = match[1] as string;
  const unit = UNITS[(match[2] as string).toLowerCase()];
  if (unit === undefined || digits.length > MAX_DIGITS) return undefined;
  let count = BigInt(digits);
  if (count > UINT64_MAX) count = UINT64_MAX;
  return BigInt.asUintN(64, count * unit);
}

const LETTERS = ['K', 'M', 'G', 'T', 'P'];

/** Prints an amount as INFO's `_human` fields do: 512B, 868.09K, 1.23M. */
export function humanBytes(amount: number): string {
  if (amount < 1024) return `${amount}B`;
  let scaled = amount / 1024;
  let letter = 0;
  while (scaled >= 1024 && letter < LETTERS.length - 1) {
    scaled /= 1024;
    letter++;
  }
  return `${formatFixed(scaled, 2)}${LETTERS[letter]}`;
}
