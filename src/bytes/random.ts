import { randomBytes } from 'node:crypto';

/** The source of randomness, passed in everywhere so that a test can control it. */
export interface RandomSource {
  /** Uniform in [0, 1), with 53 random bits. */
  next(): number;
  /** A uniform integer in [0, below); `below` is at most 2^53. */
  integer(below: number): number;
}

/** Xoshiro128**: small, fast and good enough for sampling; not for secrets. */
class Xoshiro implements RandomSource {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(a: number, b: number, c: number, d: number) {
    this.#a = a | 0;
    this.#b = b | 0;
    this.#c = c | 0;
    this.#d = d | 0;
    // A state of all zeros would never change.
    if ((this.#a | this.#b | this.#c | this.#d) === 0) this.#a = 1;
  }

  next(): number {
    return ((this.#word() >>> 5) * 0x400_0000 + (this.#word() >>> 6)) / 0x20_0000_0000_0000;
  }

  integer(below: number): number {
    return Math.floor(this.next() * below);
  }

  #word(): number {
    const product = Math.imul(this.#b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }
}

/** The same sequence for the same seed, on every machine. */
export function seededRandom(seed: number): RandomSource {
  // SplitMix32 spreads the seed over the whole state, so that adjacent seeds produce unrelated sequences.
  let state = seed | 0;
  const word = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  return new Xoshiro(word(), word(), word(), word());
}

/** An unpredictable sequence, seeded by the operating system. */
export function systemRandom(): RandomSource {
  const seed = randomBytes(16);
  return new Xoshiro(seed.readInt32LE(0), seed.readInt32LE(4), seed.readInt32LE(8), seed.readInt32LE(12));
}
