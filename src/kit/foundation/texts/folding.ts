/**
 * The form in which texts and prefixes are compared: without case, accents and differences of notation. If a text begins with a
 * prefix, its folded form begins with the folded prefix.
 *
 * @example
 * fold('Ångström  Straße'); // 'angstrom strasse'
 */
export function fold(text: string): string {
  if (ONE_WORD.test(text)) return text.toLowerCase();
  return (
    text
      // Accents become characters of their own, Hangul syllables their letters, so that an unfinished syllable is a prefix.
      .normalize('NFKD')
      // Upper case first: it makes ß and ss, ς and σ, ı and i equal.
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKD')
      .replace(ACCENTS, '')
      .replace(LETTERS, (letter) => PLAIN_LETTERS[letter] as string)
      .replace(/\s+/gu, ' ')
  );
}

/** ASCII without white space: nothing but case to fold. */
const ONE_WORD = /^[!-\x7f]*$/;

/**
 * Marks that readers may leave out: of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowel signs. Vowel signs of Indic
 * scripts and the marks of kana stay: they make other letters.
 */
const ACCENTS = new RegExp(
  `[${[
    ...['\\u0300-\\u036f', '\\u0483-\\u0487', '\\u1ab0-\\u1aff', '\\u1dc0-\\u1dff', '\\u20d0-\\u20ff'],
    ...['\\ufe20-\\ufe2f', '\\u0591-\\u05bd', '\\u05bf', '\\u05c1\\u05c2', '\\u05c4\\u05c5', '\\u05c7'],
    ...['\\u0610-\\u061a', '\\u064b-\\u065f', '\\u0670', '\\u06d6-\\u06dc'],
  ].join('')}]`,
  'g',
);

/** Letters with a stroke or joined, which Unicode does not take apart. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ς: 'σ',
};
const LETTERS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g');
