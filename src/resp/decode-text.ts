import { fromCharCode } from '../bytes/text.js';

/** The text of UTF-8 bytes. */
export function decodeText(buffer: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > SHORT) return buffer.utf8Slice(start, end);
  let bits = 0;
  for (let i = start; i < end; i++) bits |= buffer[i] as number;
  return bits < 0x80 ? shortText(buffer, start, length) : buffer.utf8Slice(start, end);
}

/** The text of a latin1 string that holds UTF-8, one byte per character. */
export function decodeLatin1(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'latin1').utf8Slice() : text;
}

/**
 * Texts up to this length are decoded here. The call into native code takes 60 ns for any length; this code takes 25 ns for
 * six characters and 35 ns for nine. A loop that adds one character at a time, or an array of codes, takes as long as the call.
 */
const SHORT = 12;

const NOT_ASCII = /[^\x00-\x7f]/;

/** Text of ASCII bytes. Bytes read after the end are not used. */
function shortText(buffer: Buffer, start: number, length: number): string {
  const a = buffer[start] as number;
  const b = buffer[start + 1] as number;
  const c = buffer[start + 2] as number;
  const d = buffer[start + 3] as number;
  const e = buffer[start + 4] as number;
  const f = buffer[start + 5] as number;
  const g = buffer[start + 6] as number;
  const h = buffer[start + 7] as number;
  const i = buffer[start + 8] as number;
  const j = buffer[start + 9] as number;
  const k = buffer[start + 10] as number;
  const l = buffer[start + 11] as number;
  switch (length) {
    case 0:
      return '';
    case 1:
      return fromCharCode(a);
    case 2:
      return fromCharCode(a, b);
    case 3:
      return fromCharCode(a, b, c);
    case 4:
      return fromCharCode(a, b, c, d);
    case 5:
      return fromCharCode(a, b, c, d, e);
    case 6:
      return fromCharCode(a, b, c, d, e, f);
    case 7:
      return fromCharCode(a, b, c, d, e, f, g);
    case 8:
      return fromCharCode(a, b, c, d, e, f, g, h);
    case 9:
      return fromCharCode(a, b, c, d, e, f, g, h, i);
    case 10:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j);
    case 11:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k);
    default:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l);
  }
}
