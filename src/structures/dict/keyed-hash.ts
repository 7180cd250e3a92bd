import type { Bytes } from '../../bytes/bytes.js';
import { hashBytes } from '../../bytes/hash.js';

/** The two secret words that key a hash function. */
export interface HashKey {
  readonly key0: number;
  readonly key1: number;
}

/**
 * The hash function of all dictionaries of a keyspace. `expect` passes it hashes that will be requested soon, so that they are
 * not computed twice.
 */
export class KeyedHash implements HashKey {
  readonly key0: number;
  readonly key1: number;
  #buffer: Buffer | undefined;
  #expected: ExpectedHashes = NONE;
  #next = 0;

  constructor({ key0, key1 }: HashKey) {
    this.key0 = key0;
    this.key1 = key1;
  }

  of(key: Bytes): number {
    const { buf, start, end } = key;
    if (buf === this.#buffer) {
      const { starts, ends, hashes, count } = this.#expected;
      let i = this.#next;
      while (i < count && (starts[i] as number) < start) i++;
      this.#next = i;
      if (i < count && starts[i] === start && ends[i] === end) return hashes[i] as number;
    }
    return hashBytes(buf, start, end, this.key0, this.key1);
  }

  /** Sets the hashes of the bytes at these offsets of `buffer`, in ascending order. The bytes must not change until `forget`. */
  expect(buffer: Buffer, expected: ExpectedHashes): void {
    this.#buffer = buffer;
    this.#expected = expected;
    this.#next = 0;
  }

  forget(): void {
    this.#buffer = undefined;
    this.#expected = NONE;
  }
}

/** Parts of a buffer and their hashes: the first `count` elements of each array. */
export interface ExpectedHashes {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly hashes: Int32Array;
  readonly count: number;
}

const EMPTY = new Int32Array(0);
const NONE: ExpectedHashes = { starts: EMPTY, ends: EMPTY, hashes: EMPTY, count: 0 };
