import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Sha1 } from './sha1.js';

function hex(words: Int32Array): string {
  return Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

test('SHA-1 of inputs of every length up to some blocks, at any offset, is that of node:crypto', () => {
  const sha1 = new Sha1();
  const bytes = Buffer.from(Array.from({ length: 400 }, (_, i) => (i * 151 + 13) & 0xff));
  for (let length = 0; length <= 300; length++) {
    const start = length % 7;
    sha1.hash(bytes, start, start + length);
    const expected = createHash('sha1')
      .update(bytes.subarray(start, start + length))
      .digest('hex');
    assert.equal(hex(sha1.words), expected, `${length} bytes`);
  }
});

test('five words are hashed as their bytes, also the words of the last result', () => {
  const sha1 = new Sha1();
  sha1.hash(Buffer.from('x'), 0, 1);
  const once = hex(sha1.words);
  sha1.hashWords(sha1.words);
  assert.equal(hex(sha1.words), createHash('sha1').update(Buffer.from(once, 'hex')).digest('hex'));
});
