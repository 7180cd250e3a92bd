import { isPaired, KitError, STOP, type TextSplitter } from '../foundation/index.js';
import type { FieldTypes } from './fields.js';

/** One condition of a query. Words are folded and stemmed; without a field they may be in any text field. */
export type Condition =
  | { readonly kind: 'all' }
  | { readonly kind: 'word'; readonly field: string | undefined; readonly word: string }
  | { readonly kind: 'prefix'; readonly field: string | undefined; readonly start: string }
  /** Words in this order; a stop word is `STOP` and stands for any stop word. */
  | { readonly kind: 'phrase'; readonly field: string | undefined; readonly words: readonly string[] }
  | { readonly kind: 'value'; readonly field: string; readonly value: string }
  /** Ends as ZRANGEBYSCORE takes them: `5`, `(5`, `-inf`. */
  | { readonly kind: 'range'; readonly field: string; readonly min: string; readonly max: string };

export interface Query {
  /** A document must meet one condition of each group. */
  readonly groups: readonly (readonly Condition[])[];
  /** A document must meet none of these. */
  readonly unwanted: readonly Condition[];
  /** Parts of the text without a word to search for: stop words, punctuation. */
  readonly ignored: readonly string[];
}

/** The error of a query that cannot be parsed. */
export class QueryError extends KitError {
  /** Where the mistake is in the query, from 0. */
  readonly position: number;

  constructor(message: string, query: string, position: number) {
    const near = query.slice(position, position + 20);
    super('QUERY', `${message}, at position ${position + 1} of the query${near === '' ? '' : `: '${near}'`}`);
    this.position = position;
  }
}

/**
 * Parses a query: `word` (required), `+word` (a synonym of the word before), `-word` (unwanted), `"a phrase"`, `pre*`, `field:word`,
 * `field:10..20`, `*`.
 *
 * @example
 * parseQuery('redis +valkey -cluster price:..30', splitter, { title: 'text', price: 'number' });
 */
export function parseQuery(text: string, splitter: TextSplitter, fields: FieldTypes): Query {
  const groups: Condition[][] = [];
  const unwanted: Condition[] = [];
  const ignored: string[] = [];
  let current: Condition[] | undefined;
  for (const part of partsOf(text)) {
    const conditions = conditionsOf(part, text, splitter, fields);
    if (conditions.length === 0) {
      ignored.push(part.text);
    } else if (part.sign === '-') {
      unwanted.push(...conditions);
    } else if (part.sign === '+' && current !== undefined) {
      current.push(...conditions);
    } else {
      current = [...conditions];
      groups.push(current);
    }
  }
  return { groups, unwanted, ignored };
}

/** A part of a query between spaces. */
interface Part {
  readonly sign: '' | '+' | '-';
  readonly field: string | undefined;
  /** The text after sign and field, without quotes. */
  readonly body: string;
  readonly isQuoted: boolean;
  readonly text: string;
  readonly start: number;
  readonly bodyStart: number;
}

const HEAD = /([+-]?)(?:([\p{L}_][\p{L}\p{N}_]*):)?/uy;
const BARE = /[^\s"]*/y;

function* partsOf(text: string): Generator<Part> {
  let at = 0;
  for (;;) {
    while (at < text.length && /\s/.test(text[at] as string)) at++;
    if (at === text.length) return;
    const start = at;
    HEAD.lastIndex = at;
    const [head, sign = '', field] = HEAD.exec(text) as RegExpExecArray;
    at += head.length;
    const isQuoted = text[at] === '"';
    const bodyStart = isQuoted ? at + 1 : at;
    if (isQuoted) {
      at = text.indexOf('"', bodyStart);
      if (at < 0) throw new QueryError('a quotation mark is not closed', text, start + head.length);
      at++;
    } else {
      BARE.lastIndex = at;
      at += (BARE.exec(text) as RegExpExecArray)[0].length;
    }
    const body = text.slice(bodyStart, isQuoted ? at - 1 : at);
    if (body === '' && !isQuoted) {
      throw new QueryError(`'${head}' must be followed by a word`, text, start);
    }
    yield {
      sign: sign as Part['sign'],
      field,
      body,
      isQuoted,
      text: text.slice(start, at),
      start,
      bodyStart,
    };
  }
}

function conditionsOf(part: Part, query: string, splitter: TextSplitter, fields: FieldTypes): Condition[] {
  const { field, body, isQuoted, start } = part;
  if (field === undefined) return body === '*' ? [{ kind: 'all' }] : wordsOf(part, query, splitter);
  const type = Object.hasOwn(fields, field) ? fields[field] : undefined;
  switch (type) {
    case 'text':
      return wordsOf(part, query, splitter);
    case 'keyword':
      return [{ kind: 'value', field, value: body }];
    case 'number':
    case 'date':
      return [rangeOf(part, field, type, query)];
    case 'stored':
      throw new QueryError(`the field '${field}' is only stored`, query, start);
    case undefined:
      throw new QueryError(
        `there is no field '${field}'${isQuoted ? '' : ' (put text that contains a colon in quotation marks)'}`,
        query,
        start,
      );
  }
}

function wordsOf(
  { field, body, isQuoted, bodyStart }: Part,
  query: string,
  splitter: TextSplitter,
): Condition[] {
  const isPrefix = !isQuoted && body.endsWith('*');
  const words = (isPrefix ? splitter.plain : splitter).words(body);
  const isPairs = isPaired(lastCharacter(isPrefix ? body.slice(0, -1) : body));
  // The last character of a text in pairs is a word of its own, and part of the pair before it.
  if (isPairs && words.length > 1) words.pop();
  while (words.at(-1) === STOP) words.pop();
  const first = words.findIndex((word) => word !== STOP);
  if (first < 0) return [];
  const kept = words.slice(first);
  const [word] = kept as [string];
  if (kept.length > 1) {
    if (!isPrefix || isPairs) return [{ kind: 'phrase', field, words: kept }];
    throw new QueryError('a prefix must be the beginning of one word', query, bodyStart);
  }
  if (isPrefix || (isPairs && [...word].length === 1)) return [{ kind: 'prefix', field, start: word }];
  return [{ kind: 'word', field, word }];
}

function lastCharacter(text: string): string {
  return [...text.trimEnd()].at(-1) ?? '';
}

// ---- ranges ----

const RANGE = /^(?:(>=?|<=?)(.+)|(.*)\.\.(.*)|(.+))$/su;

function rangeOf(
  { body, bodyStart }: Part,
  field: string,
  type: 'number' | 'date',
  query: string,
): Condition {
  const [, comparison, bound, from, to, single] = RANGE.exec(body) ?? [];
  const numberOf = (text: string, isEnd: boolean): string => {
    const value = type === 'number' ? Number(text) : momentOf(text, isEnd);
    if (text.trim() !== '' && Number.isFinite(value)) return String(value);
    const expected = type === 'number' ? 'a number' : 'a date such as 2024-05-31';
    throw new QueryError(
      `the field '${field}' takes ${expected}, or a range of them (10..20, >10, <=20)`,
      query,
      bodyStart,
    );
  };
  const range = (min: string, max: string): Condition => ({ kind: 'range', field, min, max });
  switch (comparison) {
    case '>':
      return range(`(${numberOf(bound as string, true)}`, '+inf');
    case '>=':
      return range(numberOf(bound as string, false), '+inf');
    case '<':
      return range('-inf', `(${numberOf(bound as string, false)}`);
    case '<=':
      return range('-inf', numberOf(bound as string, true));
    default:
  }
  if (single !== undefined || from === undefined || to === undefined || (from === '' && to === '')) {
    return range(numberOf(single ?? '', false), numberOf(single ?? '', true));
  }
  return range(from === '' ? '-inf' : numberOf(from, false), to === '' ? '+inf' : numberOf(to, true));
}

/** Milliseconds of a date. A day, month or year lasts until its end. */
function momentOf(text: string, isEnd: boolean): number {
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  if (year === undefined) return Date.parse(text);
  const start = Date.parse(`${year}-${month ?? '01'}-${day ?? '01'}T00:00:00Z`);
  if (!isEnd || Number.isNaN(start)) return start;
  const next = new Date(start);
  if (day !== undefined) next.setUTCDate(next.getUTCDate() + 1);
  else if (month !== undefined) next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCFullYear(next.getUTCFullYear() + 1);
  return next.getTime() - 1;
}
