import { SHORT, shortText } from '../bytes/short-text.js';
import { charCodeAt } from '../bytes/text.js';

/** The text of UTF-8 bytes. */
export function decodeText(buffer: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > SHORT) return buffer.utf8Slice(start, end);
  let bits = 0;
  for (let i = start; i < end; i++) bits |= buffer[i] as number;
  return bits < 0x80 ? shortText(buffer, start, length) : buffer.utf8Slice(start, end);
}

/** A copy of the bytes. `Buffer.from(buffer.subarray(start, end))` would make two objects, which takes longer than copying. */
export function decodeBytes(buffer: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start);
  buffer.copy(copy, 0, start, end);
  return copy;
}

/** The text of a latin1 string that holds UTF-8, one byte per character. */
export function decodeLatin1(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'latin1').utf8Slice();
}

/** For short texts, a loop is faster than the call of a regular expression. */
function isAscii(text: string): boolean {
  const { length } = text;
  if (length > MAX_LOOP) return !NOT_ASCII.test(text);
  for (let i = 0; i < length; i++) if (charCodeAt(text, i) >= 0x80) return false;
  return true;
}

const MAX_LOOP = 24;

const NOT_ASCII = /[^\x00-\x7f]/;
