import type { Bytes } from '../../bytes/bytes.js';

/**
 * Integers of 1 to 64 bits at any bit offset, highest bit first. Bits behind the end of the string are zero when read.
 * Up to 45 bits a field, with the rest of its last byte, fits a JavaScript number; wider ones are read as BigInt.
 */
export const WIDEST_NUMBER = 45;

/** The unsigned number in `width` bits, at most `WIDEST_NUMBER`. */
export function readField(bytes: Bytes, offset: number, width: number): number {
  const lastBit = offset + width - 1;
  const lastByte = Math.floor(lastBit / 8);
  const firstByte = Math.floor(offset / 8);
  let value = byteAt(bytes, firstByte) & (0xff >> (offset % 8));
  for (let at = firstByte + 1; at <= lastByte; at++) value = value * 256 + byteAt(bytes, at);
  return Math.floor(value / 2 ** (7 - (lastBit % 8)));
}

/** The same for any width. */
export function readField64(bytes: Bytes, offset: number, width: number): bigint {
  if (width <= WIDEST_NUMBER) return BigInt(readField(bytes, offset, width));
  const high = readField(bytes, offset, width - 32);
  return (BigInt(high) << 32n) | BigInt(readField(bytes, offset + width - 32, 32));
}

/** Writes the low `width` bits, at most `WIDEST_NUMBER`, of a number from 0 to 2^53. They must be within the string. */
export function writeField(bytes: Bytes, offset: number, width: number, value: number): void {
  let rest = value;
  let left = width;
  let end = offset + width;
  while (left > 0) {
    const inByte = end % 8 === 0 ? 8 : end % 8;
    const count = Math.min(inByte, left);
    const at = bytes.start + Math.floor((end - 1) / 8);
    const shift = 8 - inByte;
    const mask = (2 ** count - 1) << shift;
    const part = rest % 2 ** count;
    bytes.buf[at] = ((bytes.buf[at] as number) & ~mask) | (part << shift);
    rest = Math.floor(rest / 2 ** count);
    left -= count;
    end -= count;
  }
}

/** The same for any width, of any 64-bit number. */
export function writeField64(bytes: Bytes, offset: number, width: number, value: bigint): void {
  const low = Number(BigInt.asUintN(32, value));
  if (width <= 32) {
    writeField(bytes, offset, width, low);
    return;
  }
  writeField(bytes, offset, width - 32, Number(BigInt.asUintN(32, value >> 32n)));
  writeField(bytes, offset + width - 32, 32, low);
}

function byteAt(bytes: Bytes, index: number): number {
  const at = bytes.start + index;
  return at < bytes.end ? (bytes.buf[at] as number) : 0;
}
