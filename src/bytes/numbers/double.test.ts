import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  formatDouble,
  formatFixed,
  parseDouble,
  parseScoreBound,
  parseSortWeight,
  writeDouble,
} from './double.js';

type Reader = (buffer: Buffer, start: number, end: number) => number;

/** Parses the text between other digits, so that a read past either end is detected. */
function read(reader: Reader, text: string): number {
  return reader(Buffer.from(`7${text}7`, 'latin1'), 1, 1 + text.length);
}

describe('parseDouble', () => {
  it('reads decimal, hexadecimal and infinite numbers as strtod does', () => {
    const accepted: [string, number][] = [
      ['0', 0],
      ['-0', -0],
      ['1', 1],
      ['+1', 1],
      ['1.', 1],
      ['.5', 0.5],
      ['-3.14', -3.14],
      ['1e5', 1e5],
      ['1E-05', 1e-5],
      ['123456789012345678901234567890', 1.2345678901234568e29],
      ['0.1234567890123456789', 0.12345678901234568],
      ['0x10', 16],
      ['0x1.8p1', 3],
      ['-0x.8', -0.5],
      ['0x1.fffffffffffff8p0', 2],
      ['0x1.00000000000008p0', 1],
      ['0x1p-1074', 5e-324],
      ['4e-324', 5e-324],
      ['0e-999', 0],
      ['0e99999999999999999999', 0],
      ['inf', Infinity],
      ['+INF', Infinity],
      ['-Infinity', -Infinity],
    ];
    for (const [text, value] of accepted) assert.ok(Object.is(read(parseDouble, text), value), text);
  });

  it('rejects nan, blanks, trailing bytes, overflow and underflow to zero', () => {
    const refused = [
      '',
      'nan',
      '-nan',
      'nan(1)',
      ' 1',
      '1 ',
      '.',
      '-',
      '+',
      '--1',
      '1.2.3',
      '1e',
      '1e+',
      '1_0',
      '1\0',
    ];
    refused.push(
      'INFIN',
      'infx',
      '0x',
      '0xp1',
      '1e400',
      '-1e400',
      '1e-400',
      '0x1p-1080',
      '0x1p2000',
      '1f',
      '\n1',
    );
    for (const text of refused) assert.ok(Number.isNaN(read(parseDouble, text)), text);
  });

  it('rounds short decimals exactly as the slow path does', () => {
    for (let step = 1; step < 2000; step++) {
      const text = `${(step * 7919) % 100003}.${String((step * 104729) % 1000003).padStart((step % 6) + 1, '0')}`;
      assert.equal(read(parseDouble, text), Number(text), text);
    }
  });

  it('reads numbers around 2^53 as the slow path does', () => {
    for (let step = -2000; step < 2000; step++) {
      const digits = String(BigInt(2 ** 53) + BigInt(step));
      const point = 1 + (Math.abs(step) % 16);
      for (const text of [
        digits,
        `-${digits}`,
        `${digits}.`,
        `${digits.slice(0, point)}.${digits.slice(point)}`,
      ]) {
        assert.equal(read(parseDouble, text), Number(text), text);
      }
    }
    for (const text of ['1763319000123456', '9999999999999999', '0.9007199254740993', '90071992547409915']) {
      assert.equal(read(parseDouble, text), Number(text), text);
    }
  });
});

describe('parseScoreBound', () => {
  it('accepts everything that strtod accepts', () => {
    const accepted: [string, number][] = [
      ['', 0],
      [' 1', 1],
      ['1\0junk', 1],
      ['\0', 0],
      ['1e400', Infinity],
      ['-1e400', -Infinity],
      ['1e-400', 0],
      ['2.5', 2.5],
      ['-inf', -Infinity],
    ];
    for (const [text, value] of accepted) assert.equal(read(parseScoreBound, text), value, text);
  });

  it('rejects nan and trailing bytes', () => {
    for (const text of ['nan', '1 ', 'x', ' ', '0x', '1e', '(1']) {
      assert.ok(Number.isNaN(read(parseScoreBound, text)), text);
    }
  });
});

describe('parseSortWeight', () => {
  it('parses the empty string as zero and rejects numbers out of the normal range', () => {
    assert.equal(read(parseSortWeight, ''), 0);
    assert.equal(read(parseSortWeight, ' 10'), 10);
    assert.equal(read(parseSortWeight, 'inf'), Infinity);
    for (const text of ['1e400', '1e-400', '1e-310', 'nan', 'abc', '1 ']) {
      assert.ok(Number.isNaN(read(parseSortWeight, text)), text);
    }
  });
});

const PRINTED: [number, string][] = [
  [0, '0'],
  [-0, '-0'],
  [1, '1'],
  [-17, '-17'],
  [1.5, '1.5'],
  [3.14, '3.1400000000000001'],
  [0.1, '0.10000000000000001'],
  [-0.0001, '-0.0001'],
  [0.00001, '1.0000000000000001e-05'],
  [-1.5e-7, '-1.4999999999999999e-07'],
  [123456.789, '123456.789'],
  [9007199254740992, '9007199254740992'],
  [1e16, '10000000000000000'],
  [1e17, '1e+17'],
  [123456789012345680, '1.2345678901234568e+17'],
  [1e100, '1e+100'],
  [5e-324, '4.9406564584124654e-324'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
  [Infinity, 'inf'],
  [-Infinity, '-inf'],
  [Number.NaN, 'nan'],
];

/** Numbers exactly between two texts of seventeen digits. */
const TIES: [number, string][] = [
  [1e15 + 0.25, '1000000000000000.2'],
  [1e15 + 0.75, '1000000000000000.8'],
  [-1e15 - 0.25, '-1000000000000000.2'],
  [2 ** -25, '2.9802322387695312e-08'],
  [3 * 2 ** -25, '8.9406967163085938e-08'],
];

describe('formatDouble', () => {
  it("prints the same text as C's %.17g", () => {
    for (const [value, text] of PRINTED) assert.equal(formatDouble(value), text);
  });

  it('rounds ties to the even digit', () => {
    for (const [value, text] of TIES) assert.equal(formatDouble(value), text);
  });

  it('returns the text that writeDouble writes', () => {
    const buffer = Buffer.alloc(64);
    for (const [value, text] of [...PRINTED, ...TIES]) {
      buffer.fill('#');
      const end = writeDouble(buffer, 2, value);
      assert.equal(buffer.toString('latin1', 0, end + 1), `##${text}#`);
    }
  });
});

describe('formatFixed', () => {
  it("prints the same text as C's %.2f and %.4f, ties to even", () => {
    assert.equal(formatFixed(1.125, 2), '1.12');
    assert.equal(formatFixed(1.375, 2), '1.38');
    assert.equal(formatFixed(-0.625, 2), '-0.62');
    assert.equal(formatFixed(0.5, 0), '0');
    assert.equal(formatFixed(1.5, 0), '2');
    assert.equal(formatFixed(166274.15156960033, 4), '166274.1516');
    assert.equal(formatFixed(-0.001, 2), '-0.00');
    assert.equal(formatFixed(-0, 2), '-0.00');
  });
});
