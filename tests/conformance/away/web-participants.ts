/** Rows of `PARTICIPANTS`: what web applications use. */
import { cached } from '../../../src/kit/cache/index.js';
import { carts } from '../../../src/kit/carts/index.js';
import { ranking } from '../../../src/kit/rankings/index.js';
import { rowCache } from '../../../src/kit/row-cache/index.js';
import { sessions } from '../../../src/kit/sessions/index.js';
import { viewAnalytics } from '../../../src/kit/view-analytics/index.js';
import type { Participant } from './participants.js';

const QUIET = { onError: () => {} };

const visitors: Participant = {
  name: 'sessions',
  prepare: async (store, space) => {
    const all = sessions<{ n: number }>(store, { prefix: space, shards: 2 });
    const { token } = await all.create({ user: 'ann' });
    const cleaner = all.keepClean(QUIET);
    return {
      calls: {
        create: () => all.create({ user: 'ann' }),
        touch: () => all.touch(token, { item: 'book' }),
        update: () => all.update(token, { n: 1 }),
        rotate: () => all.rotate(token),
        revoke: () => all.revoke(token),
        ofUser: () => all.ofUser('ann'),
        clean: () => all.clean(),
      },
      signals: { clean: (signal) => all.clean({ signal }) },
      ends: { 'stop of a cleaner': () => cleaner.stop() },
      works: () => all.create({ user: 'ann' }),
    };
  },
};

const caches: Participant = {
  name: 'cached',
  prepare: async (store, space) => {
    const read = cached(store, async (id: string) => id, {
      name: 'read',
      prefix: space,
      ...QUIET,
      local: 10,
    });
    await read('a');
    return {
      calls: {
        invalidate: () => read.invalidate('a'),
        invalidateTag: () => read.invalidateTag('tag'),
      },
      // Without the server, the function is called.
      ends: {
        call: () => read('b'),
        refresh: () => read.refresh('c'),
      },
      works: async () => {
        await read('a');
        await read.invalidate('a');
      },
    };
  },
};

const votes: Participant = {
  name: 'ranking',
  prepare: async (store, space) => {
    const news = ranking(store, 'news', { prefix: space });
    const article = { author: 'ann', title: 'title', link: 'https://a.example' };
    const id = await news.post(article);
    return {
      calls: {
        post: () => news.post(article),
        vote: () => news.vote(id, 'bob'),
        page: () => news.page({ group: 'code' }),
        get: () => news.get(id),
        regroup: () => news.regroup(id, { add: ['code'] }),
        remove: () => news.remove('none'),
      },
      works: () => news.vote(id, 'bob'),
    };
  },
};

const shopping: Participant = {
  name: 'carts',
  prepare: async (store, space) => {
    const all = sessions(store, { prefix: space });
    const shop = carts(store, { sessions: all, prefix: `${space}-cart` });
    const { token } = await all.create();
    await shop.ofSession(token).set('book', 1);
    return {
      calls: {
        set: () => shop.ofSession(token).set('book', 2),
        items: () => shop.ofUser('ann').items(),
        clear: () => shop.ofUser('ann').clear(),
        merge: () => shop.merge(token, 'ann'),
      },
      works: () => shop.merge(token, 'ann'),
    };
  },
};

const rows: Participant = {
  name: 'rowCache',
  prepare: async (store, space) => {
    const stock = rowCache<string>(store, 'stock', { prefix: space });
    const worker = stock.work((id) => id, QUIET);
    await stock.schedule('a', 60_000);
    return {
      calls: {
        schedule: () => stock.schedule('b', 60_000),
        unschedule: () => stock.unschedule('none'),
        refresh: () => stock.refresh('a'),
        get: () => stock.get('a'),
      },
      ends: { 'stop of a worker': (within) => worker.stop({ within }) },
      works: () => stock.schedule('b', 60_000),
    };
  },
};

const viewing: Participant = {
  name: 'viewAnalytics',
  prepare: async (store, space) => {
    const views = viewAnalytics(store, 'shop', { prefix: space });
    return {
      calls: {
        record: () => views.record('book'),
        top: () => views.top(10),
        rank: () => views.rank('book'),
      },
      works: () => views.record('book'),
    };
  },
};

export const WEB_PARTICIPANTS: readonly Participant[] = [visitors, caches, votes, shopping, rows, viewing];
