import { Bytes, EMPTY_BUFFER } from '../bytes/bytes.js';
import { lzfDecompress } from '../bytes/lzf.js';
import { parseDouble } from '../bytes/numbers/double.js';
import { writeInteger } from '../bytes/numbers/integer.js';
import { type ByteSource, CorruptData } from './byte-source.js';
import { LengthForm, ScoreForm, StringForm } from './value-type.js';

/** Reads lengths, strings and numbers of RDB values. Trusts nothing: for any bytes it reads a value or throws `CorruptData`. */
export class RdbReader {
  readonly source: ByteSource;
  /**
   * Whether packed values are also checked for duplicates and wrong order, not only for damage. By default files are
   * trusted in this (`sanitize-dump-payload`), because it is most of the work.
   */
  isThorough = true;
  readonly #view = new Bytes();
  readonly #kept = new Bytes();
  #keptBuffer = EMPTY_BUFFER;

  constructor(source: ByteSource) {
    this.source = source;
  }

  byte(): number {
    return this.source.byte();
  }

  length(): number {
    return this.#lengthFrom(this.source.byte());
  }

  /** An unsigned 64-bit number in the form of a length, exact. */
  unsigned64(): bigint {
    const first = this.source.byte();
    if (first !== LengthForm.bits64) return BigInt(this.#lengthFrom(first));
    const { buf, start } = this.source.bytes(8, this.#view);
    return buf.readBigUInt64BE(start);
  }

  /** A time in Unix ms. */
  milliseconds(): number {
    const { buf, start } = this.source.bytes(8, this.#view);
    return Number(buf.readBigInt64LE(start));
  }

  /** A string; the view is valid until something else is read. */
  string(): Bytes {
    const first = this.source.byte();
    if (first === StringForm.compressed) return this.#compressed();
    if (first >= StringForm.int8) return this.#integer(first);
    return this.source.bytes(this.#lengthFrom(first), this.#view);
  }

  /** A string that stays valid until the next call of this method. */
  keptString(): Bytes {
    const read = this.string();
    // A reader may be used for long: it does not hold the memory of an unusually large string.
    if (read.length > MAX_KEPT) return this.#kept.set(read.toBuffer(), 0, read.length);
    if (read.length > this.#keptBuffer.length)
      this.#keptBuffer = Buffer.allocUnsafeSlow(read.length * 2 + 64);
    return this.#kept.set(this.#keptBuffer, 0, read.writeTo(this.#keptBuffer, 0));
  }

  /** A double of eight bytes. NaN is refused: it is not a valid score. */
  score(): number {
    const { buf, start } = this.source.bytes(8, this.#view);
    const score = buf.readDoubleLE(start);
    if (Number.isNaN(score)) throw new CorruptData('a score is not a number');
    return score;
  }

  /** A score as old versions wrote it: its length, then text. */
  scoreText(): number {
    const length = this.source.byte();
    if (length === ScoreForm.negativeInfinity) return Number.NEGATIVE_INFINITY;
    if (length === ScoreForm.infinity) return Number.POSITIVE_INFINITY;
    if (length === ScoreForm.nan) throw new CorruptData('a score is not a number');
    const { buf, start, end } = this.source.bytes(length, this.#view);
    const score = parseDouble(buf, start, end);
    if (Number.isNaN(score)) throw new CorruptData('a score is not a number');
    return score;
  }

  #lengthFrom(first: number): number {
    if (first < 0x40) return first;
    if (first < 0x80) return ((first & 0x3f) << 8) | this.source.byte();
    if (first === LengthForm.bits32) {
      const { buf, start } = this.source.bytes(4, this.#view);
      return buf.readUInt32BE(start);
    }
    if (first !== LengthForm.bits64) throw new CorruptData('unknown form of length');
    const { buf, start } = this.source.bytes(8, this.#view);
    return Number(buf.readBigUInt64BE(start));
  }

  #integer(form: number): Bytes {
    let value: number;
    if (form === StringForm.int8) {
      value = (this.source.byte() << 24) >> 24;
    } else if (form === StringForm.int16) {
      const { buf, start } = this.source.bytes(2, this.#view);
      value = buf.readInt16LE(start);
    } else if (form === StringForm.int32) {
      const { buf, start } = this.source.bytes(4, this.#view);
      value = buf.readInt32LE(start);
    } else {
      throw new CorruptData('unknown form of string');
    }
    return this.#view.set(digits, 0, writeInteger(digits, 0, value));
  }

  #compressed(): Bytes {
    const length = this.length();
    const restored = this.length();
    const { buf, start, end } = this.source.bytes(length, this.#view);
    // The announced length is limited to what compression can achieve.
    if (restored > length * MAX_EXPANSION) throw new CorruptData('a compressed string is too short');
    const target = restored <= expanded.length ? expanded : Buffer.allocUnsafeSlow(restored);
    if (lzfDecompress(buf, start, end, target, 0, restored) !== restored) {
      throw new CorruptData('a compressed string is damaged');
    }
    return this.#view.set(target, 0, restored);
  }
}

const MAX_KEPT = 1 << 20;
/** Three bytes of LZF expand to at most 264. */
const MAX_EXPANSION = 88;
const digits = Buffer.alloc(12);
/** For short compressed strings: a buffer for each would take longer than expanding it. */
const expanded = Buffer.allocUnsafeSlow(1 << 16);
