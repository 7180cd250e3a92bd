import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc16, keySlot } from './crc16.js';

/** The slot of a key in the middle of other bytes. */
function slot(key: string): number {
  return keySlot(Buffer.from(`}{${key}}`, 'latin1'), 2, 2 + key.length);
}

describe('crc16', () => {
  it('has the check value of CRC-16/XMODEM', () => {
    assert.equal(crc16(Buffer.from('123456789'), 0, 9), 0x31c3);
  });
});

describe('keySlot', () => {
  it('returns the same slots as CLUSTER KEYSLOT', () => {
    const slots: [string, number][] = [
      ['', 0],
      ['foo', 12182],
      ['bar', 5061],
      ['user1000', 3443],
      ['{user1000}.following', 3443],
      ['foo{}{bar}', 8363],
      ['foo{{bar}}zap', 4015],
      ['foo{bar}{zap}', 5061],
      ['foo{bar', 15278],
      ['{}', 15257],
      ['{a}', 15495],
      ['a}b{c}', 7365],
      ['\xff\xfe\x00', 16301],
      ['{\xff}', 7920],
    ];
    for (const [key, expected] of slots) assert.equal(slot(key), expected, key);
  });

  it('uses only the hash tag', () => {
    assert.equal(slot('{user1000}.following'), slot('user1000'));
    assert.equal(slot('foo{bar}{zap}'), slot('bar'));
    assert.equal(slot('foo{{bar}}zap'), slot('{bar'));
  });

  it('uses the whole key when the tag is empty or not closed', () => {
    assert.notEqual(slot('foo{}{bar}'), slot('bar'));
    assert.notEqual(slot('foo{bar'), slot('bar'));
    assert.notEqual(slot('foo}bar{'), slot('foo'));
  });
});
