/**
 * HalfSipHash-1-3: a keyed 32-bit hash of bytes. The secret key prevents clients from choosing keys that all fall into one
 * bucket. It uses only 32-bit operations, so that it is about as fast in JavaScript as an unkeyed hash.
 */
export function hashBytes(buf: Buffer, start: number, end: number, key0: number, key1: number): number {
  // `| 0` tells the compiler that these are 32-bit integers: without it the additions of the loop were done in floating point.
  let v0 = key0 | 0;
  let v1 = key1 | 0;
  let v2 = key0 ^ 0x6c796765;
  let v3 = key1 ^ 0x74656462;
  const length = end - start;
  const wholeEnd = start + (length & ~3);
  let word = 0;
  let i = start;
  const { wide } = buf;
  for (; i < wholeEnd; i += 4) {
    word = wide === undefined ? wordAt(buf, i) : wide.getInt32(i, true);
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  word = length << 24;
  if (i < end) word |= buf[i] as number;
  if (i + 1 < end) word |= (buf[i + 1] as number) << 8;
  if (i + 2 < end) word |= (buf[i + 2] as number) << 16;
  v3 ^= word;
  // The round of the last word, then three to finish. Written out: a loop takes a third longer for short keys (measured).
  v0 = (v0 + v1) | 0;
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
  v0 = (v0 << 16) | (v0 >>> 16);
  v2 = (v2 + v3) | 0;
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
  v0 = (v0 + v3) | 0;
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
  v2 = (v2 + v1) | 0;
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
  v2 = (v2 << 16) | (v2 >>> 16);
  v0 ^= word;
  v2 ^= 0xff;
  v0 = (v0 + v1) | 0;
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
  v0 = (v0 << 16) | (v0 >>> 16);
  v2 = (v2 + v3) | 0;
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
  v0 = (v0 + v3) | 0;
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
  v2 = (v2 + v1) | 0;
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
  v2 = (v2 << 16) | (v2 >>> 16);
  v0 = (v0 + v1) | 0;
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
  v0 = (v0 << 16) | (v0 >>> 16);
  v2 = (v2 + v3) | 0;
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
  v0 = (v0 + v3) | 0;
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
  v2 = (v2 + v1) | 0;
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
  v2 = (v2 << 16) | (v2 >>> 16);
  v0 = (v0 + v1) | 0;
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
  v0 = (v0 << 16) | (v0 >>> 16);
  v2 = (v2 + v3) | 0;
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
  v0 = (v0 + v3) | 0;
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
  v2 = (v2 + v1) | 0;
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
  v2 = (v2 << 16) | (v2 >>> 16);
  return v1 ^ v3;
}

function wordAt(buf: Buffer, at: number): number {
  return (
    (buf[at] as number) |
    ((buf[at + 1] as number) << 8) |
    ((buf[at + 2] as number) << 16) |
    ((buf[at + 3] as number) << 24)
  );
}
