import type { Piece } from './record-layout.js';
import { hasRecord, readBits } from './record-layout.js';

/** Up to this many bits, an array has a place for every combination of values. */
const MAX_ARRAY_BITS = 20;

/**
 * Counts the combinations of some fields' values in packed records, without decoding them: each combination is decoded once, at
 * the end.
 */
export class Tally {
  readonly #pieces: readonly Piece[];
  readonly #size: number;
  readonly #array: Float64Array | undefined;
  readonly #map = new Map<number | string, number>();
  readonly #isText: boolean;

  /** @param size bytes of a record */
  constructor(pieces: readonly Piece[], size: number) {
    const bits = pieces.reduce((sum, { width }) => sum + width, 0);
    this.#pieces = pieces;
    this.#size = size;
    this.#array = bits <= MAX_ARRAY_BITS ? new Float64Array(2 ** bits) : undefined;
    this.#isText = bits > 53;
  }

  /** Counts the records of a chunk, which begins with a record. */
  add(chunk: Buffer): void {
    const size = this.#size;
    for (let at = 0; at < chunk.length; at += size) {
      if (hasRecord(chunk, at)) this.#count(chunk, at);
    }
  }

  #count(chunk: Buffer, at: number): void {
    if (this.#isText) {
      const codes = this.#pieces.map(({ offset, width }) => readBits(chunk, at * 8 + offset, width));
      this.#increment(codes.join(' '));
      return;
    }
    let code = 0;
    for (const { offset, width } of this.#pieces) {
      code = code * 2 ** width + readBits(chunk, at * 8 + offset, width);
    }
    if (this.#array === undefined) this.#increment(code);
    else (this.#array[code] as number)++;
  }

  #increment(code: number | string): void {
    this.#map.set(code, (this.#map.get(code) ?? 0) + 1);
  }

  /** The codes of each combination that occurred, a code for each piece, and how often. */
  *counts(): Generator<readonly [codes: number[], count: number], void, undefined> {
    for (const [code, count] of this.#map) yield [this.#split(code), count];
    if (this.#array === undefined) return;
    for (const [code, count] of this.#array.entries()) if (count > 0) yield [this.#split(code), count];
  }

  #split(code: number | string): number[] {
    if (typeof code === 'string') return code.split(' ').map(Number);
    const codes: number[] = [];
    let left = code;
    for (const { width } of [...this.#pieces].reverse()) {
      codes.unshift(left % 2 ** width);
      left = Math.floor(left / 2 ** width);
    }
    return codes;
  }
}
