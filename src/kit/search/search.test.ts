import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock, open, type Store } from '../../store/index.js';
import { highlight, type SearchOptions, searchIndex, stringScore } from './index.js';

const FIELDS = {
  title: { type: 'text', weight: 3, sortable: true },
  body: 'text',
  tag: { type: 'keyword', sortable: true },
  price: 'number',
  day: 'date',
  image: 'stored',
} as const;

const BOOKS = [
  ['moby', { title: 'Moby-Dick; or, The Whale', body: 'Call me Ishmael.', tag: ['novel', 'sea'], price: 12 }],
  ['sea', { title: 'The Sea-Wolf', body: 'A captain, a seal hunter and a whale.', tag: 'novel', price: 9 }],
  ['cook', { title: 'Sea food', body: 'Fish & chips, no captain.', tag: ['food', 'sea'], price: 30 }],
  ['beijing', { title: '北京市', body: '我住在北京市。', tag: 'food' }],
] as const;

async function library(store: Store, ranking: 'none' | 'bm25' = 'none') {
  const books = searchIndex(store, 'books', { fields: FIELDS, ranking });
  await books.indexAll(BOOKS);
  return books;
}

type Library = Awaited<ReturnType<typeof library>>;

async function idsOf(books: Library, query: string, options?: SearchOptions): Promise<string[]> {
  const { total, hits } = await books.search(query, options);
  assert.equal(total, hits.length);
  return hits.map(({ id }) => id);
}

describe('A search index', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    const books = searchIndex(store, 'books', { fields: { title: 'text', year: 'number' } });
    assert.equal(await books.index('1', { title: 'Moby-Dick; or, The Whale', year: 1851 }), true);
    assert.equal((await books.search('whale year:1800..1899')).total, 1);
    assert.equal(
      await books.indexAll([
        ['1', { title: 'Emma' }],
        ['2', { title: 'Persuasion' }],
      ]),
      1,
    );
  });

  for (const ranking of ['none', 'bm25'] as const) {
    it(`finds documents by words, synonyms, phrases, prefixes, fields and ranges (ranking ${ranking})`, async () => {
      await using store = await open();
      const books = await library(store, ranking);
      for (const [query, expected] of [
        ['whale', ['moby', 'sea']],
        ['WHALE captain', ['sea']],
        ['ishmael +chips', ['cook', 'moby']],
        ['sea -chips', ['sea']],
        ['-sea', ['beijing', 'moby']],
        ['title:sea', ['cook', 'sea']],
        ['body:sea', []],
        ['"seal hunter"', ['sea']],
        ['"hunter seal"', []],
        ['"captain seal"', []],
        ['title:"sea wolf" +"fish chips"', ['cook', 'sea']],
        ['sea-wolf', ['sea']],
        ['cap*', ['cook', 'sea']],
        ['title:w*', ['moby', 'sea']],
        ['body:w* +xyz*', ['sea']],
        ['tag:sea', ['cook', 'moby']],
        ['tag:sea -tag:novel', ['cook']],
        ['tag:Sea', []],
        ['price:9..12', ['moby', 'sea']],
        ['price:>9', ['cook', 'moby']],
        ['sea price:<30', ['sea']],
        // Few candidates are compared with a long range, both ends included or not.
        ['wolf price:9..30', ['sea']],
        ['wolf price:>9', []],
        ['chips price:9..30', ['cook']],
        ['chips price:<30', []],
        ['* -price:..10', ['beijing', 'cook', 'moby']],
        ['whale -"seal hunter"', ['moby']],
        ['price:30 +ishmael', ['cook', 'moby']],
        ['*', ['beijing', 'cook', 'moby', 'sea']],
        ['北京', ['beijing']],
        ['京市', ['beijing']],
        ['市', ['beijing']],
        ['北京市', ['beijing']],
        ['北市', []],
        ['unknown', []],
        ['the', []],
        ['', []],
      ] as const) {
        assert.deepEqual((await idsOf(books, query)).sort(), expected, query);
      }
    });
  }

  it('replaces a document: what only the old one had is gone', async () => {
    await using store = await open();
    for (const ranking of ['none', 'bm25'] as const) {
      const books = await library(store, ranking);
      assert.equal(await books.index('moby', { title: 'The Whale', tag: 'sea', image: { src: 'x' } }), false);
      assert.deepEqual(await idsOf(books, 'ishmael'), []);
      assert.deepEqual(await idsOf(books, 'moby*'), []);
      assert.deepEqual(await idsOf(books, 'tag:novel'), ['sea']);
      assert.deepEqual(await idsOf(books, 'price:..100 whale'), ['sea']);
      assert.deepEqual(await books.get('moby'), { title: 'The Whale', tag: 'sea', image: { src: 'x' } });
      assert.equal(await books.remove('moby'), true);
      assert.equal(await books.remove('moby'), false);
      assert.equal(await books.get('moby'), undefined);
      assert.equal(await books.size(), 3);
      await books.clear();
      const left = ((await store.send('KEYS', '*')) as string[]).filter((key) => !key.includes(':result:'));
      assert.deepEqual(left, ['search:{books}:version']);
    }
  });

  it('sorts by fields, the beginnings of texts, and weights; documents without the field are last', async () => {
    await using store = await open();
    const books = await library(store);
    await books.index('late', { title: 'sea', day: new Date(5_000), price: 9 });
    for (const [sort, expected] of [
      [undefined, ['beijing', 'cook', 'late', 'moby', 'sea']],
      ['price', ['late', 'sea', 'moby', 'cook', 'beijing']],
      ['-price', ['cook', 'moby', 'late', 'sea', 'beijing']],
      ['day', ['late', 'beijing', 'cook', 'moby', 'sea']],
      ['title', ['moby', 'late', 'cook', 'sea', 'beijing']],
      ['-title', ['beijing', 'sea', 'cook', 'late', 'moby']],
      ['tag', ['beijing', 'cook', 'moby', 'sea', 'late']],
      [{ price: 1 }, ['cook', 'moby', 'late', 'sea', 'beijing']],
      [{ price: 100, day: 1 }, ['late', 'cook', 'moby', 'sea', 'beijing']],
      [{ price: -1, day: 1 }, ['late', 'beijing', 'sea', 'moby', 'cook']],
    ] as const) {
      const options = sort === undefined ? {} : { sort };
      assert.deepEqual(await idsOf(books, '*', options), expected, JSON.stringify(sort));
    }
    const { hits } = await books.search('title:sea', { sort: '-day' });
    assert.deepEqual(
      hits.map(({ id, score }) => [id, score]),
      [
        ['late', 5_000],
        ['cook', undefined],
        ['sea', undefined],
      ],
    );
    assert.ok(hits[0]?.document.day instanceof Date);
  });

  it('ranks by how often and how rare the words are, and by the weight of their fields', async () => {
    await using store = await open();
    const books = searchIndex(store, 'ranked', { fields: FIELDS, ranking: 'bm25' });
    await books.indexAll([
      ['often', { body: 'whale whale whale ship' }],
      ['once', { body: 'whale ship ship ship' }],
      ['long', { body: `whale ${'word '.repeat(500)}` }],
      ['title', { title: 'whale', body: 'ship of old' }],
      ['rare', { body: 'ship kraken' }],
    ]);
    assert.deepEqual(await idsOf(books, 'whale'), ['title', 'often', 'once', 'long']);
    assert.deepEqual(await idsOf(books, 'whale +kraken'), ['rare', 'title', 'often', 'once', 'long']);
    assert.deepEqual(await idsOf(books, 'body:whale'), ['often', 'once', 'long']);
    assert.deepEqual(await idsOf(books, 'whale', { sort: { relevance: -1 } }), [
      'long',
      'once',
      'often',
      'title',
    ]);
    const { hits } = await books.search('kraken');
    const rarity = Math.log(1 + (5 - 1 + 0.5) / 1.5);
    const impact = (1 * 2.2) / (1 + 1.2 * (0.25 + (0.75 * 2) / 100));
    assert.ok(Math.abs((hits[0]?.score ?? 0) - rarity * impact) < 1e-5);
  });

  it('counts facets over the whole result', async () => {
    await using store = await open();
    const books = await library(store);
    const { facets, hits } = await books.search('*', { facets: ['tag'], limit: 1 });
    assert.equal(hits.length, 1);
    const expected = [
      { value: 'food', count: 2 },
      { value: 'novel', count: 2 },
      { value: 'sea', count: 2 },
    ];
    assert.deepEqual(facets, { tag: expected });
    assert.deepEqual(
      (await books.search('*', { facets: ['tag'] })).facets,
      { tag: expected },
      'of a cached result',
    );
    assert.deepEqual((await books.search('nothing', { facets: ['tag'] })).facets, { tag: [] });
    assert.deepEqual((await books.search('', { facets: ['tag'] })).facets, { tag: [] });
  });

  it('tells where the words are', async () => {
    await using store = await open();
    const books = await library(store);
    const marked = async (query: string) => {
      const { hits } = await books.search(query, { highlight: true });
      return hits.map(({ document, matches = {} }) =>
        Object.entries(matches).map(([field, places]) =>
          highlight(document[field as 'title'] as string, places, { before: '[', after: ']' }),
        ),
      );
    };
    assert.deepEqual(await marked('chips fish'), [['[Fish] &amp; [chips], no captain.']]);
    assert.deepEqual(await marked('title:whale'), [['Moby-Dick; or, The [Whale]']]);
    assert.deepEqual(await marked('"seal hunter" -xyz'), [['A captain, a [seal] [hunter] and a whale.']]);
    assert.deepEqual(await marked('北京市'), [['[北京市]', '我住在[北京市]。']]);
    assert.deepEqual(await marked('ish*'), [['Call me [Ishmael].']]);
    assert.equal(highlight('Fish & chips', [{ start: 7, end: 12 }]), 'Fish &amp; <mark>chips</mark>');
  });

  it('has stop words and a stemmer that a program chooses', async () => {
    await using store = await open();
    const stem = (word: string) => word.replace(/(?:ing|s)$/, '');
    const texts = searchIndex(store, 'stems', { fields: { body: 'text' }, stopWords: ['und'], stem });
    await texts.index('1', { body: 'The dogs und cats sleeping' });
    for (const [query, total] of [
      ['the dog', 1],
      ['cat sleeps', 1],
      ['"dogs or cat"', 0],
      ['"dog und cat"', 1],
      ['sleeping*', 0],
    ] as const) {
      assert.equal((await texts.search(query)).total, total, query);
    }
  });

  it('refuses a prefix of more than a thousand words, and leaves nothing behind', async () => {
    await using store = await open();
    const texts = searchIndex(store, 'many', { fields: { body: 'text' } });
    await texts.index('1', { body: Array.from({ length: 1_001 }, (_, i) => `w${i}`).join(' ') });
    await assert.rejects(texts.search('a w*'), {
      code: 'QUERY',
      position: 2,
      message: /more than 1,000 words begin with 'w': add a letter, at position 3/,
    });
    assert.equal((await texts.search('w1*')).total, 1);
    assert.equal((await texts.search('w0 -w1* +w2*')).total, 0);
    const temporary = (await store.send('KEYS', '*temporary*')) as string[];
    assert.deepEqual(temporary, []);
  });

  it('indexes many documents with progress, stops at an error, and obeys a signal', async () => {
    await using store = await open();
    const texts = searchIndex(store, 'bulk', { fields: { body: 'text' } });
    const seen: number[] = [];
    async function* documents() {
      for (let i = 0; i < 200; i++) yield [`d${i}`, { body: `word${i % 7} common` }] as const;
    }
    assert.equal(
      await texts.indexAll(documents(), { onProgress: (done) => seen.push(done), concurrency: 7 }),
      200,
    );
    assert.deepEqual(
      seen,
      Array.from({ length: 200 }, (_, i) => i + 1),
    );
    assert.equal((await texts.search('common word3')).total, 29);
    const wrong = [
      ['x1', { body: 'fine' }],
      ['x2', { body: 5 }],
      ['x3', { body: 'never' }],
    ] as never;
    await assert.rejects(texts.indexAll(wrong, { concurrency: 1 }), {
      code: 'OPTION',
      message: /'body' of a document must be a string/,
    });
    assert.deepEqual([await texts.get('x1'), await texts.get('x3')], [{ body: 'fine' }, undefined]);
    const signal = AbortSignal.abort();
    await assert.rejects(texts.indexAll(documents(), { signal }), { code: 'ABORTED' });
  });
});

describe('The result of a search', () => {
  it('has pages that fit together, whatever changes between them', async () => {
    await using store = await open();
    const texts = searchIndex(store, 'pages', { fields: { body: 'text', n: 'number' } });
    await texts.indexAll(Array.from({ length: 10 }, (_, i) => [`d${i}`, { body: 'common', n: i }] as const));
    const first = await texts.search('common', { sort: '-n', limit: 4 });
    await texts.index('d99', { body: 'common', n: 99 });
    await texts.remove('d4');
    const ids = first.hits.map(({ id }) => id);
    for (let { next } = first; next !== undefined; ) {
      const page = await texts.search('common', { sort: '-n', limit: 4, after: next });
      assert.equal(page.total, 10);
      ids.push(...page.hits.map(({ id }) => id));
      next = page.next;
    }
    assert.deepEqual(ids, ['d9', 'd8', 'd7', 'd6', 'd5', 'd3', 'd2', 'd1', 'd0']);
    const fresh = await texts.search('common', { sort: '-n', limit: 1, offset: 1 });
    assert.deepEqual([fresh.total, fresh.hits[0]?.id], [10, 'd9']);
  });

  it('is shared by equal searches of an unchanged index, and expires; the index does not', async () => {
    const clock = new ManualClock(0);
    await using store = await open('memory:', { clock });
    const texts = searchIndex(store, 'ttl', { fields: { body: 'text' }, keepResults: 1_000 });
    await texts.indexAll([
      ['a', { body: 'one' }],
      ['b', { body: 'one' }],
    ]);
    const results = async () => ((await store.send('KEYS', '*:result:*')) as string[]).length;
    const { next } = await texts.search('one', { limit: 1 });
    await texts.search('ONE', { limit: 1 });
    assert.equal(await results(), 1, 'one for both');
    await clock.run(900);
    await texts.search('one', { limit: 1, after: next });
    await clock.run(900);
    assert.equal(await results(), 1, 'a page keeps it');
    await clock.run(200);
    assert.equal(await results(), 0);
    await assert.rejects(texts.search('one', { after: next }), { code: 'EXPIRED', message: /search again/ });
    assert.equal((await texts.search('one')).total, 2, 'the words of the index have not expired');
    await texts.index('c', { body: 'one' });
    assert.equal((await texts.search('one')).total, 3, 'a cached result is not used after a change');
  });

  it('of a query without words is empty, and names what was left out', async () => {
    await using store = await open();
    const books = await library(store);
    assert.deepEqual(await books.search('the "of the" !'), {
      total: 0,
      hits: [],
      next: undefined,
      ignored: ['the', '"of the"', '!'],
      facets: {},
    });
  });
});

describe('A query of rare words', () => {
  for (const ranking of ['none', 'bm25'] as const) {
    it(`finds the same with and without a script, with ranking ${ranking}`, async () => {
      await using store = await open();
      await using listener = await store.listen({ port: 0 });
      await using remote = await open(listener.address);
      const here = await library(store, ranking);
      const there = searchIndex(remote, 'books', { fields: FIELDS, ranking });
      for (const query of [
        'captain',
        'sea',
        'captain sea',
        'title:sea',
        'nothing',
        'captain nothing',
        '北京',
      ]) {
        for (const options of [{}, { sort: 'title' }, { sort: '-price' }, { limit: 1 }, { offset: 1 }]) {
          const found = await here.search(query, options);
          assert.deepEqual(found, await there.search(query, options), `${query} ${JSON.stringify(options)}`);
        }
      }
    });
  }

  it('waits while the store is paused', async () => {
    const clock = new ManualClock(0);
    await using store = await open('memory:', { clock });
    const books = await library(store);
    await store.send('CLIENT', 'PAUSE', 20);
    const found = idsOf(books, 'captain');
    await clock.run(30);
    assert.deepEqual(await found, ['cook', 'sea']);
  });
});

describe('The score of a string', () => {
  it('runs the example of its documentation', () => {
    assert.equal(stringScore('robber') < stringScore('robbers'), true);
    assert.equal(stringScore('robbers') === stringScore('robbery'), true);
    const alphabet = 'abcdefghijklmnopqrstuvwxyz';
    assert.equal(stringScore('robbers', { alphabet }) < stringScore('robbery', { alphabet }), true);
  });

  it('orders texts of any script by their first bytes, exactly', () => {
    const texts = [
      '',
      '\0',
      'a',
      'a\0',
      'ab',
      'abcdef',
      'abcdefa',
      'z',
      'é',
      'ÿ',
      'Ā',
      'ж',
      '中',
      '中国',
      '😀',
    ];
    const sorted = [...texts].sort((a, b) => stringScore(a) - stringScore(b));
    assert.deepEqual(sorted, texts);
    for (const text of texts) assert.ok(Number.isSafeInteger(stringScore(text)));
    assert.throws(() => stringScore('ab', { alphabet: 'a' }), {
      code: 'OPTION',
      message: /does not have 'b'/,
    });
    assert.throws(() => stringScore('a', { alphabet: 'aa' }), { code: 'OPTION' });
    assert.ok(Number.isSafeInteger(stringScore('z'.repeat(99), { alphabet: 'abcdefghijklmnopqrstuvwxyz' })));
  });
});
