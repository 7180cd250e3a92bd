import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StreamId } from './stream-id.js';

const MAX = 2n ** 64n - 1n;
const half = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX }),
  fc.constantFrom(0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, MAX - 1n, MAX),
);
const pair = fc.tuple(half, half);

function idOf([ms, seq]: [bigint, bigint]): StreamId {
  return new StreamId().setMs(ms).setSeq(seq);
}

test('IDs of all sizes are stored, printed and compared exactly', () => {
  fc.assert(
    fc.property(pair, pair, (a, b) => {
      const first = idOf(a);
      const second = idOf(b);
      assert.equal(first.toString(), `${a[0]}-${a[1]}`);
      assert.equal(BigInt(first.ms), a[0]);
      assert.equal(BigInt(first.seq), a[1]);
      const expected = a[0] === b[0] ? a[1] - b[1] : a[0] - b[0];
      assert.equal(Math.sign(first.compare(second)), expected === 0n ? 0 : expected < 0n ? -1 : 1);
    }),
  );
});

test('text and bytes are written and read', () => {
  fc.assert(
    fc.property(pair, (a) => {
      const id = idOf(a);
      const text = Buffer.alloc(50);
      assert.equal(text.toString('latin1', 1, id.writeText(text, 1)), id.toString());
      const bytes = Buffer.alloc(20);
      id.encode(bytes, 2);
      assert.ok(new StreamId().decode(bytes, 2).equals(id));
      const words = new Int32Array(6);
      id.writeWords(words, 1);
      assert.ok(new StreamId().readWords(words, 1).equals(id));
    }),
  );
});

test('differences are signed 64-bit numbers, and adding them restores the ID', () => {
  fc.assert(
    fc.property(pair, pair, (a, b) => {
      const base = idOf(a);
      const id = idOf(b);
      assert.equal(BigInt(id.msAbove(base)), BigInt.asIntN(64, b[0] - a[0]));
      assert.equal(BigInt(id.seqAbove(base)), BigInt.asIntN(64, b[1] - a[1]));
      const back = new StreamId().set(base);
      back.addMs(id.msAbove(base));
      back.addSeq(id.seqAbove(base));
      assert.ok(back.equals(id));
    }),
  );
});

test('the next and the previous ID', () => {
  fc.assert(
    fc.property(pair, (a) => {
      const whole = (a[0] << 64n) | a[1];
      const next = idOf(a);
      assert.equal(next.increment(), whole !== 2n ** 128n - 1n);
      assert.equal((BigInt(next.ms) << 64n) | BigInt(next.seq), BigInt.asUintN(128, whole + 1n));
      assert.equal(next.decrement(), whole !== 2n ** 128n - 1n);
      assert.ok(next.equals(idOf(a)));
    }),
  );
  assert.ok(new StreamId().isLeast);
  assert.ok(new StreamId().setGreatest().isGreatest);
  assert.ok(!StreamId.of(0, 1).isLeast);
});
