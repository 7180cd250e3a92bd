/** Rankings, carts, row caches and view analytics on every kind of store. */
import assert from 'node:assert/strict';
import { carts } from '../../../src/kit/carts/index.js';
import { ranking } from '../../../src/kit/rankings/index.js';
import { rowCache } from '../../../src/kit/row-cache/index.js';
import { sessions } from '../../../src/kit/sessions/index.js';
import { viewAnalytics } from '../../../src/kit/view-analytics/index.js';
import { onEveryStore, until } from './support.js';

onEveryStore('Rankings', (test) => {
  test('articles are posted, voted on, grouped, listed and removed', async (store, { space, another }) => {
    const news = ranking(store, 'news', { prefix: space });
    const elsewhere = ranking(await another(), 'news', { prefix: space });
    const article = { author: 'ann', title: 'é "title"', link: 'https://a.example' };
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await news.post({ ...article, groups: i > 0 ? ['code'] : [] }));
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 === 0 ? news : elsewhere).vote(ids[0] as string, `user ${i % 5}`),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'counted').length, 5);
    assert.equal(outcomes.filter((outcome) => outcome === 'repeated').length, 5);
    assert.equal(await elsewhere.vote(ids[1] as string, 'bob', 'down'), 'counted');
    assert.equal(await news.vote('none', 'bob'), 'unknown');
    const page = await elsewhere.page();
    assert.deepEqual(
      page.map(({ id, up, down }) => [id, up, down]),
      [
        [ids[0], 6, 0],
        [ids[2], 1, 0],
        [ids[1], 1, 1],
      ],
    );
    assert.equal(page[0]?.title, 'é "title"');
    const group = await news.page({ group: 'code' });
    assert.deepEqual(
      group.map(({ id }) => id),
      [ids[2], ids[1]],
    );
    assert.equal(await news.remove(ids[2] as string), true);
    assert.equal((await elsewhere.page({ group: 'code' })).length, 1);
  });
});

onEveryStore('Carts', (test) => {
  test('are changed, merged at a login, and end with the session', async (store, { space, another }) => {
    const all = sessions(store, { prefix: space });
    const shop = carts(store, { sessions: all, prefix: `${space}-cart` });
    const other = await another();
    const elsewhere = carts(other, { sessions: sessions(other, { prefix: space }), prefix: `${space}-cart` });
    const { token } = await all.create();
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? shop : elsewhere).ofSession(token).add('book')),
    );
    assert.deepEqual(await shop.ofSession(token).items(), [{ item: 'book', count: 10 }]);
    await shop.ofUser('ann').set('book', 5);
    await Promise.all([shop.merge(token, 'ann'), elsewhere.merge(token, 'ann')]);
    assert.deepEqual(await elsewhere.ofUser('ann').items(), [{ item: 'book', count: 15 }]);
    await shop.ofSession(token).set('lamp', 1);
    await all.revoke(token);
    assert.deepEqual(await elsewhere.ofSession(token).items(), []);
    assert.equal(await elsewhere.ofSession(token).add('lamp'), undefined);
  });
});

onEveryStore('Row caches', (test) => {
  test('workers share the rows, each of which is loaded once', async (store, { space, another }) => {
    const loads: string[] = [];
    const load = async (id: string): Promise<{ id: string }> => {
      loads.push(id);
      return { id };
    };
    const rows = rowCache<{ id: string }>(store, 'stock', { prefix: space });
    const elsewhere = rowCache<{ id: string }>(await another(), 'stock', { prefix: space });
    await using here = rows.work(load, { concurrency: 2 });
    await using there = elsewhere.work(load, { concurrency: 2 });
    const ids = Array.from({ length: 20 }, (_, i) => `row ${i}`);
    for (const id of ids) await rows.schedule(id, 3_600_000);
    await until('all rows are there', async () =>
      (await rows.getMany(ids)).every((row) => row !== undefined),
    );
    assert.deepEqual([...loads].sort(), [...ids].sort());
    await elsewhere.unschedule('row 3');
    assert.equal(await rows.get('row 3'), undefined);
    await Promise.all([here.stop(), there.stop()]);
  });

  test('a row is refreshed by its schedule', async (store, { space }) => {
    let version = 0;
    const rows = rowCache<number>(store, 'stock', { prefix: space });
    await using worker = rows.work(() => ++version);
    await rows.schedule('a', 20);
    await until('it was refreshed', async () => ((await rows.get('a')) ?? 0) >= 3);
    await worker.stop();
  });
});

onEveryStore('View analytics', (test) => {
  test('views are counted by many, and ranked', async (store, { space, another }) => {
    const views = viewAnalytics(store, 'shop', { prefix: space, halfLife: 86_400_000 });
    const elsewhere = viewAnalytics(await another(), 'shop', { prefix: space, halfLife: 86_400_000 });
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? views : elsewhere).record(`item ${i % 3}`)),
    );
    await elsewhere.record({ 'item 1': 2, 'item 2': 1 });
    const top = await views.top(2);
    assert.deepEqual(
      top.map(({ item }) => item),
      ['item 1', 'item 2'],
    );
    assert.equal(await views.rank('item 0'), 3);
    assert.equal(await views.size(), 3);
  });
});
