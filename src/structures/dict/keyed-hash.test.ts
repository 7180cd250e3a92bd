import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { KeyedHash } from './keyed-hash.js';

const buffer = Buffer.from('one two three');
const part = (start: number, end: number): Bytes => new Bytes(buffer, start, end);
const ONE = part(0, 3);
const TWO = part(4, 7);
const THREE = part(8, 13);

function expecting(): KeyedHash {
  const hash = new KeyedHash({ key0: 1, key1: 2 });
  const starts = Int32Array.of(0, 4, 8);
  const ends = Int32Array.of(3, 7, 13);
  hash.expect(buffer, { starts, ends, hashes: Int32Array.of(101, 102, 103), count: 3 });
  return hash;
}

test('expected hashes are returned in order, each as often as it is requested', () => {
  const hash = expecting();
  assert.deepEqual(
    [ONE, ONE, TWO, THREE, THREE].map((key) => hash.of(key)),
    [101, 101, 102, 103, 103],
  );
});

test('hashes that are not requested are skipped', () => {
  assert.equal(expecting().of(THREE), 103);
});

test('bytes that are not expected get their own hash', () => {
  const plain = new KeyedHash({ key0: 1, key1: 2 });
  const hash = expecting();
  assert.equal(hash.of(part(4, 6)), plain.of(part(4, 6)));
  assert.equal(hash.of(Bytes.of('two')), plain.of(TWO));
  assert.equal(hash.of(THREE), 103);
  // Already passed.
  assert.equal(hash.of(ONE), plain.of(ONE));
});

test('nothing is expected after forget', () => {
  const hash = expecting();
  hash.forget();
  assert.equal(hash.of(ONE), new KeyedHash({ key0: 1, key1: 2 }).of(ONE));
});

test('another key results in other hashes', () => {
  assert.notEqual(new KeyedHash({ key0: 1, key1: 3 }).of(ONE), new KeyedHash({ key0: 1, key1: 2 }).of(ONE));
});
