import { Bytes } from './bytes.js';

/**
 * Bits of byte strings, numbered as in Redis: bit 0 is the highest of the first byte. Long strings are processed in 32-bit
 * words; for a short string, creating the view for that costs more than it saves.
 */

/** Shorter strings are processed byte by byte. */
const SHORT = 64;

const middle = new Bytes();
const ONES_OF_BYTE = new Uint8Array(256);
for (let byte = 1; byte < 256; byte++) ONES_OF_BYTE[byte] = (byte & 1) + (ONES_OF_BYTE[byte >> 1] as number);

/** The number of set bits. */
export function countOnes(bytes: Bytes): number {
  const { buf, start, end } = bytes;
  if (end - start < SHORT) return countOnesByByte(buf, start, end);
  const firstWord = alignedUp(buf, start);
  const words = wordsFrom(buf, firstWord, (end - firstWord) >> 2);
  const restStart = firstWord + words.length * 4;
  return (
    countOnesByByte(buf, start, firstWord) + countOnesOfWords(words) + countOnesByByte(buf, restStart, end)
  );
}

function countOnesByByte(buf: Buffer, start: number, end: number): number {
  let ones = 0;
  for (let i = start; i < end; i++) ones += ONES_OF_BYTE[buf[i] as number] as number;
  return ones;
}

/**
 * Counts the bits of all groups of a word at once: pairs, then nibbles. The nibbles of two words are added before they are
 * widened to bytes, and the bytes of eight words before they are summed.
 */
function countOnesOfWords(words: Int32Array): number {
  let ones = 0;
  let i = 0;
  for (; i + 8 <= words.length; i += 8) {
    const bytes =
      inBytes(inNibbles(words[i] as number) + inNibbles(words[i + 1] as number)) +
      inBytes(inNibbles(words[i + 2] as number) + inNibbles(words[i + 3] as number)) +
      inBytes(inNibbles(words[i + 4] as number) + inNibbles(words[i + 5] as number)) +
      inBytes(inNibbles(words[i + 6] as number) + inNibbles(words[i + 7] as number));
    const halves = (bytes & 0x00ff00ff) + ((bytes >>> 8) & 0x00ff00ff);
    ones += (halves & 0xffff) + (halves >>> 16);
  }
  for (; i < words.length; i++) ones += Math.imul(inBytes(inNibbles(words[i] as number)), 0x01010101) >>> 24;
  return ones;
}

function inNibbles(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
}

function inBytes(nibbles: number): number {
  return (nibbles & 0x0f0f0f0f) + ((nibbles >>> 4) & 0x0f0f0f0f);
}

/** The number of set bits from `first` to `last`, inclusive. They must be within the string. */
export function countOnesBetween(bytes: Bytes, first: number, last: number): number {
  const firstByte = Math.floor(first / 8);
  const lastByte = Math.floor(last / 8);
  const { buf, start } = bytes;
  const ones = countOnes(middle.set(buf, start + firstByte, start + lastByte + 1));
  const before = (buf[start + firstByte] as number) >> (8 - (first % 8));
  const behind = (buf[start + lastByte] as number) & ((1 << (7 - (last % 8))) - 1);
  return ones - (ONES_OF_BYTE[before] as number) - (ONES_OF_BYTE[behind] as number);
}

/** The position of the first bit with this value from `first` to `last`, inclusive and within the string; -1 if there is none. */
export function findBit(bytes: Bytes, bit: number, first: number, last: number): number {
  const { buf, start } = bytes;
  const other = bit === 1 ? 0 : 0xff;
  const lastByte = Math.floor(last / 8);
  let at = Math.floor(first / 8);
  // Give the bits before the first one the other value.
  const kept = 0xff >> (first % 8);
  let byte = ((buf[start + at] as number) & kept) | (other & ~kept);
  if (byte === other) {
    at = skipBytes(buf, start + at + 1, start + lastByte + 1, other) - start;
    if (at > lastByte) return -1;
    byte = buf[start + at] as number;
  }
  const found = at * 8 + Math.clz32(byte ^ other) - 24;
  return found > last ? -1 : found;
}

/** The position of the first byte other than `value` (0 or 255), or `end`. */
function skipBytes(buf: Buffer, start: number, end: number, value: number): number {
  let at = start;
  if (end - start >= SHORT) {
    const firstWord = alignedUp(buf, start);
    while (at < firstWord) {
      if (buf[at] !== value) return at;
      at++;
    }
    const words = wordsFrom(buf, firstWord, (end - firstWord) >> 2);
    const same = value === 0 ? 0 : -1;
    let word = 0;
    while (word < words.length && words[word] === same) word++;
    at = firstWord + word * 4;
  }
  while (at < end && buf[at] === value) at++;
  return at;
}

export type BitOperation = 'and' | 'or' | 'xor';

/** `target = target op source`, with the shorter string padded with zeros; `target` must not be the shorter one. */
export function combineBits(operation: BitOperation, target: Bytes, source: Bytes): void {
  const length = source.end - source.start;
  let done = 0;
  if (length >= SHORT && isAligned(target) && isAligned(source)) {
    const targetWords = wordsFrom(target.buf, target.start, length >> 2);
    const sourceWords = wordsFrom(source.buf, source.start, length >> 2);
    combine(operation, targetWords, sourceWords);
    done = targetWords.length * 4;
  }
  const rest = target.buf.subarray(target.start + done, target.start + length);
  combine(operation, rest, source.buf.subarray(source.start + done, source.end));
  if (operation === 'and') target.buf.fill(0, target.start + length, target.end);
}

function combine(operation: BitOperation, target: Int32Array | Buffer, source: Int32Array | Buffer): void {
  const { length } = target;
  if (operation === 'and')
    for (let i = 0; i < length; i++) target[i] = (target[i] as number) & (source[i] as number);
  else if (operation === 'or')
    for (let i = 0; i < length; i++) target[i] = (target[i] as number) | (source[i] as number);
  else for (let i = 0; i < length; i++) target[i] = (target[i] as number) ^ (source[i] as number);
}

/** Inverts every bit. */
export function invertBits(target: Bytes): void {
  const { buf, start, end } = target;
  let at = start;
  if (end - start >= SHORT && isAligned(target)) {
    const words = wordsFrom(buf, start, (end - start) >> 2);
    for (let i = 0; i < words.length; i++) words[i] = ~(words[i] as number);
    at = start + words.length * 4;
  }
  for (; at < end; at++) buf[at] = ~(buf[at] as number);
}

function isAligned(bytes: Bytes): boolean {
  return ((bytes.buf.byteOffset + bytes.start) & 3) === 0;
}

/** The first offset from `start` on that is divisible by four in memory. */
function alignedUp(buf: Buffer, start: number): number {
  return start + (-(buf.byteOffset + start) & 3);
}

function wordsFrom(buf: Buffer, start: number, count: number): Int32Array {
  return new Int32Array(buf.buffer, buf.byteOffset + start, count);
}
