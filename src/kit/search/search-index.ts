import type { Store } from '../../store/index.js';
import {
  abortSignal,
  callback,
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  flag,
  integer,
  KitError,
  milliseconds,
  oneOf,
  optional,
  positive,
  resolveOptions,
  resolverOf,
  ruled,
  runsHere,
  shown,
  storedIndex,
  TEXT_RULES,
  type TextOptions,
  TextSplitter,
  text,
} from '../foundation/index.js';
import { entriesOf } from './entries.js';
import { type DocumentOf, decodeDocument, type Fields, resolveFields } from './fields.js';
import { findFew } from './find-few.js';
import { type Match, matchesIn } from './highlight.js';
import { type IndexSteps, indexAll } from './index-all.js';
import { planOf, type SortOrder, type SortPlan, sortPlan, type WordsPlan, wordsPlan } from './plan.js';
import { parseQuery, type Query, QueryError } from './query.js';
import {
  CLEAR,
  type FacetReply,
  INDEX,
  INDEX_NEW,
  type PageReply,
  READ_PAGE,
  REMOVE,
  SEARCH,
} from './search-scripts.js';
import { writeArguments } from './write-arguments.js';

export interface SearchIndexOptions<F extends Fields = Fields> extends EvictionOptions, TextOptions {
  /** The fields of documents: their types by name, as in `{ title: 'text', price: 'number' }`. */
  readonly fields: F;
  /**
   * `bm25` ranks documents by how often they have the words of the query, and how rare these are. Words are then stored with a
   * score each, which takes more memory. Default `none`.
   */
  readonly ranking?: 'none' | 'bm25';
  /** Of the ranking: how much further occurrences of a word count. Default 1.2. */
  readonly k1?: number;
  /** Of the ranking: how much long documents are marked down, from 0 to 1. Default 0.75. */
  readonly b?: number;
  /**
   * Of the ranking: how many words an average document has. It is fixed, so that the order does not depend on when a document was
   * indexed. Default 100.
   */
  readonly averageLength?: number;
  /** How long a result is kept after its last page was read, in ms, at least 100. Default 60,000. */
  readonly keepResults?: number;
  /** Prefix of all keys. Default `search`. */
  readonly prefix?: string;
}

export interface SearchOptions {
  /** Max number of documents of a page, up to 1,000. Default 20. */
  readonly limit?: number;
  /** How many documents to skip. Default 0. */
  readonly offset?: number;
  /** The `next` of the page before. The query and the order must be the same. */
  readonly after?: string | undefined;
  /**
   * A field (`price`: lowest first; `-price`: highest first), `relevance`, or weights (`{ votes: 10, relevance: 1 }`: the highest sum
   * first). Default `relevance` with a ranking, else by id. Equal documents are in the order of their ids.
   */
  readonly sort?: SortOrder;
  /** Keyword fields whose values are counted over the whole result. */
  readonly facets?: readonly string[];
  /** Whether hits have `matches`. Default false. */
  readonly highlight?: boolean;
}

export interface Hit<F extends Fields> {
  readonly id: string;
  /** The value that the result is sorted by; undefined if the document does not have the field. */
  readonly score: number | undefined;
  readonly document: DocumentOf<F>;
  /** With `highlight`: where the words of the query are, by text field. */
  readonly matches?: Readonly<Record<string, readonly Match[]>>;
}

export interface SearchResult<F extends Fields> {
  /** The number of documents on all pages. */
  readonly total: number;
  /** The documents of this page. Those that were removed since the search are left out. */
  readonly hits: readonly Hit<F>[];
  /** Pass it as `after` to get the next page of the same result; undefined if this is the last one. */
  readonly next: string | undefined;
  /** Parts of the query that have no word to search for: stop words, punctuation. */
  readonly ignored: readonly string[];
  /** The counts of `facets`, most frequent first. */
  readonly facets: Readonly<Record<string, readonly FacetCount[]>>;
}

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

export interface IndexAllOptions {
  /** Called after each document with the number of documents indexed so far. */
  readonly onProgress?: (done: number) => void;
  /** Documents that are being written at the same time. Default 64. */
  readonly concurrency?: number;
  /** Ends the call with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/**
 * A search index. Each document is indexed, replaced or removed in one atomic step. All keys of an index are in one slot of a Cluster:
 * an index is the unit that cannot be spread.
 */
export interface SearchIndex<F extends Fields> {
  readonly name: string;
  /** Indexes a document, or replaces the one with this id. Returns whether it is new. */
  index(id: string, document: DocumentOf<F>): Promise<boolean>;
  /**
   * Indexes many documents. Returns how many are new. After an error, the documents reported to `onProgress` are indexed, and up to
   * `concurrency` more may be.
   *
   * @example
   * await books.indexAll([['1', { title: 'Emma' }], ['2', { title: 'Persuasion' }]]); // 2
   */
  indexAll(
    documents: Iterable<readonly [string, DocumentOf<F>]> | AsyncIterable<readonly [string, DocumentOf<F>]>,
    options?: IndexAllOptions,
  ): Promise<number>;
  /** Returns false if there was no such document. */
  remove(id: string): Promise<boolean>;
  /** The document; undefined if there is none. */
  get(id: string): Promise<DocumentOf<F> | undefined>;
  /**
   * Finds documents: `word` (required), `+word` (or this one instead of the word before), `-word` (unwanted), `"a phrase"`, `pre*`,
   * `field:word`, `field:10..20`, `*` (all). It sees all documents that were indexed before. The result is kept, so that its pages
   * fit together. Rejects with a `QueryError` if the query cannot be parsed, and with `EXPIRED` if the result of `after` is not kept any more.
   *
   * @example
   * const { total, hits, next } = await books.search('whale +dolphin -captain', { sort: '-year', limit: 10 });
   */
  search(query: string, options?: SearchOptions): Promise<SearchResult<F>>;
  /** The number of documents. */
  size(): Promise<number>;
  /** Removes all documents, some at a time. */
  clear(): Promise<void>;
}

/**
 * Opens a search index. All programs that use it must pass the same fields and options.
 *
 * @example
 * const books = searchIndex(store, 'books', { fields: { title: 'text', year: 'number' } });
 * await books.index('1', { title: 'Moby-Dick; or, The Whale', year: 1851 }); // true
 * (await books.search('whale year:1800..1899')).total; // 1
 */
export function searchIndex<const F extends Fields>(
  store: Store,
  name: string,
  options: SearchIndexOptions<F>,
): SearchIndex<F> {
  checkStore('searchIndex', store);
  const settings = resolveOptions('searchIndex', options, RULES);
  const {
    keepResults: keep,
    ranking,
    k1,
    b,
    averageLength: average,
    onWarning,
    requireNoEviction,
  } = settings;
  const fields = resolveFields(settings.fields);
  const types = Object.fromEntries(fields.map((field) => [field.name, field.type]));
  const texts = fields.filter((field) => field.type === 'text').map((field) => field.name);
  const splitter = new TextSplitter(settings);
  const isRanked = ranking === 'bm25';
  const shared = { several: texts.length > 1 ? 1 : 0, ranked: isRanked ? 1 : 0 };
  const guard = new EvictionGuard(store, 'searchIndex', { onWarning, requireNoEviction });
  const write = guard.before(store.script(INDEX));
  const writeNew = guard.before(store.script(INDEX_NEW));
  const remove = store.script(REMOVE);
  const clear = store.script(CLEAR);
  const find = store.script(SEARCH);
  const readPage = store.script(READ_PAGE);
  const stored = storedIndex(store, name, {
    ...{ owner: 'searchIndex', prefix: settings.prefix, part: 'doc', clearedAtOnce: 20 },
    steps: (base) => ({
      remove: (id) => remove({ base, ...shared, id }),
      clear: (max) => clear({ base, ...shared, max }),
    }),
  });
  const { base, checkId } = stored;
  const structure = { base, ...shared };

  const steps: IndexSteps<DocumentOf<F>> = {
    entriesOf: (id, document) => {
      checkId(id);
      return entriesOf(fields, splitter, document, isRanked ? { k1, b, average } : undefined);
    },
    write: async (id, entries) => (await write({ ...structure, id, ...writeArguments(entries) })) === 1,
    writeNew: async (batch) => (await writeNew({ base, values: batch.values(isRanked) })) === 1,
  };

  function hitsOf(page: PageReply, sort: SortPlan, query: Query, withMatches: boolean): Hit<F>[] {
    const sign = sort.relevance < 0 || (sort.sort[0]?.[1] ?? 0) < 0 ? -1 : 1;
    const hits: Hit<F>[] = [];
    for (let at = 0; at < page.length; at += 3) {
      const score = page[at + 1] as string;
      const document = decodeDocument<F>(fields, page[at + 2] as string);
      hits.push({
        id: page[at] as string,
        // Documents without the field have +inf, whatever the direction. Adding 0 makes -0 a 0.
        score: score === 'inf' ? undefined : Number(score) * sign + 0,
        document,
        ...(withMatches ? { matches: matchesOf(document, query) } : {}),
      });
    }
    return hits;
  }

  function matchesOf(document: DocumentOf<F>, query: Query): Record<string, Match[]> {
    const found: Record<string, Match[]> = {};
    for (const field of texts) {
      const value = (document as Readonly<Record<string, unknown>>)[field];
      if (typeof value !== 'string') continue;
      const matches = matchesIn(value, field, query, splitter);
      if (matches.length > 0) found[field] = matches;
    }
    return found;
  }

  /** Undefined if a script has to look. */
  function fewOf(plan: WordsPlan, relevance: number, limit: number): PageReply | undefined {
    if (!runsHere(store)) return undefined;
    try {
      return findFew(store, plan, { base, isRanked, relevance, limit });
    } catch {
      // The store is closed, or paused: the script says so, or waits.
      return undefined;
    }
  }

  async function search(query: string, given?: SearchOptions): Promise<SearchResult<F>> {
    if (typeof query !== 'string') {
      throw new KitError('OPTION', `search: a query must be a string, not ${shown(query)}`);
    }
    const { limit, offset, after, sort: order, facets, highlight: withMatches } = resolveSearch(given);
    checkFacets(facets, types);
    const parsed = parseQuery(query, splitter, types);
    const sort = sortPlan(order, fields, isRanked);
    const { ignored } = parsed;
    const result = (
      digest: string,
      start: number,
      total: number,
      page: PageReply,
      counts: readonly FacetReply[],
    ) => ({
      total,
      hits: hitsOf(page, sort, parsed, withMatches),
      next: start + limit < total ? `${digest}.${start + limit}` : undefined,
      ignored,
      facets: facetsOf(facets, counts),
    });
    if (after !== undefined) {
      if (facets.length > 0 || offset > 0) {
        throw new KitError(
          'OPTION',
          'search: `facets` and `offset` are for the first page: leave out `after`',
        );
      }
      const [digest, start] = placeOf(after);
      const found = await readPage({ base, digest, offset: start, limit, keep });
      if (found === null) {
        throw new KitError(
          'EXPIRED',
          `search: the result was not read for ${keep} ms and is gone: search again`,
        );
      }
      return result(digest, start, found[0], found[1], []);
    }
    if (parsed.groups.length === 0 && parsed.unwanted.length === 0)
      return result(
        '',
        0,
        0,
        [],
        facets.map(() => []),
      );
    const only = facets.length === 0 ? wordsPlan(parsed, sort, texts) : undefined;
    const few = only !== undefined && offset === 0 ? fewOf(only, sort.relevance, limit) : undefined;
    if (few !== undefined) return result('', 0, few.length / 3, few, []);
    const plan = planOf(parsed, sort, texts);
    const found = await find({
      ...structure,
      query: plan,
      offset,
      limit,
      keep,
      relevance: sort.relevance,
      words: only?.words ?? 0,
      facets: facets.length,
      parts: only?.parts ?? facets,
    });
    if ('prefix' in found) {
      const { prefix } = found;
      const position = Math.max(0, query.toLowerCase().indexOf(`${prefix}*`));
      throw new QueryError(`more than 1,000 words begin with '${prefix}': add a letter`, query, position);
    }
    const { digest, total, page, counts } = found;
    return result(digest, offset, total, page, counts);
  }

  return {
    name,
    index: async (id, document) => steps.write(id, steps.entriesOf(id, document)),
    indexAll: async (documents, given) => indexAll(documents, steps, resolveIndexAll(given)),
    remove: stored.remove,
    get: async (id) => {
      const source = await stored.source(id);
      return source === undefined ? undefined : decodeDocument<F>(fields, source);
    },
    search,
    size: stored.size,
    clear: stored.clear,
  };
}

function checkFacets(facets: readonly string[], types: Readonly<Record<string, string>>): void {
  for (const facet of facets) {
    if (Object.hasOwn(types, facet) && types[facet] === 'keyword') continue;
    throw new KitError(
      'OPTION',
      `search: \`facets\` must be keyword fields of the index, not ${shown(facet)}`,
    );
  }
}

function facetsOf(names: readonly string[], counts: readonly FacetReply[]): Record<string, FacetCount[]> {
  return Object.fromEntries(
    names.map((name, place) => {
      const flat = counts[place] ?? [];
      const list: FacetCount[] = [];
      for (let at = 0; at < flat.length; at += 2) {
        list.push({ value: String(flat[at]), count: Number(flat[at + 1]) });
      }
      list.sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
      return [name, list];
    }),
  );
}

/** The result and the offset in a cursor. */
function placeOf(cursor: string): readonly [digest: string, offset: number] {
  const [, digest, offset] = /^([0-9a-f]{40})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (digest !== undefined) return [digest, Number(offset)];
  throw new KitError(
    'OPTION',
    'search: `after` must be the `next` of a page: leave it out for the first page',
  );
}

const RULES = {
  fields: ruled<Fields>((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : "must be an object such as { title: 'text' }",
  ),
  ranking: oneOf(['none', 'bm25'], 'none'),
  k1: positive(1.2),
  b: ruled<number>(
    (value) =>
      typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'must be a number from 0 to 1',
    0.75,
  ),
  averageLength: positive(100),
  keepResults: milliseconds(60_000, { min: 100 }),
  prefix: text('search'),
  ...TEXT_RULES,
  ...EVICTION_RULES,
};

const SEARCH_RULES = {
  limit: integer(20, { min: 1, max: 1_000 }),
  offset: integer(0, { min: 0 }),
  after: optional(text()),
  sort: optional(ruled<SortOrder>(() => undefined)),
  facets: ruled<readonly string[]>(
    (value) => (Array.isArray(value) ? undefined : 'must be a list of keyword fields'),
    [],
  ),
  highlight: flag(false),
};
const resolveSearch = resolverOf<typeof SEARCH_RULES, SearchOptions>('search', SEARCH_RULES);

const INDEX_ALL_RULES = {
  onProgress: optional(callback<(done: number) => void>()),
  concurrency: integer(64, { min: 1, max: 10_000 }),
  signal: optional(abortSignal()),
};
const resolveIndexAll = resolverOf<typeof INDEX_ALL_RULES, IndexAllOptions>('indexAll', INDEX_ALL_RULES);
