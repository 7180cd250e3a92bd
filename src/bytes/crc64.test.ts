import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Crc64 } from './crc64.js';

describe('Crc64', () => {
  it('has the check value of the Jones polynomial', () => {
    const crc = new Crc64().update(Buffer.from('123456789'), 0, 9);
    assert.equal(crc.high, 0xe9c6d914);
    assert.equal(crc.low, 0xc4b8d9ca);
  });

  it('does not depend on how the bytes are cut into pieces', () => {
    const bytes = Buffer.from(Array.from({ length: 100 }, (_, index) => (index * 37 + 11) & 0xff));
    const whole = new Crc64().update(bytes, 0, bytes.length);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const pieces = new Crc64().update(bytes, 0, cut).update(bytes, cut, bytes.length);
      assert.deepEqual([pieces.low, pieces.high], [whole.low, whole.high]);
    }
    const single = new Crc64();
    for (let at = 0; at < bytes.length; at++) single.update(bytes, at, at + 1);
    assert.deepEqual([single.low, single.high], [whole.low, whole.high]);
  });

  it('is the checksum of a DUMP payload of redis-server', () => {
    const payload = Buffer.from('000c68656c6c6f2c20776f726c640a00cbe6b3e2f9ef962f', 'hex');
    const crc = new Crc64().update(payload, 0, payload.length - 8);
    assert.ok(crc.equalsAt(payload, payload.length - 8));
    const written = Buffer.alloc(10);
    assert.equal(crc.writeTo(written, 1), 9);
    assert.deepEqual(written.subarray(1, 9), payload.subarray(-8));
    assert.ok(!crc.equalsAt(payload, payload.length - 9));
  });

  it('starts again after a reset', () => {
    const crc = new Crc64().update(Buffer.from('abc'), 0, 3);
    assert.deepEqual([crc.reset().low, crc.high], [0, 0]);
  });
});
