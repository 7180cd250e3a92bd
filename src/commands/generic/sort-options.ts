import type { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';
import { SortPattern } from './sort-pattern.js';

export interface SortOptions {
  readonly descending: boolean;
  readonly alphabetic: boolean;
  /** LIMIT: where the wanted part begins, and its length; negative: to the end. */
  readonly offset: number;
  readonly count: number;
  readonly by: SortPattern | undefined;
  /** In the order given; if empty, SORT replies with the elements themselves. */
  readonly gets: readonly SortPattern[];
  readonly storeKey: Bytes | undefined;
}

export function sortOptions(call: Call, mayStore: boolean): SortOptions {
  let descending = false;
  let alphabetic = false;
  let offset = 0;
  let count = -1;
  let by: SortPattern | undefined;
  let storeKey: Bytes | undefined;
  const gets: SortPattern[] = [];
  for (let i = 2; i < call.argc; i++) {
    const word = call.arg(i);
    const left = call.argc - i - 1;
    if (word.is('asc')) descending = false;
    else if (word.is('desc')) descending = true;
    else if (word.is('alpha')) alphabetic = true;
    else if (word.is('limit') && left >= 2) {
      offset = call.integer(++i);
      count = call.integer(++i);
    } else if (mayStore && word.is('store') && left >= 1) storeKey = call.arg(++i);
    else if (word.is('by') && left >= 1) by = new SortPattern(call.arg(++i));
    else if (word.is('get') && left >= 1) gets.push(new SortPattern(call.arg(++i)));
    else throw errors.syntax;
  }
  return { descending, alphabetic, offset, count, by, gets, storeKey };
}
