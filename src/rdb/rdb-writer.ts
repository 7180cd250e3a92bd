import type { Bytes } from '../bytes/bytes.js';
import { lzfCompress } from '../bytes/lzf.js';
import { nearestInteger64, parseInteger } from '../bytes/numbers/integer.js';
import type { ByteSink } from './byte-sink.js';
import { LengthForm, StringForm } from './value-type.js';

/** Writes lengths, strings and numbers of RDB values. */
export class RdbWriter {
  /** `rdbcompression` */
  compresses: boolean;
  /** Longer strings are not compressed, because that takes about 10 ms per megabyte. */
  longestCompressed = Number.POSITIVE_INFINITY;
  readonly sink: ByteSink;

  constructor(sink: ByteSink, compresses = true) {
    this.sink = sink;
    this.compresses = compresses;
  }

  byte(value: number): void {
    this.sink.byte(value);
  }

  length(value: number): void {
    if (value < 1 << 6) {
      this.sink.byte(value);
    } else if (value < 1 << 14) {
      this.sink.byte(0x40 | (value >>> 8));
      this.sink.byte(value & 255);
    } else if (value <= 0xffffffff) {
      scratch[0] = LengthForm.bits32;
      scratch.writeUInt32BE(value, 1);
      this.sink.bytes(scratch, 0, 5);
    } else {
      scratch[0] = LengthForm.bits64;
      scratch.writeBigUInt64BE(BigInt(value), 1);
      this.sink.bytes(scratch, 0, 9);
    }
  }

  /** An unsigned 64-bit number in the form of a length; a negative one as its two's complement. */
  unsigned64(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.length(value);
      return;
    }
    scratch[0] = LengthForm.bits64;
    scratch.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), 1);
    this.sink.bytes(scratch, 0, 9);
  }

  /** A time in Unix ms. */
  milliseconds(value: number): void {
    scratch.writeBigInt64LE(nearestInteger64(value));
    this.sink.bytes(scratch, 0, 8);
  }

  /** In the shortest form: an integer of up to 32 bits, compressed, or as it is. */
  string({ buf, start, end }: Bytes): void {
    const length = end - start;
    if (length <= LONGEST_INT32 && this.#writeInteger(parseInteger(buf, start, end))) return;
    if (this.compresses && length > LONGEST_UNCOMPRESSED && length <= this.longestCompressed) {
      if (this.#writeCompressed(buf, start, end)) return;
    }
    this.length(length);
    this.sink.bytes(buf, start, end);
  }

  /** The string of a 32-bit integer. */
  integer(value: number): void {
    this.#writeInteger(value);
  }

  double(value: number): void {
    scratch.writeDoubleLE(value);
    this.sink.bytes(scratch, 0, 8);
  }

  /** False if the number does not fit, or is not an integer. */
  #writeInteger(value: number): boolean {
    if ((value | 0) !== value) return false;
    if ((value << 24) >> 24 === value) {
      this.sink.byte(StringForm.int8);
      this.sink.byte(value & 255);
    } else if ((value << 16) >> 16 === value) {
      scratch[0] = StringForm.int16;
      scratch.writeInt16LE(value, 1);
      this.sink.bytes(scratch, 0, 3);
    } else {
      scratch[0] = StringForm.int32;
      scratch.writeInt32LE(value, 1);
      this.sink.bytes(scratch, 0, 5);
    }
    return true;
  }

  #writeCompressed(buf: Buffer, start: number, end: number): boolean {
    const room = end - start - COMPRESSION_GAIN;
    const target = room <= compressed.length ? compressed : Buffer.allocUnsafeSlow(room);
    const length = lzfCompress(buf, start, end, target, 0, room);
    if (length === 0) return false;
    this.sink.byte(StringForm.compressed);
    this.length(length);
    this.length(end - start);
    this.sink.bytes(target, 0, length);
    return true;
  }
}

/** A sign and ten digits. */
const LONGEST_INT32 = 11;
/** Up to this length, not even equal bytes become shorter. */
const LONGEST_UNCOMPRESSED = 20;
/** The min number of bytes that compression must save. */
const COMPRESSION_GAIN = 4;

const scratch = Buffer.alloc(9);
const compressed = Buffer.allocUnsafeSlow(1 << 16);
