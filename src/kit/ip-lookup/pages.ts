import { type Address, BYTES, type Family, type SoughtAddress } from './address.js';

/**
 * Ranges of addresses, packed: first and last address, and the number of the location (4 bytes), one after the other in
 * ascending order. A page holds 64 of them; the directory holds the first address of each page.
 */
export const RANGES_PER_PAGE = 64;
const LOCATION_BYTES = 4;

export interface PackedRange {
  readonly first: Address;
  readonly last: Address;
  readonly location: number;
}

/** Collects ranges for one page. */
export class PageBuilder {
  readonly #size: number;
  readonly #bytes: Buffer;
  #end = 0;

  constructor(family: Family) {
    this.#size = 2 * BYTES[family] + LOCATION_BYTES;
    this.#bytes = Buffer.alloc(RANGES_PER_PAGE * this.#size);
  }

  get isFull(): boolean {
    return this.#end === this.#bytes.length;
  }

  get isEmpty(): boolean {
    return this.#end === 0;
  }

  add({ first, last, location }: PackedRange): void {
    first.copy(this.#bytes, this.#end);
    last.copy(this.#bytes, this.#end + first.length);
    this.#bytes.writeUInt32BE(location, this.#end + 2 * first.length);
    this.#end += this.#size;
  }

  /** The page; the builder is empty afterwards. */
  take(): Buffer {
    const page = Buffer.from(this.#bytes.subarray(0, this.#end));
    this.#end = 0;
    return page;
  }
}

/** Where in a page the range begins that contains the address; -1 if there is none. */
export function findInPage(page: Buffer, address: SoughtAddress): number {
  return typeof address === 'number' ? findIPv4InPage(page, address) : findIPv6InPage(page, address);
}

function findIPv4InPage(page: Buffer, address: number): number {
  const size = 2 * BYTES[4] + LOCATION_BYTES;
  let low = 0;
  let high = page.length / size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (page.readUInt32BE(middle * size) <= address) low = middle + 1;
    else high = middle;
  }
  const at = (low - 1) * size;
  // The last range that begins before the address may end before it, too.
  return at < 0 || address > page.readUInt32BE(at + BYTES[4]) ? -1 : at;
}

function findIPv6InPage(page: Buffer, address: Address): number {
  const { length } = address;
  const size = 2 * length + LOCATION_BYTES;
  const at = lastIPv6NotAfter(page, size, address) * size;
  return at < 0 || address.compare(page, at + length, at + 2 * length) > 0 ? -1 : at;
}

/** The number of the location of a range that was found. */
export function locationAt(page: Buffer, at: number, family: Family): number {
  return page.readUInt32BE(at + 2 * BYTES[family]);
}

/** The first address of each page: of IPv4 as numbers, of IPv6 one after the other. */
export type Directory = Uint32Array | Buffer;

/** A directory, from the bytes as they are stored. */
export function directoryOf(bytes: Buffer, family: Family): Directory {
  if (family === 6) return bytes;
  return Uint32Array.from({ length: bytes.length / BYTES[4] }, (_, at) => bytes.readUInt32BE(at * BYTES[4]));
}

/** The number of the page that may contain the address; -1 if it is before the first one. */
export function findPage(directory: Directory, address: SoughtAddress): number {
  if (typeof address !== 'number') return lastIPv6NotAfter(directory as Buffer, address.length, address);
  let low = 0;
  let high = directory.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((directory[middle] as number) <= address) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Index of the last record that begins with an address not after the given one; -1 if there is none. */
function lastIPv6NotAfter(records: Buffer, size: number, address: Address): number {
  let low = 0;
  let high = records.length / size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = middle * size;
    if (records.compare(address, 0, address.length, at, at + address.length) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
