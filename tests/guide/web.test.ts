/** Each fault that chapters 1 and 2 of the guide describe, with the short implementation and with the component. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { cached } from '../../src/kit/cache/index.js';
import { carts } from '../../src/kit/carts/index.js';
import { ranking } from '../../src/kit/rankings/index.js';
import { rowCache } from '../../src/kit/row-cache/index.js';
import { sessions } from '../../src/kit/sessions/index.js';
import { viewAnalytics } from '../../src/kit/view-analytics/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';
import { interposed } from '../support/interposed-store.js';
import {
  cacheRowByHand,
  cleanByHand,
  groupPageByHand,
  pageByHand,
  processHash,
  rescaleByHand,
  visitBesidePipeline,
  visitByHand,
  voteByHand,
} from './web-by-hand.js';

const article = { author: 'ann', title: 'title', link: 'https://a.example' };

async function died(): Promise<never> {
  throw new Error('the process died');
}

/** The store, with a list of its requests: each is a round trip if a server is remote. */
function noting(store: EmbeddedStore, requests: string[]): EmbeddedStore {
  return new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      return (...args: unknown[]) => {
        const result: unknown = found.apply(target, args);
        // A script is a request when it is called.
        if (typeof result === 'function') {
          return (...inputs: unknown[]) => {
            requests.push(String(name));
            return result(...inputs);
          };
        }
        if (result instanceof Promise) requests.push(String(name));
        return result;
      };
    },
  });
}

describe('Chapter 1: a vote', () => {
  it('whose process dies between two steps is lost forever, but one script is atomic', async () => {
    await using store = await open();
    await store.send('ZADD', 'time:', 1_000, 'article:1');
    await store.send('ZADD', 'score:', 1_432, 'article:1');
    await assert.rejects(voteByHand(store, 'bob', '1', 2_000, died), /died/);
    await voteByHand(store, 'bob', '1', 2_000);
    assert.equal(await store.send('ZSCORE', 'score:', 'article:1'), '1432', 'bob cannot vote again');
    const news = ranking(store, 'news');
    const id = await news.post(article);
    assert.equal(await news.vote(id, 'bob'), 'counted');
    assert.equal((await news.get(id))?.up, 2);
  });

  it('for an article that does not exist creates a score, but is `unknown` here', async () => {
    await using store = await open();
    await voteByHand(store, 'bob', 'none', 2_000);
    assert.equal(await store.send('ZSCORE', 'score:', 'article:none'), '432');
    const news = ranking(store, 'news');
    assert.equal(await news.vote('none', 'bob'), 'unknown');
    assert.equal(await news.size(), 0);
  });

  it('is accepted twice by a slow clock after the voters are gone, but is `late` by the server', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    await store.send('ZADD', 'time:', 1_700_000_000, 'article:1');
    await voteByHand(store, 'bob', '1', 1_700_000_000);
    await store.send('PEXPIRE', 'voted:1', 7 * 86_400_000);
    const news = ranking(store, 'news');
    const id = await news.post(article);
    await news.vote(id, 'bob');
    clock.advance(7 * 86_400_000 + 1);
    await voteByHand(store, 'bob', '1', clock.now() / 1_000 - 5);
    assert.equal(await store.send('ZSCORE', 'score:', 'article:1'), '864', 'bob has voted twice');
    assert.equal(await news.vote(id, 'bob'), 'late');
  });

  it('order below one is lost in a group, but is kept here', async () => {
    await using store = await open();
    for (const [id, score] of [
      ['a', -3],
      ['b', 0.5],
      ['c', -1],
    ] as const) {
      await store.send('SADD', 'group:all', id);
      await store.send('ZADD', 'score:', score, id);
    }
    assert.deepEqual(await groupPageByHand(store, 'all'), ['c', 'b', 'a'], 'all have the score 1');
    const news = ranking(store, 'news', { points: 1e10 });
    for (const id of ['a', 'b', 'c']) await news.post({ ...article, id, groups: ['all'] });
    for (const user of ['ann', 'bob']) await news.vote('c', user, 'down');
    await news.vote('a', 'ann', 'down');
    const page = await news.page({ group: 'all' });
    assert.deepEqual(
      page.map(({ id }) => id),
      ['b', 'a', 'c'],
    );
  });

  it('page of a misspelt order is empty, but is refused here', async () => {
    await using store = await open();
    await store.send('ZADD', 'score:', 1, 'article:1');
    assert.deepEqual(await store.send('ZRANGE', 'socre:', 0, 24, 'REV'), []);
    await assert.rejects(ranking(store, 'news').page({ order: 'socre' } as object), { code: 'OPTION' });
  });
});

describe('Chapter 2: a session', () => {
  it('that comes back while the cleaner works is removed, but stays here', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    await visitByHand(store, 'old', 'ann', 1);
    await visitByHand(store, 'other', 'bob', 2);
    await cleanByHand(store, 1, () => visitByHand(store, 'old', 'ann', 3));
    assert.equal(await store.send('HGET', 'login:', 'old'), null, 'ann is logged out while she visits');
    const all = sessions(store, { limit: 1, shards: 1 });
    const { token } = await all.create();
    clock.advance(1);
    await all.create();
    clock.advance(1);
    const isListing = (inputs: object): boolean => 'count' in inputs && Number(inputs.count) > 0;
    const returning = interposed(store, isListing, () => all.touch(token));
    await sessions(returning, { limit: 1, shards: 1 }).clean();
    assert.notEqual(await all.get(token), undefined);
  });

  it('sends most commands of a visit outside its pipeline, but is one request here', async () => {
    await using store = await open();
    const requests: string[] = [];
    const counted = noting(store, requests);
    await visitBesidePipeline(counted, 'token', 'ann', 'book', 1);
    assert.deepEqual(requests, ['send', 'send', 'send', 'send', 'pipeline']);
    const all = sessions(counted);
    const { token } = await all.create();
    await all.touch(token, { item: 'first' });
    requests.length = 0;
    await all.touch(token, { item: 'second' });
    assert.deepEqual(requests, ['script']);
    assert.deepEqual(await all.viewed(token), ['second', 'first']);
  });

  it('is refused by the server if arguments are in the order of another client, but has a time and an item here', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    await assert.rejects(store.send('ZADD', 'recent:', 'token', 1), /not a valid float/);
    await assert.rejects(store.send('SETEX', 'cache:page', 'page', 300), /not an integer/);
    const all = sessions(store);
    const { token } = await all.create();
    assert.equal((await all.touch(token, { item: 'book' }))?.seenAt.getTime(), clock.now());
    let renders = 0;
    const page = cached(store, async () => `page ${++renders}`, { name: 'page', ttl: 300_000, jitter: 0 });
    await page();
    clock.advance(299_999);
    assert.equal(await page(), 'page 1');
    clock.advance(2);
    assert.equal(await page(), 'page 2');
  });

  it('has a cart whose items can be removed: there is no HREM', async () => {
    await using store = await open();
    await assert.rejects(store.send('HREM', 'cart:1', 'book'), /unknown command/i);
    const all = sessions(store);
    const { token } = await all.create();
    const cart = carts(store, { sessions: all }).ofSession(token);
    await cart.set('book', 1);
    await cart.set('book', -1);
    assert.deepEqual(await cart.items(), []);
  });
});

describe('Chapter 2: a cache', () => {
  it('is not shared by processes whose hashes differ, but is here', async () => {
    await using store = await open();
    let renders = 0;
    const render = async (): Promise<string> => `page ${++renders}`;
    await pageByHand(store, '/item?id=7', processHash('one process'), render);
    await pageByHand(store, '/item?id=7', processHash('another'), render);
    assert.equal(renders, 2);
    const options = { name: 'page' };
    const page = await cached(store, render, options)();
    assert.equal(await cached(store, render, options)(), page);
  });

  it('renders a page for each caller, but once here', async () => {
    await using store = await open();
    let renders = 0;
    const render = async (): Promise<string> => {
      await turn();
      return `page ${++renders}`;
    };
    await Promise.all([1, 2, 3].map(() => pageByHand(store, '/', processHash(''), render)));
    assert.equal(renders, 3);
    const page = cached(store, render, { name: 'page' });
    await Promise.all([page(), page(), page()]);
    assert.equal(renders, 4);
  });

  it('stores a page that was invalidated while it was rendered, but not here', async () => {
    await using store = await open();
    let version = 1;
    let meanwhile = async (): Promise<unknown> => store.send('DEL', `cache:${processHash('')('/')}`);
    const render = async (): Promise<string> => {
      const page = `version ${version}`;
      if (version === 1) {
        version = 2;
        await meanwhile();
      }
      return page;
    };
    await pageByHand(store, '/', processHash(''), render);
    assert.equal(await pageByHand(store, '/', processHash(''), render), 'version 1', 'for five minutes');
    version = 1;
    const page = cached(store, render, { name: 'page' });
    meanwhile = () => page.invalidate();
    await page();
    assert.equal(await page(), 'version 2');
  });
});

describe('Chapter 2: analytics and rows', () => {
  it('trims the most viewed items, but the least viewed here', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const counts = { best: 9, good: 5, bad: 1 };
    for (const [item, count] of Object.entries(counts)) await store.send('ZINCRBY', 'viewed:', count, item);
    await rescaleByHand(store, 2);
    assert.equal(await store.send('ZSCORE', 'viewed:', 'best'), null);
    const views = viewAnalytics(store, 'shop', { max: 2 });
    await views.record(counts);
    clock.advance(300_000);
    await views.record('best');
    assert.deepEqual(
      (await views.top(9)).map(({ item }) => item),
      ['best', 'good'],
    );
  });

  it('loads a row twice with two workers, but once here', async () => {
    await using store = await open();
    let loads = 0;
    const load = async (row: string): Promise<string> => {
      loads++;
      await turn();
      return row;
    };
    await store.send('ZADD', 'delay:', 5, 'row');
    await store.send('ZADD', 'schedule:', 1, 'row');
    await Promise.all([cacheRowByHand(store, 2, load), cacheRowByHand(store, 2, load)]);
    assert.equal(loads, 2);
    const rows = rowCache<string>(store, 'stock');
    await using first = rows.work(load);
    await using second = rows.work(load);
    await rows.schedule('row', 60_000);
    while ((await rows.get('row')) === undefined) await turn();
    assert.equal(loads, 3);
    await Promise.all([first.stop(), second.stop()]);
  });
});
