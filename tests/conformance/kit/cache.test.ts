import assert from 'node:assert/strict';
import { cached, pageCache } from '../../../src/kit/cache/index.js';
import { onEveryStore, until } from './support.js';

onEveryStore('Cached functions', (test) => {
  test('are called once for all clients', async (store, { space, another }) => {
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

  test('are invalidated by arguments and by tag, also in the memory of other processes', async (store, {
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
});

onEveryStore('Page caches', (test) => {
  test('render a page once, and send it as it was', async (store, { space, another }) => {
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
});
