import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplyCounter } from './reply-counter.js';

test('replies are counted however the bytes are cut', () => {
  const replies = [
    '+OK\r\n',
    ':12\r\n',
    '$5\r\na\r\nb\n\r\n',
    '$-1\r\n',
    '$0\r\n\r\n',
    '*-1\r\n',
    '*0\r\n',
    '*2\r\n*1\r\n$1\r\nx\r\n:1\r\n',
    '%2\r\n+a\r\n*0\r\n+b\r\n~1\r\n#t\r\n',
    '_\r\n',
    '|1\r\n+a\r\n:1\r\n+after an attribute\r\n',
    '=7\r\ntxt:a\r\n\r\n',
    '>2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n-ERR wrong\r\n',
  ];
  const stream = Buffer.from(replies.join(''));
  for (let size = 1; size <= stream.length; size++) {
    const counter = new ReplyCounter();
    let count = 0;
    for (let at = 0; at < stream.length; at += size) {
      const chunk = stream.subarray(at, at + size);
      count += counter.count(chunk, chunk.length);
    }
    assert.equal(count, replies.length, `pieces of ${size}`);
    assert.equal(counter.error, 'ERR wrong');
  }
});
