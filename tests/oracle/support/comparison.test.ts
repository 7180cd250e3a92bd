import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agree, integersWithin, type Tolerance } from './comparison.js';
import type { Reply } from './reply.js';
import { ReplyReader } from './reply-reader.js';

function reply(text: string): Reply {
  const reader = new ReplyReader();
  reader.push(Buffer.from(text, 'latin1'));
  return reader.next()!;
}

function doAgree(a: string, b: string, tolerance: Tolerance = {}): boolean {
  return agree(reply(a), reply(b), tolerance);
}

test('replies agree only when they are equal byte for byte', () => {
  assert.ok(doAgree('+OK\r\n', '+OK\r\n'));
  assert.ok(!doAgree('+OK\r\n', '$2\r\nOK\r\n'));
  assert.ok(!doAgree('$-1\r\n', '*-1\r\n'));
});

test('unordered replies agree as multisets of the same type', () => {
  assert.ok(doAgree('*2\r\n:1\r\n:2\r\n', '*2\r\n:2\r\n:1\r\n', { unordered: true }));
  assert.ok(!doAgree('*2\r\n:1\r\n:1\r\n', '*2\r\n:2\r\n:1\r\n', { unordered: true }));
  assert.ok(!doAgree('*1\r\n:1\r\n', '~1\r\n:1\r\n', { unordered: true }));
  assert.ok(!doAgree('*1\r\n:1\r\n', '-ERR\r\n', { unordered: true }));
});

test('unordered pairs keep each field with its value', () => {
  const [ab, ba] = ['*4\r\n+a\r\n:1\r\n+b\r\n:2\r\n', '*4\r\n+b\r\n:2\r\n+a\r\n:1\r\n'];
  assert.ok(doAgree(ab, ba, { unordered: 'pairs' }));
  assert.ok(!doAgree(ab, '*4\r\n+b\r\n:1\r\n+a\r\n:2\r\n', { unordered: 'pairs' }));
});

test('unordered nested arrays keep the outer order', () => {
  const one = '*2\r\n+0\r\n*2\r\n:1\r\n:2\r\n';
  assert.ok(doAgree(one, '*2\r\n+0\r\n*2\r\n:2\r\n:1\r\n', { unordered: 'nested' }));
  assert.ok(!doAgree(one, '*2\r\n*2\r\n:2\r\n:1\r\n+0\r\n', { unordered: 'nested' }));
});

test('near integers agree, but a time never agrees with the -1 or -2 that mean none', () => {
  assert.ok(doAgree(':99\r\n', ':100\r\n', { equal: integersWithin(1) }));
  assert.ok(!doAgree(':98\r\n', ':100\r\n', { equal: integersWithin(1) }));
  assert.ok(!doAgree(':0\r\n', ':-1\r\n', { equal: integersWithin(1) }));
});

test('type-only comparison detects another type or another number of elements', () => {
  assert.ok(doAgree('$1\r\na\r\n', '$1\r\nb\r\n', { typeOnly: 'random' }));
  assert.ok(!doAgree('$1\r\na\r\n', '$-1\r\n', { typeOnly: 'random' }));
  assert.ok(!doAgree('*1\r\n:1\r\n', '*2\r\n:1\r\n:2\r\n', { typeOnly: 'random' }));
});

test('a missing reply never agrees, not even with another missing reply', () => {
  assert.ok(!agree({ type: 'nothing', reason: '' }, { type: 'nothing', reason: '' }, {}));
  assert.ok(agree({ type: 'closed', reason: 'a' }, { type: 'closed', reason: 'b' }, {}));
  assert.ok(!agree({ type: 'closed', reason: 'a' }, reply('+OK\r\n'), {}));
});
