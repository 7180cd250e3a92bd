import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocal } from './session.js';

const isLocalAddress = (address: string): boolean => isLocal({ address, isUnixSocket: false });

test('only 127.0.0.1, ::1 and Unix sockets count as local, as in Redis', () => {
  assert.ok(isLocalAddress('127.0.0.1:50000'));
  assert.ok(isLocalAddress('[::1]:50000'));
  assert.ok(isLocal({ address: '/tmp/redis.sock:0', isUnixSocket: true }));
  for (const address of [
    '127.0.0.2:50000',
    '127.0.0.10:50000',
    '[::2]:50000',
    '[::10]:50000',
    '10.0.0.1:50000',
  ]) {
    assert.equal(isLocalAddress(address), false, address);
  }
});
