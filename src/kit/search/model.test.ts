import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { open } from '../../store/index.js';
import { searchIndex } from './index.js';

/** The plain model: documents in a Map, every query answered by looking at each of them. */
interface Document {
  readonly title?: string;
  readonly body?: string;
  readonly tag?: readonly string[];
  readonly n?: number;
}

interface Condition {
  readonly text: string;
  /** How often the document meets it, by word: the ranking counts this. Empty: not at all, or it is not a word. */
  isMet(document: Document): boolean;
  words(
    document: Document,
    all: ReadonlyMap<string, Document>,
  ): readonly [word: string, field?: 'title' | 'body'][];
}

const FIELDS = {
  title: { type: 'text', weight: 2 },
  body: 'text',
  tag: 'keyword',
  n: 'number',
} as const;
const TEXTS = ['title', 'body'] as const;
const STOP = 'the';
const split = (text: string | undefined): string[] => text?.split(' ') ?? [];
const fieldsOf = (field: 'title' | 'body' | undefined) => (field === undefined ? TEXTS : ([field] as const));
const wordsIn = (document: Document, field?: 'title' | 'body'): string[] =>
  fieldsOf(field)
    .flatMap((name) => split(document[name]))
    .filter((word) => word !== STOP);

const word = fc.constantFrom('a', 'ab', 'abc', 'b', 'ba', 'c', 'd');
const textField = fc.constantFrom<'title' | 'body' | undefined>('title', 'body', undefined, undefined);
const head = (field: string | undefined): string => (field === undefined ? '' : `${field}:`);

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ field: textField, one: word }).map(
    ({ field, one }): Condition => ({
      text: head(field) + one,
      isMet: (document) => wordsIn(document, field).includes(one),
      words: (document) => (wordsIn(document, field).includes(one) ? [[one, field]] : []) as never,
    }),
  ),
  fc.record({ field: textField, start: fc.constantFrom('a', 'ab', 'b', 'x') }).map(
    ({ field, start }): Condition => ({
      text: `${head(field)}${start}*`,
      isMet: (document) => wordsIn(document, field).some((one) => one.startsWith(start)),
      words: (document) =>
        [...new Set(wordsIn(document, field).filter((one) => one.startsWith(start)))].map((one) => [
          one,
          field,
        ]) as never,
    }),
  ),
  fc
    .record({ field: textField, words: fc.tuple(word, fc.constantFrom('a', 'b', STOP), word) })
    .map(({ field, words }): Condition => {
      const isIn = (document: Document): boolean =>
        fieldsOf(field).some((name) => {
          const all = split(document[name]);
          return all.some((_, at) => words.every((one, offset) => all[at + offset] === one));
        });
      return {
        text: `${head(field)}"${words.join(' ')}"`,
        isMet: isIn,
        words: (document) =>
          (isIn(document)
            ? [...new Set(words)].filter((one) => one !== STOP).map((one) => [one, field])
            : []) as never,
      };
    }),
  fc.constantFrom('red', 'two words').map(
    (value): Condition => ({
      text: `tag:"${value}"`,
      isMet: ({ tag = [] }) => tag.includes(value),
      words: () => [],
    }),
  ),
  fc.tuple(fc.integer({ min: -2, max: 4 }), fc.integer({ min: -2, max: 4 })).map(
    ([min, max]): Condition => ({
      text: `n:${min}..${max}`,
      isMet: ({ n = Number.NaN }) => n >= min && n <= max,
      words: () => [],
    }),
  ),
  fc.constantFrom(1, 2).map(
    (bound): Condition => ({
      text: `n:>${bound}`,
      isMet: ({ n = Number.NaN }) => n > bound,
      words: () => [],
    }),
  ),
);

interface Query {
  readonly groups: readonly (readonly Condition[])[];
  readonly unwanted: readonly Condition[];
}

const query: fc.Arbitrary<Query> = fc
  .record({
    groups: fc.array(fc.array(condition, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    unwanted: fc.array(condition, { maxLength: 2 }),
  })
  .filter(({ groups, unwanted }) => groups.length + unwanted.length > 0);

function textOf({ groups, unwanted }: Query): string {
  const parts = groups.map((group) => group.map(({ text }, at) => (at === 0 ? text : `+${text}`)).join(' '));
  return [...unwanted.map(({ text }) => `-${text}`), ...parts].join(' ');
}

const text = fc.option(
  fc.array(fc.oneof(word, fc.constant(STOP)), { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
  { nil: undefined },
);
const document = fc
  .record({
    title: text,
    body: text,
    tag: fc.option(fc.uniqueArray(fc.constantFrom('red', 'two words', 'x')), { nil: undefined }),
    n: fc.option(fc.integer({ min: -3, max: 5 }), { nil: undefined }),
  })
  .map((fields) => JSON.parse(JSON.stringify(fields)) as Document);

const id = fc.constantFrom('1', '2', '3', '4', '5', '6');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ index: id, document }) },
  { weight: 1, arbitrary: fc.record({ all: fc.array(fc.record({ id, document }), { maxLength: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: id }) },
  {
    weight: 5,
    arbitrary: fc.record({
      query,
      sort: fc.constantFrom<string | Record<string, number> | undefined>(undefined, 'n', '-n', { n: 2 }),
      limit: fc.constantFrom(1, 2, 20),
    }),
  },
);

function matching(all: ReadonlyMap<string, Document>, { groups, unwanted }: Query): string[] {
  return [...all]
    .filter(
      ([, one]) =>
        groups.every((group) => group.some((each) => each.isMet(one))) &&
        !unwanted.some((each) => each.isMet(one)),
    )
    .map(([key]) => key);
}

/** The ids in the order of a number, those without it last; equal ones by id. */
function sorted(
  ids: readonly string[],
  score: (id: string) => number | undefined,
  isDescending: boolean,
): string[] {
  return [...ids].sort((one, other) => {
    const [a, b] = [score(one), score(other)];
    if (a === b) return one < other ? -1 : 1;
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
    return isDescending ? b - a : a - b;
  });
}

/** BM25 as its definition says, for the words by which a document meets the query. */
function relevance(all: ReadonlyMap<string, Document>, { groups }: Query, key: string): number {
  const one = all.get(key) as Document;
  const norm = 1.2 * (0.25 + (0.75 * wordsIn(one).length) / 100);
  let sum = 0;
  for (const [word, field] of groups.flat().flatMap((each) => each.words(one, all))) {
    const frequency = fieldsOf(field)
      .map((name) => split(one[name]).filter((each) => each === word).length * (name === 'title' ? 2 : 1))
      .reduce((a, b) => a + b);
    const count = [...all.values()].filter((each) => wordsIn(each, field).includes(word)).length;
    const rarity = Math.log(1 + (all.size - count + 0.5) / (count + 0.5));
    sum += (rarity * frequency * 2.2) / (frequency + norm);
  }
  return sum;
}

/** A run of steps on an index and on the model. */
function history(ranking: 'none' | 'bm25', rounds: number) {
  return async () => {
    await using store = await open();
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const index = searchIndex(store, `r${round++}`, { fields: FIELDS, ranking, stopWords: [STOP] });
        const model = new Map<string, Document>();
        for (const one of steps) {
          if ('index' in one) {
            assert.equal(await index.index(one.index, one.document), !model.has(one.index));
            model.set(one.index, one.document);
          } else if ('all' in one) {
            const added = new Set(one.all.map((each) => each.id).filter((key) => !model.has(key))).size;
            assert.equal(await index.indexAll(one.all.map((each) => [each.id, each.document])), added);
            for (const each of one.all) model.set(each.id, each.document);
          } else if ('remove' in one) {
            assert.equal(await index.remove(one.remove), model.delete(one.remove));
          } else {
            const { limit } = one;
            const options = one.sort === undefined ? { limit } : { limit, sort: one.sort };
            const first = await index.search(textOf(one.query), options);
            const { total } = first;
            const hits = [...first.hits];
            for (let after = first.next; after !== undefined; ) {
              const page = await index.search(textOf(one.query), { ...options, after });
              hits.push(...page.hits);
              after = page.next;
            }
            const ids = hits.map((hit) => hit.id);
            const expected = matching(model, one.query);
            assert.equal(total, ids.length);
            if (one.sort === undefined && ranking === 'bm25') {
              assert.deepEqual([...ids].sort(), expected.sort());
              for (const [at, hit] of hits.entries()) {
                const score = relevance(model, one.query, hit.id);
                assert.ok(
                  Math.abs((hit.score as number) - score) < 1e-5 * (1 + score),
                  `${hit.score} is not ${score}`,
                );
                assert.ok(at === 0 || (hits[at - 1]?.score as number) >= (hit.score as number));
              }
            } else if (one.sort === undefined) {
              assert.deepEqual(ids, expected.sort());
            } else {
              const isDescending = one.sort !== 'n';
              assert.deepEqual(
                ids,
                sorted(expected, (key) => model.get(key)?.n, isDescending),
              );
            }
            for (const hit of hits) assert.deepEqual(hit.document, model.get(hit.id));
          }
        }
        assert.equal(await index.size(), model.size);
        await index.clear();
        const left = ((await store.send('KEYS', '*')) as string[]).filter(
          (key) => !/:(?:result:|version)/.test(key),
        );
        assert.deepEqual(left, []);
        await store.send('FLUSHALL');
      }),
      { numRuns: rounds },
    );
  };
}

const rounds = 60 * Number(process.env['SORREL_RUNS'] ?? 1);

describe('A search index behaves like a list of documents that is filtered and sorted', () => {
  it('without ranking', history('none', rounds));
  it('with ranking', history('bm25', rounds));
});
