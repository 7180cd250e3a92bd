import { Bytes } from '../../bytes/bytes.js';
import { raiseToRegisters } from './hyperloglog.js';
import {
  DENSE_LENGTH,
  denseRegister,
  isSparse,
  outdateEstimate,
  REGISTERS,
  setDenseRegister,
  writeEmptyDense,
} from './hyperloglog-format.js';
import { SparseRegisters } from './hyperloglog-sparse.js';

/**
 * A HyperLogLog being changed. The dense form is edited in place, the sparse form in the editor's own memory,
 * because it may become shorter, longer or dense. The caller then stores `bytes`, unless `isInPlace`.
 */
export class HyperLogLogEditor {
  isInPlace = false;

  readonly #sparse = new SparseRegisters();
  /** The dense form, in the string itself or in `#ownMemory`. */
  readonly #dense = new Bytes();
  #ownMemory: Buffer | undefined;
  #isSparse = false;

  /** `bytes` must be a HyperLogLog; if it is dense, the bytes must not move. */
  open({ buf, start, end }: Bytes): void {
    this.#dense.set(buf, start, end);
    this.#isSparse = isSparse(this.#dense);
    this.isInPlace = !this.#isSparse;
    if (this.#isSparse) this.#sparse.load(buf, start, end);
  }

  /** Raises a register to `value` if it is lower. Only the sparse form can be `corrupt`. */
  raise(index: number, value: number, maxSparseBytes: number): 'same' | 'changed' | 'corrupt' {
    if (this.#isSparse) {
      const change = this.#sparse.raise(index, value, maxSparseBytes);
      if (change !== 'full') return change;
      if (!this.makeDense()) return 'corrupt';
    }
    const { buf, start } = this.#dense;
    if (denseRegister(buf, start, index) >= value) return 'same';
    setDenseRegister(buf, start, index, value);
    return 'changed';
  }

  /** Converts to the dense form. Returns false and changes nothing if the sparse form is corrupt. */
  makeDense(): boolean {
    if (!this.#isSparse) return true;
    const from = new Bytes();
    this.#sparse.view(from);
    maxima.fill(0);
    if (!raiseToRegisters(maxima, from)) return false;
    this.#ownMemory ??= Buffer.alloc(DENSE_LENGTH);
    writeEmptyDense(from, this.#ownMemory, 0);
    for (let i = 0; i < REGISTERS; i++) {
      if (maxima[i] !== 0) setDenseRegister(this.#ownMemory, 0, i, maxima[i] as number);
    }
    this.#dense.set(this.#ownMemory, 0, DENSE_LENGTH);
    this.#isSparse = false;
    return true;
  }

  outdate(): void {
    const { buf, start } = this.bytes(scratch);
    outdateEstimate(buf, start);
  }

  /** Points `view` at all bytes. */
  bytes(view: Bytes): Bytes {
    if (this.#isSparse) return this.#sparse.view(view);
    return view.set(this.#dense.buf, this.#dense.start, this.#dense.end);
  }
}

const maxima = new Uint8Array(REGISTERS);
const scratch = new Bytes();
