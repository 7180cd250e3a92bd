import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Site } from '../../../tests/support/shard-site.js';
import { open } from '../../store/index.js';
import { searchIndex } from '../search/index.js';
import { sharding } from '../sharding/index.js';
import { shardedSearch } from './index.js';

const FIELDS = { title: 'text', year: 'number' } as const;

describe('A sharded search index', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    await using shards = sharding(store, 'documents');
    await shards.create(['memory:', 'memory:']);
    const books = shardedSearch(shards, 'books', { fields: FIELDS });
    assert.equal(await books.index('1', { title: 'Moby-Dick; or, The Whale', year: 1851 }), true);
    assert.equal((await books.search('whale', { sort: '-year' })).total, 1);
  });

  it('finds the same in the same order as one index, page by page', async () => {
    await using site = await Site.open();
    const shards = site.client('documents');
    await shards.create(['shard:0', 'shard:1', 'shard:2'], { lease: 100 });
    const parts = shardedSearch(shards, 'books', { fields: FIELDS, parts: 5 });
    const whole = searchIndex(await site.shard('whole'), 'books', { fields: FIELDS });
    for (let i = 0; i < 120; i++) {
      const words = ['whale', i % 2 === 0 ? 'sea' : 'land', i % 7 === 0 ? 'rare' : 'common'];
      const document = { title: words.join(' '), ...(i % 11 === 0 ? {} : { year: 1800 + (i % 13) }) };
      await parts.index(`book ${i}`, document);
      await whole.index(`book ${i}`, document);
    }
    for (const [query, sort] of [
      ['whale', '-year'],
      ['sea', 'year'],
      ['rare -land', undefined],
      ['whale year:1803..1806', '-year'],
      ['nothing', 'year'],
    ] as const) {
      const order = sort === undefined ? {} : { sort };
      const expected = await whole.search(query, { limit: 200, ...order });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await parts.search(query, { limit: 7, cursor, ...order });
        assert.equal(page.total, expected.total);
        assert.equal(page.isComplete, true);
        seen.push(...page.hits.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== undefined);
      assert.deepEqual(
        seen,
        expected.hits.map(({ id }) => id),
        query,
      );
    }
    assert.equal(await parts.remove('book 3'), true);
    assert.equal(await parts.get('book 3'), undefined);
    // A program that wants another number of parts uses that of the first one. Parts are moved whole.
    const other = shardedSearch(site.client('documents'), 'books', { fields: FIELDS, parts: 3 });
    await site.during(shards.reshard({ add: ['shard:3'], remove: ['documents:0'] }));
    assert.equal((await site.during(other.search('whale'))).total, 119);
    assert.deepEqual(await other.get('book 4'), { title: 'whale sea common', year: 1804 });
  });

  it('marks a result that is not complete, and refuses what is no query', async () => {
    await using site = await Site.open();
    const shards = site.client('documents');
    await shards.create(['shard:0', 'shard:1']);
    const books = shardedSearch(shards, 'books', { fields: FIELDS, parts: 4 });
    for (let i = 0; i < 20; i++) await books.index(`${i}`, { title: 'whale', year: i });
    site.down.add('shard:1');
    const later = shardedSearch(site.client('documents'), 'books', { fields: FIELDS });
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page === 0 || cursor !== undefined; page++) {
      const found = await later.search('whale', { limit: 6, cursor, sort: 'year' });
      assert.equal(found.isComplete, page > 0);
      assert.equal(found.missing.size > 0, page === 0);
      assert.equal(found.total === 20, page > 0);
      seen.push(...found.hits.map(({ id }) => id));
      cursor = found.next;
      site.down.clear();
    }
    assert.deepEqual(
      seen.map(Number).sort((x, y) => x - y),
      Array.from({ length: 20 }, (_, i) => i),
      'each once',
    );
    await assert.rejects(books.search('whale -'), { code: 'QUERY' });
    await assert.rejects(books.search('whale', { cursor: 'x' }), { code: 'OPTION' });
    await assert.rejects(books.index(5 as never, {} as never), { code: 'OPTION' });
    assert.throws(() => shardedSearch(site.config as never, 'x', { fields: FIELDS }), { code: 'OPTION' });
  });
});
