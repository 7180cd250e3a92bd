const MULTIPLIER = 0x5deece66dn;
const INCREMENT = 0xbn;
const MASK = (1n << 48n) - 1n;
const LARGEST = 0x7fff_ffff;

/** The generator Redis gives to scripts instead of the machine's: the same numbers everywhere, `lrand48`'s. */
export class LuaRandom {
  /** What C's library starts with. Redis does not seed it: scripts go on where the last one stopped. */
  #state = 0x1234_abcd_330en;

  seed(seed: number): void {
    this.#state = (BigInt.asUintN(32, BigInt(seed)) << 16n) | 0x330en;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state * MULTIPLIER + INCREMENT) & MASK;
    return (Number(this.#state >> 17n) % LARGEST) / LARGEST;
  }
}
