/** Kinds of characters in the C locale, as bits. */
const UPPER = 1;
const LOWER = 2;
const DIGIT = 4;
const SPACE = 8;
const PUNCTUATION = 16;
const CONTROL = 32;
const HEXADECIMAL = 64;

const kinds = new Uint8Array(256);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Z]/.test(character)) kinds[code] = UPPER;
  else if (/[a-z]/.test(character)) kinds[code] = LOWER;
  else if (/[0-9]/.test(character)) kinds[code] = DIGIT;
  else if (code < 32 || code === 127) kinds[code] = CONTROL;
  else if (code > 32) kinds[code] = PUNCTUATION;
  if (/[ \t-\r]/.test(character)) kinds[code] = (kinds[code] as number) | SPACE;
  if (/[0-9A-Fa-f]/.test(character)) kinds[code] = (kinds[code] as number) | HEXADECIMAL;
}

/** The kinds that each class letter of a pattern matches. */
const CLASSES = new Map<number, number>([
  [0x61, UPPER | LOWER], // a
  [0x63, CONTROL], // c
  [0x64, DIGIT], // d
  [0x6c, LOWER], // l
  [0x70, PUNCTUATION], // p
  [0x73, SPACE], // s
  [0x75, UPPER], // u
  [0x77, UPPER | LOWER | DIGIT], // w
  [0x78, HEXADECIMAL], // x
]);
const LETTER_Z = 0x7a;

/**
 * Whether a character belongs to the class `%<letter>`. An upper-case letter is the complement; any other character matches
 * itself.
 */
export function isInClass(code: number, letter: number): boolean {
  const lower = letter | 0x20;
  const isCapital = lower !== letter;
  const mask = CLASSES.get(lower);
  if (mask !== undefined && letter >= 0x41) return (((kinds[code] as number) & mask) !== 0) !== isCapital;
  if (lower === LETTER_Z && letter >= 0x41) return (code === 0) !== isCapital;
  return code === letter;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
