import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ReplyFrames } from './reply-frames.js';
import { ReplyReader } from './reply-reader.js';

const simple = fc.oneof(
  fc.constantFrom('+OK\r\n', '$-1\r\n', '*-1\r\n', '*0\r\n', '$0\r\n\r\n', ':-5\r\n', '-ERR a\r\n'),
  fc.nat(400).map((length) => `$${length}\r\n${'\r\n'.repeat(length).slice(0, length)}\r\n`),
);
const { reply } = fc.letrec<{ reply: string }>((tie) => ({
  reply: fc.oneof(
    { depthSize: 'small' },
    simple,
    fc.array(tie('reply'), { maxLength: 4 }).map((items) => `*${items.length}\r\n${items.join('')}`),
  ),
}));

/** Reads what arrives in chunks of these lengths, repeatedly in this order. */
function readIn(lengths: readonly number[], bytes: Buffer): unknown[] {
  const frames = new ReplyFrames();
  const reader = new ReplyReader((text) => new Error(text));
  const found: unknown[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] as number);
    frames.add(Buffer.from(bytes.subarray(at, end)));
    while (frames.isComplete) {
      found.push(reader.read(frames.buffer, frames.start, 0));
      frames.take();
    }
    at = end;
  }
  return found;
}

describe('Replies that arrive in chunks', () => {
  it('are the same however they are divided', () => {
    fc.assert(
      fc.property(
        fc.array(reply, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 }),
        (replies, lengths) => {
          const bytes = Buffer.from(replies.join(''));
          const whole = readIn([bytes.length], bytes);
          assert.equal(whole.length, replies.length);
          assert.deepEqual(readIn(lengths, bytes), whole);
        },
      ),
    );
  });

  it('take time in proportion to their length', () => {
    const bytes = Buffer.from(
      `*100000\r\n${':1\r\n'.repeat(100_000)}$3000000\r\n${'x'.repeat(3_000_000)}\r\n`,
    );
    const [array, text] = readIn([100], bytes) as [number[], string];
    assert.deepEqual([array.length, text.length], [100_000, 3_000_000]);
  });

  it('must be RESP2', () => {
    for (const text of ['?\r\n', '$1x\r\n', '*1\r\n,1.5\r\n']) {
      const frames = new ReplyFrames();
      frames.add(Buffer.from(text));
      assert.throws(() => frames.isComplete, RangeError, text);
    }
  });
});
