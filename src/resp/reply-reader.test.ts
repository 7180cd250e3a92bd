import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ReplyFormat, ReplyReader } from './reply-reader.js';

class Failure {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const reader = new ReplyReader((text) => new Failure(text));

function read(text: string, format = 0): unknown {
  const buffer = Buffer.from(`ignored${text}`);
  const value = reader.read(buffer, 'ignored'.length, format);
  assert.equal(reader.position, buffer.length);
  return value;
}

describe('the reply reader', () => {
  it('reads strings as UTF-8, statuses and nulls', () => {
    assert.equal(read('$6\r\nhéllo\r\n'), 'héllo');
    assert.equal(read('$0\r\n\r\n'), '');
    assert.equal(read('$-1\r\n'), null);
    assert.equal(read('*-1\r\n'), null);
    assert.equal(read('+OK\r\n'), 'OK');
    assert.equal(read('+QUEUED\r\n'), 'QUEUED');
  });

  it('reads integers as numbers, rounded beyond 2^53', () => {
    assert.equal(read(':0\r\n'), 0);
    assert.equal(read(':-42\r\n'), -42);
    assert.equal(read(':9007199254740993\r\n'), 9007199254740992);
    assert.equal(read(':-9223372036854775808\r\n'), -(2 ** 63));
  });

  it('reads integers exactly, and strings as bytes, if the format says so', () => {
    assert.equal(read(':9007199254740993\r\n', ReplyFormat.exact), 9007199254740993n);
    assert.equal(read(':-9223372036854775808\r\n', ReplyFormat.exact), -(2n ** 63n));
    assert.deepEqual(read('$2\r\nab\r\n', ReplyFormat.bytes), Buffer.from('ab'));
    assert.deepEqual(read('+OK\r\n', ReplyFormat.bytes), Buffer.from('OK'));
    assert.deepEqual(read('*2\r\n$1\r\na\r\n:7\r\n', ReplyFormat.bytes | ReplyFormat.exact), [
      Buffer.from('a'),
      7n,
    ]);
  });

  it('returns bytes that stay valid when the buffer is reused', () => {
    const buffer = Buffer.from('$2\r\nab\r\n');
    const bytes = reader.read(buffer, 0, ReplyFormat.bytes);
    buffer.fill(0);
    assert.deepEqual(bytes, Buffer.from('ab'));
  });

  it('reads nested arrays, with errors as values', () => {
    assert.deepEqual(read('*3\r\n*2\r\n:1\r\n$-1\r\n-ERR no\r\n*0\r\n'), [
      [1, null],
      new Failure('ERR no'),
      [],
    ]);
  });
});
