import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Bytes } from '../../bytes/bytes.js';
import { readField, readField64, WIDEST_NUMBER, writeField, writeField64 } from './bitfield-access.js';

const SIZE = 24;
const content = fc.uint8Array({ minLength: SIZE, maxLength: SIZE });
const field = fc.tuple(fc.integer({ min: 1, max: 64 }), fc.nat(SIZE * 8 - 65));

/** All bits as one number, the first byte highest. */
function wholeOf(bytes: Bytes): bigint {
  return BigInt(`0x${bytes.toBuffer().toString('hex')}`);
}

function expectedField(bytes: Bytes, offset: number, width: number): bigint {
  return BigInt.asUintN(width, wholeOf(bytes) >> BigInt(SIZE * 8 - offset - width));
}

describe('fields of bits', () => {
  it('are read at every width and offset', () => {
    fc.assert(
      fc.property(content, field, (memory, [width, offset]) => {
        const bytes = new Bytes(Buffer.from(memory));
        const expected = expectedField(bytes, offset, width);
        assert.equal(readField64(bytes, offset, width), expected);
        if (width <= WIDEST_NUMBER) assert.equal(readField(bytes, offset, width), Number(expected));
      }),
      { numRuns: 1000 },
    );
  });

  it('are written without touching a bit beside them', () => {
    fc.assert(
      fc.property(content, field, fc.bigInt(0n, 2n ** 64n - 1n), (memory, [width, offset], value) => {
        const bytes = new Bytes(Buffer.from(memory));
        const cut = BigInt.asUintN(width, value);
        const shift = BigInt(SIZE * 8 - offset - width);
        const expected = wholeOf(bytes) - (expectedField(bytes, offset, width) << shift) + (cut << shift);
        const narrow = bytes.copy();
        writeField64(bytes, offset, width, value);
        assert.equal(wholeOf(bytes), expected);
        if (width > WIDEST_NUMBER) return;
        writeField(narrow, offset, width, Number(cut));
        assert.equal(wholeOf(narrow), expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('read as zero behind the end', () => {
    const bytes = new Bytes(Buffer.from([0xff, 0xff]));
    assert.equal(readField(bytes, 12, 8), 0xf0);
    assert.equal(readField(bytes, 16, 8), 0);
    assert.equal(readField64(bytes, 8, 64), 0xff00_0000_0000_0000n);
  });
});
