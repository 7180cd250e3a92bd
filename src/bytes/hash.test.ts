import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashBytes } from './hash.js';
import { widen } from './wide-buffer.js';

/** HalfSipHash with one round per word and three to finish, as its definition says it, with exact arithmetic. */
function halfSipHash(bytes: Buffer, key0: number, key1: number): number {
  const v = [key0, key1, key0 ^ 0x6c796765, key1 ^ 0x74656462].map((word) => word >>> 0);
  const rotate = (i: number, bits: number): void => {
    const word = v[i] as number;
    v[i] = ((word << bits) | (word >>> (32 - bits))) >>> 0;
  };
  const add = (i: number, j: number): void => {
    v[i] = ((v[i] as number) + (v[j] as number)) % 2 ** 32;
  };
  const mix = (i: number, word: number): void => {
    v[i] = ((v[i] as number) ^ word) >>> 0;
  };
  const half = (a: number, b: number, first: number): void => {
    add(a, b);
    rotate(b, first);
    mix(b, v[a] as number);
  };
  const round = (): void => {
    half(0, 1, 5);
    rotate(0, 16);
    half(2, 3, 8);
    half(0, 3, 7);
    half(2, 1, 13);
    rotate(2, 16);
  };
  const padded = Buffer.alloc((bytes.length & ~3) + 4);
  bytes.copy(padded);
  padded[padded.length - 1] = bytes.length;
  for (let at = 0; at < padded.length; at += 4) {
    const word = padded.readUInt32LE(at);
    mix(3, word);
    round();
    mix(0, word);
  }
  mix(2, 0xff);
  for (let i = 0; i < 3; i++) round();
  return ((v[1] as number) ^ (v[3] as number)) | 0;
}

test('keys of all lengths have the hash that the definition gives them, in wide and in other buffers', () => {
  for (let length = 0; length < 70; length++) {
    const bytes = Buffer.from(Array.from({ length: length + 3 }, (_, i) => (i * 89 + length * 7) & 255));
    for (const [key0, key1] of [
      [0, 0],
      [0x12345678, -1],
      [-0x7fffffff, 0x0badcafe],
    ] as const) {
      const expected = halfSipHash(bytes.subarray(2, 2 + length), key0, key1);
      assert.equal(hashBytes(bytes, 2, 2 + length, key0, key1), expected);
      assert.equal(hashBytes(widen(Buffer.from(bytes)), 2, 2 + length, key0, key1), expected);
    }
  }
});
