import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replyEnd } from './reply-end.js';

const REPLIES = [
  '+OK\r\n',
  '-ERR no\r\n',
  ':12\r\n',
  '$3\r\na\r\n\r\n',
  '$-1\r\n',
  '*-1\r\n',
  '*2\r\n*1\r\n:1\r\n$1\r\nx\r\n',
];

it('finds the end of a reply, and sees when it is not complete', () => {
  for (const reply of REPLIES) {
    const buffer = Buffer.from(`..${reply}rest`);
    assert.equal(replyEnd(buffer, 2), 2 + reply.length, reply);
    for (let end = 2; end < 2 + reply.length; end++)
      assert.equal(replyEnd(buffer.subarray(0, end), 2), -1, reply);
  }
});

it('refuses what is not RESP, and what would take too much memory', () => {
  const hostile = [
    'HTTP/1.1 200\r\n',
    '*x\r\n',
    '$99999999999\r\n',
    '*99999999\r\n',
    '*1\r\n'.repeat(50),
    'x'.repeat(100_000),
  ];
  for (const text of hostile) assert.equal(replyEnd(Buffer.from(text), 0), undefined, text.slice(0, 20));
});
