import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { ManualClock } from '../bytes/clock.js';
import { seededRandom } from '../bytes/random.js';
import type { Database } from './database.js';
import { EventClass } from './effects.js';
import { Eviction, type EvictionPolicy, type Room } from './eviction.js';
import { Keyspace } from './keyspace.js';
import { Encoding, Type } from './kinds.js';
import { HashValue } from './values/hash-value.js';

const NO_TIME_LIMIT = Number.POSITIVE_INFINITY;

/** A keyspace whose "memory" is its number of keys: eviction stops at exactly the number the test wants. */
class Store {
  readonly clock = new ManualClock();
  readonly keyspace = new Keyspace({ databases: 3, clock: this.clock, random: seededRandom(7) });
  readonly eviction: Eviction;

  constructor(policy: EvictionPolicy) {
    this.eviction = new Eviction(this.keyspace);
    this.eviction.policy = policy;
    this.keyspace.usage.countsFrequency = policy.endsWith('lfu');
  }

  database(index = 0): Database {
    return this.keyspace.databases[index] as Database;
  }

  /** Makes keys `prefix:0` and up, used just now; `ttl` of the nth is in seconds, 0 for none. */
  add(prefix: string, count: number, ttl: (n: number) => number = () => 0, db = this.database()): void {
    for (let n = 0; n < count; n++) {
      const entry = this.keyspace.create(db, Bytes.of(`${prefix}:${n}`), Type.string, Encoding.int, n);
      const seconds = ttl(n);
      if (seconds > 0) db.expiries.set(entry, this.clock.now() + seconds * 1000);
    }
  }

  pass(seconds: number): void {
    this.clock.advance(seconds * 1000);
    this.keyspace.usage.advance(this.clock.now());
  }

  read(prefix: string, from: number, to: number): void {
    for (let n = from; n < to; n++) this.keyspace.read(this.database(), Bytes.of(`${prefix}:${n}`));
  }

  get keyCount(): number {
    return this.keyspace.databases.reduce((total, db) => total + db.size, 0);
  }

  shrinkTo(keys: number): Room {
    this.eviction.maxmemory = keys;
    return this.eviction.makeRoom(() => this.keyCount, NO_TIME_LIMIT);
  }

  /** The number of keys left of `prefix:from` up to `prefix:to`. */
  left(prefix: string, from: number, to: number, db = this.database()): number {
    let found = 0;
    for (let n = from; n < to; n++) if (db.find(Bytes.of(`${prefix}:${n}`)) !== 0) found++;
    return found;
  }
}

describe('Eviction', () => {
  it('does nothing without a limit, or below it', () => {
    const store = new Store('allkeys-random');
    store.add('k', 10);
    assert.equal(store.shrinkTo(0), 'enough');
    assert.equal(store.shrinkTo(10), 'enough');
    assert.equal(store.keyCount, 10);
  });

  it('is not caused by a table that grows: each key takes little memory, the first of a larger table too', () => {
    const store = new Store('allkeys-random');
    let before = store.keyspace.usedBytes;
    let max = 0;
    for (let n = 0; n < 40_000; n++) {
      store.keyspace.create(store.database(), Bytes.of(`key:${n}`), Type.string, Encoding.int, n);
      max = Math.max(max, store.keyspace.usedBytes - before);
      before = store.keyspace.usedBytes;
    }
    assert.ok(max < 200, `${max} bytes`);
  });

  it('evicts nothing under noeviction, and says that there is no room', () => {
    const store = new Store('noeviction');
    store.add('k', 10, () => 100);
    assert.equal(store.shrinkTo(5), 'none');
    assert.equal(store.keyCount, 10);
    assert.equal(store.shrinkTo(10), 'enough');
  });

  it('evicts no more keys than needed, under every policy that can', () => {
    for (const policy of EVICTING) {
      const store = new Store(policy);
      store.add('k', 100, () => 100);
      assert.equal(store.shrinkTo(37), 'enough', policy);
      assert.equal(store.keyCount, 37, policy);
      assert.equal(store.keyspace.stats.evicted, 63, policy);
    }
  });

  it('evicts the last key too, then says that there is no room', () => {
    for (const policy of EVICTING) {
      const store = new Store(policy);
      store.add('k', 5, () => 100);
      store.eviction.maxmemory = 1;
      assert.equal(
        store.eviction.makeRoom(() => 2, NO_TIME_LIMIT),
        'none',
        policy,
      );
      assert.equal(store.keyCount, 0, policy);
    }
  });

  it('never touches keys without a time to live under the volatile policies', () => {
    for (const policy of EVICTING.filter((name) => name.startsWith('volatile'))) {
      const store = new Store(policy);
      store.add('stays', 50);
      store.pass(1000);
      store.add('goes', 50, () => 100);
      assert.equal(store.shrinkTo(60), 'enough', policy);
      assert.equal(store.left('stays', 0, 50), 50, policy);
      assert.equal(store.shrinkTo(49), 'none', policy);
      assert.equal(store.left('stays', 0, 50), 50, policy);
      assert.equal(store.left('goes', 0, 50), 0, policy);
    }
  });

  it('evicts keys with and without a time to live under the allkeys policies', () => {
    for (const policy of EVICTING.filter((name) => name.startsWith('allkeys'))) {
      const store = new Store(policy);
      store.add('plain', 200);
      store.add('volatile', 200, () => 100);
      assert.equal(store.shrinkTo(200), 'enough', policy);
      assert.ok(store.left('plain', 0, 200) < 200, policy);
      assert.ok(store.left('volatile', 0, 200) < 200, policy);
    }
  });

  it('looks into every database', () => {
    for (const policy of EVICTING) {
      const store = new Store(policy);
      for (const db of store.keyspace.databases) store.add('k', 100, (n) => 100 + n, db);
      assert.equal(store.shrinkTo(150), 'enough');
      for (const db of store.keyspace.databases)
        assert.ok(db.size > 0 && db.size < 100, `${policy} ${db.size}`);
      assert.equal(store.shrinkTo(1), 'enough');
    }
  });

  it('reports each evicted key to tracking, events and the append-only file', () => {
    for (const lazy of [false, true]) {
      const store = new Store('allkeys-lru');
      const { effects } = store.keyspace;
      const told: string[] = [];
      effects.enabledEvents = EventClass.evicted;
      effects.subscribe({
        keyChanged: () => assert.fail('no client changed it'),
        keyVanished: (db, key) => told.push(`vanished ${db.index} ${key}`),
        keyEvent: (db, key, event) => told.push(`${event} ${db.index} ${key}`),
        batch: (commands) => told.push(...commands.map(({ db, argv }) => `${db} ${argv.join(' ')}`)),
      });
      store.eviction.lazy = lazy;
      store.add('k', 1, undefined, store.database(2));
      store.add('other', 1);
      store.keyspace.read(store.database(), Bytes.of('other:0'));
      store.database().setUsage(store.database().find(Bytes.of('other:0')), store.keyspace.usage.fresh());
      store
        .database(2)
        .setUsage(store.database(2).find(Bytes.of('k:0')), store.keyspace.usage.ofIdleSeconds(50));
      assert.equal(store.shrinkTo(1), 'enough');
      effects.flush(true);
      assert.deepEqual(told, ['vanished 2 k:0', 'evicted 2 k:0', `2 ${lazy ? 'UNLINK' : 'DEL'} k:0`]);
    }
  });

  it('stops when its time is up, and continues the next time', () => {
    const store = new Store('allkeys-random');
    store.add('k', 1000);
    store.eviction.maxmemory = 1;
    assert.equal(
      store.eviction.makeRoom(() => store.keyCount, 0),
      'partly',
      'not refused: it is being worked on',
    );
    assert.ok(store.keyCount > 900);
    assert.equal(store.shrinkTo(1), 'enough');
    assert.equal(store.keyCount, 1);
  });

  it('evicts no further keys while deleted values are still being freed', () => {
    const store = new Store('allkeys-lru');
    const { keyspace } = store;
    const large = new HashValue().create(keyspace, store.database(), Bytes.of('large'));
    for (let n = 0; n < 20_000; n++) large.set(Bytes.of(`field ${n}`), Bytes.of(`value ${n}`));
    store.pass(100);
    store.add('small', 10);
    store.eviction.samples = 1000;
    store.eviction.maxmemory = keyspace.usedBytes - 500_000;
    assert.equal(
      store.eviction.makeRoom(() => keyspace.usedBytes, NO_TIME_LIMIT),
      'enough',
    );
    assert.ok(keyspace.usedBytes <= store.eviction.maxmemory);
    assert.equal(store.left('small', 0, 10), 10);
    assert.equal(store.database().find(Bytes.of('large')), 0);
  });

  it('keeps to its time limit while freeing one large value', () => {
    const store = new Store('allkeys-lru');
    const { keyspace } = store;
    const large = new HashValue().create(keyspace, store.database(), Bytes.of('large'));
    for (let n = 0; n < 100_000; n++) large.set(Bytes.of(`field ${n}`), Bytes.of(`value ${n}`));
    store.eviction.maxmemory = 1;
    assert.equal(
      store.eviction.makeRoom(() => keyspace.usedBytes, 0),
      'partly',
    );
    assert.ok(keyspace.pendingReleases > 0);
  });
});

describe('The policies choose', () => {
  it('allkeys-lru: nearly always the least recently used', () => {
    const store = new Store('allkeys-lru');
    store.add('k', 1000);
    store.pass(3600);
    store.read('k', 500, 1000);
    store.pass(10);
    store.shrinkTo(600);
    assert.ok(store.left('k', 500, 1000) >= 490, 'those read lately');
    assert.ok(store.left('k', 0, 500) <= 110, 'those not read');
  });

  it('allkeys-lru: more samples make the choice better', () => {
    const kept = [1, 10].map((samples) => {
      const store = new Store('allkeys-lru');
      store.eviction.samples = samples;
      for (let n = 0; n < 1000; n++) {
        store.add(`k${n}`, 1);
        store.pass(10);
      }
      store.shrinkTo(500);
      let recent = 0;
      for (let n = 500; n < 1000; n++) recent += store.left(`k${n}`, 0, 1);
      return recent;
    });
    assert.ok((kept[0] as number) < (kept[1] as number), `${kept}`);
    assert.ok((kept[1] as number) > 450, `${kept}`);
  });

  it('volatile-lru: the least recently used of those with a time to live', () => {
    const store = new Store('volatile-lru');
    store.add('plain', 500);
    store.add('k', 500, () => 100_000);
    store.pass(3600);
    store.read('k', 250, 500);
    store.pass(10);
    store.shrinkTo(800);
    assert.equal(store.left('plain', 0, 500), 500);
    assert.ok(store.left('k', 250, 500) >= 245);
  });

  it('allkeys-lfu: the least frequently used, even if used just now', () => {
    const store = new Store('allkeys-lfu');
    store.add('k', 500);
    for (let i = 0; i < 300; i++) store.read('k', 0, 100);
    store.pass(60);
    store.read('k', 100, 500);
    store.shrinkTo(150);
    assert.ok(store.left('k', 0, 100) >= 98, `${store.left('k', 0, 100)}`);
  });

  it('volatile-lfu: the least frequently used of those with a time to live', () => {
    const store = new Store('volatile-lfu');
    store.add('plain', 100);
    store.add('k', 500, () => 100_000);
    for (let i = 0; i < 300; i++) store.read('k', 0, 100);
    store.shrinkTo(250);
    assert.equal(store.left('plain', 0, 100), 100);
    assert.ok(store.left('k', 0, 100) >= 98);
  });

  it('volatile-ttl: exactly those that expire first, over all databases', () => {
    const store = new Store('volatile-ttl');
    store.add('k', 200, (n) => 1000 - n);
    store.add('k', 200, (n) => 10_000 + n, store.database(1));
    store.shrinkTo(250);
    assert.equal(store.left('k', 0, 50), 50);
    assert.equal(store.left('k', 50, 200), 0);
    assert.equal(store.left('k', 0, 200, store.database(1)), 200);
  });

  it('the random ones: anything, old and new alike', () => {
    for (const policy of ['allkeys-random', 'volatile-random'] as const) {
      const store = new Store(policy);
      store.add('k', 1000, () => 100_000);
      store.pass(3600);
      store.read('k', 500, 1000);
      store.shrinkTo(500);
      const old = store.left('k', 0, 500);
      assert.ok(old > 200 && old < 300, `${policy}: ${old}`);
    }
  });

  it('after a change of policy, by the new one', () => {
    const store = new Store('allkeys-lru');
    store.add('plain', 100);
    store.pass(1000);
    store.add('k', 100, () => 100);
    store.shrinkTo(190);
    const plain = store.left('plain', 0, 100);
    store.eviction.policy = 'volatile-lru';
    assert.equal(store.shrinkTo(150), 'enough');
    assert.equal(store.left('plain', 0, 100), plain, 'old candidates without a time to live are forgotten');
  });

  it('never a key that was deleted, or used again, after it was sampled', () => {
    const store = new Store('allkeys-lru');
    store.add('k', 50);
    store.pass(100);
    store.shrinkTo(49);
    // Every key sampled as old is deleted and created again: all are equally fresh now.
    for (let n = 0; n < 50; n++) {
      const entry = store.database().find(Bytes.of(`k:${n}`));
      if (entry !== 0) store.keyspace.remove(store.database(), entry);
    }
    store.add('fresh', 60);
    assert.equal(store.shrinkTo(30), 'enough');
    assert.equal(store.keyCount, 30);
  });
});

const EVICTING: readonly EvictionPolicy[] = [
  'allkeys-lru',
  'allkeys-lfu',
  'allkeys-random',
  'volatile-lru',
  'volatile-lfu',
  'volatile-random',
  'volatile-ttl',
];
