import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parsed, RequestParser } from './request-parser.js';

const LIMITS = { maxBulkLength: 1 << 20 };

/** All commands in the chunks. Each chunk is passed in the same buffer, as a server does. */
function commandsIn(chunks: readonly Buffer[]): string[][] {
  const parser = new RequestParser();
  const shared = Buffer.alloc(1 << 16);
  const found: string[][] = [];
  for (const chunk of chunks) {
    shared.fill('?');
    chunk.copy(shared);
    parser.feed(shared, chunk.length);
    while (parser.next(LIMITS) === Parsed.command) {
      found.push(parser.args.slice(0, parser.argc).map(String));
    }
    parser.finish();
  }
  return found;
}

function request(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
}

test('a command that is put back is returned again, with the input after it', () => {
  const parser = new RequestParser();
  const bytes = Buffer.from(`${request(['A'])}${request(['B', 'x'])}PING\r\n`);
  parser.feed(bytes, bytes.length);
  assert.equal(parser.next(LIMITS), Parsed.command);
  assert.equal(parser.next(LIMITS), Parsed.command);
  assert.equal(String(parser.args[0]), 'B');
  parser.putBack();
  parser.finish();
  const more = Buffer.from(request(['C']));
  parser.feed(more, more.length);
  const found: string[] = [];
  while (parser.next(LIMITS) === Parsed.command) found.push(String(parser.args[0]));
  assert.deepEqual(found, ['B', 'PING', 'C']);
});

test('a client that has not authenticated may send only short input', () => {
  for (const [text, error] of [
    ['*11\r\n', 'unauthenticated multibulk length'],
    ['*1\r\n$16385\r\n', 'unauthenticated bulk length'],
  ] as const) {
    const parser = new RequestParser();
    parser.trusted = false;
    parser.feed(Buffer.from(text), text.length);
    assert.equal(parser.next(LIMITS), Parsed.broken);
    assert.equal(parser.error, error);
  }
});

test('a negative number of arguments is an empty command', () => {
  assert.deepEqual(commandsIn([Buffer.from('*-1\r\n*0\r\nPING\r\n')]), [['PING']]);
});

test('an inline request ends at a newline that is not after a NUL', () => {
  assert.deepEqual(commandsIn([Buffer.from('SET "a b" \'c\'\nPI\0NG\r\nPING\r\n')]), [['SET', 'a b', 'c']]);
});
