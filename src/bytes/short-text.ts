import { fromCharCode } from './text.js';

/**
 * The bytes as a latin1 string: one character per byte, without loss. The native call takes 60 ns for any length. Up to `SHORT` bytes
 * this takes less: 25 ns for six, 35 ns for nine. A loop that adds one character at a time, or an array of codes, takes as long as the call.
 */
export function latin1Text(buffer: Buffer, start: number, end: number): string {
  return end - start > SHORT ? buffer.latin1Slice(start, end) : shortText(buffer, start, end - start);
}

/** Up to this many bytes, `shortText` is faster than a native call. */
export const SHORT = 16;

/** The text of up to `SHORT` bytes. Bytes read after the end are not used. */
export function shortText(buffer: Buffer, start: number, length: number): string {
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
  const m = buffer[start + 12] as number;
  const n = buffer[start + 13] as number;
  const o = buffer[start + 14] as number;
  const p = buffer[start + 15] as number;
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
    case 12:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l);
    case 13:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m);
    case 14:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
    case 15:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    default:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}
