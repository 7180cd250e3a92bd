import type { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { KEY_FLAG } from '../flag.js';
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
    else if (word.is('by') && left >= 1) by = byPattern(call, call.arg(++i));
    else if (word.is('get') && left >= 1) gets.push(getPattern(call, call.arg(++i)));
    else throw errors.syntax;
  }
  return { descending, alphabetic, offset, count, by, gets, storeKey };
}

const BY_DENIED = new CommandError('ERR BY option of SORT denied due to insufficient ACL permissions.');
const BY_IN_CLUSTER = new CommandError('ERR BY option of SORT denied in Cluster mode.');
const GET_IN_CLUSTER = new CommandError('ERR GET option of SORT denied in Cluster mode.');
const GET_DENIED = new CommandError('ERR GET option of SORT denied due to insufficient ACL permissions.');

/** A pattern without a star reads no keys: the elements are not sorted. */
function byPattern(call: Call, text: Bytes): SortPattern {
  const pattern = new SortPattern(text);
  if (!pattern.hasStar) return pattern;
  if (call.engine.cluster !== undefined) throw BY_IN_CLUSTER;
  if (!mayReadAnyKey(call)) throw BY_DENIED;
  return pattern;
}

function getPattern(call: Call, text: Bytes): SortPattern {
  if (call.engine.cluster !== undefined) throw GET_IN_CLUSTER;
  if (!mayReadAnyKey(call)) throw GET_DENIED;
  return new SortPattern(text);
}

function mayReadAnyKey({ engine, session, command, args, argc }: Call): boolean {
  return engine.users.mayUseAnyKey(session, command, args, argc, KEY_FLAG.access);
}
