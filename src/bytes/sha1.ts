/**
 * SHA-1 of short inputs: node:crypto needs several times as long to create a hash and its result. Only for digests that are compared;
 * SHA-1 protects nothing.
 */
export class Sha1 {
  /** The result of the last `hash`: five words. */
  readonly words = new Int32Array(5);
  readonly #schedule = new Int32Array(80);

  /** Hashes the bytes from `start` to `end`. */
  hash(bytes: Uint8Array, start: number, end: number): void {
    this.#begin();
    const w = this.#schedule;
    let at = start;
    for (; at + 64 <= end; at += 64) {
      for (let i = 0, from = at; i < 16; i++, from += 4) {
        w[i] =
          ((bytes[from] as number) << 24) |
          ((bytes[from + 1] as number) << 16) |
          ((bytes[from + 2] as number) << 8) |
          (bytes[from + 3] as number);
      }
      this.#block();
    }
    // The rest, a bit that marks its end, and the length in bits.
    const rest = end - at;
    w.fill(0, 0, 16);
    for (let i = 0; i < rest; i++) {
      w[i >> 2] = (w[i >> 2] as number) | ((bytes[at + i] as number) << (24 - ((i & 3) << 3)));
    }
    w[rest >> 2] = (w[rest >> 2] as number) | (0x80 << (24 - ((rest & 3) << 3)));
    if (rest >= 56) {
      this.#block();
      w.fill(0, 0, 16);
    }
    this.#end(end - start);
  }

  /** Hashes five words: 20 bytes, in the order of their significance. `input` may be `words`. */
  hashWords(input: Int32Array): void {
    const w = this.#schedule;
    for (let i = 0; i < 5; i++) w[i] = input[i] as number;
    w[5] = 0x80000000 | 0;
    w.fill(0, 6, 16);
    this.#begin();
    this.#end(20);
  }

  #begin(): void {
    const { words } = this;
    words[0] = 0x67452301;
    words[1] = 0xefcdab89 | 0;
    words[2] = 0x98badcfe | 0;
    words[3] = 0x10325476;
    words[4] = 0xc3d2e1f0 | 0;
  }

  #end(length: number): void {
    this.#schedule[14] = Math.floor(length / 0x20000000);
    this.#schedule[15] = length << 3;
    this.#block();
  }

  /** Adds the block in the first 16 words of the schedule. */
  #block(): void {
    const w = this.#schedule;
    for (let i = 16; i < 80; i++) {
      const x = (w[i - 3] as number) ^ (w[i - 8] as number) ^ (w[i - 14] as number) ^ (w[i - 16] as number);
      w[i] = rotated(x, 1);
    }
    const { words } = this;
    let a = words[0] as number;
    let b = words[1] as number;
    let c = words[2] as number;
    let d = words[3] as number;
    let e = words[4] as number;
    // A loop for each of the four functions, and 32-bit sums: one loop with a choice took twice as long.
    for (let i = 0; i < 20; i++) {
      const next = ((rotated(a, 5) + (d ^ (b & (c ^ d)))) | 0) + ((e + (w[i] as number) + 0x5a827999) | 0);
      e = d;
      d = c;
      c = rotated(b, 30);
      b = a;
      a = next | 0;
    }
    for (let i = 20; i < 40; i++) {
      const next = ((rotated(a, 5) + (b ^ c ^ d)) | 0) + ((e + (w[i] as number) + 0x6ed9eba1) | 0);
      e = d;
      d = c;
      c = rotated(b, 30);
      b = a;
      a = next | 0;
    }
    for (let i = 40; i < 60; i++) {
      const next =
        ((rotated(a, 5) + ((b & c) | (d & (b | c)))) | 0) + ((e + (w[i] as number) + (0x8f1bbcdc | 0)) | 0);
      e = d;
      d = c;
      c = rotated(b, 30);
      b = a;
      a = next | 0;
    }
    for (let i = 60; i < 80; i++) {
      const next = ((rotated(a, 5) + (b ^ c ^ d)) | 0) + ((e + (w[i] as number) + (0xca62c1d6 | 0)) | 0);
      e = d;
      d = c;
      c = rotated(b, 30);
      b = a;
      a = next | 0;
    }
    words[0] = (words[0] as number) + a;
    words[1] = (words[1] as number) + b;
    words[2] = (words[2] as number) + c;
    words[3] = (words[3] as number) + d;
    words[4] = (words[4] as number) + e;
  }
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
