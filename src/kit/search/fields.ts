import { fold, KitError, STOP, shown, type TextSplitter } from '../foundation/index.js';
import { stringScore } from './string-score.js';

/**
 * What a field of a document holds: `text` is searched by its words; `keyword` (one or several) by its exact value; `number` and `date`
 * by ranges; `stored` is only returned.
 */
export type FieldType = 'text' | 'keyword' | 'number' | 'date' | 'stored';

export interface FieldDefinition {
  readonly type: FieldType;
  /** Of a `text`: how much its words count in the ranking. Default 1. */
  readonly weight?: number;
  /**
   * Of a `text` or `keyword`: results can be sorted by it. Only the first characters count: see `stringScore`. Numbers and dates can
   * always be sorted. Default false.
   */
  readonly sortable?: boolean;
}

/** The fields of an index by name: a type, or a type with options. */
export type Fields = Readonly<Record<string, FieldType | FieldDefinition>>;

type TypeOf<Definition> = Definition extends FieldDefinition ? Definition['type'] : Definition;

type ValueOf<Type> = Type extends 'text'
  ? string
  : Type extends 'keyword'
    ? string | readonly string[]
    : Type extends 'number'
      ? number
      : Type extends 'date'
        ? Date
        : unknown;

/** A document of an index with these fields. Every field may be missing. */
export type DocumentOf<F extends Fields> = {
  readonly [Name in keyof F]?: ValueOf<TypeOf<F[Name]>> | undefined;
};

export type FieldTypes = Readonly<Record<string, FieldType>>;

/** A complete definition. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly weight: number;
  readonly isSortable: boolean;
}

const TYPES: readonly FieldType[] = ['text', 'keyword', 'number', 'date', 'stored'];
const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** Checks the fields of an index. */
export function resolveFields(fields: Fields): Field[] {
  const names = Object.keys(fields);
  if (names.length === 0) {
    throw new KitError(
      'OPTION',
      "searchIndex: `fields` must name at least one field, as in { body: 'text' }",
    );
  }
  return names.map((name) => {
    const given = fields[name] as FieldType | FieldDefinition;
    const definition = typeof given === 'string' ? { type: given } : given;
    const { type, weight = 1, sortable = false, ...others } = definition ?? {};
    const wrong = (what: string): KitError =>
      new KitError('OPTION', `searchIndex: the field ${shown(name)} ${what}`);
    if (!NAME.test(name) || name === 'relevance') {
      throw wrong("must have a name of letters, digits and '_' other than 'relevance'");
    }
    if (!TYPES.includes(type as FieldType))
      throw wrong(`must be one of ${TYPES.join(', ')}, not ${shown(type)}`);
    if (typeof weight !== 'number' || !(weight > 0) || !Number.isFinite(weight)) {
      throw wrong(`must have a weight above 0, not ${shown(weight)}`);
    }
    if (typeof sortable !== 'boolean') throw wrong(`must be sortable or not, not ${shown(sortable)}`);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw wrong(`has no option '${unknown}': it takes type, weight, sortable`);
    const isSortable = type === 'number' || type === 'date' || (sortable && type !== 'stored');
    return { name, type: type as FieldType, weight, isSortable };
  });
}

/** How much a word counts in a document: the parameters of BM25. */
export interface Ranking {
  readonly k1: number;
  readonly b: number;
  /** Words of an average document. */
  readonly average: number;
}

/** A document as the script takes it: see index.lua. */
export interface Encoded {
  readonly source: string;
  readonly fields: number;
  readonly words: number;
  readonly postings: number;
  readonly sets: number;
  readonly values: readonly (string | number)[];
}

/** Separates the values of a field. */
const SEPARATOR = '\0';

/** What a document is indexed by. */
interface Entries {
  /** Fields of its hash. */
  readonly fields: (string | number)[];
  /** How often words are in it, weighted. */
  readonly words: Map<string, number>;
  /** The same for words of a field. */
  readonly ofField: Map<string, number>;
  readonly sets: string[];
  readonly scores: (string | number)[];
  /** The number of its words. */
  length: number;
}

/** The words are counted here, not in the script: a server has less time than its clients. */
export function encodeDocument(
  fields: readonly Field[],
  splitter: TextSplitter,
  document: object,
  ranking: Ranking | undefined,
): Encoded {
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
  const entries: Entries = {
    fields: [],
    words: new Map(),
    ofField: new Map(),
    sets: [],
    scores: [],
    length: 0,
  };
  for (const field of fields) {
    const value = given[field.name];
    if (value !== undefined) encodeField(field, value, splitter, entries, hasSeveral);
  }
  const { words, ofField, sets, scores } = entries;
  const values = entries.fields;
  const count = values.length;
  const impactOf = ranking === undefined ? undefined : impacts(ranking, entries.length);
  for (const [word, frequency] of words) pushPosting(values, `words:${word}`, frequency, impactOf);
  for (const [part, frequency] of ofField) pushPosting(values, part, frequency, impactOf);
  for (const part of sets) values.push(part);
  for (const part of scores) values.push(part);
  return {
    source: JSON.stringify(document),
    fields: count,
    words: words.size,
    postings: words.size + ofField.size,
    sets: sets.length,
    values,
  };
}

type Impact = (frequency: number) => number;

/** The impact of a word in a document of this length. */
function impacts({ k1, b, average }: Ranking, length: number): Impact {
  const norm = k1 * (1 - b + (b * length) / average);
  return (frequency) => (frequency * (k1 + 1)) / (frequency + norm);
}

function pushPosting(
  values: (string | number)[],
  part: string,
  frequency: number,
  impactOf: Impact | undefined,
): void {
  values.push(part);
  if (impactOf !== undefined) values.push(impactOf(frequency));
}

function encodeField(
  field: Field,
  value: unknown,
  splitter: TextSplitter,
  into: Entries,
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
  { fields, scores }: Entries,
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
  into: Entries,
  hasSeveral: boolean,
): void {
  const counts = new Map<string, number>();
  for (const word of words) {
    if (word === STOP) continue;
    counts.set(word, (counts.get(word) ?? 0) + 1);
    into.length++;
  }
  for (const [word, count] of counts) {
    into.words.set(word, (into.words.get(word) ?? 0) + weight * count);
    if (hasSeveral) into.ofField.set(`in:${name}:${word}`, weight * count);
  }
}

/** The document of its JSON. */
export function decodeDocument<F extends Fields>(fields: readonly Field[], source: string): DocumentOf<F> {
  const document = JSON.parse(source) as Record<string, unknown>;
  for (const { name, type } of fields) {
    if (type === 'date' && typeof document[name] === 'string') document[name] = new Date(document[name]);
  }
  return document as DocumentOf<F>;
}

/** The form in which texts are sorted: without case and accents. Only its beginning counts. */
function sortForm(text: string): string {
  return fold(text.trimStart().slice(0, 64)).trim();
}
