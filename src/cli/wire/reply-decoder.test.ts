import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireReply } from './reply.js';
import { ProtocolError, ReplyDecoder } from './reply-decoder.js';

const STREAM = Buffer.from(
  '+OK\r\n-ERR x\r\n:12\r\n$3\r\na\r\n\r\n$-1\r\n*-1\r\n_\r\n,1.5\r\n#t\r\n(123\r\n=7\r\ntxt:abc\r\n!5\r\nERR y\r\n' +
    '*2\r\n*0\r\n~1\r\n:1\r\n%1\r\n$1\r\nk\r\n*1\r\n:2\r\n|1\r\n+a\r\n:1\r\n>1\r\n+p\r\n',
);

function decodeIn(size: number): WireReply[] {
  const decoder = new ReplyDecoder();
  const replies: WireReply[] = [];
  for (let at = 0; at < STREAM.length; at += size) {
    decoder.push(STREAM.subarray(at, at + size));
    for (let reply = decoder.next(); reply !== undefined; reply = decoder.next()) replies.push(reply);
  }
  assert.equal(decoder.takeRest().length, 0);
  return replies;
}

test('replies of all kinds are decoded, however the bytes are cut; attributes are dropped', () => {
  const whole = decodeIn(STREAM.length);
  assert.deepEqual(
    whole.map(({ kind }) => kind),
    ['status', 'error', 'integer', 'bulk', 'nil', 'nil', 'nil', 'double', 'boolean', 'big number'].concat([
      'verbatim',
      'error',
      'array',
      'map',
      'push',
    ]),
  );
  assert.deepEqual(whole[3], { kind: 'bulk', text: 'a\r\n' });
  assert.deepEqual(whole[10], { kind: 'verbatim', text: 'abc' });
  for (let size = 1; size < 20; size++) assert.deepEqual(decodeIn(size), whole);
});

test('what is not RESP is refused', () => {
  for (const bytes of ['x\r\n', '$-5\r\n', '*x\r\n']) {
    const decoder = new ReplyDecoder();
    decoder.push(Buffer.from(bytes));
    assert.throws(() => decoder.next(), ProtocolError);
  }
});
