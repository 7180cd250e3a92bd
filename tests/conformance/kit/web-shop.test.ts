/** The components of web applications on every kind of store, in one suite: each suite starts servers of its own. */
import assert from 'node:assert/strict';
import { cached, pageCache } from '../../../src/kit/cache/index.js';
import { carts } from '../../../src/kit/carts/index.js';
import { ranking } from '../../../src/kit/rankings/index.js';
import { rowCache } from '../../../src/kit/row-cache/index.js';
import { sessions } from '../../../src/kit/sessions/index.js';
import { viewAnalytics } from '../../../src/kit/view-analytics/index.js';
import { onEveryStore, until } from './support.js';

onEveryStore('What web applications use', (test) => {
  test('sessions: are created, changed, rotated and revoked', async (store, { space, another }) => {
    const all = sessions<{ n: number; name: string }>(store, { prefix: space });
    const elsewhere = sessions<{ n: number; name: string }>(await another(), { prefix: space });
    const { token } = await all.create({ user: 'ann', data: { name: 'é\n"' } });
    await elsewhere.touch(token, { item: 'a' });
    await Promise.all([all.update(token, { n: 1 }), elsewhere.touch(token, { item: 'b' })]);
    assert.deepEqual((await elsewhere.get(token))?.data, { name: 'é\n"', n: 1 });
    assert.deepEqual((await all.viewed(token)).sort(), ['a', 'b']);
    const rotated = await elsewhere.rotate(token);
    assert.ok(rotated !== undefined);
    assert.equal(await all.get(token), undefined);
    assert.deepEqual((await all.viewed(rotated.token)).sort(), ['a', 'b']);
    assert.deepEqual(
      (await all.ofUser('ann')).map(({ id }) => id),
      [rotated.id],
    );
    assert.equal(await elsewhere.revokeUser('ann'), 1);
    assert.equal(await all.touch(rotated.token), undefined);
  });

  test('sessions: beyond the limit are removed, the oldest first', async (store, { space, another }) => {
    const options = { prefix: space, limit: 10 };
    const all = sessions(store, options);
    const tokens: string[] = [];
    for (let i = 0; i < 30; i++) tokens.push((await all.create({ user: 'ann' })).token);
    for (const token of tokens.slice(0, 5)) await all.touch(token, { item: 'book' });
    const others = sessions(await another(), options);
    const removed = await Promise.all([all.clean(), others.clean()]);
    assert.equal(removed[0] + removed[1], 20, `${removed}`);
    const left = await Promise.all(tokens.map(async (token) => (await all.get(token)) !== undefined));
    const expected = tokens.map((_, at) => at < 5 || at >= 25);
    assert.deepEqual(left, expected);
    assert.equal(await all.count(), 10);
    assert.equal((await all.ofUser('ann')).length, 10);
    await all.revokeUser('ann');
  });

  test('sessions: end after their idle time', async (store, { space }) => {
    const all = sessions(store, { prefix: space, idle: 50 });
    const { token } = await all.create();
    await store.time.sleep(60);
    assert.equal(await all.touch(token), undefined);
  });

  test('cached functions: are called once for all clients', async (store, { space, another }) => {
    let calls = 0;
    const produce = async (id: string): Promise<{ id: string; text: string }> => {
      calls++;
      await store.time.sleep(20);
      return { id, text: 'é'.repeat(2_000) };
    };
    const options = { name: 'read', prefix: space };
    const [here, there] = [cached(store, produce, options), cached(await another(), produce, options)];
    const results = await Promise.all([here('a'), there('a'), here('a'), there('a'), there('b')]);
    assert.deepEqual(
      new Set(results.map(({ id, text }) => `${id} ${text.length}`)),
      new Set(['a 2000', 'b 2000']),
    );
    assert.equal(calls, 2);
  });

  test('cached functions: are invalidated by arguments and by tag, also in the memory of other processes', async (store, {
    space,
    another,
  }) => {
    let version = 0;
    const produce = async (id: string): Promise<string> => `${id} ${version}`;
    const options = { name: 'read', prefix: space, local: 100, tags: (_: string, id: string) => [id, 'all'] };
    const [here, there] = [cached(store, produce, options), cached(await another(), produce, options)];
    for (const one of [here, there, here, there]) await one('a');
    version++;
    await there.invalidate('a');
    assert.equal(await there('a'), 'a 1');
    await until('the other process knows', async () => (await here('a')) === 'a 1');
    await here('b');
    version++;
    assert.equal(await here.invalidateTag('all'), 2);
    assert.deepEqual([await here('a'), await here('b')], ['a 2', 'b 2']);
    await until('the other process knows', async () => (await there('a')) === 'a 2');
    await here.close();
    await there.close();
  });

  test('page caches: render a page once, and send it as it was', async (store, { space, another }) => {
    let calls = 0;
    const render = (): Response => {
      calls++;
      return new Response(`ÿ page ${calls} ${'x'.repeat(2_000)}`, {
        headers: { 'content-type': 'text/html' },
      });
    };
    const options = { prefix: space };
    const handlers = [
      pageCache(store, options).fetch(render),
      pageCache(await another(), options).fetch(render),
    ];
    const ask = async (at: number): Promise<string> => {
      const response = await handlers[at % 2]!(new Request('http://shop.test/page?id=7'));
      return `${response.headers.get('content-type')} ${(await response.text()).slice(0, 8)}`;
    };
    const texts = await Promise.all(Array.from({ length: 10 }, (_, at) => ask(at)));
    assert.deepEqual(new Set(texts), new Set(['text/html ÿ page 1']));
    assert.equal(calls, 1);
  });

  test('rankings: articles are posted, voted on, grouped, listed and removed', async (store, {
    space,
    another,
  }) => {
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

  test('carts: are changed, merged at a login, and end with the session', async (store, {
    space,
    another,
  }) => {
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

  test('row caches: workers share the rows, each of which is loaded once', async (store, {
    space,
    another,
  }) => {
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

  test('row caches: a row is refreshed by its schedule', async (store, { space }) => {
    let version = 0;
    const rows = rowCache<number>(store, 'stock', { prefix: space });
    await using worker = rows.work(() => ++version);
    await rows.schedule('a', 20);
    await until('it was refreshed', async () => ((await rows.get('a')) ?? 0) >= 3);
    await worker.stop();
  });

  test('view analytics: views are counted by many, and ranked', async (store, { space, another }) => {
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
