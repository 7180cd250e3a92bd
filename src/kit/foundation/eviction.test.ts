import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { open, type Store } from '../../store/index.js';
import { adIndex } from '../ads/index.js';
import { dictionary } from '../autocomplete/index.js';
import { carts } from '../carts/index.js';
import { configuration } from '../configuration/index.js';
import { files } from '../files/index.js';
import { jobIndex } from '../jobs/index.js';
import { locks } from '../locks/index.js';
import { market } from '../market/index.js';
import { chats, mailboxes } from '../messaging/index.js';
import { packedRecords, unsigned } from '../packed-records/index.js';
import { defineTask, queue } from '../queue/index.js';
import { ranking } from '../rankings/index.js';
import { searchIndex } from '../search/index.js';
import { semaphores } from '../semaphores/index.js';
import { sessions } from '../sessions/index.js';
import { shardedHash } from '../sharded-hash/index.js';
import { shardedList } from '../sharded-list/index.js';
import { shardedSet } from '../sharded-set/index.js';
import { socialNetwork } from '../social/index.js';
import { stock } from '../stock/index.js';
import { uniqueVisitors } from '../unique-visitors/index.js';
import type { EvictionOptions } from './eviction.js';
import type { KitError } from './kit-error.js';

const note = defineTask<string>('note');

/** The first write of each component whose data must not be lost. */
const WRITES: Readonly<Record<string, (store: Store, options: EvictionOptions) => Promise<unknown>>> = {
  queue: (store, options) => queue(store, 'x', options).add(note, 'text'),
  locks: (store, options) => locks(store, options).acquire('x'),
  semaphores: (store, options) => semaphores(store, { limit: 1, ...options }).acquire('x'),
  files: (store, options) => files(store, options).create('x', { readers: ['ann'] }),
  mailboxes: (store, options) => mailboxes(store, options).send('ann', 'text'),
  chats: (store, options) => chats(store, options).create('team', ['ann']),
  configuration: (store, options) => configuration(store, options).set('x', 1),
  dictionary: (store, options) => dictionary(store, 'x', options).add('word'),
  adIndex: (store, options) =>
    adIndex(store, 'x', options).add('1', { locations: ['a'], content: 'x', cpm: 1 }),
  jobIndex: (store, options) => jobIndex(store, 'x', options).add('1', { skills: ['a'] }),
  searchIndex: (store, options) =>
    searchIndex(store, 'x', { fields: { body: 'text' }, ...options }).index('1', { body: 'word' }),
  sessions: (store, options) => sessions(store, options).create(),
  shardedHash: (store, options) => shardedHash(store, 'x', options).set('a', 1),
  shardedSet: (store, options) => shardedSet(store, 'x', options).add('a'),
  uniqueVisitors: (store, options) => uniqueVisitors(store, 'x', options).visit('a'),
  packedRecords: (store, options) =>
    packedRecords(store, 'x', { fields: { n: unsigned(7) }, ...options }).set(1, { n: 1 }),
  stock: (store, options) => stock(store, options).offer('tv', 1),
  market: (store, options) => market(store, 'x', options).deposit('ann', 1),
  carts: (store, options) =>
    carts(store, { sessions: sessions(store), ...options })
      .ofUser('ann')
      .set('x', 1),
  ranking: (store, options) =>
    ranking(store, 'x', options).post({ author: 'ann', title: 'x', link: 'https://a.example' }),
  socialNetwork: (store, options) => socialNetwork(store, options).signUp('ann'),
  shardedList: (store, options) => shardedList(store, 'x', options as object).pushRight('a'),
};

function evictingStore(): Promise<Store> {
  return open('memory:', { settings: { 'maxmemory-policy': 'allkeys-lru' } });
}

/** A store whose server refuses these commands. */
function without(store: Store, ...forbidden: string[]): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'send') return typeof value === 'function' ? value.bind(target) : value;
      return async (command: string, ...args: string[]) => {
        if (!forbidden.includes(command)) return target.send(command, ...args);
        throw Object.assign(new Error(`${command} is not allowed`), { code: 'NOPERM' });
      };
    },
  });
}

/** A store on a server that does not reply to INFO and CONFIG. */
function silent(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'kind') return 'standalone';
      if (name === 'send') return () => new Promise(() => {});
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

describe('On a server that evicts keys', () => {
  for (const [name, write] of Object.entries(WRITES)) {
    it(`${name} warns once through \`onWarning\`, and continues`, async () => {
      await using store = await evictingStore();
      const warnings: KitError[] = [];
      await write(store, { onWarning: (warning) => warnings.push(warning) });
      await settled();
      assert.equal(warnings.length, 1);
      assert.equal(warnings[0]?.code, 'EVICTION');
      assert.match(`${warnings[0]?.message}`, new RegExp(`^${name}: .* maxmemory-policy is allkeys-lru`));
    });

    it(`${name} refuses to write with \`requireNoEviction\``, async () => {
      await using store = await evictingStore();
      await assert.rejects(write(store, { requireNoEviction: true }), { name: 'KitError', code: 'EVICTION' });
      assert.equal(await store.send('EXISTS', 'queue:{x}:tasks', 'lock:{x}:state', 'mailbox:{ann}:box'), 0);
      await using safe = await open();
      await write(safe, { requireNoEviction: true });
    });
  }

  it('a program that has no `onWarning` gets one process warning per store', async () => {
    await using store = await evictingStore();
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    for (const write of Object.values(WRITES)) await write(store, {});
    await settled();
    process.off('warning', listen);
    const codes = warnings.map((warning) => 'code' in warning && warning.code);
    assert.deepEqual(codes, ['EVICTION']);
  });

  it('one of INFO and CONFIG GET is enough, and both may fail', async () => {
    await using store = await evictingStore();
    const onWarning = (warning: KitError): void => void warnings.push(warning);
    const warnings: KitError[] = [];
    await locks(without(store, 'INFO'), { onWarning }).acquire('a');
    await settled();
    assert.equal(warnings.length, 1);
    await locks(without(store, 'CONFIG'), { onWarning }).acquire('d');
    await settled();
    assert.equal(warnings.length, 2);
    await locks(without(store, 'INFO', 'CONFIG'), { onWarning }).acquire('b');
    await settled();
    assert.equal(warnings.length, 2);
    const blind = locks(without(store, 'INFO', 'CONFIG'), { requireNoEviction: true });
    await assert.rejects(blind.acquire('c'), {
      code: 'EVICTION',
      message: /reports its maxmemory-policy neither/,
    });
  });

  for (const [name, component] of Object.entries({
    locks: (store: Store) => locks(store, { requireNoEviction: true }),
    semaphores: (store: Store) => semaphores(store, { limit: 1, requireNoEviction: true }),
  })) {
    it(`${name} end the check with the wait or the signal if the server does not reply`, async (t) => {
      await using store = await open();
      const awake = setInterval(() => {}, 1000); // like the socket of a remote store
      t.after(() => clearInterval(awake));
      const holder = component(silent(store));
      await assert.rejects(holder.acquire('x', { wait: 20 }), { code: 'TIMEOUT' });
      const signal = AbortSignal.timeout(20);
      await assert.rejects(holder.acquire('x', { wait: 60_000, signal }), { code: 'ABORTED' });
    });
  }
});
