import { fold, KitError, STOP, shown, type TextSplitter } from '../foundation/index.js';
import type { Field } from './fields.js';
import { stringScore } from './string-score.js';

/** How much a word counts in a document: the parameters of BM25. */
export interface Ranking {
  readonly k1: number;
  readonly b: number;
  /** Words of an average document. */
  readonly average: number;
}

/** What a document is indexed by. Parts are parts of keys: see document.lua. */
export interface Entries {
  /** Its JSON. */
  readonly source: string;
  /** Fields of its hash. */
  readonly fields: readonly (string | number)[];
  /** How often words are in it, weighted. */
  readonly words: ReadonlyMap<string, number>;
  /** The same for words of a field, by parts. */
  readonly ofField: ReadonlyMap<string, number>;
  /** The impact of a word that is in it that often; undefined without a ranking. */
  readonly impactOf: Impact | undefined;
  /** Keywords, as parts. */
  readonly sets: readonly string[];
  /** Numbers and orders: parts, each with its score. */
  readonly scores: readonly (string | number)[];
}

/** Formats the impact of a word. */
type Impact = (frequency: number) => string;

/** Entries that are being made. */
interface Draft {
  readonly fields: (string | number)[];
  readonly words: Map<string, number>;
  readonly ofField: Map<string, number>;
  readonly sets: string[];
  readonly scores: (string | number)[];
  /** The number of words. */
  length: number;
}

/** Separates the values of a field. */
const SEPARATOR = '\0';

/** The words are counted here, not in the script: a server has less time than its clients. */
export function entriesOf(
  fields: readonly Field[],
  splitter: TextSplitter,
  document: object,
  ranking: Ranking | undefined,
): Entries {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new KitError('OPTION', `searchIndex: a document must be an object, not ${shown(document)}`);
  }
  for (const name of Object.keys(document)) {
    if (fields.some((field) => field.name === name)) continue;
    const known = fields.map((field) => field.name).join(', ');
    throw new KitError('OPTION', `searchIndex: the index has no field ${shown(name)}: it has ${known}`);
  }
  const given = document as Readonly<Record<string, unknown>>;
  const hasSeveral = fields.filter(({ type }) => type === 'text').length > 1;
  const draft: Draft = {
    fields: [],
    words: new Map(),
    ofField: new Map(),
    sets: [],
    scores: [],
    length: 0,
  };
  for (const field of fields) {
    const value = given[field.name];
    if (value !== undefined) encodeField(field, value, splitter, draft, hasSeveral);
  }
  const { length, ...entries } = draft;
  const impactOf = ranking === undefined ? undefined : impacts(ranking, length);
  return { source: JSON.stringify(document), ...entries, impactOf };
}

/** Digits of an impact. More would change the order of hardly any documents, and take time to parse and memory. */
const IMPACT_DIGITS = 6;

/** The impact of words in a document of this length. Most words are in it once, so few texts are made. */
function impacts({ k1, b, average }: Ranking, length: number): Impact {
  const norm = k1 * (1 - b + (b * length) / average);
  const known = new Map<number, string>();
  return (frequency) => {
    let text = known.get(frequency);
    if (text === undefined) {
      text = String(Number(((frequency * (k1 + 1)) / (frequency + norm)).toPrecision(IMPACT_DIGITS)));
      known.set(frequency, text);
    }
    return text;
  };
}

function encodeField(
  field: Field,
  value: unknown,
  splitter: TextSplitter,
  into: Draft,
  hasSeveral: boolean,
): void {
  const { name, type, isSortable } = field;
  const wrong = (expected: string): KitError =>
    new KitError(
      'OPTION',
      `searchIndex: the field '${name}' of a document must be ${expected}, not ${shown(value)}`,
    );
  switch (type) {
    case 'text': {
      if (typeof value !== 'string') throw wrong('a string');
      const words = splitter.words(value);
      into.fields.push(`t:${name}`, ` ${words.join(' ')} `);
      countWords(field, words, into, hasSeveral);
      if (isSortable) addOrder(into, 'o', `order:${name}`, name, stringScore(sortForm(value)));
      return;
    }
    case 'keyword': {
      const list: readonly unknown[] = Array.isArray(value) ? value : [value];
      const isFit = (one: unknown): boolean =>
        typeof one === 'string' && one !== '' && !one.includes(SEPARATOR);
      if (!list.every(isFit))
        throw wrong('a string, or a list of strings, that are not empty and without NUL');
      if (list.length === 0) return;
      const keywords = [...new Set(list)] as string[];
      into.fields.push(`k:${name}`, keywords.join(SEPARATOR));
      for (const one of keywords) into.sets.push(`is:${name}:${one}`);
      if (isSortable)
        addOrder(into, 'o', `order:${name}`, name, stringScore(sortForm(keywords[0] as string)));
      return;
    }
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong('a finite number');
      addOrder(into, 'n', `number:${name}`, name, value);
      return;
    case 'date':
      if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw wrong('a valid Date');
      addOrder(into, 'n', `number:${name}`, name, value.getTime());
      return;
    case 'stored':
  }
}

function addOrder(
  { fields, scores }: Draft,
  kind: 'n' | 'o',
  part: string,
  name: string,
  score: number,
): void {
  fields.push(`${kind}:${name}`, score);
  scores.push(part, score);
}

function countWords(
  { name, weight }: Field,
  words: readonly string[],
  into: Draft,
  hasSeveral: boolean,
): void {
  // The only text has no words of others to be added to.
  const isOnly = !hasSeveral && weight === 1;
  const counts = isOnly ? into.words : new Map<string, number>();
  for (const word of words) {
    if (word === STOP) continue;
    counts.set(word, (counts.get(word) ?? 0) + 1);
    into.length++;
  }
  if (isOnly) return;
  for (const [word, count] of counts) {
    into.words.set(word, (into.words.get(word) ?? 0) + weight * count);
    if (hasSeveral) into.ofField.set(`in:${name}:${word}`, weight * count);
  }
}

/** The form in which texts are sorted: without case and accents. Only its beginning counts. */
function sortForm(text: string): string {
  return fold(text.trimStart().slice(0, 64)).trim();
}
