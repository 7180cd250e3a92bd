import assert from 'node:assert/strict';
import { searchIndex } from '../../../src/kit/search/index.js';
import { onEveryStore, rejectsWith } from './support.js';

const FIELDS = { title: 'text', body: 'text', tag: 'keyword', n: 'number' } as const;

onEveryStore('Search', (test) => {
  for (const ranking of ['none', 'bm25'] as const) {
    test(`documents are found, sorted and paged while others change them, ranking ${ranking}`, async (store, {
      space,
      another,
      failover,
    }) => {
      const options = { fields: FIELDS, ranking, prefix: space };
      const mine = searchIndex(store, 'texts', options);
      const elsewhere = searchIndex(await another(), 'texts', options);
      const documents = Array.from({ length: 120 }, (_, i) => {
        const body = `common word${i % 10} naïve 北京市 ${i % 2 === 0 ? 'even number' : 'number odd'}`;
        return [`d${i}`, { title: `Title ${i}`, body, tag: [`t${i % 3}`, 'all'], n: i }] as const;
      });
      const halves = [documents.slice(0, 60), documents.slice(60)] as const;
      const added = await Promise.all([mine.indexAll(halves[0]), elsewhere.indexAll(halves[1])]);
      assert.deepEqual(added, [60, 60]);

      const ids: string[] = [];
      let after: string | undefined;
      do {
        const page = await elsewhere.search('common -word3', { sort: '-n', limit: 25, after });
        assert.equal(page.total, 108);
        ids.push(...page.hits.map(({ id }) => id));
        await mine.index('d4', { title: 'gone', n: 1_000 });
        after = page.next;
      } while (after !== undefined);
      assert.equal(new Set(ids).size, 108);
      assert.equal(ids[0], 'd119');

      await failover();
      for (const [query, total] of [
        ['word1 +word2', 24],
        ['"even number" naive', 59],
        ['word4 even', 11],
        ['title:gone', 1],
        ['body:gone', 0],
        ['wor* tag:t1', 39],
        ['北京 n:10..19', 10],
        ['common -n:..99', 20],
        ['-common', 1],
        ['京市 "odd" title:11', 1],
        ['*', 120],
      ] as const) {
        assert.equal((await mine.search(query)).total, total, query);
      }
      const mixed = await mine.search('tag:all word7', { sort: { n: 1 }, facets: ['tag'], limit: 2 });
      assert.deepEqual(
        mixed.hits.map(({ id, score }) => [id, score]),
        [
          ['d117', 117],
          ['d107', 107],
        ],
      );
      assert.deepEqual(mixed.facets['tag']?.[0], { value: 'all', count: 12 });
      await rejectsWith(mine.search('word* "open'), 'QUERY', /not closed/);
      assert.equal(await elsewhere.remove('d7'), true);
      assert.deepEqual(await mine.get('d7'), undefined);
      assert.deepEqual((await mine.get('d8'))?.tag, ['t2', 'all']);
      await mine.clear();
      assert.equal((await elsewhere.search('*')).total, 0);
      assert.equal(await elsewhere.size(), 0);
    });
  }
});
