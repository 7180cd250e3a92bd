import { createHash } from 'node:crypto';
import { KitError } from '../kit-error.js';
import { shown } from '../options.js';

/** A field, member or id. Numbers must be whole and below 2^53; for larger ones pass a bigint or a decimal string. */
export type ExactId = string | number | bigint;

/** The text of an id. Refuses numbers that JavaScript has rounded already. */
export function idText(owner: string, id: ExactId): string {
  if (typeof id === 'string') return id;
  if (typeof id === 'bigint' || Number.isSafeInteger(id)) return String(id);
  const hint =
    typeof id === 'number' && Number.isInteger(id)
      ? 'is not exact above 2^53: pass a bigint or a decimal string'
      : 'must be a string, a whole number or a bigint';
  throw new KitError('OPTION', `${owner}: an id ${hint}, not ${shown(id)}`);
}

const DECIMAL = /^(?:0|-?[1-9]\d{0,18})$/;
const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** Whether Redis keeps the text as a 64-bit integer: in a set of such members, eight bytes or less. */
export function isInteger64(text: string): boolean {
  if (!DECIMAL.test(text)) return false;
  if (text.length < 19) return true;
  const number = BigInt(text);
  return number >= MIN && number <= MAX;
}

/**
 * A 64-bit number that stands for a text, such as a UUID: all 64 bits of a SHA-256 digest, as a decimal string, because a JavaScript
 * number holds only 53. Among a hundred million texts, two get the same number with a chance of one in 3,700.
 *
 * @example
 * id64('f47ac10b-58cc-4372-a567-0e02b2c3d479'); // '-8124480372742165155'
 */
export function id64(text: string): string {
  return String(createHash('sha256').update(text).digest().readBigInt64BE());
}

/**
 * A 32-bit hash of a text. All processes and versions must agree on it, because it decides where data is: never change it. FNV-1a
 * over UTF-8, then mixed, so that the remainder of any divisor is even.
 */
export function hash32(text: string | Uint8Array): number {
  let hash = 0x811c9dc5;
  if (typeof text === 'string' && !ASCII.test(text)) return hash32(Buffer.from(text));
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(
      hash ^ (typeof text === 'string' ? text.charCodeAt(i) : (text[i] as number)),
      0x01000193,
    );
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const ASCII = /^[\x00-\x7f]*$/;
