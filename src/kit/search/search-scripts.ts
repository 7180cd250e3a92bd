import { INDEX_KEYS, indexScripts, readLua } from '../foundation/index.js';

const read = (...files: string[]): string => readLua(import.meta.url, ...files.map((file) => `lua/${file}`));

export const { REMOVE, CLEAR } = indexScripts(['several', 'ranked'], (file) => read('document.lua', file));

export const INDEX = {
  keys: INDEX_KEYS,
  args: ['several', 'ranked', 'id', 'source', 'fields', 'words', 'postings', 'sets', '...values'],
  repeatable: true,
  lua: read('index.lua', 'document.lua', 'replace.lua'),
  reply: Number,
} as const;

export const INDEX_NEW = {
  keys: INDEX_KEYS,
  args: ['...values'],
  repeatable: true,
  lua: read('index-new.lua'),
  reply: Number,
} as const;

/** Documents of a page: id, score and JSON of each. */
export type PageReply = readonly string[];

/** The values of a facet, each with its count. */
export type FacetReply = readonly (string | number)[];

export const SEARCH = {
  keys: INDEX_KEYS,
  args: ['several', 'ranked', 'query', 'offset', 'limit', 'keep', 'relevance', 'words', 'facets', '...parts'],
  repeatable: true,
  lua: read(
    ...['page.lua', 'find-few.lua', 'find-result.lua', 'find-words.lua'],
    ...['document.lua', 'evaluate.lua', 'sort.lua', 'search.lua'],
  ),
  reply: (reply: unknown) => {
    const [digest, total, page, ...counts] = reply as [string, number?, PageReply?, ...FacetReply[]];
    return total === undefined ? { prefix: digest } : { digest, total, page: page ?? [], counts };
  },
} as const;

export const READ_PAGE = {
  keys: INDEX_KEYS,
  args: ['digest', 'offset', 'limit', 'keep'],
  repeatable: true,
  lua: read('page.lua', 'read-page.lua'),
  reply: (reply: unknown) => reply as readonly [total: number, page: PageReply] | null,
} as const;
