import { isIP } from 'node:net';
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
  const [text = ''] = given.split('%');
  switch (isIP(text)) {
    case 4:
      return Buffer.from(text.split('.').map(Number));
    case 6: {
      const mapped = MAPPED.exec(text)?.[1];
      return mapped === undefined ? parseIPv6(text) : parseAddress(mapped);
    }
    default:
      return undefined;
  }
}

export function checkedAddress(owner: string, given: unknown): Address {
  const address = typeof given === 'string' ? parseAddress(given) : undefined;
  if (address !== undefined) return address;
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
  if (familyOf(address) === 4) return address.join('.');
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
  for (let bit = bits; bit < first.length * 8; bit++) {
    const mask = 0x80 >> (bit & 7);
    const at = bit >> 3;
    if (((first[at] as number) & mask) !== 0) return undefined;
    last[at] = (last[at] as number) | mask;
  }
  return { first, last };
}
