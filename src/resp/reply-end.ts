/**
 * The end of the RESP2 reply at `start`; -1 if it is not complete yet, undefined if it is not RESP2. Aggregates may be nested
 * only a few levels deep.
 */
export function replyEnd(buffer: Buffer, start: number, depth = 0): number | undefined {
  if (start >= buffer.length) return -1;
  const lineEnd = buffer.indexOf('\r\n', start);
  if (lineEnd < 0) return buffer.length - start > MAX_LINE ? undefined : -1;
  const next = lineEnd + 2;
  const type = buffer[start];
  if (type === PLUS || type === MINUS) return next;
  const number = Number(buffer.latin1Slice(start + 1, lineEnd));
  if (!Number.isInteger(number)) return undefined;
  if (type === COLON) return next;
  if (type === DOLLAR) return bulkEnd(buffer, next, number);
  if (type !== STAR || depth > MAX_DEPTH || number > MAX_ITEMS) return undefined;
  let at = next;
  for (let i = 0; i < number; i++) {
    const end = replyEnd(buffer, at, depth + 1);
    if (end === undefined || end < 0) return end;
    at = end;
  }
  return at;
}

function bulkEnd(buffer: Buffer, start: number, length: number): number | undefined {
  if (length < 0) return start;
  if (length > MAX_BULK) return undefined;
  const end = start + length + 2;
  return end <= buffer.length ? end : -1;
}

const MAX_LINE = 1 << 16;
const MAX_BULK = 8 << 20;
const MAX_ITEMS = 1 << 16;
const MAX_DEPTH = 8;
const PLUS = 43;
const MINUS = 45;
const COLON = 58;
const DOLLAR = 36;
const STAR = 42;
