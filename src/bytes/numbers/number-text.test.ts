import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readNumberText } from './number-text.js';

describe('readNumberText', () => {
  it('reads the longest number at the beginning of a text', () => {
    const lengths: [string, number | undefined][] = [
      ['12abc', 2],
      ['-1.5e3x', 6],
      ['1e', 1],
      ['1e+', 1],
      ['.5.', 2],
      ['5.', 2],
      ['0x', 1],
      ['0xg', 1],
      ['0x.8p', 4],
      ['0x1p-3z', 6],
      ['  7', 3],
      ['infinit', 3],
      ['-INFINITY!', 9],
      ['nan(a_1)', 8],
      ['nan(-)', 3],
      ['.', undefined],
      ['', undefined],
      ['+-1', undefined],
      ['e5', undefined],
    ];
    for (const [text, length] of lengths) assert.equal(readNumberText(text)?.length, length, text);
  });

  it('adjusts the power for the decimal point', () => {
    const decimal = readNumberText('-12.50e3');
    assert.deepEqual(decimal, { kind: 'decimal', negative: true, digits: '1250', power: 1, length: 8 });
    const hexadecimal = readNumberText('0xA.8p1');
    assert.deepEqual(hexadecimal, {
      kind: 'hexadecimal',
      negative: false,
      digits: 'A8',
      power: -3,
      length: 7,
    });
  });

  it('limits huge exponents', () => {
    const huge = readNumberText('1e99999999999999999999');
    assert.ok(huge?.kind === 'decimal' && huge.power === 1e9);
  });
});
