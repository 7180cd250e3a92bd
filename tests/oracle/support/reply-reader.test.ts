import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain, type Reply } from './reply.js';
import { ReplyReader } from './reply-reader.js';

function readAll(text: string, chunkSize = text.length): Reply[] {
  const reader = new ReplyReader();
  const replies: Reply[] = [];
  for (let i = 0; i < text.length; i += chunkSize) {
    reader.push(Buffer.from(text.slice(i, i + chunkSize), 'latin1'));
    for (let reply = reader.next(); reply !== undefined; reply = reader.next()) replies.push(reply);
  }
  return replies;
}

const EVERY_TYPE = [
  '+OK\r\n',
  '-ERR no\r\n',
  ':-42\r\n',
  ':9223372036854775807\r\n',
  '$3\r\na\r\n\r\n',
  '$0\r\n\r\n',
  '$-1\r\n',
  '*-1\r\n',
  '*0\r\n',
  '*2\r\n:1\r\n*1\r\n+x\r\n',
  '_\r\n',
  '#t\r\n',
  ',3.5\r\n',
  ',inf\r\n',
  '(12345678901234567890123\r\n',
  '=7\r\ntxt:abc\r\n',
  '!5\r\nERR x\r\n',
  '%1\r\n$1\r\nk\r\n:1\r\n',
  '~1\r\n:5\r\n',
  '>2\r\n+message\r\n+hello\r\n',
  '|1\r\n+ttl\r\n:9\r\n+value\r\n',
];

test('each RESP2 and RESP3 type is read with its value', () => {
  const values = readAll(EVERY_TYPE.join('')).map(plain);
  assert.deepEqual(values, [
    'OK',
    new Error('ERR no'),
    -42,
    9223372036854775807n,
    'a\r\n',
    '',
    null,
    null,
    [],
    [1, ['x']],
    null,
    true,
    3.5,
    Number.POSITIVE_INFINITY,
    12345678901234567890123n,
    'abc',
    new Error('ERR x'),
    new Map([['k', 1]]),
    [5],
    ['message', 'hello'],
    'value',
  ]);
});

test('the raw bytes of a reply are exactly the received ones, however the stream is cut', () => {
  for (const chunkSize of [1, 2, 3, 7, 1000]) {
    const raws = readAll(EVERY_TYPE.join(''), chunkSize).map((reply) => reply.raw.toString('latin1'));
    assert.deepEqual(raws, EVERY_TYPE);
  }
});

test('bytes that are not a reply are rejected', () => {
  assert.throws(() => readAll('hello\r\n'), /not a RESP reply/);
  assert.throws(() => readAll('$3\r\nabcde\r\n'), /does not end in CR LF/);
  assert.throws(() => readAll('*x\r\n'), /not a RESP length/);
});
