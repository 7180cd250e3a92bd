import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatExponential, formatFixed, formatGeneral, numberToString, parseNumber } from './number.js';

describe('numbers as text', () => {
  it('prints fourteen significant digits', () => {
    const cases: [number, string][] = [
      [1, '1'],
      [-0, '-0'],
      [0.1, '0.1'],
      [0.1 + 0.2, '0.3'],
      [1e14, '1e+14'],
      [99999999999999, '99999999999999'],
      [123456789012345, '1.2345678901234e+14'],
      [1234567890122.5, '1234567890122.5'],
      [12345678901234.5, '12345678901234'],
      [12345678901235.5, '12345678901236'],
      [1e-5, '1e-05'],
      [0.0001, '0.0001'],
      [Infinity, 'inf'],
      [-Infinity, '-inf'],
      [Number.NaN, '-nan'],
      [1e100, '1e+100'],
    ];
    for (const [value, text] of cases) assert.equal(numberToString(value), text);
  });

  it('rounds ties to even, as C does', () => {
    assert.equal(formatFixed(0.5, 0), '0');
    assert.equal(formatFixed(2.5, 0), '2');
    assert.equal(formatFixed(3.5, 0), '4');
    assert.equal(formatFixed(0.125, 2), '0.12');
    assert.equal(formatFixed(0.375, 2), '0.38');
    assert.equal(formatFixed(0.375, 3), '0.375');
    assert.equal(formatFixed(1763449999999.25, 1), '1763449999999.2');
    assert.equal(formatFixed(1763449999999.75, 1), '1763449999999.8');
    assert.equal(formatFixed(1763449999999.25, 2), '1763449999999.25');
    assert.equal(formatExponential(25, 0), '2e+01');
    assert.equal(formatGeneral(2.5, 1), '2');
  });

  it('parses the numbers that strtod parses, if they are the whole text', () => {
    const cases: [string, number | undefined][] = [
      ['10', 10],
      ['  10  ', 10],
      ['1e2', 100],
      ['.5', 0.5],
      ['5.', 5],
      ['.', undefined],
      ['1.2.3', undefined],
      ['1763449999999.25', 1763449999999.25],
      ['18446744073709551615', 2 ** 64],
      ['0x10', 16],
      ['0x1p4', 16],
      ['-0x10', -16],
      ['inf', Infinity],
      ['', undefined],
      [' ', undefined],
      ['1x', undefined],
      ['1 2', undefined],
      ['0x', undefined],
      ['1e', undefined],
      ['\u00a01', undefined],
    ];
    for (const [text, value] of cases) assert.equal(parseNumber(text), value, text);
  });
});
