import { isIPv6 } from 'node:net';
import { KitError, shown } from '../foundation/index.js';

/** Bytes of an IPv4 address (4) or IPv6 address (16), most significant first: comparing them compares addresses. */
export type Address = Buffer;

export type Family = 4 | 6;

export const BYTES: Readonly<Record<Family, number>> = { 4: 4, 6: 16 };

export function familyOf(address: Address): Family {
  return address.length === BYTES[4] ? 4 : 6;
}

/** An IPv4 address in the notation of IPv6, as sockets report it: `::ffff:192.0.2.1`. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The address, without a zone (`fe80::1%eth0`); undefined if the text is not an address. */
export function parseAddress(given: string): Address | undefined {
  const number = parseIPv4(given);
  if (number !== undefined) return fromNumber(number);
  const [text = ''] = given.split('%');
  if (!isIPv6(text)) return text === given ? undefined : parseAddress(text);
  const mapped = MAPPED.exec(text)?.[1];
  return mapped === undefined ? parseIPv6(text) : parseAddress(mapped);
}

/**
 * An IPv4 address as a number; undefined if the text is none. Most addresses that are looked up are such, and this takes a fifth
 * of the time of `isIP` and `split`.
 */
export function parseIPv4(text: string): number | undefined {
  let number = 0;
  let part = 0;
  let digits = 0;
  let parts = 1;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit >= 0 && digit <= 9) {
      // No part has a leading zero, which some programs would read as octal.
      if (digits === 3 || (digits > 0 && part === 0)) return undefined;
      part = part * 10 + digit;
      digits++;
    } else {
      if (digit !== DOT - ZERO || digits === 0 || part > 255 || parts === 4) return undefined;
      number = number * 256 + part;
      part = 0;
      digits = 0;
      parts++;
    }
  }
  return parts === 4 && digits > 0 && part <= 255 ? number * 256 + part : undefined;
}

const ZERO = 48;
const DOT = 46;

export function fromNumber(number: number): Address {
  const bytes = Buffer.allocUnsafe(BYTES[4]);
  bytes.writeUInt32BE(number);
  return bytes;
}

/** An address that is looked up: of IPv4 as a number, which takes no memory. */
export type SoughtAddress = number | Address;

export function checkedAddress(owner: string, given: unknown): SoughtAddress {
  if (typeof given === 'string') {
    const number = parseIPv4(given);
    if (number !== undefined) return number;
    const address = parseAddress(given);
    if (address !== undefined) return familyOf(address) === 4 ? address.readUInt32BE() : address;
  }
  throw new KitError(
    'OPTION',
    `${owner}: pass an IPv4 or IPv6 address such as '192.0.2.1', not ${shown(given)}`,
  );
}

/** @param text a valid address */
function parseIPv6(text: string): Address {
  const bytes = Buffer.alloc(BYTES[6]);
  const [head = '', tail] = text.split('::');
  const first = groupBytes(head);
  first.copy(bytes);
  if (tail !== undefined) {
    const last = groupBytes(tail);
    last.copy(bytes, bytes.length - last.length);
  }
  return bytes;
}

/** The bytes of `2001:db8` or `ffff:192.0.2.1`. */
function groupBytes(text: string): Buffer {
  if (text === '') return Buffer.alloc(0);
  const parts = text.split(':').map((group) => {
    if (group.includes('.')) return Buffer.from(group.split('.').map(Number));
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16BE(Number.parseInt(group, 16));
    return bytes;
  });
  return Buffer.concat(parts);
}

/** The text of an address, in the usual short form. */
export function formatAddress(address: Address): string {
  return formatAt(address, 0, familyOf(address));
}

/** The same for an address among other bytes, without a copy. */
export function formatAt(bytes: Buffer, at: number, family: Family): string {
  if (family === 4) return `${bytes[at]}.${bytes[at + 1]}.${bytes[at + 2]}.${bytes[at + 3]}`;
  return formatIPv6(bytes.subarray(at, at + BYTES[6]));
}

function formatIPv6(address: Address): string {
  const groups: string[] = [];
  for (let i = 0; i < address.length; i += 2) groups.push(address.readUInt16BE(i).toString(16));
  // The longest row of zero groups becomes `::`.
  const rows = [...groups.join(':').matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)];
  const longest = rows.sort((a, b) => b[0].length - a[0].length)[0];
  if (longest === undefined) return groups.join(':');
  const text = groups.join(':');
  const before = text.slice(0, longest.index).replace(/:$/, '');
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}

export interface AddressRange {
  readonly first: Address;
  readonly last: Address;
}

/** The first and last address of a network such as `192.0.2.0/24`; undefined if the text is not a network. */
export function parseNetwork(text: string): AddressRange | undefined {
  const [start = '', length = '', ...rest] = text.split('/');
  const first = parseAddress(start);
  const bits = Number(length);
  if (first === undefined || rest.length > 0 || !/^\d+$/.test(length) || bits > first.length * 8)
    return undefined;
  const last = Buffer.from(first);
  for (let at = bits >> 3; at < first.length; at++) {
    // The bits of this byte that do not belong to the network.
    const mask = at === bits >> 3 ? 0xff >> (bits & 7) : 0xff;
    if (((first[at] as number) & mask) !== 0) return undefined;
    last[at] = (last[at] as number) | mask;
  }
  return { first, last };
}
