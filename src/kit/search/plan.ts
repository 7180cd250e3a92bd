import { KitError, shown } from '../foundation/index.js';
import type { Field } from './fields.js';
import type { Condition, Query } from './query.js';

/** The order of a result: a field, `-` before it for the highest first; `relevance`; or weights, the highest sum first. */
export type SortOrder = string | Readonly<Record<string, number>>;

/** An order as the script takes it. */
export interface SortPlan {
  /** Weight of the ranking; 0 without it. */
  readonly relevance: number;
  readonly sort: readonly (readonly [key: string, weight: number])[];
}

/** Resolves an order. The lowest sum comes first in Redis, so that equal ones are in the order of their ids: what is highest first is negated. */
export function sortPlan(
  order: SortOrder | undefined,
  fields: readonly Field[],
  isRanked: boolean,
): SortPlan {
  if (order === undefined) return { relevance: isRanked ? -1 : 0, sort: [] };
  if (typeof order === 'string') {
    if (order === 'relevance') return weighted({ relevance: 1 }, fields, isRanked);
    const isDescending = order.startsWith('-');
    const name = isDescending ? order.slice(1) : order;
    return { relevance: 0, sort: [[sortKey(name, fields), isDescending ? -1 : 1]] };
  }
  if (typeof order === 'object' && order !== null && Object.keys(order).length > 0) {
    return weighted(order, fields, isRanked);
  }
  throw new KitError('OPTION', `search: \`sort\` must be a field or weights of fields, not ${shown(order)}`);
}

function weighted(
  weights: Readonly<Record<string, number>>,
  fields: readonly Field[],
  isRanked: boolean,
): SortPlan {
  let relevance = 0;
  const sort: [string, number][] = [];
  for (const [name, weight] of Object.entries(weights)) {
    if (typeof weight !== 'number' || !Number.isFinite(weight)) {
      throw new KitError(
        'OPTION',
        `search: the weight of '${name}' must be a finite number, not ${shown(weight)}`,
      );
    }
    if (name !== 'relevance') sort.push([sortKey(name, fields), -weight]);
    else if (isRanked) relevance = -weight;
    else
      throw new KitError('OPTION', "search: an index without `ranking: 'bm25'` has no relevance to sort by");
  }
  return { relevance, sort };
}

function sortKey(name: string, fields: readonly Field[]): string {
  const field = fields.find((one) => one.name === name);
  if (field?.isSortable)
    return `${field.type === 'number' || field.type === 'date' ? 'number' : 'order'}:${name}`;
  const sortable = fields.filter((one) => one.isSortable).map((one) => one.name);
  const hint = field === undefined ? 'there is no such field' : 'declare it with `sortable: true`';
  throw new KitError(
    'OPTION',
    `search: cannot sort by ${shown(name)}: ${hint}. Sortable fields: ${sortable.join(', ') || 'none'}`,
  );
}

/** A query as the script takes it. */
export function planOf({ groups, unwanted }: Query, sort: SortPlan, texts: readonly string[]): string {
  return JSON.stringify({
    groups: groups.map((group) => group.map((condition) => conditionPlan(condition, texts))),
    unwanted: unwanted.map((condition) => conditionPlan(condition, texts)),
    texts,
    ...sort,
  });
}

/** A query of words only, as the script takes it. */
export interface WordsPlan {
  readonly words: number;
  /** Parts of the keys of the words, then of the order, each with its weight. */
  readonly parts: readonly (string | number)[];
}

/**
 * For a query of words only: parts of the keys that a document must be in, followed by those of the order with their weights. Undefined
 * for other queries.
 */
export function wordsPlan(
  { groups, unwanted }: Query,
  { sort }: SortPlan,
  texts: readonly string[],
): WordsPlan | undefined {
  if (unwanted.length > 0 || groups.length > MAX_WORDS) return undefined;
  const parts: (string | number)[] = [];
  for (const [condition, ...others] of groups) {
    if (condition?.kind !== 'word' || others.length > 0) return undefined;
    const field = postings(condition.field, texts);
    parts.push(field === '' ? `words:${condition.word}` : `in:${field}:${condition.word}`);
  }
  return { words: groups.length, parts: [...parts, ...sort.flat()] };
}

/** Lua's stack limits the number of arguments. */
const MAX_WORDS = 1_000;

function conditionPlan(condition: Condition, texts: readonly string[]): string[] {
  switch (condition.kind) {
    case 'all':
      return ['set', 'ids'];
    case 'word':
      return ['word', postings(condition.field, texts), condition.word];
    case 'prefix':
      return ['prefix', postings(condition.field, texts), condition.start];
    case 'phrase':
      return ['phrase', postings(condition.field, texts), ...condition.words];
    case 'value':
      return ['set', `is:${condition.field}:${condition.value}`];
    case 'range':
      return ['range', condition.field, condition.min, condition.max];
  }
}

/** The only text field has no postings of its own. */
function postings(field: string | undefined, texts: readonly string[]): string {
  return field === undefined || texts.length === 1 ? '' : field;
}
