import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type BitOperation, combineBits, countOnes, countOnesBetween, findBit, invertBits } from './bits.js';
import { Bytes } from './bytes.js';

/** Strings short and long, at any alignment, with runs of equal bytes. */
const strings = fc
  .tuple(
    fc.nat(8),
    fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc
          .tuple(fc.constantFrom(0, 255), fc.nat(300))
          .map(([byte, length]) => new Uint8Array(length).fill(byte)),
      ),
      { maxLength: 5 },
    ),
  )
  .map(([offset, parts]) => {
    const content = Buffer.concat(parts);
    const memory = Buffer.concat([Buffer.alloc(offset, 0xaa), content, Buffer.alloc(5, 0x55)]);
    return new Bytes(memory, offset, offset + content.length);
  });

function bitsOf(bytes: Bytes): number[] {
  return [...bytes.toBuffer()].flatMap((byte) => Array.from({ length: 8 }, (_, i) => (byte >> (7 - i)) & 1));
}

function fromBits(bits: number[]): Buffer {
  const bytes = Buffer.alloc(bits.length / 8);
  bits.forEach((bit, i) => {
    bytes[i >> 3] = (bytes[i >> 3] as number) | (bit << (7 - (i & 7)));
  });
  return bytes;
}

describe('bits', () => {
  it('counts ones in the whole string and in a range', () => {
    fc.assert(
      fc.property(
        strings,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (bytes, a, b) => {
          const bits = bitsOf(bytes);
          assert.equal(countOnes(bytes), bits.filter(Boolean).length);
          if (bits.length === 0) return;
          const [first, last] = [a, b]
            .map((at) => Math.floor(at * (bits.length - 1)))
            .sort((x, y) => x - y) as [number, number];
          assert.equal(
            countOnesBetween(bytes, first, last),
            bits.slice(first, last + 1).filter(Boolean).length,
          );
        },
      ),
    );
    assert.equal(countOnes(new Bytes(Buffer.alloc(100_003, 0xff))), 800_024);
  });

  it('finds the first bit of a value in a range', () => {
    fc.assert(
      fc.property(
        strings,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (bytes, a, b) => {
          const bits = bitsOf(bytes);
          if (bits.length === 0) return;
          const [first, last] = [a, b]
            .map((at) => Math.floor(at * (bits.length - 1)))
            .sort((x, y) => x - y) as [number, number];
          for (const bit of [0, 1]) {
            const found = bits.slice(first, last + 1).indexOf(bit);
            assert.equal(findBit(bytes, bit, first, last), found < 0 ? -1 : first + found);
          }
        },
      ),
    );
  });

  it('combines strings as if the shorter were followed by zeros', () => {
    const operators: Record<BitOperation, (a: number, b: number) => number> = {
      and: (a, b) => a & b,
      or: (a, b) => a | b,
      xor: (a, b) => a ^ b,
    };
    fc.assert(
      fc.property(
        strings,
        strings,
        fc.constantFrom<BitOperation>('and', 'or', 'xor'),
        (one, other, operation) => {
          const [target, source] = one.length >= other.length ? [one.copy(), other] : [other.copy(), one];
          const sourceBits = bitsOf(source);
          const expected = bitsOf(target).map((bit, i) => operators[operation](bit, sourceBits[i] ?? 0));
          combineBits(operation, target, source);
          assert.deepEqual(target.toBuffer(), fromBits(expected));
        },
      ),
    );
  });

  it('inverts every bit of the string and no bit outside it', () => {
    fc.assert(
      fc.property(strings, (bytes) => {
        const expected = fromBits(bitsOf(bytes).map((bit) => 1 - bit));
        const [before, behind] = [
          Buffer.from(bytes.buf.subarray(0, bytes.start)),
          Buffer.from(bytes.buf.subarray(bytes.end)),
        ];
        invertBits(bytes);
        assert.deepEqual(bytes.toBuffer(), expected);
        assert.deepEqual(bytes.buf.subarray(0, bytes.start), before);
        assert.deepEqual(bytes.buf.subarray(bytes.end), behind);
      }),
    );
  });
});
