import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Bytes } from '../bytes/bytes.js';
import { Arena } from './arena/arena.js';
import { Element } from './element.js';
import { IntSet, integerOf, isValidIntSet } from './intset.js';

function open(arena = new Arena()): IntSet {
  return new IntSet(arena).open(arena, IntSet.create(arena));
}

function members(set: IntSet): bigint[] {
  const element = new Element();
  return Array.from({ length: set.length }, (_, index) => set.at(index, element).integer64);
}

function bytesOf(set: IntSet): string {
  return set.whole(new Bytes()).toBuffer().toString('hex');
}

describe('IntSet', () => {
  it('has the same bytes as in Redis, and is never narrowed', () => {
    const set = open();
    for (const value of [5, -3, 1000]) assert.ok(set.add(value));
    assert.equal(bytesOf(set), '0200000003000000fdff0500e803');
    assert.ok(set.add(-40000));
    assert.equal(bytesOf(set), '0400000004000000c063fffffdffffff05000000e8030000');
    assert.ok(set.add(2 ** 40));
    assert.equal(set.width, 8);
    assert.deepEqual(members(set), [-40000n, -3n, 5n, 1000n, 2n ** 40n]);
    assert.ok(set.remove(2 ** 40));
    assert.equal(set.width, 8);
  });

  it('widens directly from two bytes to eight', () => {
    const set = open();
    set.add(-1);
    set.add(7);
    assert.ok(set.add(-(2n ** 63n)));
    assert.ok(set.add(2n ** 63n - 1n));
    assert.deepEqual(members(set), [-(2n ** 63n), -1n, 7n, 2n ** 63n - 1n]);
  });

  it('treats a number and a bigint as the same integer', () => {
    const set = open();
    assert.ok(set.add(5n));
    assert.ok(!set.add(5));
    assert.ok(set.add(2n ** 53n));
    assert.ok(set.add(2n ** 53n + 1n));
    assert.ok(set.contains(2n ** 53n));
    assert.ok(!set.contains(2n ** 53n + 2n));
    assert.ok(set.add(Number.MAX_SAFE_INTEGER));
    assert.ok(set.contains(BigInt(Number.MAX_SAFE_INTEGER)));
  });

  it('does not find integers that are too wide for it', () => {
    const set = open();
    set.add(1);
    assert.ok(!set.contains(65537));
    assert.ok(!set.contains(2 ** 32 + 1));
    assert.ok(!set.remove(65537));
  });

  it('behaves like a sorted set of integers under random edits', () => {
    const value = fc.oneof(
      fc.bigInt(-20n, 20n),
      fc.bigInt(-(2n ** 15n), 2n ** 15n),
      fc.bigInt(-(2n ** 31n), 2n ** 31n),
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      fc.constantFrom(-32769n, -32768n, 32767n, 32768n, -2147483649n, 2147483648n, 4294967295n, 4294967296n),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), value), { maxLength: 120 }), (steps) => {
        const arena = new Arena();
        const set = open(arena);
        const model = new Set<bigint>();
        for (const [adding, big] of steps) {
          const given = Number.isSafeInteger(Number(big)) ? Number(big) : big;
          if (adding) assert.equal(set.add(given), !model.has(big));
          else assert.equal(set.remove(given), model.has(big));
          if (adding) model.add(big);
          else model.delete(big);
          assert.equal(set.contains(given), adding);
        }
        assert.deepEqual(
          members(set),
          [...model].sort((a, b) => (a < b ? -1 : 1)),
        );
        const whole = set.whole(new Bytes());
        assert.equal(isValidIntSet(whole.buf, whole.start, whole.end, true), model.size > 0);
        set.free();
        assert.equal(arena.usedBytes, 0);
      }),
    );
  });
});

describe('isValidIntSet', () => {
  it('rejects wrong widths, lengths and orders', () => {
    const valid = Buffer.from('0200000003000000fdff0500e803', 'hex');
    assert.ok(isValidIntSet(valid, 0, valid.length, true));
    assert.ok(!isValidIntSet(valid, 0, valid.length - 2, true));
    assert.ok(!isValidIntSet(valid, 0, 7, true));
    const unsorted = Buffer.from('0200000002000000fdfffdff', 'hex');
    assert.ok(isValidIntSet(unsorted, 0, unsorted.length, false));
    assert.ok(!isValidIntSet(unsorted, 0, unsorted.length, true));
    const odd = Buffer.from('0300000001000000fdff05', 'hex');
    assert.ok(!isValidIntSet(odd, 0, odd.length, false));
  });
});

describe('integerOf', () => {
  it('reads canonical integers of 64 bits and nothing else', () => {
    assert.equal(integerOf(Bytes.of('12')), 12);
    assert.equal(integerOf(Bytes.of('-9223372036854775808')), -(2n ** 63n));
    for (const text of ['', '01', '+1', 'a', '9223372036854775808', '123456789012345678a']) {
      assert.equal(integerOf(Bytes.of(text)), undefined);
    }
  });
});
