import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentsOf, encode, show } from './command.js';

test('a command line is split at blanks, with quotes and escapes as in redis-cli', () => {
  const parts = argumentsOf(`SET "a b" 'c "d"' "\\x00\\xff\\n\\"" "" x'y`);
  assert.deepEqual(
    parts.map((part) => part.toString('latin1')),
    ['SET', 'a b', 'c "d"', '\x00\xff\n"', '', "x'y"],
  );
});

test('a command line with an unclosed quote is rejected', () => {
  assert.throws(() => argumentsOf('SET "a b'), /unbalanced quotes/);
});

test('a list of arguments is sent unchanged', () => {
  const bytes = encode(['SET', 'a b', Buffer.from([0, 255]), 12, 3n]);
  assert.equal(
    bytes.toString('latin1'),
    '*5\r\n$3\r\nSET\r\n$3\r\na b\r\n$2\r\n\x00\xff\r\n$2\r\n12\r\n$1\r\n3\r\n',
  );
});

test('a command is shown as it could be typed', () => {
  assert.equal(show(['SET', 'a b', '', Buffer.from([0]), '"']), 'SET "a b" "" "\\x00" "\\""');
});
