import type { Bytes } from '../../bytes/bytes.js';

/**
 * A HyperLogLog as Redis stores it in a string. A header of 16 bytes: `HYLL`, the form, three unused bytes, and the
 * last estimate of the number of elements, in 64 bits of which the highest marks it as out of date. Then 16384
 * registers: all of them, 6 bits each (dense), or as runs of equal ones (sparse).
 */
export const HEADER = 16;
export const REGISTERS = 16_384;
export const LARGEST_VALUE = 63;
export const DENSE_LENGTH = HEADER + (REGISTERS * 6) / 8;

export const Form = { dense: 0, sparse: 1 } as const;

const FORM_AT = 4;
const ESTIMATE_AT = 8;
const OUTDATED_AT = 15;
const OUTDATED = 0x80;

/** `HYLL`, sparse, estimated at 0, and one run of zeros. */
export const EMPTY_HYPERLOGLOG = Buffer.from('48594c4c0100000000000000000000007fff', 'hex');

/** Whether the string looks like a HyperLogLog. Does not check its runs. */
export function isHyperLogLog(bytes: Bytes): boolean {
  if (bytes.length < HEADER) return false;
  for (let i = 0; i < FORM_AT; i++) if (bytes.at(i) !== EMPTY_HYPERLOGLOG[i]) return false;
  const form = bytes.at(FORM_AT);
  return form === Form.sparse || (form === Form.dense && bytes.length === DENSE_LENGTH);
}

export function isSparse(bytes: Bytes): boolean {
  return bytes.at(FORM_AT) === Form.sparse;
}

/** The estimate in the header, or undefined if it is out of date. */
export function knownEstimate({ buf, start }: Bytes): bigint | undefined {
  if (((buf[start + OUTDATED_AT] as number) & OUTDATED) !== 0) return undefined;
  return buf.readBigUInt64LE(start + ESTIMATE_AT);
}

export function setEstimate({ buf, start }: Bytes, estimate: number): void {
  buf.writeBigInt64LE(BigInt(estimate), start + ESTIMATE_AT);
}

export function outdateEstimate(buf: Buffer, start: number): void {
  buf[start + OUTDATED_AT] = (buf[start + OUTDATED_AT] as number) | OUTDATED;
}

// ---- the dense form ----

/** The value of a register; `start` is the offset of the header. */
export function denseRegister(buf: Buffer, start: number, index: number): number {
  const bit = index * 6;
  const at = start + HEADER + (bit >> 3);
  const shift = bit & 7;
  const low = (buf[at] as number) >> shift;
  return shift <= 2 ? low & LARGEST_VALUE : (low | ((buf[at + 1] as number) << (8 - shift))) & LARGEST_VALUE;
}

export function setDenseRegister(buf: Buffer, start: number, index: number, value: number): void {
  const bit = index * 6;
  const at = start + HEADER + (bit >> 3);
  const shift = bit & 7;
  buf[at] = ((buf[at] as number) & ~(LARGEST_VALUE << shift)) | (value << shift);
  if (shift <= 2) return;
  const rest = 8 - shift;
  buf[at + 1] = ((buf[at + 1] as number) & ~(LARGEST_VALUE >> rest)) | (value >> rest);
}

/** Begins the dense form of a sparse one: its header, and registers that are all zero. */
export function writeEmptyDense(from: Bytes, buf: Buffer, start: number): void {
  from.buf.copy(buf, start, from.start, from.start + HEADER);
  buf[start + FORM_AT] = Form.dense;
  buf.fill(0, start + HEADER, start + DENSE_LENGTH);
}
