import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bitLength, DOUBLE_FORMAT, roundDecimal, roundToFormat, toNumber } from './binary-float.js';

describe('binary float', () => {
  it('counts bits, also where rounding to a double would carry', () => {
    for (const bits of [1, 2, 52, 53, 54, 64, 1023, 1024, 1025, 5000]) {
      assert.equal(bitLength(1n << BigInt(bits - 1)), bits);
      assert.equal(bitLength((1n << BigInt(bits)) - 1n), bits);
    }
    assert.equal(bitLength(0n), 0);
  });

  it('rounds decimals to doubles as JavaScript does', () => {
    const cases: [bigint, number][] = [
      [1n, -1],
      [314159265358979323846264338327950288n, -35],
      [9007199254740993n, 0],
      [22250738585072011n, -324],
      [247032822920623272n, -341],
      [247032822920623273n, -341],
      [17976931348623157n, 292],
    ];
    for (const [digits, power] of cases) {
      const rounded = roundDecimal(digits, power, DOUBLE_FORMAT);
      assert.ok(rounded !== undefined);
      assert.equal(toNumber(rounded), Number(`${digits}e${power}`));
    }
  });

  it('returns undefined for numbers that are too large and zero for numbers that are too small', () => {
    assert.equal(roundDecimal(18n, 307, DOUBLE_FORMAT), undefined);
    assert.equal(roundDecimal(1n, 1e9, DOUBLE_FORMAT), undefined);
    assert.equal(roundDecimal(1n, -1e9, DOUBLE_FORMAT)?.mantissa, 0n);
    assert.equal(roundToFormat(1n, 1e9, false, DOUBLE_FORMAT), undefined);
    assert.equal(roundToFormat(1n, -1e9, false, DOUBLE_FORMAT)?.mantissa, 0n);
    assert.equal(roundToFormat(3n, -1076, false, DOUBLE_FORMAT)?.mantissa, 1n);
  });
});
