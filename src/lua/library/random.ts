const MULTIPLIER = 0x5deece66dn;
const INCREMENT = 0xbn;
const MASK = (1n << 48n) - 1n;
const LARGEST = 0x7fff_ffff;

/** The random generator of Redis's scripts: `lrand48`, which returns the same numbers on every machine. */
export class LuaRandom {
  /** The initial state in C's library. Redis does not seed it: a script continues the sequence of the previous one. */
  #state = 0x1234_abcd_330en;

  seed(seed: number): void {
    this.#state = (BigInt.asUintN(32, BigInt(seed)) << 16n) | 0x330en;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state * MULTIPLIER + INCREMENT) & MASK;
    return (Number(this.#state >> 17n) % LARGEST) / LARGEST;
  }
}
