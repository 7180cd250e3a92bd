import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  digitCount,
  parseCursor,
  parseInteger,
  parseInteger64,
  parseInteger64Text,
  parseIntegerText,
  parseUnsigned64,
  writeInteger,
  writeInteger64,
} from './integer.js';

/** The text between other digits, so that a read past either end is detected. */
function framed(text: string): [Buffer, number, number] {
  return [Buffer.from(`7${text}7`, 'latin1'), 1, 1 + text.length];
}

const REFUSED = [
  '',
  '-',
  '+1',
  '-0',
  '00',
  '01',
  '-01',
  ' 1',
  '1 ',
  '1.0',
  '1e3',
  '0x1',
  'a',
  '1a',
  '--1',
  '\n1',
  '1\n',
  '1\0',
  '000000000000000000001',
  '١',
];

describe('parseInteger', () => {
  it('reads every safe integer from bytes and from text', () => {
    const values = [0, 1, -1, 9, 10, 99, 1e9, -1e9, 2147483648, -2147483649, 1e15, 123456789012345];
    for (const value of [...values, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      assert.equal(parseInteger(...framed(String(value))), value);
      assert.equal(parseIntegerText(String(value)), value);
      assert.equal(parseInteger64(...framed(String(value))), BigInt(value));
    }
  });

  it('leaves unsafe integers to the 64-bit parser', () => {
    const values = ['9007199254740992', '-9007199254740992', '9223372036854775807', '-9223372036854775808'];
    for (const text of values) {
      assert.ok(Number.isNaN(parseInteger(...framed(text))));
      assert.ok(Number.isNaN(parseIntegerText(text)));
      assert.equal(parseInteger64(...framed(text)), BigInt(text));
    }
  });

  it('rejects the same texts as Redis', () => {
    for (const text of [...REFUSED, '9223372036854775808', '-9223372036854775809', '99999999999999999999']) {
      assert.ok(Number.isNaN(parseInteger(...framed(text))), text);
      assert.ok(Number.isNaN(parseIntegerText(text)), text);
      assert.equal(parseInteger64(...framed(text)), undefined, text);
      assert.equal(parseInteger64Text(text), undefined, text);
    }
  });
});

describe('parseUnsigned64', () => {
  it('parses like strtoull if the strict parser fails', () => {
    assert.equal(parseUnsigned64('0'), 0n);
    assert.equal(parseUnsigned64('18446744073709551615'), 18446744073709551615n);
    assert.equal(parseUnsigned64('007'), 7n);
    assert.equal(parseUnsigned64('+5'), 5n);
    assert.equal(parseUnsigned64(' 5'), 5n);
    assert.equal(parseUnsigned64('-05'), 18446744073709551611n);
    assert.equal(parseUnsigned64('-18446744073709551615'), 1n);
    assert.equal(parseUnsigned64('1\0x'), 1n);
  });

  it('rejects negative, oversized and malformed numbers', () => {
    for (const text of ['', '-5', '18446744073709551616', '5 ', '5x', 'x', '-', '+', '\0', ' ']) {
      assert.equal(parseUnsigned64(text), undefined, text);
    }
  });
});

describe('parseCursor', () => {
  it('accepts what strtoul accepts, except leading blanks', () => {
    const accepted: [string, number][] = [
      ['', 0],
      ['0', 0],
      ['5', 5],
      ['+5', 5],
      ['05', 5],
      ['5\0abc', 5],
      ['-18446744073709551615', 1],
      ['9007199254740991', 9007199254740991],
      ['9007199254740993', 1],
      ['18446744073709551615', 2 ** 53 - 1],
    ];
    for (const [text, value] of accepted) assert.equal(parseCursor(...framed(text)), value, text);
  });

  it('rejects blanks, other text and numbers beyond 64 bits', () => {
    const refused = [
      ' 5',
      '5 ',
      '\x0b5',
      'x',
      '-',
      '+',
      '5x',
      '18446744073709551616',
      '-18446744073709551616',
    ];
    for (const text of refused) assert.ok(Number.isNaN(parseCursor(...framed(text))), text);
  });
});

describe('writeInteger', () => {
  it('writes the same digits as JavaScript', () => {
    const values = [0, 9, 10, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER];
    for (let power = 1; power < 16; power++) values.push(10 ** power - 1, 10 ** power, 10 ** power + 1);
    for (let hundredMillions = 1; hundredMillions < 9e7; hundredMillions *= 3) {
      values.push(hundredMillions * 1e8 - 1, hundredMillions * 1e8);
    }
    values.push(90071992 * 1e8 - 1, 90071992 * 1e8, 90071992 * 1e8 + 1);
    const buffer = Buffer.alloc(32);
    for (const value of [...values, ...values.filter((value) => value > 0).map((value) => -value)]) {
      buffer.fill('#');
      const end = writeInteger(buffer, 3, value);
      assert.equal(buffer.latin1Slice(0, end + 1), `###${value}#`);
      assert.equal(digitCount(value), String(value).length);
    }
  });

  it('writes 64-bit integers beyond the safe range', () => {
    const buffer = Buffer.alloc(32);
    const end = writeInteger64(buffer, 1, -(2n ** 63n));
    assert.equal(buffer.latin1Slice(1, end), '-9223372036854775808');
  });
});
