import type { WireBytes } from '../types/wire-bytes.js';

export type { WireBytes };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * @example
 * toWire(Buffer.from('key')); // 'key'
 * toWire(Buffer.from([255])); // { base64: '/w==' }
 */
export function toWire(bytes: Uint8Array): WireBytes {
  try {
    return decoder.decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') };
  }
}

/** The bytes that `toWire` wrote; undefined if the value has another form. */
export function fromWire(value: unknown): Buffer | undefined {
  if (typeof value === 'string') return Buffer.from(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const { base64 } = value as { readonly base64?: unknown };
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  return Buffer.from(base64, 'base64');
}
