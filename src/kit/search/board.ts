import {
  type Board,
  type BoardKind,
  type BoardView,
  cellOf,
  type Detail,
  KitError,
  keyRows,
  nextOffset,
  offsetOf,
  PlacedBoard,
  type Rows,
  type RowsRequest,
} from '../foundation/index.js';
import type { FieldType } from './fields.js';
import { searchIndex } from './search-index.js';

/** Documents from which the fields are found out. */
const SAMPLE = 20;

/** A search index: its documents, its words, and a place to try queries. */
class SearchBoard extends PlacedBoard implements Board {
  readonly writingTables = ['results'];
  async view(): Promise<BoardView> {
    const [documents, words, fields] = await Promise.all([
      this.store.scard(this.key('ids')),
      this.store.zcard(this.key('terms')),
      this.#fields(),
    ]);
    const named = Object.entries(fields).map(([name, type]) => `${name} (${type})`);
    return {
      figures: [
        { label: 'Documents', value: documents, format: 'number' },
        { label: 'Words', value: words, format: 'number' },
        { label: 'Fields', value: named.join(', ') },
      ],
      charts: [],
      tables: [
        {
          ...{ id: 'results', title: 'Search', hasDetail: true },
          search: 'word +or -not "a phrase" pre* field:value',
          columns: [{ title: 'Document' }, { title: 'Score' }, { title: 'Content' }],
        },
        {
          ...{ id: 'documents', title: 'Documents', total: documents, hasDetail: true },
          columns: [{ title: 'Document' }],
        },
        {
          ...{ id: 'words', title: 'Words', total: words, search: 'beginning of a word' },
          columns: [{ title: 'Word' }, { title: 'Documents', format: 'number' }],
        },
      ],
      actions: [],
    };
  }

  async rows(table: string, request: RowsRequest): Promise<Rows> {
    if (table === 'results') return this.#search(request);
    if (table === 'words') return this.#words(request);
    if (table !== 'documents') throw new KitError('OPTION', `a search index has no table '${table}'`);
    const page = await keyRows(this.store, this.key('ids'), 'set', request);
    return { ...page, rows: page.rows.map(({ id }) => ({ id, cells: [cellOf(id)] })) };
  }

  async detail(_table: string, id: string): Promise<Detail | undefined> {
    const { rows } = await keyRows(this.store, this.key(`doc:${id}`), 'hash', { limit: SAMPLE });
    if (rows.length === 0) return undefined;
    const columns = [{ title: 'Field' }, { title: 'Value' }];
    const cells = rows.map((row) => row.cells);
    return { title: id, figures: [], sections: [{ kind: 'table', title: 'Document', columns, rows: cells }] };
  }

  /** The result is kept for a minute, as those of programs are. */
  async #search({ cursor, limit, search = '' }: RowsRequest): Promise<Rows> {
    const fields = await this.#fields();
    if (search === '' || Object.keys(fields).length === 0) return { rows: [] };
    const { prefix, name } = this.place;
    const ranking = (await this.#isRanked()) ? 'bm25' : 'none';
    const index = searchIndex(this.store, name, { prefix, fields, ranking, onWarning: () => {} });
    const { hits, next } = await index.search(
      search,
      cursor === undefined ? { limit } : { limit, after: cursor },
    );
    const rows = hits.map(({ id, score, document }) => ({
      id,
      cells: [cellOf(id), score ?? null, cellOf(JSON.stringify(document))],
    }));
    return next === undefined ? { rows } : { rows, next };
  }

  async #words({ cursor, limit, search = '' }: RowsRequest): Promise<Rows> {
    const offset = offsetOf(cursor);
    const end = search === '' ? '+' : `(${search}\u{10ffff}`;
    const range = [search === '' ? '-' : `[${search}`, end, 'BYLEX', 'LIMIT', offset, limit] as const;
    const words = await this.store.send<string[]>('ZRANGE', this.key('terms'), ...range);
    const command = (await this.#isRanked()) ? 'ZCARD' : 'SCARD';
    const sizes = await this.store.pipeline((queue) =>
      words.map((word) => queue.send<number>(command, this.key(`words:${word}`))),
    );
    const rows = words.map((word, i) => ({ id: word, cells: [cellOf(word), sizes[i] ?? 0] }));
    return { rows, ...nextOffset(offset, rows.length, limit) };
  }

  /** Words have a score each. */
  async #isRanked(): Promise<boolean> {
    const [word] = await this.store.send<string[]>('ZRANGE', this.key('terms'), 0, 0);
    return word !== undefined && (await this.store.send('TYPE', this.key(`words:${word}`))) === 'zset';
  }

  /** The programs know the fields, the store does not: they are found from some documents and the keys of their values. */
  async #fields(): Promise<Record<string, FieldType>> {
    const ids = await this.store.send<string[]>('SRANDMEMBER', this.key('ids'), SAMPLE);
    const records = await this.store.pipeline((queue) =>
      ids.map((id) => queue.send<string[]>('HGETALL', this.key(`doc:${id}`))),
    );
    const fields: Record<string, FieldType> = {};
    for (const record of records) {
      const document = record.map(asDocument).find((value) => value !== undefined) ?? {};
      for (const [name, value] of Object.entries(document)) {
        const type = await this.#typeOf(name, value);
        if (type !== 'stored' || fields[name] === undefined) fields[name] = type;
      }
    }
    return fields;
  }

  async #typeOf(name: string, value: unknown): Promise<FieldType> {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if ((await this.store.send('EXISTS', this.key(`number:${name}`))) === 1) {
      return typeof first === 'number' ? 'number' : 'date';
    }
    if (typeof first !== 'string') return 'stored';
    const isKeyword = (await this.store.send('EXISTS', this.key(`is:${name}:${first}`))) === 1;
    return isKeyword ? 'keyword' : 'text';
  }
}

function asDocument(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** How the console shows search indexes. */
export const boards: readonly BoardKind[] = [
  {
    ...{ kind: 'search', title: 'Search', about: 'documents by words', prefix: 'search' },
    parts: {
      ...{ ids: 'set', doc: 'hash', words: 'any', in: 'any', is: 'set', number: 'zset', order: 'zset' },
      ...{ terms: 'zset', version: 'string', result: 'zset', parts: 'string' },
    },
    hasFixedParts: true,
    open: (store, place) => new SearchBoard(store, place),
  },
];
