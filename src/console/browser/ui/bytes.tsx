import type { WireBytes } from '../api.js';

/** The bytes of a value. */
export function bytesOf(value: WireBytes): Uint8Array {
  if (typeof value === 'string') return new TextEncoder().encode(value);
  const binary = atob(value.base64);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Bytes in the form that the server expects: text if they are valid UTF-8. */
export function wireOf(bytes: Uint8Array): WireBytes {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    let binary = '';
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return { base64: btoa(binary) };
  }
}

/**
 * One line of text for any bytes: control characters and bytes that are not UTF-8 as `\n`, `\x00`. Direction marks are escaped
 * too, since they would let a name look like another.
 */
export function shown(value: WireBytes, maxLength = 400): string {
  const text =
    typeof value === 'string' ? escapedText(value.slice(0, maxLength)) : escapedBytes(value, maxLength);
  const isCut = typeof value === 'string' ? value.length > maxLength : value.base64.length * 0.75 > maxLength;
  return isCut ? `${text}…` : text;
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };
const UNSEEN = /[\x00-\x1f\x7f-\x9f\\\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Blanks at the ends are escaped, too: they would not be noticed. */
const END_BLANKS = /^ +| +$/g;

function escapedText(text: string): string {
  const escaped = text.replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    return SHORT[character] ?? (code < 256 ? `\\x${hex(code)}` : `\\u${code.toString(16).padStart(4, '0')}`);
  });
  return escaped.replace(END_BLANKS, (blanks) => '\\x20'.repeat(blanks.length));
}

function escapedBytes(value: { readonly base64: string }, maxLength: number): string {
  let text = '';
  for (const byte of bytesOf(value).subarray(0, maxLength)) {
    text += byte >= 32 && byte < 127 && byte !== 92 ? String.fromCharCode(byte) : `\\x${hex(byte)}`;
  }
  return text;
}

export const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

/** A key, member or value in one line. Never HTML: the text becomes a text node. */
export function Bytes({
  value,
  maxLength = 400,
}: {
  readonly value: WireBytes;
  readonly maxLength?: number;
}) {
  const text = shown(value, maxLength);
  return <code class="bytes">{text === '' ? <i class="dim">""</i> : text}</code>;
}
