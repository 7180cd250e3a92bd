import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Bytes } from '../../bytes/bytes.js';
import { countMaxima, countValues, elementRegister, estimate, locateElement } from './hyperloglog.js';
import { HyperLogLogEditor } from './hyperloglog-editor.js';
import {
  DENSE_LENGTH,
  denseRegister,
  EMPTY_HYPERLOGLOG,
  isHyperLogLog,
  REGISTERS,
} from './hyperloglog-format.js';
import { elementHash, hashElement } from './hyperloglog-hash.js';
import { SparseRuns } from './hyperloglog-sparse.js';

const FACTOR = 0xc6a4a7935bd1e995n;

/** The same hash in 64-bit arithmetic. */
function murmurHash(bytes: Uint8Array): bigint {
  const cut = (value: bigint): bigint => BigInt.asUintN(64, value);
  const mix = (value: bigint): bigint => value ^ (value >> 47n);
  let hash = 0xadc83b19n ^ cut(BigInt(bytes.length) * FACTOR);
  for (let at = 0; at < bytes.length; at += 8) {
    const part = bytes.subarray(at, at + 8);
    let word = 0n;
    for (let i = part.length - 1; i >= 0; i--) word = (word << 8n) | BigInt(part[i] as number);
    if (part.length === 8) word = cut(mix(cut(word * FACTOR)) * FACTOR);
    hash = cut((hash ^ word) * FACTOR);
  }
  return mix(cut(mix(hash) * FACTOR));
}

/** Registers of any form, by value. */
function registersOf(editor: HyperLogLogEditor): number[] {
  const copy = new HyperLogLogEditor();
  copy.open(editor.bytes(new Bytes()));
  assert.ok(copy.makeDense());
  const { buf, start } = copy.bytes(new Bytes());
  return Array.from({ length: REGISTERS }, (_, i) => denseRegister(buf, start, i));
}

function emptyEditor(): HyperLogLogEditor {
  const editor = new HyperLogLogEditor();
  editor.open(new Bytes(EMPTY_HYPERLOGLOG));
  return editor;
}

describe('hyperloglog', () => {
  it('hashes as in 64-bit arithmetic', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        hashElement(new Bytes(Buffer.from(bytes)));
        const { high, low } = elementHash;
        assert.equal((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0), murmurHash(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('computes the register from the low bits of the hash and the value from the rest', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 10 }), (bytes) => {
        locateElement(new Bytes(Buffer.from(bytes)));
        const hash = murmurHash(bytes);
        assert.equal(elementRegister.index, Number(hash & 0x3fffn));
        const rest = ((hash >> 14n) | (1n << 50n)).toString(2);
        assert.equal(elementRegister.value, rest.length - rest.lastIndexOf('1'));
      }),
    );
  });

  it('has the same registers in the sparse and the dense form', () => {
    // Few registers and values, so that runs are split and joined in all ways.
    const raise = fc.tuple(
      fc.oneof(fc.nat(20), fc.integer({ min: 0, max: REGISTERS - 1 })),
      fc.integer({ min: 1, max: 4 }),
    );
    fc.assert(
      fc.property(
        fc.array(raise, { maxLength: 120 }),
        fc.integer({ min: 20, max: 400 }),
        (raises, maxBytes) => {
          const editor = emptyEditor();
          const expected = new Uint8Array(REGISTERS);
          for (const [index, value] of raises) {
            const isHigher = value > (expected[index] as number);
            assert.equal(editor.raise(index, value, maxBytes), isHigher ? 'changed' : 'same');
            if (isHigher) expected[index] = value;
          }
          const bytes = editor.bytes(new Bytes());
          assert.ok(isHyperLogLog(bytes));
          assert.ok(bytes.length <= maxBytes || bytes.length === DENSE_LENGTH);
          assert.deepEqual(registersOf(editor), [...expected]);
          assert.deepEqual(countValues(bytes), countMaxima(expected));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('joins equal neighbours into one run', () => {
    const editor = emptyEditor();
    for (const index of [0, 2, 1, 3]) editor.raise(index, 5, 3000);
    const { buf, start, end } = editor.bytes(new Bytes());
    const runs = new SparseRuns().open(buf, start, end);
    assert.ok(runs.next());
    assert.deepEqual([runs.value, runs.length], [5, 4]);
  });

  it('stores large values only in the dense form', () => {
    const editor = emptyEditor();
    assert.equal(editor.raise(7, 33, 3000), 'changed');
    assert.equal(editor.bytes(new Bytes()).length, DENSE_LENGTH);
    assert.equal(registersOf(editor)[7], 33);
  });

  it('estimates within a few per cent', () => {
    for (const count of [0, 1, 10, 1000, 50_000]) {
      const editor = emptyEditor();
      for (let i = 0; i < count; i++) {
        locateElement(Bytes.of(`element ${i}`));
        editor.raise(elementRegister.index, elementRegister.value, 3000);
      }
      const counts = countValues(editor.bytes(new Bytes()));
      assert.ok(counts !== undefined);
      assert.ok(Math.abs(estimate(counts) - count) <= count * 0.04);
    }
  });
});
