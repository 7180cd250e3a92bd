import { KitError, shown } from '../foundation/index.js';

export interface StringScoreOptions {
  /** The characters that texts may have, in their order. With few characters, more of them fit into a score. Default: any text. */
  readonly alphabet?: string;
}

/** A double holds whole numbers of 53 bits; one bit tells whether the text goes on. */
const BITS = 52;
/** Bytes of UTF-8 that fit. */
const BYTES = 6;

/**
 * The beginning of a text as a number: texts in the order of their scores are in the order of their code points, as far as the score
 * reaches. Without an alphabet it reaches over 6 bytes of UTF-8: six letters of a to z, three letters of Greek or Cyrillic, two of Chinese.
 * With `alphabet` of 26 letters it reaches over 10 letters. Texts that are equal as far as that have equal scores, except that a text that
 * ends there is before those that go on.
 *
 * @example
 * stringScore('robber') < stringScore('robbers'); // true
 * stringScore('robbers') === stringScore('robbery'); // true: both begin with robber, and go on
 * stringScore('robbers', { alphabet: 'abcdefghijklmnopqrstuvwxyz' }) < stringScore('robbery', { alphabet: 'abcdefghijklmnopqrstuvwxyz' }); // true
 */
export function stringScore(text: string, { alphabet }: StringScoreOptions = {}): number {
  if (typeof text !== 'string')
    throw new KitError('OPTION', `stringScore takes a string, not ${shown(text)}`);
  return alphabet === undefined ? scoreOf([...Buffer.from(text)], 256, BYTES) : scoreIn(text, alphabet);
}

function scoreIn(text: string, alphabet: string): number {
  const characters = typeof alphabet === 'string' ? [...alphabet] : [];
  if (characters.length === 0 || new Set(characters).size < characters.length) {
    throw new KitError('OPTION', 'stringScore: `alphabet` must be a string of different characters');
  }
  const length = Math.floor(BITS / Math.log2(characters.length + 1));
  const digits = [...text].map((character) => {
    const digit = characters.indexOf(character);
    if (digit < 0) throw new KitError('OPTION', `stringScore: the alphabet does not have '${character}'`);
    return digit;
  });
  return scoreOf(digits, characters.length, length);
}

/** The first `length` digits as a number. An end is less than any digit. */
function scoreOf(digits: readonly number[], base: number, length: number): number {
  let score = 0;
  for (let at = 0; at < length; at++) score = score * (base + 1) + (digits[at] ?? -1) + 1;
  return score * 2 + (digits.length > length ? 1 : 0);
}
