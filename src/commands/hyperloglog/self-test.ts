import { Bytes } from '../../bytes/bytes.js';
import type { RandomSource } from '../../bytes/random.js';
import {
  countValues,
  elementRegister,
  estimate,
  locateElement,
} from '../../structures/hyperloglog/hyperloglog.js';
import { HyperLogLogEditor } from '../../structures/hyperloglog/hyperloglog-editor.js';
import {
  DENSE_LENGTH,
  denseRegister,
  EMPTY_HYPERLOGLOG,
  LARGEST_VALUE,
  REGISTERS,
  setDenseRegister,
} from '../../structures/hyperloglog/hyperloglog-format.js';
import type { Call } from '../call.js';
import { CommandError } from '../errors.js';

const ROUNDS = 10;
const MAX_ELEMENTS = 100_000;
const SPARSE_BYTES = 3000;

/** Checks that registers do not touch each other, that both forms agree, and that estimates are as good as promised. */
export function pfselftest(call: Call): void {
  testRegisters(call.keyspace.random);
  testEstimates(call.keyspace.random);
  call.reply.ok();
}

function testRegisters(random: RandomSource): void {
  const buf = Buffer.alloc(DENSE_LENGTH);
  const values = new Uint8Array(REGISTERS);
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < REGISTERS; i++) {
      values[i] = random.integer(LARGEST_VALUE + 1);
      setDenseRegister(buf, 0, i, values[i] as number);
    }
    for (let i = 0; i < REGISTERS; i++) {
      const found = denseRegister(buf, 0, i);
      if (found !== values[i]) {
        throw new CommandError(`TESTFAILED Register ${i} should be ${values[i]} but is ${found}`);
      }
    }
  }
}

function testEstimates(random: RandomSource): void {
  const sparse = new HyperLogLogEditor();
  const dense = new HyperLogLogEditor();
  sparse.open(new Bytes(EMPTY_HYPERLOGLOG));
  dense.open(new Bytes(EMPTY_HYPERLOGLOG));
  dense.makeDense();
  const element = new Bytes(Buffer.alloc(8));
  // Four times the standard error: random deviation practically never exceeds it.
  const allowed = (1.04 / Math.sqrt(REGISTERS)) * 4;
  let checked = 1;
  element.buf.writeUInt32LE(random.integer(2 ** 32), 4);
  for (let count = 1; count <= MAX_ELEMENTS; count++) {
    element.buf.writeUInt32LE(count, 0);
    locateElement(element);
    const { index, value } = elementRegister;
    sparse.raise(index, value, SPARSE_BYTES);
    dense.raise(index, value, 0);
    if (count !== checked) continue;
    checked *= 10;
    const found = estimateOf(dense);
    if (found !== estimateOf(sparse)) throw new CommandError('TESTFAILED dense/sparse disagree');
    const error = Math.abs(found - count);
    // Among few elements, two may share a register.
    if (error > Math.ceil(allowed * count) + (count <= 10 ? 1 : 0)) {
      throw new CommandError(`TESTFAILED Too big error. card:${count} abserr:${error}`);
    }
  }
}

function estimateOf(editor: HyperLogLogEditor): number {
  const counts = countValues(editor.bytes(new Bytes()));
  return counts === undefined ? Number.NaN : estimate(counts);
}
