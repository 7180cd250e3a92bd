/**
 * LZF, the compression of strings in RDB files and DUMP payloads. A compressed text is a sequence of items:
 *
 * - `000nnnnn`, then n + 1 literal bytes;
 * - `lllooooo oooooooo`: copy l + 2 bytes (l from 1 to 6) from o + 1 bytes back;
 * - `111ooooo llllllll oooooooo`: the same with l + 9 bytes.
 *
 * The compressor finds the same matches as redis-server, so that payloads are identical.
 */

const HASH_BITS = 16;
const HASH_MASK = (1 << HASH_BITS) - 1;
const FARTHEST = 1 << 13;
const LONGEST_LITERAL = 1 << 5;
const LONGEST_MATCH = 264;

/**
 * The last position of each three-byte sequence, plus `tableBase`. Entries below the base belong to earlier inputs: raising the
 * base invalidates them all, which is cheaper than clearing 256 KB for every string.
 */
const lastSeen = new Int32Array(1 << HASH_BITS);
let tableBase = 1;

function slotOf(triple: number): number {
  return ((triple >>> (24 - HASH_BITS)) - Math.imul(triple, 5)) & HASH_MASK;
}

function tripleAt(source: Uint8Array, at: number): number {
  return ((source[at] as number) << 16) | ((source[at + 1] as number) << 8) | (source[at + 2] as number);
}

/** Reserves table entries for an input of this length and returns the base to add to positions. */
function forgetEarlierInputs(length: number): number {
  if (tableBase > 0x7fff_ffff - length - 1) {
    lastSeen.fill(0);
    tableBase = 1;
  }
  const base = tableBase;
  tableBase += length;
  return base;
}

/**
 * Compresses `source[start, end)` into `target[targetStart, targetEnd)` and returns the compressed length, or 0 when it
 * does not fit. Redis allows four bytes less than the input, and stores the string uncompressed if that is not enough.
 */
export function lzfCompress(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  targetStart: number,
  targetEnd: number,
): number {
  if (start === end || targetStart === targetEnd) return 0;
  const base = forgetEarlierInputs(end - start) - start;
  const lastTriple = end - 2;
  let at = start;
  // A run of literals is preceded by its length, filled in when the run ends.
  let out = targetStart + 1;
  let literals = 0;
  while (at < lastTriple) {
    const slot = slotOf(tripleAt(source, at));
    const seen = (lastSeen[slot] as number) - base;
    lastSeen[slot] = at + base;
    // The very first position is never matched: in Redis its table entry equals an empty one.
    if (seen <= start || at - seen > FARTHEST || !sameTriple(source, seen, at)) {
      if (out >= targetEnd) return 0;
      target[out++] = source[at++] as number;
      if (++literals === LONGEST_LITERAL) {
        target[out - literals - 1] = literals - 1;
        literals = 0;
        out++;
      }
      continue;
    }
    if (out + 4 >= targetEnd && out - (literals === 0 ? 1 : 0) + 4 >= targetEnd) return 0;
    out = closeLiterals(target, out, literals);
    const length = matchLength(source, seen, at, end);
    out = writeMatch(target, out, at - seen - 1, length - 2);
    literals = 0;
    out++;
    at += length;
    if (at >= lastTriple) break;
    lastSeen[slotOf(tripleAt(source, at - 2))] = at - 2 + base;
    lastSeen[slotOf(tripleAt(source, at - 1))] = at - 1 + base;
  }
  if (out + 3 > targetEnd) return 0;
  while (at < end) {
    target[out++] = source[at++] as number;
    if (++literals === LONGEST_LITERAL) {
      target[out - literals - 1] = literals - 1;
      literals = 0;
      out++;
    }
  }
  return closeLiterals(target, out, literals) - targetStart;
}

/** Fills in the length of a run of literals, or removes the length byte when the run is empty. */
function closeLiterals(target: Uint8Array, out: number, literals: number): number {
  if (literals === 0) return out - 1;
  target[out - literals - 1] = literals - 1;
  return out;
}

function writeMatch(target: Uint8Array, out: number, distance: number, length: number): number {
  let next = out;
  if (length < 7) {
    target[next++] = (distance >>> 8) + (length << 5);
  } else {
    target[next++] = (distance >>> 8) + (7 << 5);
    target[next++] = length - 7;
  }
  target[next++] = distance;
  return next;
}

function sameTriple(source: Uint8Array, a: number, b: number): boolean {
  return source[a] === source[b] && source[a + 1] === source[b + 1] && source[a + 2] === source[b + 2];
}

/**
 * The number of bytes at `at` that repeat those at `seen`; at least three do. Near the end of the input Redis stops two bytes
 * early, unless its first sixteen comparisons, which do not check for the end, pass that point.
 */
function matchLength(source: Uint8Array, seen: number, at: number, end: number): number {
  const limit = Math.min(end - at - 2, LONGEST_MATCH);
  let length = 3;
  if (limit > 16) {
    while (length < 19 && source[seen + length] === source[at + length]) length++;
    if (length < 19) return length;
  }
  while (length < limit && source[seen + length] === source[at + length]) length++;
  return length;
}

/**
 * Decompresses into `target[targetStart, targetEnd)`. Returns the decompressed length, or -1 when
 * the input is malformed or does not fit.
 */
export function lzfDecompress(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  targetStart: number,
  targetEnd: number,
): number {
  let at = start;
  let out = targetStart;
  while (at < end) {
    const control = source[at++] as number;
    if (control < LONGEST_LITERAL) {
      const count = control + 1;
      if (at + count > end || out + count > targetEnd) return -1;
      for (let copied = 0; copied < count; copied++) target[out++] = source[at++] as number;
      continue;
    }
    let count = control >>> 5;
    if (count === 7) {
      if (at >= end) return -1;
      count += source[at++] as number;
    }
    if (at >= end) return -1;
    let from = out - ((control & 0x1f) << 8) - (source[at++] as number) - 1;
    count += 2;
    if (from < targetStart || out + count > targetEnd) return -1;
    // Byte by byte: the source of the copy may overlap the target.
    while (count-- > 0) target[out++] = target[from++] as number;
  }
  return out - targetStart;
}
