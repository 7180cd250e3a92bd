import { create, insertMultiple, search as searchOrama } from '@orama/orama';
import MiniSearch from 'minisearch';
import type * as kit from '../../src/kit/search/index.js';
import { built } from './built.js';
import { embeddedPlace, type Place, redisPlace } from './place.js';
import type { BenchDocument } from './search-documents.js';

const { searchIndex } = await built<typeof kit>('kit/search/index.js');

interface Found {
  readonly total: number;
  readonly ids: readonly string[];
}

/** A place where documents are indexed and found. */
export interface Searcher {
  /** Where it keeps the documents, if not in objects of this process. */
  readonly place?: Place;
  index(documents: readonly BenchDocument[], onProgress: (done: number) => void): Promise<void>;
  /** Finds the documents that have all words. Returns how many there are, and the ids of the first ones. */
  search(words: readonly string[]): Promise<Found>;
  /** The same for a search that was made before, if its result is kept. */
  searchAgain?(words: readonly string[]): Promise<Found>;
  close(): Promise<void>;
}

export interface SearchContender {
  readonly name: string;
  open(): Promise<Searcher>;
}

const LIMIT = 20;
/** Documents between two reports of progress. */
const CHUNK = 1_000;

/** What the contenders have in common: BM25, documents are stored, the first twenty are returned. */
const miniSearch: SearchContender = {
  name: 'MiniSearch',
  open: async () => {
    const index = new MiniSearch<BenchDocument>({ fields: ['body'], storeFields: ['body', 'votes'] });
    return {
      index: async (documents, onProgress) => {
        for (let at = 0; at < documents.length; at += CHUNK) {
          index.addAll(documents.slice(at, at + CHUNK));
          onProgress(at + CHUNK);
        }
      },
      search: async (words) => {
        const found = index.search(words.join(' '), { combineWith: 'AND' });
        return { total: found.length, ids: found.slice(0, LIMIT).map(({ id }) => id as string) };
      },
      close: async () => {},
    };
  },
};

const orama: SearchContender = {
  name: 'Orama',
  open: async () => {
    const database = create({ schema: { body: 'string', votes: 'number' } as const });
    return {
      index: async (documents, onProgress) => {
        for (let at = 0; at < documents.length; at += CHUNK) {
          const copies = documents.slice(at, at + CHUNK).map((document) => ({ ...document }));
          await insertMultiple(database, copies, CHUNK);
          onProgress(at + CHUNK);
        }
      },
      search: async (words) => {
        const found = await searchOrama(database, {
          term: words.join(' '),
          properties: ['body'],
          threshold: 0,
          exact: true,
          limit: LIMIT,
        });
        return { total: found.count, ids: found.hits.map(({ id }) => id) };
      },
      close: async () => {},
    };
  },
};

function ours(
  name: string,
  place: () => Promise<Place>,
  ranking: 'none' | 'bm25',
  sort?: string,
): SearchContender {
  return {
    name,
    open: async () => {
      const where = await place();
      const store = await where.openStore();
      const indexWith = (keepResults: number) =>
        searchIndex(store, 'bench', {
          fields: { body: 'text', votes: 'number' },
          ranking,
          stopWords: [],
          keepResults,
        });
      const [index, keeping] = [indexWith(100), indexWith(600_000)];
      const find = async (own: typeof index, words: readonly string[]) => {
        const options = sort === undefined ? { limit: LIMIT } : { limit: LIMIT, sort };
        const { total, hits } = await own.search(words.join(' '), options);
        return { total, ids: hits.map(({ id }) => id) };
      };
      return {
        place: where,
        index: async (documents, onProgress) => {
          const entries = documents.map(({ id, body, votes }) => [id, { body, votes }] as const);
          await index.indexAll(entries, { onProgress });
        },
        search: (words) => {
          // Changes the index, so that no kept result is used.
          store.send('INCR', 'search:{bench}:version').catch(() => {});
          return find(index, words);
        },
        searchAgain: (words) => find(keeping, words),
        close: async () => {
          await store.close();
          await where.stop();
        },
      };
    },
  };
}

export const OURS_RANKED = ours('ours bm25', embeddedPlace, 'bm25');
export const OURS_SORTED = ours('ours by votes', embeddedPlace, 'none', '-votes');
export const SEARCH_CONTENDERS: readonly SearchContender[] = [
  OURS_RANKED,
  OURS_SORTED,
  miniSearch,
  orama,
  ours('redis-server bm25', redisPlace, 'bm25'),
  ours('redis-server by votes', redisPlace, 'none', '-votes'),
];
