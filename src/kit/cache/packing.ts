import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The first byte of a packed value. */
const [PLAIN, GZIP] = [0x30, 0x31];

/** A value as stored: compressed if it is large, and smaller that way. */
export async function pack(value: Buffer, compressFrom: number): Promise<Buffer> {
  if (value.length >= compressFrom) {
    const small = await compress(value);
    if (small.length < value.length) return Buffer.concat([Buffer.of(GZIP), small]);
  }
  return Buffer.concat([Buffer.of(PLAIN), value]);
}

export function isCompressed(packed: Buffer): boolean {
  return packed[0] === GZIP;
}

/** The value without its mark, still compressed if it is. */
export function contentOf(packed: Buffer): Buffer {
  return packed.subarray(1);
}

export async function unpack(packed: Buffer): Promise<Buffer> {
  const content = contentOf(packed);
  return isCompressed(packed) ? decompress(content) : content;
}
