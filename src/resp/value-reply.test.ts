import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import type { ReplyTarget } from './reply.js';
import { ReplyFormat, ReplyReader } from './reply-reader.js';
import { RespWriter } from './resp-writer.js';
import { ValueReply } from './value-reply.js';

class Failure {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const makeError = (text: string): Failure => new Failure(text);
const FORMATS = [0, ReplyFormat.bytes, ReplyFormat.exact, ReplyFormat.bytes | ReplyFormat.exact];

const reply = new ValueReply(makeError);

function made(put: (target: ReplyTarget) => void, format = 0): unknown {
  reply.begin(format);
  put(reply);
  return reply.take();
}

/** The value that a client would read from the same reply in RESP. */
function readBack(put: (target: ReplyTarget) => void, format: number): unknown {
  const writer = new RespWriter();
  put(writer);
  return new ReplyReader(makeError).read(writer.buffer, 0, format);
}

/** The value in every format, after a check that it equals the value read from RESP. */
function same(put: (target: ReplyTarget) => void): unknown {
  for (const format of FORMATS) assert.deepStrictEqual(made(put, format), readBack(put, format));
  return made(put);
}

describe('a reply of values', () => {
  it('has the same strings as in RESP, whatever their lengths and bytes', () => {
    for (let length = 0; length < 40; length++) {
      const text = 'The quick brown fox jumps over the lazy dog'.slice(0, length);
      assert.equal(
        same((target) =>
          target.bulk(Bytes.of(`${text}|behind`).set(Buffer.from(`${text}|behind`), 0, length)),
        ),
        text,
      );
    }
    for (const text of ['héllo', 'é', '日本語', 'a longer text with an é in it', '\0\x7f']) {
      const buffer = Buffer.from(`<${text}>`);
      assert.equal(
        same((target) => target.bulkBuffer(buffer, 1, buffer.length - 1)),
        text,
      );
      assert.equal(
        same((target) => target.bulkText(Buffer.from(text).latin1Slice())),
        text,
      );
    }
    same((target) => target.bulkBuffer(Buffer.from([0xff, 0x61, 0x80]), 0, 3));
    assert.equal(
      same((target) => target.ok()),
      'OK',
    );
    assert.equal(
      same((target) => target.status('QUEUED')),
      'QUEUED',
    );
    assert.equal(
      same((target) => target.verbatim('txt', 'some text')),
      'some text',
    );
  });

  it('has bytes that do not depend on the source bytes', () => {
    const buffer = Buffer.from('ab');
    const bytes = made((target) => target.bulkBuffer(buffer, 0, 2), ReplyFormat.bytes);
    buffer.fill(0);
    assert.deepEqual(bytes, Buffer.from('ab'));
  });

  it('has the same numbers as in RESP', () => {
    for (const value of [0, -0, 1, -42, 2 ** 53 - 1]) same((target) => target.integer(value));
    for (const value of [0n, 2n ** 53n + 1n, -(2n ** 63n)]) {
      same((target) => target.integer64(value));
      same((target) => target.bulkInteger64(value));
    }
    for (const value of [0, -7, 1234567890123]) same((target) => target.bulkInteger(value));
    const doubles = [
      0,
      -0,
      1,
      -1,
      0.1,
      1 / 3,
      1e15,
      1e15 - 1,
      -1e17,
      1e21,
      5e-324,
      1.5e300,
      2 ** 53,
      999999999999999,
    ];
    for (const value of [...doubles, Infinity, -Infinity]) same((target) => target.double(value));
    same((target) => target.doubleText('1.50'));
    same((target) => target.boolean(true));
    same((target) => target.bigNumber('123456789012345678901234567890'));
    assert.equal(
      same((target) => target.null()),
      null,
    );
    assert.equal(
      same((target) => target.nullArray()),
      null,
    );
  });

  it('has errors as values, on one line, in UTF-8', () => {
    const text = Buffer.from('ERR no “key”\r\nhere').latin1Slice();
    assert.deepEqual(
      same((target) => target.error(text)),
      new Failure('ERR no “key”  here'),
    );
  });

  it('has nested arrays', () => {
    const put = (target: ReplyTarget): void => {
      target.array(4);
      target.integer(1);
      target.map(1);
      target.bulkText('field');
      target.set(2);
      target.null();
      target.array(0);
      target.error('ERR no');
      target.integer(2);
    };
    assert.deepEqual(same(put), [1, ['field', [null, []]], new Failure('ERR no'), 2]);
    assert.deepEqual(
      same((target) => target.array(0)),
      [],
    );
  });

  it('has arrays of deferred length', () => {
    const put = (target: ReplyTarget): void => {
      target.array(2);
      target.integer(1);
      const outer = target.defer();
      target.array(1);
      target.integer(2);
      const inner = target.defer();
      target.bulkText('a');
      target.array(1);
      target.integer(3);
      target.finishMap(inner, 1);
      target.finishArray(outer, 2);
    };
    assert.deepEqual(same(put), [1, [[2], ['a', [3]]]]);
    same((target) => target.finishSet(target.defer(), 0));
  });

  it('may have such an array as the outermost one', () => {
    const put = (target: ReplyTarget): void => {
      const outer = target.defer();
      const first = target.defer();
      target.array(2);
      target.bulkText('1-1');
      target.array(1);
      target.bulkText('field');
      target.finishArray(first, 1);
      target.integer(7);
      target.finishArray(outer, 2);
    };
    assert.deepEqual(same(put), [[['1-1', ['field']]], 7]);
    assert.equal(
      same((target) => {
        target.defer();
        target.integer(1);
      }),
      1,
    );
    assert.equal(
      made((target) => target.defer()),
      undefined,
    );
    assert.equal(
      same((target) => target.integer(2)),
      2,
    );
  });

  it('discards the values added after a mark, including arrays', () => {
    const put = (target: ReplyTarget): void => {
      target.array(2);
      target.integer(1);
      const mark = target.length;
      target.array(3);
      target.integer(2);
      target.truncate(mark);
      target.error('ERR no');
    };
    assert.deepEqual(same(put), [1, new Failure('ERR no')]);
  });

  it('accepts bytes that are already RESP as a value', () => {
    assert.deepEqual(
      same((target) => target.raw(Buffer.from('*2\r\n:1\r\n$1\r\na\r\n'))),
      [1, 'a'],
    );
  });

  it('is the first value if others follow', () => {
    assert.equal(
      same((target) => {
        target.integer(1);
        target.array(1);
        target.integer(2);
      }),
      1,
    );
    assert.deepEqual(
      same((target) => {
        target.array(1);
        target.integer(1);
        target.raw(Buffer.from(':2\r\n'));
      }),
      [1],
    );
  });

  it('is undefined before the first value, and empty again after `take`', () => {
    assert.equal(
      made(() => {}),
      undefined,
    );
    const long = made((target) => {
      target.array(10_000);
      for (let i = 0; i < 10_000; i++) target.integer(i);
    });
    assert.deepEqual(
      long,
      Array.from({ length: 10_000 }, (_, i) => i),
    );
    assert.equal(reply.length, 0);
    assert.equal(
      same((target) => target.integer(5)),
      5,
    );
  });
});
