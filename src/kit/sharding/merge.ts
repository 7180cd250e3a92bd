import { KitError, shown } from '../foundation/index.js';
import { type GatherLimits, gather } from './gather.js';

/** A page of one source: items in the common order. */
export interface SourcePage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined if this is the last one. */
  readonly next: string | undefined;
}

/** A list of items in order, read page by page. */
export interface MergeSource<Item> {
  readonly name: string;
  /** Up to `limit` items from here on. */
  page(after: string | undefined, limit: number, signal: AbortSignal): Promise<SourcePage<Item>>;
  /**
   * Where the page after this item begins. Without it, an item is remembered by its number in its page, which is right only if pages do not
   * change.
   */
  placeAfter?(item: Item): string;
}

export interface MergedPage<Item> {
  readonly items: readonly Item[];
  /** Pass it as `cursor` to get the next page; undefined if this is the last one. */
  readonly next: string | undefined;
  /** Sources that did not answer in time, with their errors. The next page asks them again, and has what was left out here. */
  readonly missing: ReadonlyMap<string, Error>;
  readonly isComplete: boolean;
}

export interface MergeOptions<Item> extends GatherLimits {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** Below 0 if the first item comes first. Equal items come in the order of their sources. */
  compare(a: Item, b: Item): number;
}

/** How much of a source was returned: its page after `after`, but for the first `skip` items. */
interface Position {
  readonly after?: string;
  readonly skip?: number;
  readonly isDone?: true;
}

/**
 * Merges sources that are each in order into one list in order, a page at a time. Each item comes exactly once, also if a source
 * was missing for a while: then its items come later than their place in the order.
 */
export async function mergedPage<Item>(
  sources: readonly MergeSource<Item>[],
  options: MergeOptions<Item>,
): Promise<MergedPage<Item>> {
  const { limit, compare } = options;
  const positions = parseCursor(options.cursor);
  const open = sources.filter(({ name }) => positions.get(name)?.isDone !== true);
  const byName = new Map(open.map((source) => [source.name, source]));
  const { results, missing, isComplete } = await gather(
    [...byName.keys()],
    (name, signal) => read(byName.get(name) as MergeSource<Item>, positions.get(name) ?? {}, limit, signal),
    options,
  );
  const heads = [...results].map(([name, reader]) => ({ name, reader, taken: 0 }));
  const items: Item[] = [];
  while (items.length < limit) {
    let best: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.taken === head.reader.items.length) continue;
      if (best === undefined || compare(itemOf(head), itemOf(best)) < 0) best = head;
    }
    if (best === undefined) break;
    items.push(itemOf(best));
    best.taken++;
  }
  for (const { name, reader, taken } of heads) positions.set(name, reader.after(taken));
  for (const name of missing.keys()) if (!positions.has(name)) positions.set(name, {});
  const isLast = open.every(({ name }) => positions.get(name)?.isDone === true);
  return { items, next: isLast ? undefined : asCursor(positions), missing, isComplete };
}

function itemOf<Item>({ reader, taken }: { reader: Reader<Item>; taken: number }): Item {
  return reader.items[taken] as Item;
}

/** The next items of a source, and the pages that they are from. */
class Reader<Item> {
  readonly items: Item[] = [];
  readonly #placeAfter: MergeSource<Item>['placeAfter'];
  /** For each page: where it begins, how many of its items are left out, and how many it has. */
  readonly #pages: { readonly after: string | undefined; readonly skip: number; readonly size: number }[] =
    [];
  #next: string | undefined;

  constructor({ placeAfter }: MergeSource<Item>) {
    this.#placeAfter = placeAfter;
  }

  add(after: string | undefined, skip: number, { items, next }: SourcePage<Item>): void {
    this.#pages.push({ after, skip, size: items.length - skip });
    this.items.push(...items.slice(skip));
    this.#next = next;
  }

  /** The position after the first `taken` items. */
  after(taken: number): Position {
    if (taken > 0 && taken < this.items.length && this.#placeAfter !== undefined) {
      return { after: this.#placeAfter(this.items[taken - 1] as Item) };
    }
    let left = taken;
    for (const { after, skip, size } of this.#pages) {
      if (left < size) {
        const position = left + skip > 0 ? { skip: left + skip } : {};
        return after === undefined ? position : { ...position, after };
      }
      left -= size;
    }
    return this.#next === undefined ? { isDone: true } : { after: this.#next };
  }
}

/** Reads pages until there are `limit` items, or no more. */
async function read<Item>(
  source: MergeSource<Item>,
  { after, skip = 0 }: Position,
  limit: number,
  signal: AbortSignal,
): Promise<Reader<Item>> {
  const reader = new Reader(source);
  let at = after;
  let left = skip;
  for (;;) {
    // The items that were returned already are read again: a page begins where the source says.
    const page = await source.page(at, limit + left, signal);
    reader.add(at, Math.min(left, page.items.length), page);
    left = Math.max(0, left - page.items.length);
    if (page.next === undefined || reader.items.length >= limit) return reader;
    at = page.next;
  }
}

function asCursor(positions: ReadonlyMap<string, Position>): string {
  return Buffer.from(JSON.stringify([...positions])).toString('base64url');
}

function parseCursor(cursor: string | undefined): Map<string, Position> {
  if (cursor === undefined) return new Map();
  try {
    const entries = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
    if (Array.isArray(entries) && entries.every(isEntry)) return new Map(entries as [string, Position][]);
  } catch {
    // Refused below, with every other text that is not a cursor.
  }
  throw new KitError('OPTION', `a cursor is the \`next\` of the page before, not ${shown(cursor)}`);
}

function isEntry(entry: unknown): boolean {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false;
  const { after, skip } = (entry[1] ?? {}) as { readonly after?: unknown; readonly skip?: unknown };
  return (
    (after === undefined || typeof after === 'string') &&
    (skip === undefined || (Number.isSafeInteger(skip) && (skip as number) >= 0))
  );
}
