/**
 * Glob patterns as KEYS, SCAN, PSUBSCRIBE and CONFIG GET match them: `*`, `?`, `[a-z]`, `[^a-z]` and `\` for a literal
 * character. The corners (unterminated classes, reversed ranges, bytes above 127 in ranges) are Redis's.
 */

const STAR = 0x2a;
const QUESTION = 0x3f;
const OPEN = 0x5b;
const ESCAPE = 0x5c;
const CLOSE = 0x5d;
const CARET = 0x5e;
const DASH = 0x2d;

/** Redis gives up on patterns with more stars than this. */
const MAX_STARS = 1000;

/**
 * Whether the pattern matches the whole subject. Linear in the number of stars: a failed match resumes only at the last star,
 * because a longer match of an earlier star cannot help.
 */
export function globMatch(
  pattern: Uint8Array,
  patternStart: number,
  patternEnd: number,
  subject: Uint8Array,
  subjectStart: number,
  subjectEnd: number,
  ignoreCase: boolean,
): boolean {
  // As in Redis, not even a star matches the empty string.
  if (subjectStart === subjectEnd) return patternStart === patternEnd;
  let at = patternStart;
  let position = subjectStart;
  let afterStar = -1;
  let starPosition = 0;
  let stars = 0;
  for (;;) {
    if (at < patternEnd && pattern[at] === STAR) {
      at = skipStars(pattern, at, patternEnd);
      if (at === patternEnd) return true;
      if (++stars > MAX_STARS) return false;
      afterStar = at;
      starPosition = position;
      continue;
    }
    const next =
      at < patternEnd ? matchByte(pattern, at, patternEnd, subject[position] as number, ignoreCase) : -1;
    if (next >= 0) {
      at = next;
      if (++position < subjectEnd) continue;
      // The rest of the pattern needs more bytes than are left; so it would at any later start.
      return skipStars(pattern, at, patternEnd) === patternEnd;
    }
    if (afterStar < 0 || ++starPosition === subjectEnd) return false;
    at = afterStar;
    position = starPosition;
  }
}

/** {@link globMatch} on latin1 strings. */
export function globMatchText(pattern: string, subject: string, ignoreCase = false): boolean {
  const bytes = Buffer.from(pattern + subject, 'latin1');
  const middle = pattern.length;
  return globMatch(bytes, 0, middle, bytes, middle, bytes.length, ignoreCase);
}

function skipStars(pattern: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && pattern[next] === STAR) next++;
  return next;
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** Matches one byte with the pattern element at `at`. Returns the start of the next element, or -1. */
function matchByte(pattern: Uint8Array, at: number, end: number, byte: number, ignoreCase: boolean): number {
  let literal = pattern[at] as number;
  if (literal === QUESTION) return at + 1;
  if (literal === OPEN) return matchClass(pattern, at + 1, end, byte, ignoreCase);
  let next = at + 1;
  if (literal === ESCAPE && next < end) literal = pattern[next++] as number;
  if (literal === byte) return next;
  return ignoreCase && lower(literal) === lower(byte) ? next : -1;
}

/**
 * Matches one byte with the class whose inside begins at `start`. An unterminated class ends with the pattern. Returns
 * the start of the next element, or -1.
 */
function matchClass(
  pattern: Uint8Array,
  start: number,
  end: number,
  byte: number,
  ignoreCase: boolean,
): number {
  let at = start;
  const negated = at < end && pattern[at] === CARET;
  if (negated) at++;
  let found = false;
  for (; at < end; at++) {
    const member = pattern[at] as number;
    if (member === ESCAPE && at + 1 < end) {
      at++;
      // An escaped member is compared exactly, even when case is ignored.
      if (pattern[at] === byte) found = true;
    } else if (member === CLOSE) {
      break;
    } else if (at + 2 < end && pattern[at + 1] === DASH) {
      if (isInRange(byte, member, pattern[at + 2] as number, ignoreCase)) found = true;
      at += 2;
    } else if (member === byte || (ignoreCase && lower(member) === lower(byte))) {
      found = true;
    }
  }
  if (found === negated) return -1;
  return at < end ? at + 1 : end;
}

/** Redis compares signed bytes. It first orders the ends of the range and then ignores case. */
function isInRange(byte: number, first: number, last: number, ignoreCase: boolean): boolean {
  let low = (first << 24) >> 24;
  let high = (last << 24) >> 24;
  let value = (byte << 24) >> 24;
  if (low > high) {
    const swapped = low;
    low = high;
    high = swapped;
  }
  if (ignoreCase) {
    low = lower(low);
    high = lower(high);
    value = lower(value);
  }
  return value >= low && value <= high;
}
