import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { humanBytes, parseMemorySize } from './memory-size.js';

describe('parseMemorySize', () => {
  it('parses decimal and binary units in any letter case', () => {
    const sizes: [string, bigint][] = [
      ['0', 0n],
      ['1', 1n],
      ['1b', 1n],
      ['1B', 1n],
      ['1k', 1000n],
      ['1kb', 1024n],
      ['01KB', 1024n],
      ['1m', 1000000n],
      ['1mb', 1048576n],
      ['1g', 1000000000n],
      ['2Gb', 2147483648n],
    ];
    for (const [text, size] of sizes) assert.equal(parseMemorySize(text), size, text);
  });

  it('accepts missing digits, overflow and NUL as Redis does', () => {
    assert.equal(parseMemorySize(''), 0n);
    assert.equal(parseMemorySize('kb'), 0n);
    assert.equal(parseMemorySize('18446744073709551616'), 18446744073709551615n);
    assert.equal(parseMemorySize('1'.repeat(127)), 18446744073709551615n);
    assert.equal(parseMemorySize('20000000000gb'), 3028092406290448384n);
    assert.equal(parseMemorySize('1\0x'), 1n);
  });

  it('rejects other units, signs, blanks, fractions and over-long numbers', () => {
    const refused = ['1t', '1tb', '1 kb', '-1', '+1', '1.5gb', '0x10', '1kbb', '1kb ', ' 1', '1k\n', '50%'];
    for (const text of [...refused, '1'.repeat(128)]) assert.equal(parseMemorySize(text), undefined, text);
  });
});

describe('humanBytes', () => {
  it('prints two decimals of the largest unit that fits', () => {
    assert.equal(humanBytes(0), '0B');
    assert.equal(humanBytes(1023), '1023B');
    assert.equal(humanBytes(1024), '1.00K');
    assert.equal(humanBytes(888924), '868.09K');
    assert.equal(humanBytes(1048575), '1024.00K');
    assert.equal(humanBytes(1048576), '1.00M');
    assert.equal(humanBytes(1024 ** 3 * 1.5), '1.50G');
    assert.equal(humanBytes(1024 ** 4), '1.00T');
    assert.equal(humanBytes(1024 ** 5), '1.00P');
  });

  it('rounds ties to even, as C does', () => {
    assert.equal(humanBytes(1152), '1.12K');
    assert.equal(humanBytes(1408), '1.38K');
  });
});
