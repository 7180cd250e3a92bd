import type { Store } from '../../store/index.js';
import {
  abortSignal,
  checkName,
  flag,
  hash32,
  integer,
  KitError,
  milliseconds,
  optional,
  resolveOptions,
  ruled,
  shown,
  text,
} from '../foundation/index.js';
import {
  type DocumentOf,
  type Fields,
  type Hit,
  type SearchIndex,
  type SearchIndexOptions,
  type SortOrder,
  searchIndex,
} from '../search/index.js';
import type { MergeSource, Sharding } from '../sharding/index.js';

/** Options of `searchIndex`, and the number of parts. */
export interface ShardedSearchSettings<F extends Fields> extends SearchIndexOptions<F> {
  /** How many parts the index has. That of the first program is kept. Default 8. */
  readonly parts?: number;
}

export interface ShardedSearchOptions {
  /** Max number of documents of a page, up to 500. Default 20. */
  readonly limit?: number;
  /** The `next` of the page before. The query and the order must be the same. */
  readonly cursor?: string | undefined;
  /** As in `searchIndex`. */
  readonly sort?: SortOrder;
  /** Whether hits have `matches`. Default false. */
  readonly highlight?: boolean;
  /** How long to wait for all parts, in ms. Default 1,000. */
  readonly timeout?: number;
  /** Ends the search with `ABORTED`. */
  readonly signal?: AbortSignal;
}

export interface ShardedSearchResult<F extends Fields> {
  /** The number of documents on all pages, of the parts that have answered so far. */
  readonly total: number;
  readonly hits: readonly Hit<F>[];
  /** Pass it as `cursor` to get the next page; undefined if this is the last one. */
  readonly next: string | undefined;
  /** Parts that did not answer in time. The next page asks them again. */
  readonly missing: ReadonlyMap<string, Error>;
  readonly isComplete: boolean;
}

/** A search index in parts, each on the shard of its slot. Made by `shardedSearch`. */
export interface ShardedSearch<F extends Fields> {
  readonly name: string;
  /** Indexes a document, or replaces the one with this id. Returns whether it is new. */
  index(id: string, document: DocumentOf<F>): Promise<boolean>;
  /** Returns false if there was no such document. */
  remove(id: string): Promise<boolean>;
  get(id: string): Promise<DocumentOf<F> | undefined>;
  /** Asks all parts at the same time, and merges what they find in the order of `sort`. */
  search(query: string, options?: ShardedSearchOptions): Promise<ShardedSearchResult<F>>;
}

const OWNER = 'shardedSearch';

/**
 * Opens a search index that is divided over shards.
 *
 * @example
 * import { open } from 'sorrel';
 * import { shardedSearch } from 'sorrel/kit/sharded-search';
 * import { sharding } from 'sorrel/kit/sharding';
 *
 * await using store = await open();
 * await using shards = sharding(store, 'documents');
 * await shards.create(['memory:', 'memory:']);
 * const books = shardedSearch(shards, 'books', { fields: { title: 'text', year: 'number' } });
 * await books.index('1', { title: 'Moby-Dick; or, The Whale', year: 1851 }); // true
 * (await books.search('whale', { sort: '-year' })).total; // 1
 */
export function shardedSearch<const F extends Fields>(
  shards: Sharding,
  name: string,
  options: ShardedSearchSettings<F>,
): ShardedSearch<F> {
  if (typeof shards?.use !== 'function' || typeof shards.merge !== 'function') {
    throw new KitError(
      'OPTION',
      `${OWNER}: the first argument must be the result of \`sharding\`, not ${shown(shards)}`,
    );
  }
  checkName(OWNER, name);
  const { parts: wanted = 8, ...settings } = options ?? ({} as ShardedSearchSettings<F>);
  resolveOptions(OWNER, { parts: wanted }, PART_RULES);
  const partsKey = `${settings.prefix ?? 'search'}:{${name}}:parts`;
  let agreed: Promise<number> | undefined;

  /** All programs must divide documents in the same way. */
  async function agree(): Promise<number> {
    await shards.store.set(partsKey, wanted, { nx: true });
    return Number(await shards.store.get(partsKey));
  }

  function parts(): Promise<number> {
    if (agreed === undefined) {
      agreed = agree();
      agreed.catch(() => {
        agreed = undefined;
      });
    }
    return agreed;
  }

  const nameOf = (part: number): string => `${name}-${part}`;
  const indexOn = (own: Store, part: string): SearchIndex<F> => searchIndex(own, part, settings);

  async function onPart<T>(id: string, work: (part: SearchIndex<F>) => Promise<T>): Promise<T> {
    if (typeof id !== 'string')
      throw new KitError('OPTION', `${OWNER}: an id must be a string, not ${shown(id)}`);
    const part = nameOf(hash32(id) % (await parts()));
    return shards.use(`{${part}}`, (own) => work(indexOn(own, part)));
  }

  async function search(query: string, given: ShardedSearchOptions = {}): Promise<ShardedSearchResult<F>> {
    const { cursor, sort, highlight, ...limits } = resolveOptions('search', given, SEARCH_RULES);
    const [place, totals] = parseCursor(cursor);
    const all = Array.from({ length: await parts() }, (_, part) => nameOf(part));
    const order = sort === undefined ? {} : { sort };
    const sources = all.map(
      (part): MergeSource<Hit<F>> => ({
        name: part,
        page: (after, limit, signal) =>
          shards.use(`{${part}}`, async (own) => {
            const asked = { limit, highlight, ...order, ...(after === undefined ? {} : { after }) };
            const found = await indexOn(own.with({ signal }), part).search(query, asked);
            totals[part] = found.total;
            return { items: found.hits, next: found.next };
          }),
      }),
    );
    const page = await shards.merge(sources, byScore<F>(sort, settings.ranking === 'bm25'), {
      limit: limits.limit,
      timeout: limits.timeout,
      ...(limits.signal === undefined ? {} : { signal: limits.signal }),
      cursor: place,
    });
    return {
      total: Object.values(totals).reduce((sum, total) => sum + total, 0),
      hits: page.items,
      next: page.next === undefined ? undefined : asCursor(page.next, totals),
      missing: page.missing,
      isComplete: page.isComplete,
    };
  }

  return {
    name,
    index: (id, document) => onPart(id, (part) => part.index(id, document)),
    remove: (id) => onPart(id, (part) => part.remove(id)),
    get: (id) => onPart(id, (part) => part.get(id)),
    search,
  };
}

/** The order of a single index: by score, documents without one last, equal ones by id. */
function byScore<F extends Fields>(
  sort: SortOrder | undefined,
  isRanked: boolean,
): (a: Hit<F>, b: Hit<F>) => number {
  const isDescending =
    typeof sort === 'object' ||
    sort === 'relevance' ||
    (typeof sort === 'string' && sort.startsWith('-')) ||
    (sort === undefined && isRanked);
  const sign = isDescending ? -1 : 1;
  const rank = ({ score }: Hit<F>): number => (score === undefined ? Number.POSITIVE_INFINITY : score * sign);
  return (a, b) => {
    const [left, right] = [rank(a), rank(b)];
    if (left !== right) return left < right ? -1 : 1;
    return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
  };
}

function asCursor(place: string, totals: Readonly<Record<string, number>>): string {
  return Buffer.from(JSON.stringify([place, totals])).toString('base64url');
}

function parseCursor(cursor: string | undefined): [string | undefined, Record<string, number>] {
  if (cursor === undefined) return [undefined, {}];
  try {
    const [place, totals] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown];
    if (typeof place === 'string' && typeof totals === 'object' && totals !== null) {
      return [place, { ...(totals as Record<string, number>) }];
    }
  } catch {
    // Refused below, with every other text that is not a cursor.
  }
  throw new KitError('OPTION', `search: a cursor is the \`next\` of the page before, not ${shown(cursor)}`);
}

const PART_RULES = { parts: integer(8, { min: 1, max: 1_024 }) };

const SEARCH_RULES = {
  limit: integer(20, { min: 1, max: 500 }),
  cursor: optional(text()),
  sort: optional(ruled<SortOrder>(() => undefined)),
  highlight: flag(false),
  timeout: milliseconds(1_000, { min: 1 }),
  signal: optional(abortSignal()),
};
