import { type Address, BYTES, type Family } from './address.js';

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
export function findInPage(page: Buffer, address: Address): number {
  const { length } = address;
  const size = 2 * length + LOCATION_BYTES;
  const at = lastNotAfter(page, size, address) * size;
  if (at < 0) return -1;
  // The last range that begins before the address may end before it, too.
  const isBeyond =
    length === BYTES[4]
      ? address.readUInt32BE() > page.readUInt32BE(at + length)
      : address.compare(page, at + length, at + 2 * length) > 0;
  return isBeyond ? -1 : at;
}

/** The number of the location of a range that was found. */
export function locationAt(page: Buffer, at: number, family: Family): number {
  return page.readUInt32BE(at + 2 * BYTES[family]);
}

/** The number of the page that may contain the address; -1 if it is before the first one. */
export function findPage(directory: Buffer, address: Address): number {
  return lastNotAfter(directory, address.length, address);
}

/** Index of the last record that begins with an address not after the given one; -1 if there is none. */
function lastNotAfter(records: Buffer, size: number, address: Address): number {
  return address.length === BYTES[4]
    ? lastIPv4NotAfter(records, size, address.readUInt32BE())
    : lastIPv6NotAfter(records, size, address);
}

function lastIPv4NotAfter(records: Buffer, size: number, address: number): number {
  let low = 0;
  let high = records.length / size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (records.readUInt32BE(middle * size) <= address) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

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
