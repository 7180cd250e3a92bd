const WORD = /[\p{L}\p{N}\p{M}_]+/gu;

/** The words of a text, without differences of case and Unicode form. `#redis` and `@ann` count as `redis` and `ann`. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.normalize('NFKC').toLowerCase().match(WORD) ?? []);
}
