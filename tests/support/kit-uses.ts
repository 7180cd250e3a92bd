import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adIndex } from '../../src/kit/ads/index.js';
import { dictionary, recentContacts } from '../../src/kit/autocomplete/index.js';
import { cached } from '../../src/kit/cache/index.js';
import { carts } from '../../src/kit/carts/index.js';
import { configuration } from '../../src/kit/configuration/index.js';
import { counters } from '../../src/kit/counters/index.js';
import { durableWrites } from '../../src/kit/durable-write/index.js';
import { files } from '../../src/kit/files/index.js';
import { ids } from '../../src/kit/ids/index.js';
import { exampleData, ipLookup } from '../../src/kit/ip-lookup/index.js';
import { jobIndex } from '../../src/kit/jobs/index.js';
import { locks } from '../../src/kit/locks/index.js';
import { logProcessor } from '../../src/kit/log-processing/index.js';
import { logs } from '../../src/kit/logs/index.js';
import { market } from '../../src/kit/market/index.js';
import { chats, mailboxes } from '../../src/kit/messaging/index.js';
import { packedRecords, unsigned } from '../../src/kit/packed-records/index.js';
import { defineTask, flow, queue } from '../../src/kit/queue/index.js';
import { ranking } from '../../src/kit/rankings/index.js';
import { rateLimiter } from '../../src/kit/rate-limiter/index.js';
import { rowCache } from '../../src/kit/row-cache/index.js';
import { searchIndex } from '../../src/kit/search/index.js';
import { semaphores } from '../../src/kit/semaphores/index.js';
import { sessions } from '../../src/kit/sessions/index.js';
import { shardedHash } from '../../src/kit/sharded-hash/index.js';
import { shardedList } from '../../src/kit/sharded-list/index.js';
import { shardedSet } from '../../src/kit/sharded-set/index.js';
import { sharding } from '../../src/kit/sharding/index.js';
import { socialNetwork } from '../../src/kit/social/index.js';
import { statistics } from '../../src/kit/statistics/index.js';
import { stock } from '../../src/kit/stock/index.js';
import { streaming } from '../../src/kit/streaming/index.js';
import { uniqueVisitors } from '../../src/kit/unique-visitors/index.js';
import { viewAnalytics } from '../../src/kit/view-analytics/index.js';
import type { EmbeddedStore, ManualClock } from '../../src/store/index.js';

/** How one component is used. */
export interface Use {
  /** Uses the component as programs do, and checks the keys on the way. */
  run(store: EmbeddedStore, clock: ManualClock, look: () => Promise<unknown>): Promise<void>;
  /** The keys that remain after a week without use. */
  readonly left: readonly string[];
}

const note = defineTask<string>('note');
const other = defineTask<string>('other');

/** Each component, used as programs do, so that it leaves all kinds of its keys. */
export const USES: Readonly<Record<string, Use>> = {
  locks: {
    async run(store, clock, look) {
      const own = locks(store);
      const held = await own.acquire('a');
      const waiting = own.acquire('a', { fair: true });
      await clock.run(100);
      await look();
      await held.release();
      await (await waiting).release();
      for (let i = 0; i < 20; i++) await (await own.acquire(`name ${i}`)).release();
    },
    left: [],
  },
  semaphores: {
    async run(store, clock, look) {
      const own = semaphores(store, { limit: 1 });
      await own.setLimit('b', 5);
      const held = await own.acquire('a');
      const waiting = own.acquire('a');
      await clock.run(100);
      await look();
      await held.release();
      await (await waiting).release();
    },
    left: ['semaphore:{b}:limit'],
  },
  'rate-limiter': {
    async run(store) {
      const algorithms = ['token-bucket', 'gcra', 'fixed-window', 'sliding-window'] as const;
      const windows = algorithms.map((algorithm) => ({ limit: 5, per: 60_000, algorithm, name: algorithm }));
      for (const window of windows) await rateLimiter(store, window).take('a');
      const several = rateLimiter(store, { windows, block: 60_000 });
      await several.take('a', 5);
      await several.take('a');
      await several.penalize('a', 5);
      await several.reward('b');
      await several.penalize('c');
      await several.reward('c');
    },
    left: [],
  },
  queue: {
    async run(store, clock, look) {
      const mail = queue(store, 'mail', { keepCompleted: { age: 5_000 }, keepDead: 3, keepMetrics: 2 });
      const elsewhere = queue(store, 'elsewhere', { keepCompleted: 0 });
      await mail.limit({ tasks: 100, per: 1_000 });
      await mail.limitGroups({ tasks: 1 });
      await mail.add(note, 'c', { group: 'g', id: 'own' });
      await mail.add(note, 'd', { throttle: { key: 'k', per: 1_000 } });
      await mail.addFlow(flow(note, 'parent', [flow(note, 'child', [], { queue: elsewhere })]));
      const elsewhereWorker = elsewhere.work(note.handle(() => undefined));
      await mail.schedule('tick', note, 'x', { every: 1_000 });
      await mail.add(note, 'a', { priority: 1, key: 'once' });
      await mail.add(note, 'b', { delay: 5_000 });
      await mail.addAll(
        note,
        Array.from({ length: 10 }, () => ['fails'] as const),
      );
      const { id } = await mail.add(other, 'not handled');
      await look();
      const worker = mail.work(
        note.handle(async (text, task) => {
          await task.progress(1);
          await task.log('works');
          if (text === 'fails') throw new Error('on purpose');
        }),
      );
      await clock.run(10_000);
      await look();
      await mail.unschedule('tick');
      await mail.remove(id);
      const stopped = Promise.all([worker.stop(), elsewhereWorker.stop()]);
      await clock.run(100);
      await stopped;
      assert.equal((await mail.counts()).completed, 7, 'tasks of the last five seconds');
      assert.equal((await mail.counts()).dead, 3, 'dead tasks are bounded');
    },
    left: [
      'queue:{elsewhere}:meta',
      ...['completed', 'dead', 'meta', 'meta:metrics', 'notes', 'outcomes', 'tasks', 'tasks:logs'].map(
        (part) => `queue:{mail}:${part}`,
      ),
      ...['unique:ids', 'unique:until', 'waiting:kinds'].map((part) => `queue:{mail}:${part}`),
    ],
  },
  messaging: {
    async run(store, clock, look) {
      const mail = mailboxes<number>(store, { limit: 3 });
      for (let i = 0; i < 3; i++) await mail.send('ann', i);
      await assert.rejects(mail.send('ann', 3), { code: 'FULL' });
      const receiving = mail.receive('ann');
      await receiving.next();
      const standby = mail.receive('ann');
      const next = standby.next();
      await clock.run(100);
      await look();
      await receiving.return?.();
      await next;
      await standby.return?.();
      const talk = chats<number>(store, { limit: 3 });
      await talk.create('team', ['ann', 'bob']);
      for (let i = 1; i <= 9; i++) await talk.post('team', 'ann', i);
      assert.deepEqual(
        (await talk.unread('team', 'bob')).map(({ message }) => message),
        [7, 8, 9],
      );
    },
    left: [
      ...['chat-member:{ann}:joined', 'chat-member:{bob}:joined'],
      ...['chat:{team}:last', 'chat:{team}:members', 'chat:{team}:messages', 'mailbox:{ann}:box'],
    ],
  },
  files: {
    async run(store, _clock, look) {
      const shipping = files(store);
      await shipping.send('a', [Buffer.from('abc')], { readers: ['ann'] });
      await look();
      for await (const _ of shipping.receive('a', 'ann'));
      await shipping.create('b', { readers: ['ann'] });
    },
    left: [],
  },
  'ip-lookup': {
    async run(store, clock, look) {
      const places = ipLookup(store);
      const { locations, ipv4, ipv6 } = exampleData(600);
      for (let i = 0; i < 3; i++) await places.import({ locations, blocks: [ipv4, ipv6] });
      await places.find('10.0.0.1');
      await clock.run(60_001);
      await look();
      await places.remove();
    },
    left: [],
  },
  logs: {
    async run(store, _clock, look) {
      const log = logs(store, { maxRecent: 5, maxMessages: 7, keepRecent: 86_400_000 });
      for (let i = 0; i < 50; i++) await log.write('shop', `message ${i}`, { severity: 'error' });
      await look();
      assert.equal((await log.recent('shop', { severity: 'error' })).length, 5, 'recent entries are bounded');
      assert.equal((await log.common('shop', { severity: 'error' })).length, 7, 'so are counts');
    },
    left: [],
  },
  statistics: {
    async run(store, _clock, look) {
      const stats = statistics(store);
      for (let i = 0; i < 200; i++) await stats.timed(`page ${i}`, () => i);
      await stats.flush();
      await stats.recordAll('upload', 'bytes', [1, 2, 3]);
      await look();
      assert.equal((await stats.slowest()).length, 100, 'the slowest are bounded');
    },
    left: [],
  },
  counters: {
    async run(store, clock, look) {
      const hits = counters(store);
      for (let i = 0; i < 200; i++) {
        await hits.count('a');
        await clock.run(1_000);
      }
      await look();
      // A day's slices are kept for 120 days, so that one series is left after a week.
      await hits.remove('a');
    },
    left: [],
  },
  configuration: {
    async run(store) {
      const settings = configuration(store);
      for (let i = 0; i < 10; i++) await settings.set('a', i);
      await settings.set('b', 1);
      await settings.remove('b');
      await settings.maintenance.begin();
      await settings.maintenance.end();
    },
    left: ['config:{a}:record'],
  },
  autocomplete: {
    async run(store, _clock, look) {
      const contacts = recentContacts(store, { limit: 3 });
      for (let i = 0; i < 9; i++) await contacts.add('ann', `contact ${i}`);
      assert.equal((await contacts.complete('ann', '')).length, 3, 'contacts are bounded');
      const words = dictionary(store, 'words');
      await words.addAll(['plain', { text: 'heavy', weight: 5 }]);
      await look();
      await words.remove('heavy');
    },
    left: ['autocomplete:{words}:plain', 'contacts:{ann}:recent'],
  },
  ads: {
    async run(store, clock, look) {
      const ads = adIndex(store, 'site', { estimateEvery: 1 });
      for (let i = 0; i < 5; i++) {
        await ads.add('a', { locations: ['CH', `place ${i}`], content: `word ${i}`, cpc: 1 });
        await ads.add(`other ${i}`, { locations: ['DE'], content: 'word', cpm: 1 });
        for (const locations of [['CH'], ['DE']]) {
          const [placement] = await ads.target({ locations, content: `a word, ${i}` });
          await ads.click(placement?.target ?? '');
        }
        await look();
        await ads.remove(`other ${i}`);
      }
      await ads.remove('a');
      await clock.run(900_001);
    },
    left: ['ads:{site}:totals'],
  },
  jobs: {
    async run(store, _clock, look) {
      const openings = jobIndex(store, 'openings');
      for (let i = 0; i < 5; i++) {
        await openings.add('a', { skills: ['x', `y ${i}`, 'z'], locations: ['Bern', `place ${i}`] });
        await openings.add(`other ${i}`, { skills: [`y ${i}`] });
        await look();
        await openings.remove(`other ${i}`);
      }
      assert.equal((await store.send<string[]>('KEYS', '*')).length, 6, 'old skills and locations are gone');
      await openings.remove('a');
    },
    left: [],
  },
  search: {
    async run(store, clock, look) {
      const books = searchIndex(store, 'books', {
        fields: { title: { type: 'text', sortable: true }, body: 'text', tag: 'keyword', n: 'number' },
      });
      for (let i = 0; i < 5; i++) {
        await books.index('one', { title: `title ${i}`, body: `text ${i}`, tag: `t${i}`, n: i });
        await books.index(`other ${i}`, { body: `text ${i}` });
        await books.search(`text -title${i}`, { sort: 'n' });
        await books.remove(`other ${i}`);
      }
      await look();
      await clock.run(60_001);
      await look();
      await books.remove('one');
    },
    left: ['search:{books}:version'],
  },
  cache: {
    async run(store, clock, look) {
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const read = cached(
        store,
        async (id: string) => {
          if (id === 'slow') await held;
          return id;
        },
        { name: 'read', tags: () => ['all'] },
      );
      for (let i = 0; i < 10; i++) await read(`${i}`);
      const waiting = [read('slow'), read('slow')];
      await clock.run(10);
      await look();
      letGo();
      await Promise.all(waiting);
      await read.invalidateTag('all');
      await look();
    },
    left: [],
  },
  rankings: {
    async run(store, clock, look) {
      const news = ranking(store, 'news');
      for (let i = 0; i < 3; i++) {
        await news.post({ author: 'ann', title: 'title', link: 'https://a.example', groups: ['code'] });
        await news.vote('1', `user ${i}`);
      }
      await news.page({ group: 'code' });
      await look();
      await news.remove('2');
      await clock.run(60_001);
    },
    left: [
      ...['article:1', 'article:3', 'by-score', 'by-time', 'group:code', 'last'].map(
        (part) => `ranking:{news}:${part}`,
      ),
    ],
  },
  carts: {
    async run(store, clock, look) {
      const all = sessions(store, { idle: 3_600_000 });
      const shop = carts(store, { sessions: all, keep: 86_400_000 });
      const { token } = await all.create();
      await shop.ofSession(token).set('book', 1);
      await look();
      await shop.merge(token, 'ann');
      await shop.ofSession(token).set('lamp', 1);
      await look();
      await clock.run(3_604_000);
      await all.count();
    },
    left: [],
  },
  'row-cache': {
    async run(store, clock, look) {
      const stock = rowCache<string>(store, 'stock');
      const worker = stock.work((id) => id);
      for (const id of ['a', 'b', 'c']) await stock.schedule(id, 1_000);
      await clock.run(5_000);
      await look();
      await stock.unschedule('a');
      await look();
      await worker.stop();
    },
    left: ['rows:{stock}:claims', 'rows:{stock}:due', 'rows:{stock}:every'],
  },
  'view-analytics': {
    async run(store, clock, look) {
      const views = viewAnalytics(store, 'shop', { max: 5 });
      for (let i = 0; i < 50; i++) await views.record(`item ${i}`);
      assert.ok((await views.size()) <= 10, 'items are bounded');
      await look();
      await clock.run(300_000);
      await views.record('item');
      assert.equal(await views.size(), 5);
    },
    left: [],
  },
  sessions: {
    async run(store, clock, look) {
      const all = sessions(store, { limit: 5, idle: 3_600_000 });
      for (let i = 0; i < 10; i++) {
        const { token } = await all.create({ user: 'ann', data: { i } });
        await all.touch(token, { item: 'book' });
        if (i === 0) await all.revoke(token);
        clock.advance(1);
      }
      await look();
      assert.equal(await all.clean(), 4);
      await look();
      await clock.run(3_604_000);
      await all.count();
      await clock.run(30 * 86_400_000);
    },
    left: [],
  },
  'sharded-hash': {
    async run(store, _clock, look) {
      const hash = shardedHash(store, 'a', { layout: 'sequential', shardSize: 10 });
      for (let i = 0; i < 25; i++) await hash.set(i, 'x');
      await look();
      await hash.clear();
    },
    left: ['sharded-hash:{a}:layout', 'sharded-hash:{a}:shards'],
  },
  'sharded-set': {
    async run(store, _clock, look) {
      const set = shardedSet(store, 'a', { expected: 10, shardSize: 2 });
      for (let i = 0; i < 10; i++) await set.add(i);
      await look();
      await set.remove();
    },
    left: [],
  },
  sharding: {
    async run(store, clock, look) {
      await using users = sharding(store, 'a');
      await users.create(['memory:', 'memory:'], { lease: 100 });
      await users.store.set('key', 'value');
      const moved = users.reshard({ remove: ['a:0'] });
      await clock.run(50);
      await look();
      await clock.run(500);
      await moved;
    },
    left: ['config:{a:0}:record', 'config:{a:1}:record', 'config:{a}:record'],
  },
  'unique-visitors': {
    async run(store, clock, look) {
      const exact = uniqueVisitors(store, 'a', { keepDays: 3 });
      const estimate = uniqueVisitors(store, 'b', { keepDays: 3, approximate: true });
      for (let i = 0; i < 5; i++) {
        await exact.visit('ann');
        await estimate.visit('ann');
        await clock.run(86_400_000);
      }
      await look();
      assert.equal((await exact.days()).length, 3);
      assert.equal((await estimate.days()).length, 3);
    },
    left: [],
  },
  'packed-records': {
    async run(store, _clock, look) {
      const records = packedRecords(store, 'a', { fields: { n: unsigned(7) } });
      await records.set(1, { n: 1 });
      await look();
      await records.clear();
    },
    left: ['packed-records:{a}:layout', 'packed-records:{a}:shards'],
  },
  stock: {
    async run(store, _clock, look) {
      const sale = stock(store, { hold: 1_000 });
      await sale.offer('tv', 2);
      const result = await sale.reserve('tv', 'ann');
      await sale.reserve('tv', 'bob');
      await look();
      if (result.outcome === 'reserved') await sale.confirm('tv', 'ann', result.id);
      await look();
      await sale.offer('radio', 5);
      await sale.remove('radio');
    },
    left: ['holds', 'reservations', 'sales', 'units'].map((part) => `stock:{tv}:${part}`),
  },
  ids: {
    async run(store) {
      await ids(store, 'a').take(5);
    },
    left: ['ids:{a}:last'],
  },
  market: {
    async run(store, _clock, look) {
      const realm = market(store, 'realm');
      await realm.deposit('bob', 10);
      await realm.give('ann', 'sword', 2);
      const listed = await realm.list('ann', 'sword', 10);
      await look();
      if (listed.outcome === 'listed') await realm.purchase('bob', listed.id, 10);
      await realm.take('ann', 'sword');
    },
    left: ['market:{realm}:funds:ann', 'market:{realm}:items:bob', 'market:{realm}:total'],
  },
  'log-processing': {
    async run(store, _clock, look) {
      const folder = mkdtempSync(join(tmpdir(), 'sorrel-growth-'));
      appendFileSync(join(folder, 'web.log'), 'line\n');
      const logs = logProcessor(store, 'web', { folder });
      await logs.process((line, tally) => {
        tally.count('a', line);
        tally.rank('a', line);
        tally.unique('a', line);
        tally.send('SET', tally.key('a'), line);
      });
      await look();
      await logs.clear();
      rmSync(folder, { recursive: true });
    },
    left: [],
  },
  social: {
    async run(store, clock, look) {
      const network = socialNetwork(store, { timelineSize: 2 });
      const worker = network.work();
      for (const name of ['ann', 'bob']) await network.signUp(name);
      await network.follow('bob', 'ann');
      const list = await network.createList('bob', 'friends');
      await network.addToList(list, 'ann');
      const posted: string[] = [];
      for (let i = 0; i < 4; i++) posted.push((await network.post('ann', `text ${i}`)).id);
      await network.like('bob', posted[0] as string);
      await look();
      await network.block('ann', 'bob');
      await clock.run(30_000);
      await look();
      for (const id of posted) await network.deleteStatus('ann', id);
      await network.deleteList(list);
      await network.unblock('ann', 'bob');
      await clock.run(30_000);
      const stopping = worker.stop();
      await clock.run(10);
      await stopping;
    },
    left: ['social-queue:{work}:meta', 'social:{ann}:user', 'social:{bob}:user'],
  },
  streaming: {
    async run(store, _clock, look) {
      const live = streaming(store, 'statuses', { keep: 5 });
      for (let i = 0; i < 300; i++) await live.publish({ id: `${i}`, user: 'ann', text: 'x' });
      await live.retract('299', 'ann');
      assert.ok((await store.xlen('streaming:{statuses}:events')) < 200, 'events are bounded');
      assert.equal(await store.hlen('streaming:{statuses}:places'), 5);
      await look();
    },
    left: ['events', 'known', 'places'].map((part) => `streaming:{statuses}:${part}`),
  },
  'durable-write': {
    async run(store) {
      await durableWrites(store, { disk: false }).confirm('a');
    },
    left: [],
  },
  'sharded-list': {
    async run(store, clock, look) {
      const list = shardedList(store, 'a', { shardSize: 2 });
      const taking = list.takeLeft({ wait: 1_000 });
      await clock.run(100);
      await look();
      await list.pushRight('a', 'b', 'c', 'd', 'e', 'f');
      await taking;
      await look();
      await list.popLeft(5);
    },
    left: [],
  },
};
