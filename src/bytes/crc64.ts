/**
 * CRC-64 with the Jones polynomial, reflected: the checksum at the end of RDB files and DUMP payloads. JavaScript has
 * no fast 64-bit integers, so a checksum is a pair of 32-bit halves, and so is each entry of the tables.
 */

/** The bits of 0xad93d23594c935a9 in reverse order. */
const POLYNOMIAL_LOW = 0xac4bc9b5;
const POLYNOMIAL_HIGH = 0x95ac9329;

/** The number of bytes per step. Each has a table of 256 entries. */
const STRIDE = 8;
const LOW = new Int32Array(256 * STRIDE);
const HIGH = new Int32Array(256 * STRIDE);

for (let byte = 0; byte < 256; byte++) {
  let low = byte;
  let high = 0;
  for (let bit = 0; bit < 8; bit++) {
    const carry = low & 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    if (carry) {
      low ^= POLYNOMIAL_LOW;
      high ^= POLYNOMIAL_HIGH;
    }
  }
  LOW[byte] = low;
  HIGH[byte] = high;
}
for (let entry = 256; entry < 256 * STRIDE; entry++) {
  const low = LOW[entry - 256] as number;
  const high = HIGH[entry - 256] as number;
  LOW[entry] = ((low >>> 8) | (high << 24)) ^ (LOW[low & 0xff] as number);
  HIGH[entry] = (high >>> 8) ^ (HIGH[low & 0xff] as number);
}

/** A running checksum. Feed it with `update`, in pieces of any size; it starts at zero. */
export class Crc64 {
  /** The halves, as unsigned 32-bit numbers. */
  low = 0;
  high = 0;

  reset(): this {
    this.low = 0;
    this.high = 0;
    return this;
  }

  update(buffer: Uint8Array, start: number, end: number): this {
    let low = this.low | 0;
    let high = this.high | 0;
    let at = start;
    for (const strideEnd = end - STRIDE; at <= strideEnd; at += STRIDE) {
      const a = low ^ wordAt(buffer, at);
      const b = high ^ wordAt(buffer, at + 4);
      const i0 = (a & 0xff) + 1792;
      const i1 = ((a >>> 8) & 0xff) + 1536;
      const i2 = ((a >>> 16) & 0xff) + 1280;
      const i3 = (a >>> 24) + 1024;
      const i4 = (b & 0xff) + 768;
      const i5 = ((b >>> 8) & 0xff) + 512;
      const i6 = ((b >>> 16) & 0xff) + 256;
      const i7 = b >>> 24;
      low = lookUp(LOW, i0, i1, i2, i3) ^ lookUp(LOW, i4, i5, i6, i7);
      high = lookUp(HIGH, i0, i1, i2, i3) ^ lookUp(HIGH, i4, i5, i6, i7);
    }
    for (; at < end; at++) {
      const entry = (low ^ (buffer[at] as number)) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (LOW[entry] as number);
      high = (high >>> 8) ^ (HIGH[entry] as number);
    }
    this.low = low >>> 0;
    this.high = high >>> 0;
    return this;
  }

  /** Writes the checksum as eight little-endian bytes, as in files; returns the offset after them. */
  writeTo(buffer: Uint8Array, offset: number): number {
    for (let byte = 0; byte < 4; byte++) {
      buffer[offset + byte] = this.low >>> (byte * 8);
      buffer[offset + 4 + byte] = this.high >>> (byte * 8);
    }
    return offset + 8;
  }

  /** Whether the eight bytes at `offset` are this checksum. */
  equalsAt(buffer: Uint8Array, offset: number): boolean {
    return wordAt(buffer, offset) === (this.low | 0) && wordAt(buffer, offset + 4) === (this.high | 0);
  }
}

function wordAt(buffer: Uint8Array, at: number): number {
  return (
    (buffer[at] as number) |
    ((buffer[at + 1] as number) << 8) |
    ((buffer[at + 2] as number) << 16) |
    ((buffer[at + 3] as number) << 24)
  );
}

function lookUp(table: Int32Array, a: number, b: number, c: number, d: number): number {
  return (table[a] as number) ^ (table[b] as number) ^ (table[c] as number) ^ (table[d] as number);
}
