import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addLongDouble,
  formatLongDouble,
  isFiniteLongDouble,
  longDoubleOf,
  parseLongDouble,
} from './long-double.js';

function add(left: string, right: string): string {
  const a = parseLongDouble(left);
  const b = parseLongDouble(right);
  assert.ok(a !== undefined && b !== undefined);
  return formatLongDouble(addLongDouble(a, b));
}

describe('long double', () => {
  it('adds as redis-server does on x86', () => {
    assert.equal(add('0.1', '0.2'), '0.3');
    assert.equal(add('10.50', '0.1'), '10.6');
    assert.equal(add('5.0e3', '2.0e2'), '5200');
    assert.equal(add('-1', '0.99999999999999999'), '-0.00000000000000001');
    assert.equal(add('1', '-1'), '0');
    assert.equal(add('-0', '-0'), '0');
    assert.equal(add('-0.000000000000000000001', '0'), '0');
    assert.equal(add('18446744073709551615', '1'), '18446744073709551616');
    assert.equal(add('36893488147419103232', '1'), '36893488147419103232');
    assert.equal(add('36893488147419103232', '3'), '36893488147419103236');
    assert.equal(add('0x1.8p1', '0'), '3');
  });

  it('shows the rounding error of sixty-four bits in the last decimals', () => {
    assert.equal(add('1234.56', '0.01'), '1234.57000000000000006');
  });

  it('returns infinity for an overflow', () => {
    const largest = parseLongDouble('1.18973149535723176502e4932');
    assert.ok(largest !== undefined && isFiniteLongDouble(largest));
    assert.ok(!isFiniteLongDouble(addLongDouble(largest, largest)));
    const infinity = parseLongDouble('-inf');
    assert.ok(infinity !== undefined && !isFiniteLongDouble(infinity));
    assert.equal(formatLongDouble(addLongDouble(largest, infinity)), '-inf');
  });

  it('rejects text that is not a float, overflow and underflow to zero', () => {
    const refused = [
      '',
      ' 1',
      '1 ',
      'nan',
      'abc',
      '1e5000',
      '1e-5000',
      '1e99999999999',
      '0x1p16384',
      '1\0',
      '0x',
    ];
    for (const text of [...refused, '1'.repeat(5120)]) assert.equal(parseLongDouble(text), undefined, text);
    assert.ok(parseLongDouble('1'.repeat(4000)) !== undefined);
    assert.ok(parseLongDouble('1e-4950') !== undefined);
    assert.ok(parseLongDouble('0e-99999999999') !== undefined);
  });

  it('prints doubles with seventeen decimals', () => {
    assert.equal(formatLongDouble(longDoubleOf(0.1)), '0.10000000000000001');
    assert.equal(formatLongDouble(longDoubleOf(-13.361389338970184)), '-13.36138933897018433');
    assert.equal(formatLongDouble(longDoubleOf(5e-324)), '0');
    assert.equal(formatLongDouble(longDoubleOf(-2)), '-2');
  });
});
