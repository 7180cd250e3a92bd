import { Bytes } from '../../bytes/bytes.js';
import { parseSortWeight } from '../../bytes/numbers/double.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { Encoding, Type } from '../../keyspace/kinds.js';
import { ListValue } from '../../keyspace/values/list-value.js';
import { SetValue } from '../../keyspace/values/set-value.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import { Element } from '../../structures/element.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { type SortOptions, sortOptions } from './sort-options.js';
import type { SortPattern } from './sort-pattern.js';

const NOT_NUMBERS = new CommandError("ERR One or more scores can't be converted into double");

export function sort(call: Call): void {
  const options = sortOptions(call, true);
  const wanted = sortedElements(call, options);
  if (options.storeKey === undefined) replyElements(call, wanted, options.gets);
  else storeElements(call, wanted, options.gets, options.storeKey);
}

export function sortReadonly(call: Call): void {
  const options = sortOptions(call, false);
  replyElements(call, sortedElements(call, options), options.gets);
}

/** The part of the elements that LIMIT asks for, in order. Elements are latin1 text: they are compared a lot. */
function sortedElements(call: Call, options: SortOptions): string[] {
  const entry = call.keyspace.read(call.db, call.arg(1));
  if (entry === 0) return [];
  const type = call.db.type(entry);
  if (type !== Type.list && type !== Type.set && type !== Type.sortedSet) throw errors.wrongType;
  const isUnsorted = options.by !== undefined && !options.by.hasStar;
  if (!isUnsorted) return limited(sorted(call, elementsOf(call, entry), options), options);
  // Sets have no order, but a stored result, or one that a script sees, must be deterministic.
  if (type === Type.set && (options.storeKey !== undefined || call.isScript)) {
    const alphabetic = { ...options, alphabetic: true, by: undefined };
    return limited(sorted(call, elementsOf(call, entry), alphabetic), options);
  }
  const elements = elementsOf(call, entry);
  if (type !== Type.set && options.descending) elements.reverse();
  return limited(elements, options);
}

function limited(elements: string[], { offset, count }: SortOptions): string[] {
  const start = Math.max(offset, 0);
  return elements.slice(start, count < 0 ? undefined : start + count);
}

function elementsOf(call: Call, entry: Entry): string[] {
  const { db, keyspace } = call;
  const elements: string[] = [];
  const type = db.type(entry);
  if (type === Type.list) {
    list.open(keyspace, db, entry);
    for (let more = list.seek(0); more; ) {
      more = list.readAndAdvance(element);
      elements.push(element.toString());
    }
  } else if (type === Type.set) {
    set.open(keyspace, db, entry);
    while (set.next(element)) elements.push(element.toString());
  } else {
    sortedSet.open(keyspace, db, entry).makeLarge();
    for (let ok = sortedSet.seek(0); ok; ok = sortedSet.next()) elements.push(sortedSet.member.toString());
  }
  return elements;
}

// ---- order ----

function sorted(call: Call, elements: string[], options: SortOptions): string[] {
  return options.alphabetic
    ? sortedAlphabetically(call, elements, options)
    : sortedByNumber(call, elements, options);
}

function sortedByNumber(call: Call, elements: string[], { by, descending }: SortOptions): string[] {
  const items = elements.map((text) => ({ text, weight: weightOf(call, text, by) }));
  if (items.some(({ weight }) => Number.isNaN(weight))) throw NOT_NUMBERS;
  const sign = descending ? -1 : 1;
  items.sort((a, b) => sign * (a.weight - b.weight || compare(a.text, b.text)));
  return items.map(({ text }) => text);
}

/** NaN if it is not a number; 0 if there is no weight. */
function weightOf(call: Call, text: string, by: SortPattern | undefined): number {
  const bytes = by === undefined ? Bytes.of(text) : by.lookUp(call, text);
  return bytes === undefined ? 0 : parseSortWeight(bytes.buf, bytes.start, bytes.end);
}

/** Elements without a weight come first. */
function sortedAlphabetically(
  call: Call,
  elements: string[],
  { by, descending, storeKey }: SortOptions,
): string[] {
  const items = elements.map((text) => {
    const compared = by === undefined ? text : by.lookUp(call, text)?.toString();
    // Without STORE, Redis compares C strings, which end at a NUL.
    return { text, compared: storeKey === undefined ? compared?.split('\0', 1)[0] : compared };
  });
  const sign = descending ? -1 : 1;
  items.sort((a, b) => {
    if (a.compared === undefined || b.compared === undefined) {
      return sign * (Number(a.compared !== undefined) - Number(b.compared !== undefined));
    }
    return sign * compare(a.compared, b.compared);
  });
  return items.map(({ text }) => text);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// ---- result ----

function replyElements(call: Call, elements: readonly string[], gets: readonly SortPattern[]): void {
  const { reply } = call;
  reply.array(elements.length * Math.max(gets.length, 1));
  for (const text of elements) {
    if (gets.length === 0) reply.bulkText(text);
    for (const pattern of gets) {
      const found = pattern.lookUp(call, text);
      if (found === undefined) reply.null();
      else reply.bulk(found);
    }
  }
}

function storeElements(
  call: Call,
  elements: readonly string[],
  gets: readonly SortPattern[],
  key: Bytes,
): void {
  const { db, keyspace, effects } = call;
  // All values are looked up first, because GET may refer to the destination key.
  const results = gets.length === 0 ? elements : elements.flatMap((text) => valuesFor(call, text, gets));
  if (results.length > 0) {
    const block = Listpack.create(db.arena);
    list.open(keyspace, db, keyspace.replace(db, key, Type.list, Encoding.packedList, block));
    for (const text of results) list.pushTail(Bytes.of(text));
    effects.changed(db, key, EventClass.list, 'sortstore', results.length);
  } else if (keyspace.discard(db, key)) {
    effects.changed(db, key, EventClass.generic, 'del');
  }
  call.reply.integer(results.length);
}

function valuesFor(call: Call, element: string, gets: readonly SortPattern[]): string[] {
  return gets.map((pattern) => pattern.lookUp(call, element)?.toString() ?? '');
}

const element = new Element();
const list = new ListValue();
const set = new SetValue();
const sortedSet = new SortedSetValue();
