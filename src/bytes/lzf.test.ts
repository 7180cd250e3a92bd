import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lzfCompress, lzfDecompress } from './lzf.js';
import { seededRandom } from './random.js';

/** Compresses from and into the middle of buffers, with the space that Redis allows; undefined when the result does not fit. */
function compress(text: string): Buffer | undefined {
  const source = Buffer.from(`<${text}>`, 'latin1');
  const target = Buffer.alloc(text.length + 8, 0xee);
  const length = lzfCompress(source, 1, 1 + text.length, target, 4, text.length);
  assert.ok(target.subarray(0, 4).every((byte) => byte === 0xee));
  assert.ok(target.subarray(text.length).every((byte) => byte === 0xee));
  return length === 0 ? undefined : target.subarray(4, 4 + length);
}

function decompress(bytes: Buffer, length: number): string | undefined {
  const target = Buffer.alloc(length + 2);
  const restored = lzfDecompress(bytes, 0, bytes.length, target, 1, 1 + length);
  return restored < 0 ? undefined : target.toString('latin1', 1, 1 + restored);
}

/** The bytes of redis-server 7.0.15 for the text in a DUMP payload. */
const PAYLOADS: [string, string][] = [
  ['a'.repeat(21), '016161e00a00'],
  ['a'.repeat(300), '016161e0ff00e01700016161'],
  ['abc'.repeat(20), '0361626361e02d02016263'],
  [`${'0123456789'.repeat(3)}--${'0123456789'.repeat(2)}`, '0a3031323334353637383930e00a09012d2de00a150039'],
  [
    'the quick brown fox jumps over the lazy dog, the quick brown fox jumps over the lazy dog',
    '1f74686520717569636b2062726f776e20666f78206a756d7073206f7665722074201e086c617a7920646f672c600de01c2c016f67',
  ],
  ['\0\x01\xff'.repeat(9), '030001ff00e00c020101ff'],
];

describe('lzfCompress', () => {
  it('produces the same bytes as redis-server', () => {
    for (const [text, hex] of PAYLOADS) assert.equal(compress(text)?.toString('hex'), hex);
  });

  it('gives up on text that does not get four bytes shorter', () => {
    assert.equal(compress('abcdefghijklmnopqrstuvwxyz0123456789'), undefined);
    assert.equal(compress('abcd'), undefined);
  });

  it('is reversed by lzfDecompress', () => {
    const random = seededRandom(3);
    for (let round = 0; round < 200; round++) {
      const letters = 2 + random.integer(20);
      const length = 21 + random.integer(2000);
      const text = Array.from({ length }, () => String.fromCharCode(97 + random.integer(letters))).join('');
      const compressed = compress(text);
      if (compressed !== undefined) assert.equal(decompress(compressed, length), text);
    }
  });
});

describe('lzfDecompress', () => {
  it('rejects input that is truncated, refers to bytes before the beginning or does not fit', () => {
    const compressed = compress('a'.repeat(100)) as Buffer;
    assert.equal(decompress(compressed, 100), 'a'.repeat(100));
    assert.equal(decompress(compressed, 99), undefined);
    for (let cut = 1; cut < compressed.length; cut++) {
      assert.notEqual(decompress(compressed.subarray(0, cut), 100), 'a'.repeat(100));
    }
    assert.equal(decompress(Buffer.from([0x05, 0x61]), 100), undefined);
    assert.equal(decompress(Buffer.from([0x00, 0x61, 0x20]), 100), undefined);
    assert.equal(decompress(Buffer.from([0x00, 0x61, 0xe0]), 100), undefined);
    assert.equal(decompress(Buffer.from([0x00, 0x61, 0xe0, 0x00]), 100), undefined);
    assert.equal(decompress(Buffer.from([0x00, 0x61, 0x20, 0x01]), 100), undefined);
    assert.equal(decompress(Buffer.from([0x00, 0x61, 0x20, 0x00]), 100), 'aaaa');
  });
});
