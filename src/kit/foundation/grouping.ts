import { KitError } from './kit-error.js';
import { shown } from './options.js';

/** Shards of one request. */
const AT_ONCE = 200;

/** The list, if it is one. */
export function checkedList<T>(method: string, list: Iterable<T>): Iterable<T> {
  if (typeof list === 'object' && list !== null && Symbol.iterator in list) return list;
  throw new KitError('OPTION', `${method}: pass a list, not ${shown(list)}`);
}

/** The items by the number of their shard. */
export function groupBy<T>(items: readonly T[], numberOf: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const number = numberOf(item);
    const group = groups.get(number);
    if (group === undefined) groups.set(number, [item]);
    else group.push(item);
  }
  return groups;
}

/**
 * The pairs of a flat list, as Redis lists fields and values.
 *
 * @example
 * pairs(['a', '1', 'b', '2']).length; // 2
 */
export function pairs(flat: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) list.push([flat[i] as string, flat[i + 1] as string]);
  return list;
}

/** The items, as many at a time as one request should have shards. */
export function* portions<T>(items: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let first = 0; first < items.length; first += AT_ONCE) yield items.slice(first, first + AT_ONCE);
}
