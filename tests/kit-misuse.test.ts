import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { adIndex } from '../src/kit/ads/index.js';
import { dictionary, recentContacts } from '../src/kit/autocomplete/index.js';
import { cached, pageCache } from '../src/kit/cache/index.js';
import { carts } from '../src/kit/carts/index.js';
import { configuration } from '../src/kit/configuration/index.js';
import { counters } from '../src/kit/counters/index.js';
import { durableWrites } from '../src/kit/durable-write/index.js';
import { files } from '../src/kit/files/index.js';
import { ids } from '../src/kit/ids/index.js';
import { ipLookup } from '../src/kit/ip-lookup/index.js';
import { jobIndex } from '../src/kit/jobs/index.js';
import { locks, majorityLocks } from '../src/kit/locks/index.js';
import { logProcessor } from '../src/kit/log-processing/index.js';
import { logs } from '../src/kit/logs/index.js';
import { market } from '../src/kit/market/index.js';
import { chats, mailboxes } from '../src/kit/messaging/index.js';
import { packedRecords, unsigned } from '../src/kit/packed-records/index.js';
import { defineTask, queue } from '../src/kit/queue/index.js';
import { ranking } from '../src/kit/rankings/index.js';
import { rateLimiter } from '../src/kit/rate-limiter/index.js';
import { readerPool } from '../src/kit/reader-pool/index.js';
import { rowCache } from '../src/kit/row-cache/index.js';
import { searchIndex } from '../src/kit/search/index.js';
import { semaphores } from '../src/kit/semaphores/index.js';
import { expressStore, sessionCookies, sessions } from '../src/kit/sessions/index.js';
import { shardedHash } from '../src/kit/sharded-hash/index.js';
import { shardedList } from '../src/kit/sharded-list/index.js';
import { shardedSearch } from '../src/kit/sharded-search/index.js';
import { shardedSet } from '../src/kit/sharded-set/index.js';
import { sharding } from '../src/kit/sharding/index.js';
import { socialNetwork } from '../src/kit/social/index.js';
import { statistics } from '../src/kit/statistics/index.js';
import { stock } from '../src/kit/stock/index.js';
import { streaming } from '../src/kit/streaming/index.js';
import { uniqueVisitors } from '../src/kit/unique-visitors/index.js';
import { viewAnalytics } from '../src/kit/view-analytics/index.js';
import { open } from '../src/store/index.js';

/** Types for calls that the compiler would reject. */
type Loose = (...args: readonly unknown[]) => unknown;

const SEARCH = { fields: { body: 'text', tag: 'keyword', n: 'number', day: 'date' } } as const;

const FACTORIES: Readonly<Record<string, (store: never) => unknown>> = {
  locks,
  semaphores: (store) => semaphores(store, { limit: 1 }),
  rateLimiter: (store) => rateLimiter(store, { limit: 1, per: 1 }),
  queue: (store) => queue(store, 'x'),
  mailboxes,
  chats,
  files,
  counters,
  statistics,
  logs,
  ipLookup,
  configuration,
  shardedHash: (store) => shardedHash(store, 'x'),
  shardedList: (store) => shardedList(store, 'x'),
  shardedSet: (store) => shardedSet(store, 'x'),
  sharding: (store) => sharding(store, 'x'),
  readerPool: (store) => readerPool(store, []),
  uniqueVisitors: (store) => uniqueVisitors(store, 'x'),
  packedRecords: (store) => packedRecords(store, 'x', { fields: { n: unsigned(3) } }),
  dictionary: (store) => dictionary(store, 'x'),
  recentContacts,
  adIndex: (store) => adIndex(store, 'x'),
  jobIndex: (store) => jobIndex(store, 'x'),
  searchIndex: (store) => searchIndex(store, 'x', { fields: { body: 'text' } }),
  sessions,
  stock,
  ids: (store) => ids(store, 'x'),
  market: (store) => market(store, 'x'),
  logProcessor: (store) => logProcessor(store, 'x', { folder: tmpdir() }),
  cached: (store) => cached(store, () => 1, { name: 'x' }),
  pageCache,
  ranking: (store) => ranking(store, 'x'),
  carts: (store) => carts(store, { sessions: {} as never }),
  rowCache: (store) => rowCache(store, 'x'),
  viewAnalytics: (store) => viewAnalytics(store, 'x'),
  socialNetwork,
  streaming: (store) => streaming(store, 'x'),
  durableWrites,
  majorityLocks: (store) => majorityLocks([store, store, store]),
};

describe('Used without types', () => {
  for (const [name, make] of Object.entries(FACTORIES)) {
    it(`${name} reports that the argument is not a store, and how to get one`, async () => {
      const client = new Redis({ lazyConnect: true });
      const cases: [unknown, RegExp][] = [
        [undefined, /must be a store, not undefined: pass the result of `await open\(\)`/],
        [null, /not null/],
        ['redis://a', /not the string 'redis:\/\/a': pass the result of `await open\('redis:\/\/a'\)`/],
        [client, /not a Redis client: pass the result of `await open\(client\)`/],
        [open(), /not a promise: await it first/],
        [{}, /not an object: pass/],
        [new Map(), /not a Map: pass/],
      ];
      for (const [given, message] of cases) {
        assert.throws(() => make(given as never), { name: 'KitError', code: 'OPTION', message });
        if (given instanceof Promise) await (await given).close();
      }
      client.disconnect();
    });
  }

  /** Calls with invalid arguments, of methods that return promises. */
  it('a method that returns a promise rejects with `OPTION`, and never throws', async () => {
    await using store = await open();
    const mail = queue(store, 'mail');
    const email = defineTask('email');
    await using worker = mail.work(email.handle(() => 1));
    await using lock = await locks(store).acquire('held');
    const cases: [object, string, readonly unknown[]][] = [
      [mail, 'add', ['email', {}]],
      [mail, 'add', [undefined]],
      [mail, 'add', [email, {}, { prioritty: 1 }]],
      [mail, 'addAll', ['email', []]],
      [mail, 'addAll', [email, {}]],
      [mail, 'addAll', [email, ['a']]],
      [mail, 'addFlow', [email]],
      [mail, 'addFlow', [undefined]],
      [mail, 'schedule', ['nightly', 'email', {}, { every: 1 }]],
      [mail, 'schedule', ['nightly', email, {}, undefined]],
      [mail, 'schedule', [undefined, email, {}, { every: 1 }]],
      [mail, 'unschedule', [undefined]],
      [mail, 'limit', [5]],
      [mail, 'limitActive', [{ tasks: 0 }]],
      [mail, 'limitActive', [5]],
      [mail, 'limitGroups', [{ tasks: 'x' }]],
      [mail, 'limitGroups', [{ tasks: 1 }, 7]],
      [mail, 'add', [email, {}, { id: 'a b' }]],
      [mail, 'add', [email, {}, { group: 7 }]],
      [mail, 'add', [email, {}, { throttle: { key: 'x' } }]],
      [mail, 'add', [email, {}, { debounce: { key: 'x', wiat: 1 } }]],
      [mail, 'add', [email, {}, { backoff: () => 1 }]],
      [mail, 'addAll', [email, new Set(['a'])]],
      [mail, 'schedule', ['nightly', email, {}, { every: 1 }, { id: 'x' }]],
      [mail, 'log', [7]],
      [mail, 'update', [7, email, {}]],
      [mail, 'update', ['x', 'email', {}]],
      [mail, 'metrics', [{ minuts: 1 }]],
      [mail, 'clean', ['active']],
      [mail, 'clean', ['dead', { olderThan: 'x' }]],
      [mail, 'drain', [{ delay: true }]],
      [mail, 'obliterate', [{ force: 1 }]],
      [mail, 'result', ['1', { wait: 'x' }]],
      [mail, 'list', ['wating']],
      [mail, 'list', ['waiting', { limit: 'x' }]],
      [mail, 'get', [undefined]],
      [mail, 'remove', [7]],
      [mail, 'promote', [undefined]],
      [mail, 'reschedule', [undefined, { priority: 1 }]],
      [mail, 'reschedule', ['1', {}]],
      [mail, 'reschedule', ['1', { delay: 1, at: new Date() }]],
      [mail, 'reschedule', ['1', { prioritiy: 1 }]],
      [mail, 'reschedule', ['1', { at: '2030' }]],
      [mail, 'reschedule', ['1']],
      [mail, 'retry', [undefined]],
      [mail, 'replay', [{ limt: 1 }]],
      [mail, 'result', [undefined]],
      [mail, 'result', ['1', { signal: 1 }]],
      [worker, 'stop', [{ within: 'soon' }]],
      [locks(store), 'acquire', [undefined]],
      [locks(store), 'acquire', ['x', { wiat: 1 }]],
      [locks(store), 'tryAcquire', [{}]],
      [locks(store), 'acquireAll', ['x']],
      [locks(store), 'acquireAll', [['x'], { wait: '1' }]],
      [locks(store), 'run', ['x']],
      [lock, 'extend', ['long']],
      [lock, 'extend', [undefined]],
      [locks(store), 'status', [undefined]],
      [locks(store), 'forceRelease', [undefined]],
      [locks(store), 'forceRelease', ['x', { holdr: 'y' }]],
      [semaphores(store, { limit: 1 }), 'acquire', [undefined]],
      [semaphores(store, { limit: 1 }), 'run', ['x', 5]],
      [semaphores(store, { limit: 1 }), 'setLimit', ['x', 'many']],
      [semaphores(store, { limit: 1 }), 'setLimit', ['x', null]],
      [semaphores(store, { limit: 1 }), 'status', [undefined]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'take', [undefined]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'take', ['x', 'all']],
      [rateLimiter(store, { limit: 1, per: 1 }), 'wait', [undefined]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'wait', ['x', { cost: 2 }]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'wait', ['x', { within: 'long' }]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'look', [undefined]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'look', ['x', 2]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'reset', [undefined]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'penalize', ['x', 0]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'reward', ['x', -1]],
      [rateLimiter(store, { limit: 1, per: 1 }), 'block', ['x', 1]],
      [rateLimiter(store, { limit: 1, per: 1, block: 0 }), 'block', ['x', 'long']],
      [mailboxes(store), 'send', [undefined, 1]],
      [mailboxes(store), 'send', ['ann', undefined]],
      [mailboxes(store), 'status', [undefined]],
      [mailboxes(store), 'read', ['ann', { count: 'x' }]],
      [mailboxes(store), 'acknowledge', ['ann', 5]],
      [chats(store), 'create', ['team', 'ann']],
      [chats(store), 'create', ['team', undefined]],
      [chats(store), 'join', ['team', 'ann', { histroy: true }]],
      [chats(store), 'post', [undefined, 'ann', 1]],
      [chats(store), 'unread', ['team', 'ann', { count: -1 }]],
      [chats(store), 'acknowledge', ['team', 'ann', 'x']],
      [chats(store), 'members', [undefined]],
      [chats(store), 'joined', [undefined]],
      [files(store), 'create', ['x', {}]],
      [files(store), 'send', ['x', undefined, { readers: ['ann'] }]],
      [files(store), 'addReader', ['x', undefined]],
      [files(store), 'dropReader', ['x', undefined]],
      [files(store), 'status', [undefined]],
      [files(store), 'remove', [undefined]],
      [ipLookup(store), 'find', [undefined]],
      [ipLookup(store), 'find', ['300.1.2.3']],
      [ipLookup(store), 'import', [{}]],
      [ipLookup(store), 'import', [undefined]],
      [ipLookup(store), 'import', [{ locations: [], blocks: 'x.csv' }]],
      [ipLookup(store), 'import', [{ locations: 5, blocks: [[]] }]],
      [logs(store), 'write', ['x']],
      [logs(store), 'write', [undefined, 'x']],
      [logs(store), 'write', ['x', 'y', { severity: 'warn' }]],
      [logs(store), 'writeAll', ['x', 'y']],
      [logs(store), 'recent', ['x', { severty: 'error' }]],
      [logs(store), 'common', ['x', { ago: 2 }]],
      [statistics(store), 'record', ['x', 'y', 'z']],
      [statistics(store), 'record', ['x', undefined, 1]],
      [statistics(store), 'record', [undefined, 'y', 1]],
      [statistics(store), 'recordAll', ['x', 'y', 5]],
      [statistics(store), 'timed', ['x', 5]],
      [statistics(store), 'timed', ['', () => 1]],
      [statistics(store), 'timed', ['x', () => 1, { typ: 'y' }]],
      [statistics(store), 'read', ['x', 'y', { ago: -1 }]],
      [statistics(store), 'slowest', [{ type: 5 }]],
      [counters(store), 'count', [undefined]],
      [counters(store), 'count', ['x', '1']],
      [counters(store), 'series', ['x', { precison: 1_000 }]],
      [counters(store), 'series', ['x', { precision: 7 }]],
      [counters(store), 'series', ['x', { from: 5 }]],
      [counters(store), 'remove', [undefined]],
      [configuration(store), 'get', [undefined]],
      [configuration(store), 'set', ['x']],
      [configuration(store), 'set', [undefined, 1]],
      [configuration(store), 'update', ['x', 5]],
      [configuration(store), 'update', ['x', () => undefined]],
      [configuration(store), 'remove', ['']],
      [configuration(store).maintenance, 'begin', [{ until: 5 }]],
      [configuration(store).maintenance, 'begin', [{ for: 'long' }]],
      [configuration(store).component('x'), 'use', [5]],
      [cached(store, (n: unknown) => n, { name: 'x' }), 'get', ['x']],
      [cached(store, (n: unknown) => n, { name: 'x' }), 'get', [[1], { wiat: 1 }]],
      [cached(store, (n: unknown) => n, { name: 'x' }), 'call', [undefined, () => 1]],
      [cached(store, (n: unknown) => n, { name: 'x' }), 'invalidate', [Symbol.iterator]],
      [cached(store, () => () => 1, { name: 'x' }), 'get', [[]]],
      [cached(store, () => 1, { name: 'x', tags: () => [''] }), 'get', [[]]],
      [cached(store, () => 1, { name: 'x', tags: (() => 'tag') as never }), 'get', [[]]],
      [cached(store, () => 1, { name: 'x', key: (() => 5) as never }), 'get', [[]]],
      [cached(store, () => 1, { name: 'x' }), 'invalidateTag', [undefined]],
      [pageCache(store), 'invalidate', ['/item']],
      [pageCache(store), 'invalidateTag', ['']],
      [ranking(store, 'x'), 'post', [undefined]],
      [ranking(store, 'x'), 'post', [{ author: 'ann', title: '', link: 'x' }]],
      [ranking(store, 'x'), 'post', [{ author: 'ann', title: 'x', link: 'x', groups: 'x' }]],
      [ranking(store, 'x'), 'vote', ['1', undefined]],
      [ranking(store, 'x'), 'vote', ['1', 'ann', 'sideways']],
      [ranking(store, 'x'), 'page', [{ page: 0 }]],
      [ranking(store, 'x'), 'page', [{ order: 'votes' }]],
      [ranking(store, 'x'), 'regroup', ['1', { add: ['a'], remove: ['a'] }]],
      [ranking(store, 'x'), 'remove', [7]],
      [carts(store, { sessions: sessions(store) }), 'merge', ['t', undefined]],
      [carts(store, { sessions: sessions(store) }), 'merge', ['t', 'ann', { rule: 'sum' }]],
      [carts(store, { sessions: sessions(store) }).ofUser('ann'), 'set', ['book', 1.5]],
      [carts(store, { sessions: sessions(store) }).ofUser('ann'), 'set', [undefined, 1]],
      [carts(store, { sessions: sessions(store) }).ofSession('t'), 'add', ['book', '1']],
      [rowCache(store, 'x'), 'schedule', ['a', 'often']],
      [rowCache(store, 'x'), 'schedule', [undefined, 1]],
      [rowCache(store, 'x'), 'get', [undefined]],
      [rowCache(store, 'x'), 'getMany', ['a']],
      [viewAnalytics(store, 'x'), 'record', [undefined]],
      [viewAnalytics(store, 'x'), 'record', [{ book: 0.5 }]],
      [viewAnalytics(store, 'x'), 'record', ['']],
      [viewAnalytics(store, 'x'), 'top', [0]],
      [viewAnalytics(store, 'x'), 'rank', [undefined]],
      [sessions(store), 'create', [{ usr: 'ann' }]],
      [sessions(store), 'create', [{ user: 7 }]],
      [sessions(store), 'create', [{ data: 'dark' }]],
      [sessions(store), 'touch', [undefined]],
      [sessions(store), 'touch', ['t', { itme: 'x' }]],
      [sessions(store), 'get', ['']],
      [sessions(store), 'update', ['t', 5]],
      [sessions(store), 'update', ['t', { a: () => 1 }]],
      [sessions(store), 'rotate', [undefined]],
      [sessions(store), 'viewed', [undefined]],
      [sessions(store), 'revokeById', ['not an id']],
      [sessions(store), 'revokeUser', [undefined]],
      [sessions(store), 'ofUser', ['']],
      [sessions(store), 'clean', [{ signal: 1 }]],
      [sessionCookies(sessions(store), { secrets: ['0123456789abcdef'] }), 'open', [{}]],
      [shardedHash(store, 'x'), 'set', [undefined, 1]],
      [shardedHash(store, 'x'), 'set', ['a']],
      [shardedHash(store, 'x'), 'get', [2 ** 60]],
      [shardedHash(store, 'x'), 'setMany', [5]],
      [shardedHash(store, 'x'), 'getMany', ['abc']],
      [shardedHash(store, 'x'), 'increment', ['a', 0.5]],
      [shardedHash(store, 'x'), 'expire', ['soon']],
      [shardedHash(store, 'x', { layout: 'sequential' }), 'set', ['01', 1]],
      [shardedSet(store, 'x'), 'add', [null]],
      [shardedSet(store, 'x'), 'addMany', [undefined]],
      [shardedSet(store, 'x'), 'hasMany', [{}]],
      [shardedSet(store, 'x'), 'delete', [Number.NaN]],
      [sharding(store, 'x'), 'create', ['redis://a']],
      [sharding(store, 'x'), 'create', [[]]],
      [sharding(store, 'x'), 'create', [['memory:'], { slots: 0 }]],
      [sharding(store, 'x'), 'shardOf', [undefined]],
      [sharding(store, 'x'), 'use', ['x', 5]],
      [sharding(store, 'x'), 'use', [undefined, () => 1]],
      [sharding(store, 'x'), 'gather', [5]],
      [sharding(store, 'x'), 'gather', [() => 1, { timout: 5 }]],
      [sharding(store, 'x'), 'merge', [5, () => 0]],
      [sharding(store, 'x'), 'timeline', ['x']],
      [sharding(store, 'x'), 'timeline', [['x'], { limit: 0 }]],
      [sharding(store, 'x'), 'timeline', [['x'], { cursor: 'x' }]],
      [sharding(store, 'x'), 'plan', [{ add: 'redis://a' }]],
      [sharding(store, 'x'), 'reshard', [{ remove: 5 }]],
      [sharding(store, 'x'), 'reshard', [{}, { concurrency: 0 }]],
      [sharding(store, 'x').store, 'send', ['MGET', 'x']],
      [sharding(store, 'x').store, 'get', [undefined]],
      [shardedSearch(sharding(store, 'x'), 'x', { fields: { t: 'text' } }), 'index', [5, {}]],
      [shardedSearch(sharding(store, 'x'), 'x', { fields: { t: 'text' } }), 'search', ['x', { cursor: 'x' }]],
      [shardedSearch(sharding(store, 'x'), 'x', { fields: { t: 'text' } }), 'search', ['x', { limt: 1 }]],
      [readerPool(store, []).client('x'), 'read', [5]],
      [readerPool(store, []).client('x'), 'write', [undefined]],
      [uniqueVisitors(store, 'x'), 'visit', [undefined]],
      [uniqueVisitors(store, 'x'), 'visit', ['']],
      [uniqueVisitors(store, 'x'), 'count', ['today']],
      [uniqueVisitors(store, 'x'), 'countTogether', [[new Date()]]],
      [uniqueVisitors(store, 'x', { approximate: true }), 'countTogether', [[]]],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'set', [-1, { n: 1 }]],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'set', [1, { m: 1 }]],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'update', [1, { n: 8 }]],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'update', [1]],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'get', [undefined]],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'getMany', [7]],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'increment', [1, 'm']],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'increment', [1, 'n', 'x']],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'tally', [[]]],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'tally', ['n', { ids: 5 }]],
      [packedRecords(store, 'x', { fields: { n: unsigned(3) } }), 'remove', ['x']],
      [shardedList(store, 'x'), 'popLeft', ['x']],
      [shardedList(store, 'x'), 'pushLeft', [undefined]],
      [shardedList(store, 'x'), 'takeLeft', [{ wiat: 1 }]],
      [dictionary(store, 'x'), 'add', [undefined]],
      [dictionary(store, 'x'), 'add', ['word', 'heavy']],
      [dictionary(store, 'x'), 'addAll', [undefined]],
      [dictionary(store, 'x'), 'addAll', [[5]]],
      [dictionary(store, 'x'), 'boost', ['word', 'much']],
      [dictionary(store, 'x'), 'remove', [5]],
      [dictionary(store, 'x'), 'complete', [undefined]],
      [dictionary(store, 'x'), 'complete', ['w', { limt: 5 }]],
      [dictionary(store, 'x'), 'complete', ['w', { after: 'nowhere' }]],
      [adIndex(store, 'x'), 'add', [undefined, { locations: ['a'], content: 'x', cpm: 1 }]],
      [adIndex(store, 'x'), 'add', ['1', undefined]],
      [adIndex(store, 'x'), 'add', ['1', { locations: [], content: 'x', cpm: 1 }]],
      [adIndex(store, 'x'), 'add', ['1', { locations: ['a'], content: 'x' }]],
      [adIndex(store, 'x'), 'add', ['1', { locations: ['a'], content: 'x', cpm: 1, cpc: 1 }]],
      [adIndex(store, 'x'), 'add', ['1', { locations: ['a'], content: 'x', cpm: -1 }]],
      [adIndex(store, 'x'), 'add', ['1', { locations: ['a'], content: 5, cpm: 1 }]],
      [adIndex(store, 'x'), 'add', ['1', { locations: ['a'], content: 'x', cpx: 1 }]],
      [adIndex(store, 'x'), 'remove', ['']],
      [adIndex(store, 'x'), 'get', [undefined]],
      [adIndex(store, 'x'), 'target', [undefined]],
      [adIndex(store, 'x'), 'target', [{ locations: 'a', content: 'x' }]],
      [adIndex(store, 'x'), 'target', [{ locations: ['a'], content: 'x' }, { count: 0 }]],
      [adIndex(store, 'x'), 'click', [undefined]],
      [adIndex(store, 'x'), 'action', ['']],
      [adIndex(store, 'x'), 'statistics', [5]],
      [jobIndex(store, 'x'), 'add', ['', { skills: [] }]],
      [jobIndex(store, 'x'), 'add', ['1', undefined]],
      [jobIndex(store, 'x'), 'add', ['1', { skills: 'sql' }]],
      [jobIndex(store, 'x'), 'add', ['1', { skills: [''] }]],
      [jobIndex(store, 'x'), 'add', ['1', { skills: [undefined] }]],
      [jobIndex(store, 'x'), 'add', ['1', { skills: [{ skill: 'a', level: -1 }] }]],
      [jobIndex(store, 'x'), 'add', ['1', { skills: [{ skill: 'a', yaers: 1 }] }]],
      [jobIndex(store, 'x'), 'add', ['1', { skills: [], location: ['a'] }]],
      [jobIndex(store, 'x'), 'add', ['1', { skills: Array.from({ length: 101 }, (_, i) => `s${i}`) }]],
      [jobIndex(store, 'x'), 'find', [undefined]],
      [jobIndex(store, 'x'), 'find', [{ skills: [], locations: 'Bern' }]],
      [jobIndex(store, 'x'), 'find', [{ skills: [] }, { limit: 0 }]],
      [jobIndex(store, 'x'), 'explain', [undefined, { skills: [] }]],
      [jobIndex(store, 'x'), 'explain', ['1', undefined]],
      [jobIndex(store, 'x'), 'remove', [7]],
      [jobIndex(store, 'x'), 'get', [undefined]],
      [searchIndex(store, 'x', SEARCH), 'index', [undefined, {}]],
      [searchIndex(store, 'x', SEARCH), 'index', ['1', undefined]],
      [searchIndex(store, 'x', SEARCH), 'index', ['1', { bdoy: 'x' }]],
      [searchIndex(store, 'x', SEARCH), 'index', ['1', { body: 5 }]],
      [searchIndex(store, 'x', SEARCH), 'index', ['1', { tag: [''] }]],
      [searchIndex(store, 'x', SEARCH), 'index', ['1', { n: 'x' }]],
      [searchIndex(store, 'x', SEARCH), 'index', ['1', { day: new Date('x') }]],
      [searchIndex(store, 'x', SEARCH), 'indexAll', [undefined]],
      [searchIndex(store, 'x', SEARCH), 'indexAll', [['1']]],
      [searchIndex(store, 'x', SEARCH), 'indexAll', [[], { onProgres: 1 }]],
      [searchIndex(store, 'x', SEARCH), 'remove', ['']],
      [searchIndex(store, 'x', SEARCH), 'get', [7]],
      [searchIndex(store, 'x', SEARCH), 'search', [undefined]],
      [searchIndex(store, 'x', SEARCH), 'search', ['x', { limit: 0 }]],
      [searchIndex(store, 'x', SEARCH), 'search', ['x', { srot: 'n' }]],
      [searchIndex(store, 'x', SEARCH), 'search', ['x', { sort: 'body' }]],
      [searchIndex(store, 'x', SEARCH), 'search', ['x', { sort: 'relevance' }]],
      [searchIndex(store, 'x', SEARCH), 'search', ['x', { sort: { n: 'much' } }]],
      [searchIndex(store, 'x', SEARCH), 'search', ['x', { sort: {} }]],
      [searchIndex(store, 'x', SEARCH), 'search', ['x', { facets: ['body'] }]],
      [searchIndex(store, 'x', SEARCH), 'search', ['x', { after: 'nowhere' }]],
      [recentContacts(store), 'add', ['ann', undefined]],
      [recentContacts(store), 'add', [undefined, 'bob']],
      [recentContacts(store), 'remove', ['ann', 5]],
      [recentContacts(store), 'complete', ['ann', undefined]],
      [recentContacts(store), 'complete', ['ann', 'b', { limit: 0 }]],
      [recentContacts(store), 'clear', [undefined]],
      [socialNetwork(store), 'signUp', [undefined]],
      [socialNetwork(store), 'signUp', ['a b']],
      [socialNetwork(store), 'signUp', ['ann', { nmae: 'x' }]],
      [socialNetwork(store), 'user', [7]],
      [socialNetwork(store), 'post', ['ann', 5]],
      [socialNetwork(store), 'post', ['ann', 'x', { date: 1 }]],
      [socialNetwork(store), 'post', ['ann', 'x', { data: () => 1 }]],
      [socialNetwork(store), 'status', [undefined]],
      [socialNetwork(store), 'status', ['ann']],
      [socialNetwork(store), 'deleteStatus', ['ann', 'x']],
      [socialNetwork(store), 'follow', ['ann', undefined]],
      [socialNetwork(store), 'follow', ['ann', 'Ann']],
      [socialNetwork(store), 'unfollow', [undefined, 'ann']],
      [socialNetwork(store), 'block', ['ann', 'ann']],
      [socialNetwork(store), 'unblock', ['ann', {}]],
      [socialNetwork(store), 'like', ['ann', 7]],
      [socialNetwork(store), 'unlike', ['ann', 'x/']],
      [socialNetwork(store), 'likers', ['x']],
      [socialNetwork(store), 'followers', ['ann', { count: 0 }]],
      [socialNetwork(store), 'following', ['ann', { after: 'x' }]],
      [socialNetwork(store), 'commonFollowers', ['ann', 'bob', { limit: 'x' }]],
      [socialNetwork(store), 'home', ['ann', { cuont: 1 }]],
      [socialNetwork(store), 'profile', ['ann', { after: 'nowhere' }]],
      [socialNetwork(store), 'createList', ['ann', undefined]],
      [socialNetwork(store), 'addToList', ['friends', 'ann']],
      [socialNetwork(store), 'deleteList', [undefined]],
      [socialNetwork(store), 'listTimeline', ['ann/1']],
      [socialNetwork(store), 'refill', [undefined]],
      [streaming(store, 'x'), 'publish', [undefined]],
      [streaming(store, 'x'), 'publish', [{ id: '1', user: 'ann' }]],
      [streaming(store, 'x'), 'publish', [{ id: '1', user: 'ann', text: 'x', location: 5 }]],
      [streaming(store, 'x'), 'retract', [undefined, 'ann']],
      [streaming(store, 'x'), 'retract', ['1']],
      [streaming(store, 'x'), 'close', [{ within: 'soon' }]],
      [stock(store), 'offer', ['tv', 'many']],
      [stock(store), 'offer', ['tv', -1]],
      [stock(store), 'offer', [undefined, 1]],
      [stock(store), 'reserve', ['tv', undefined]],
      [stock(store), 'reserve', ['tv', 'ann', { quantty: 1 }]],
      [stock(store), 'confirm', ['tv', 'ann', undefined]],
      [stock(store), 'cancel', ['tv', undefined, 'x']],
      [stock(store), 'status', [undefined]],
      [stock(store), 'remove', [undefined]],
      [ids(store, 'x'), 'take', [undefined]],
      [ids(store, 'x'), 'take', [0]],
      [market(store, 'x'), 'deposit', ['ann', 0.5]],
      [market(store, 'x'), 'withdraw', ['ann', '5']],
      [market(store, 'x'), 'funds', [undefined]],
      [market(store, 'x'), 'give', ['ann', undefined]],
      [market(store, 'x'), 'take', ['ann', 'sword', -1]],
      [market(store, 'x'), 'items', [undefined]],
      [market(store, 'x'), 'list', ['ann', 'sword', 9.99]],
      [market(store, 'x'), 'list', ['ann', undefined, 1]],
      [market(store, 'x'), 'purchase', ['ann', undefined, 1]],
      [market(store, 'x'), 'purchase', ['ann', 'id']],
      [market(store, 'x'), 'reprice', ['ann', 'id', '5']],
      [market(store, 'x'), 'unlist', [undefined, 'id']],
      [market(store, 'x'), 'browse', [{ limt: 5 }]],
      [logProcessor(store, 'x', { folder: tmpdir() }), 'process', [undefined]],
      [logProcessor(store, 'x', { folder: tmpdir() }), 'process', [() => {}, { singal: 1 }]],
      [logProcessor(store, 'x', { folder: tmpdir() }), 'follow', [5]],
      [logProcessor(store, 'x', { folder: tmpdir() }), 'counts', [undefined]],
      [logProcessor(store, 'x', { folder: tmpdir() }), 'top', ['x', 'all']],
      [logProcessor(store, 'x', { folder: tmpdir() }), 'distinct', [5]],
      [shardedList(store, 'x'), 'get', ['first']],
      [shardedList(store, 'x'), 'range', [0]],
      [durableWrites(store), 'confirm', [undefined]],
      [durableWrites(store), 'confirm', [[]]],
      [durableWrites(store), 'confirm', ['x', { replicas: 'all' }]],
      [durableWrites(store), 'confirm', ['x', { timout: 5 }]],
    ];
    for (const [target, method, args] of cases) {
      const what = `${method}(${args.map((arg) => (typeof arg === 'object' ? JSON.stringify(arg) : String(arg))).join(', ')})`;
      let promise: unknown;
      assert.doesNotThrow(() => {
        promise = (Reflect.get(target, method) as Loose).call(target, ...args);
      }, `${what} throws`);
      const error = await Promise.resolve(promise).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.equal((error as { code?: string })?.code, 'OPTION', `${what} gave ${String(error)}`);
    }
  });

  it('half a character is refused in names, keys and groups: it would not be kept', async () => {
    await using store = await open();
    const mail = queue(store, 'mail');
    const half = 'a\ud800';
    const note = defineTask<string>('note');
    const refused = { name: 'KitError', code: 'OPTION', message: /half (a )?character|without white space/ };
    assert.throws(() => queue(store, half), refused);
    assert.throws(() => queue(store, 'x', { prefix: half }), refused);
    assert.throws(() => defineTask(half), refused);
    for (const options of [
      { id: half },
      { key: half },
      { group: half },
      { throttle: { key: half, per: 1 } },
      { debounce: { key: half, wait: 1 } },
    ])
      await assert.rejects(mail.add(note, 'x', options), refused, JSON.stringify(options));
    await assert.rejects(mail.limitGroups({ tasks: 1 }, half), refused);
    await assert.rejects(mail.schedule(half, note, 'x', { every: 1_000 }), refused);
    assert.equal((await mail.add(note, half)).isNew, true, 'data may have it, as JSON may');
    await mail.add(note, 'x', { key: '😀', group: '😀' });
    assert.equal((await mail.counts()).waiting, 2);
  });

  it('what JSON cannot hold is refused, whatever the reason', async () => {
    await using store = await open();
    const all = sessions(store);
    const { token } = await all.create();
    const circular: unknown[] = [];
    circular.push(circular);
    const task = defineTask<unknown>('task');
    const calls: Readonly<Record<string, (value: unknown) => Promise<unknown>>> = {
      session: (value) => all.update(token, { value }),
      setting: (value) => configuration(store).set('name', value as never),
      message: (value) => mailboxes(store).send('ann', value as never),
      cached: (value) => cached(store, async () => value, { name: 'value' })(),
      details: (value) => logs(store).write('app', 'message', { details: value as never }),
      task: (value) => queue(store, 'mail').add(task, value),
    };
    for (const [what, call] of Object.entries(calls))
      for (const value of [10n, circular, { deep: 10n }])
        await assert.rejects(call(value), { name: 'KitError', code: 'OPTION' }, what);
  });

  it('other functions throw an error that says what to do', async () => {
    await using store = await open();
    const mail = queue(store, 'mail');
    const refused = (message: RegExp) => ({ name: 'KitError', code: 'OPTION', message });
    const work = mail.work.bind(mail) as Loose;
    assert.throws(
      () => work(async () => 1),
      refused(/a handler must be the result of `handle` of a task definition, not a function/),
    );
    assert.throws(() => work(undefined), refused(/not undefined/));
    assert.throws(() => work({ email: () => 1 }), refused(/not an object/));
    assert.throws(() => (defineTask as Loose)(undefined), refused(/needs a name/));
    assert.throws(
      () => (defineTask('email').handle as Loose).call(defineTask('email'), 5),
      refused(/must be a function/),
    );
    assert.throws(
      () => (queue as Loose)(store),
      refused(/a name must be a non-empty string .* not undefined/),
    );
    assert.throws(() => (queue as Loose)(store, 'x', null), refused(/options must be an object/));
    assert.throws(
      () => (queue as Loose)(store, 'x', { keepDead: 'x' }),
      refused(/`keepDead` must be a whole number/),
    );
    assert.throws(
      () => (queue as Loose)(store, 'x', { keepDead: { aeg: 1 } }),
      refused(/did you mean 'age'/),
    );
    assert.throws(() => (mail.iterate as Loose).call(mail, 'wating'), refused(/one of waiting/));
    assert.throws(
      () => (defineTask('email').handleBatch as Loose).call(defineTask('email'), () => []),
      refused(/options must be an object/),
    );
    assert.throws(() => (mail.events as Loose).call(mail, { from: 5 }), refused(/`from` must be/));
    const shared = configuration(store);
    assert.throws(() => (shared.watch as Loose)(undefined), refused(/a name must be/));
    assert.throws(() => (shared.watch as Loose)('x', { signal: 1 }), refused(/`signal` must be/));
    assert.throws(() => (shared.component as Loose)('x', 5), refused(/must be a function/));
    assert.throws(() => (semaphores as Loose)(store), refused(/semaphores/));
    assert.throws(() => (carts as Loose)(store), refused(/needs the option `sessions`/));
    assert.throws(() => (carts as Loose)(store, { sessions: store }), refused(/result of `sessions/));
    const shop = carts(store, { sessions: sessions(store) });
    assert.throws(() => (shop.ofSession as Loose)(undefined), refused(/a token must be/));
    assert.throws(() => (shop.ofUser as Loose)(''), refused(/a name must be/));
    assert.throws(() => (rowCache(store, 'x').work as Loose)(5), refused(/a function that loads a row/));
    assert.throws(() => (cached as Loose)(store), refused(/must be a function, not undefined/));
    assert.throws(() => (cached as Loose)(store, () => 1), refused(/needs the option `name`/));
    assert.throws(() => (cached as Loose)(store, () => 1, { name: 'x', jitter: 2 }), refused(/from 0 to 1/));
    assert.throws(() => (pageCache as Loose)(store, { vary: 'x' }), refused(/`vary` must be a list/));
    assert.throws(() => (pageCache(store).node as Loose)(5), refused(/a handler must be a function/));
    assert.throws(() => (sessions as Loose)(store, { idle: -1 }), refused(/`idle` must be/));
    assert.throws(() => (sessions(store).keepClean as Loose)({ evry: 1 }), refused(/'every'/));
    assert.throws(
      () => (sessionCookies as Loose)(store, { secrets: ['x'] }),
      refused(/result of `sessions\(store\)`/),
    );
    assert.throws(() => (sessionCookies as Loose)(sessions(store)), refused(/needs the option `secrets`/));
    assert.throws(() => (expressStore as Loose)(sessions(store)), refused(/the module express-session/));
    assert.throws(() => (rateLimiter as Loose)(store), refused(/rateLimiter/));
    const index = searchIndex as Loose;
    assert.throws(() => index(store, 'x', {}), refused(/needs the option `fields`/));
    assert.throws(() => index(store, 'x', { fields: {} }), refused(/at least one field/));
    assert.throws(() => index(store, 'x', { fields: { body: 'txt' } }), refused(/must be one of text/));
    assert.throws(() => index(store, 'x', { fields: { 'a b': 'text' } }), refused(/must have a name/));
    assert.throws(
      () => index(store, 'x', { fields: { body: { type: 'text', sortabel: true } } }),
      refused(/has no option 'sortabel'/),
    );
    assert.throws(() => index(store, 'x', { ...SEARCH, b: 2 }), refused(/from 0 to 1/));
    assert.throws(() => index(store, 'x', { ...SEARCH, stopWords: [5] }), refused(/a list of words/));
    await assert.rejects(
      mail.add('email' as never, {} as never),
      refused(/make one with defineTask\('email'\)/),
    );
  });
});
