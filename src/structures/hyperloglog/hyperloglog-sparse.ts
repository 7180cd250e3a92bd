import { type Bytes, EMPTY_BUFFER } from '../../bytes/bytes.js';
import { HEADER, outdateEstimate } from './hyperloglog-format.js';

/**
 * Registers as a sequence of runs: `00llllll` is l + 1 zeros, `01llllll llllllll` the same for long runs (a far zero),
 * and `1vvvvvll` l + 1 registers with the value v + 1. A byte missing at the end counts as zero.
 */
const LARGEST_VALUE = 32;
const LONGEST_ZERO = 64;
const LONGEST_VALUE = 4;
const FAR_ZERO = 0x40;
const VALUE = 0x80;

/** The result of a change. `full`: only the dense form can store it. `corrupt`: there is no run with this register. */
export type SparseChange = 'same' | 'changed' | 'full' | 'corrupt';

/** Iterates over the runs. */
export class SparseRuns {
  /** The run's registers and their value. */
  length = 0;
  value = 0;
  /** The offsets of the run's first byte and of the byte after the run. */
  start = 0;
  end = 0;

  #buf: Buffer = EMPTY_BUFFER;
  #limit = 0;

  /** `start` and `end` include the header. */
  open(buf: Buffer, start: number, end: number): this {
    this.#buf = buf;
    this.#limit = end;
    this.end = start + HEADER;
    return this;
  }

  next(): boolean {
    const at = this.end;
    if (at >= this.#limit) return false;
    const byte = this.#buf[at] as number;
    this.start = at;
    this.value = 0;
    this.end = at + 1;
    if ((byte & VALUE) !== 0) {
      this.length = (byte & 3) + 1;
      this.value = ((byte >> 2) & 31) + 1;
    } else if ((byte & FAR_ZERO) === 0) {
      this.length = byte + 1;
    } else {
      const low = at + 1 < this.#limit ? (this.#buf[at + 1] as number) : 0;
      this.length = ((byte & 63) << 8) + low + 1;
      this.end = at + 2;
    }
    return true;
  }

  /** Whether a run of zeros is in the long form. */
  get isFar(): boolean {
    return this.end - this.start === 2;
  }
}

/** The sparse form while it is changed, in its own memory. One object serves all HyperLogLogs. */
export class SparseRegisters {
  buf: Buffer = Buffer.alloc(4096);
  /** Bytes in use, including the header. */
  length = 0;

  readonly #runs = new SparseRuns();
  readonly #replacement: number[] = [];

  load(buf: Buffer, start: number, end: number): this {
    this.length = end - start;
    if (this.length + ROOM > this.buf.length) this.buf = Buffer.alloc(this.length * 2);
    buf.copy(this.buf, 0, start, end);
    return this;
  }

  /** Points `view` at all bytes, including the header. */
  view(view: Bytes): Bytes {
    return view.set(this.buf, 0, this.length);
  }

  /** Raises a register to `value`, if it is lower, within `maxBytes`. */
  raise(index: number, value: number, maxBytes: number): SparseChange {
    if (value > LARGEST_VALUE) return 'full';
    const runs = this.#runs.open(this.buf, 0, this.length);
    let first = 0;
    let previous = HEADER;
    for (;;) {
      if (!runs.next()) return 'corrupt';
      if (index < first + runs.length) break;
      first += runs.length;
      previous = runs.start;
    }
    if (runs.value >= value) return 'same';
    if (runs.length === 1 && !runs.isFar) {
      this.buf[runs.start] = valueRun(value, 1);
    } else {
      this.#splitRun(index - first, value);
      if (!this.#replaceRun(maxBytes)) return 'full';
    }
    this.#joinFrom(previous);
    outdateEstimate(this.buf, 0);
    return 'changed';
  }

  /** Writes the current run, with one register of it changed, to `#replacement`. */
  #splitRun(before: number, value: number): void {
    const { length, value: old } = this.#runs;
    const after = length - before - 1;
    this.#replacement.length = 0;
    if (before > 0) this.#appendRun(old, before);
    this.#replacement.push(valueRun(value, 1));
    if (after > 0) this.#appendRun(old, after);
  }

  #appendRun(value: number, length: number): void {
    if (value > 0) this.#replacement.push(valueRun(value, length));
    else if (length <= LONGEST_ZERO) this.#replacement.push(length - 1);
    else this.#replacement.push(FAR_ZERO | ((length - 1) >> 8), (length - 1) & 0xff);
  }

  /** False if there is no space. */
  #replaceRun(maxBytes: number): boolean {
    const { start, end } = this.#runs;
    const replacement = this.#replacement;
    const growth = replacement.length - (end - start);
    if (growth > 0 && this.length + growth > maxBytes) return false;
    if (this.length + ROOM > this.buf.length) this.buf = Buffer.concat([this.buf], this.buf.length * 2);
    this.buf.copyWithin(end + growth, end, this.length);
    this.length += growth;
    for (let i = 0; i < replacement.length; i++) this.buf[start + i] = replacement[i] as number;
    return true;
  }

  /** Joins adjacent equal runs among the first few from `start` on. */
  #joinFrom(start: number): void {
    const { buf } = this;
    let at = start;
    for (let looked = 0; looked < LOOKED_AT && at < this.length; looked++) {
      const byte = buf[at] as number;
      if ((byte & VALUE) === 0) {
        at += (byte & FAR_ZERO) === 0 ? 1 : 2;
      } else if (at + 1 < this.length && canJoin(byte, buf[at + 1] as number)) {
        buf[at] = byte + ((buf[at + 1] as number) & 3) + 1;
        buf.copyWithin(at + 1, at + 2, this.length);
        this.length--;
      } else {
        at++;
      }
    }
  }
}

function valueRun(value: number, length: number): number {
  return VALUE | ((value - 1) << 2) | (length - 1);
}

function canJoin(run: number, next: number): boolean {
  return run >> 2 === next >> 2 && (run & 3) + (next & 3) + 2 <= LONGEST_VALUE;
}

/** The maximum number of bytes that a change can need: a run of zeros becomes zeros, a value, zeros. */
const ROOM = 8;
const LOOKED_AT = 5;
