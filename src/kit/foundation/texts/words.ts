import { KitError } from '../kit-error.js';
import { callback, optional, type Resolved, ruled, shown } from '../options.js';
import { fold } from './folding.js';

/** How texts are split into words. All programs that use an index must use the same options. */
export interface TextOptions {
  /** Words that are not indexed. Default `ENGLISH_STOP_WORDS`; `[]` for none. */
  readonly stopWords?: Iterable<string>;
  /** Reduces a word to its stem. It is called with a folded word (`straße` is `strasse`). Default: words stay as they are. */
  readonly stem?: (word: string) => string;
}

/** Frequent English words that say little about a text. */
export const ENGLISH_STOP_WORDS: readonly string[] = (
  'a about after all also am an and any are as at be because been before being but by can could did do does down for from had has ' +
  'have he her here him his how i if in into is it its just me more most my no nor not now of off on only or other our out over own ' +
  'she should so some such than that the their them then there these they this those through to too under until up us very was we ' +
  'were what when where which while who why will with would you your'
).split(' ');

export const TEXT_RULES = {
  stopWords: ruled<Iterable<string>>(
    (value) =>
      typeof value === 'object' && value !== null && Symbol.iterator in value
        ? undefined
        : 'must be a list of words',
    ENGLISH_STOP_WORDS,
  ),
  stem: optional(callback<(word: string) => string>()),
};

/** A word of a text. */
export interface Token {
  /** Folded and stemmed; `STOP` for a stop word, which keeps its place. */
  readonly word: string;
  /** Where it is in the text: from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
}

/** Takes the place of a stop word. No word has this character. */
export const STOP = '_';

/** The beginning of a longer word counts. */
const MAX_WORD = 64;

/**
 * Splits texts into words: folded (without case and accents), stemmed, without stop words. Scripts without spaces work, too: Chinese and
 * Japanese are split into pairs of characters, so that the result does not depend on a dictionary or on the rest of the sentence; Thai,
 * Lao, Khmer and Burmese by `Intl.Segmenter`.
 *
 * @example
 * new TextSplitter({ stopWords: ['the'], stem: undefined }).words('The Café of 北京市'); // ['_', 'cafe', 'of', '北京', '京市', '市']
 */
export class TextSplitter {
  readonly #stopWords: ReadonlySet<string>;
  readonly #stem: ((word: string) => string) | undefined;
  #plain: TextSplitter | undefined;

  constructor({ stopWords, stem }: Resolved<typeof TEXT_RULES>) {
    this.#stopWords = new Set(Array.from(stopWords, (word) => stopWord(word)));
    this.#stem = stem;
  }

  /** The same without stop words and stems. */
  get plain(): TextSplitter {
    this.#plain ??= new TextSplitter({ stopWords: [], stem: undefined });
    return this.#plain;
  }

  /** The words in the order of the text. */
  words(text: string): string[] {
    const words: string[] = [];
    if (ASCII.test(text)) {
      for (const word of text.toLowerCase().match(ASCII_WORDS) ?? []) words.push(this.#reduced(word));
    } else {
      this.#split(text, (word) => words.push(word));
    }
    return words;
  }

  /** The words with their places. */
  tokens(text: string): Token[] {
    const tokens: Token[] = [];
    this.#split(text, (word, start, end) => tokens.push({ word, start, end }));
    return tokens;
  }

  #split(text: string, onWord: (word: string, start: number, end: number) => void): void {
    for (const { 0: run, index: start } of text.matchAll(RUNS)) {
      if (PAIRED.test(run)) this.#pairs(run, start, onWord);
      else if (UNSPACED.test(run)) {
        for (const { segment, index, isWordLike } of segmenter().segment(run)) {
          if (isWordLike) this.#emit(segment, start + index, onWord);
        }
      } else this.#emit(run, start, onWord);
    }
  }

  #emit(run: string, start: number, onWord: (word: string, start: number, end: number) => void): void {
    // Few characters fold to several words (ﷺ) or to nothing (accents alone).
    const word = fold(run.replaceAll('’', "'")).replaceAll(' ', '');
    if (word !== '') onWord(this.#reduced(word), start, start + run.length);
  }

  /** Each character with the next one, and the last one alone: then every part of the run is found. */
  #pairs(run: string, start: number, onWord: (word: string, start: number, end: number) => void): void {
    const characters = [...run];
    let at = start;
    for (const [index, character] of characters.entries()) {
      const pair = character + (characters[index + 1] ?? '');
      onWord(this.#reduced(fold(pair)), at, at + pair.length);
      at += character.length;
    }
  }

  #reduced(word: string): string {
    if (this.#stopWords.has(word)) return STOP;
    const stem = this.#stem === undefined ? word : stemOf(word, this.#stem);
    return stem.length > MAX_WORD ? wholeCharacters(stem.slice(0, MAX_WORD)) : stem;
  }
}

/** Whether the text is written without spaces in pairs of characters: its last word is the beginning of others. */
export function isPaired(text: string): boolean {
  return PAIRED.test(text);
}

function stemOf(word: string, stemmer: (word: string) => string): string {
  const stem = stemmer(word);
  if (typeof stem === 'string' && stem !== '' && !/[\s_]/.test(stem)) return stem;
  throw new KitError('OPTION', `\`stem\` must return a word for '${word}', not ${shown(stem)}`);
}

function stopWord(word: string): string {
  if (typeof word === 'string') return fold(word);
  throw new KitError('OPTION', `\`stopWords\` must be a list of words, not of ${shown(word)}`);
}

/** Without half of a surrogate pair at the end. */
function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

const ASCII = /^[\x00-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+(?:'[a-z0-9]+)*/g;

const PAIRED_SCRIPTS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー';
const UNSPACED_SCRIPTS = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const PAIRED = new RegExp(`^[${PAIRED_SCRIPTS}]`, 'u');
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');
const SPACED = `(?:(?![${PAIRED_SCRIPTS}${UNSPACED_SCRIPTS}])[\\p{L}\\p{N}\\p{M}])+`;
/** Texts without a break: letters, digits and marks of one kind of script; an apostrophe inside a word is part of it. */
const RUNS = new RegExp(`[${PAIRED_SCRIPTS}]+|[${UNSPACED_SCRIPTS}]+|${SPACED}(?:['’]${SPACED})*`, 'gu');

let shared: Intl.Segmenter | undefined;

function segmenter(): Intl.Segmenter {
  shared ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return shared;
}
