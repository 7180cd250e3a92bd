import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { ManualClock } from '../bytes/clock.js';
import { seededRandom } from '../bytes/random.js';
import type { Database } from './database.js';
import { EventClass } from './effects.js';
import { Eviction, type EvictionPolicy } from './eviction.js';
import { HashValue } from './hash-value.js';
import { Keyspace } from './keyspace.js';
import { Encoding, Type } from './kinds.js';

const NO_TIME_LIMIT = Number.POSITIVE_INFINITY;

/** A keyspace whose "memory" is its number of keys: eviction stops at exactly the number the test wants. */
class Room {
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

  shrinkTo(keys: number): boolean {
    this.eviction.maxmemory = keys;
    return this.eviction.makeRoom(() => this.keyCount, NO_TIME_LIMIT);
  }

  /** How many of `prefix:from` up to `prefix:to` are left. */
  left(prefix: string, from: number, to: number, db = this.database()): number {
    let found = 0;
    for (let n = from; n < to; n++) if (db.find(Bytes.of(`${prefix}:${n}`)) !== 0) found++;
    return found;
  }
}

describe('Eviction', () => {
  it('does nothing without a limit, or below it', () => {
    const room = new Room('allkeys-random');
    room.add('k', 10);
    assert.equal(room.shrinkTo(0), true);
    assert.equal(room.shrinkTo(10), true);
    assert.equal(room.keyCount, 10);
  });

  it('evicts nothing under noeviction, and says that there is no room', () => {
    const room = new Room('noeviction');
    room.add('k', 10, () => 100);
    assert.equal(room.shrinkTo(5), false);
    assert.equal(room.keyCount, 10);
    assert.equal(room.shrinkTo(10), true);
  });

  it('evicts no more keys than needed, under every policy that can', () => {
    for (const policy of EVICTING) {
      const room = new Room(policy);
      room.add('k', 100, () => 100);
      assert.equal(room.shrinkTo(37), true, policy);
      assert.equal(room.keyCount, 37, policy);
      assert.equal(room.keyspace.stats.evicted, 63, policy);
    }
  });

  it('evicts the last key too, then says that there is no room', () => {
    for (const policy of EVICTING) {
      const room = new Room(policy);
      room.add('k', 5, () => 100);
      room.eviction.maxmemory = 1;
      assert.equal(
        room.eviction.makeRoom(() => 2, NO_TIME_LIMIT),
        false,
        policy,
      );
      assert.equal(room.keyCount, 0, policy);
    }
  });

  it('never touches keys without a time to live under the volatile policies', () => {
    for (const policy of EVICTING.filter((name) => name.startsWith('volatile'))) {
      const room = new Room(policy);
      room.add('stays', 50);
      room.pass(1000);
      room.add('goes', 50, () => 100);
      assert.equal(room.shrinkTo(60), true, policy);
      assert.equal(room.left('stays', 0, 50), 50, policy);
      assert.equal(room.shrinkTo(49), false, policy);
      assert.equal(room.left('stays', 0, 50), 50, policy);
      assert.equal(room.left('goes', 0, 50), 0, policy);
    }
  });

  it('takes keys with a time to live or without under the allkeys policies', () => {
    for (const policy of EVICTING.filter((name) => name.startsWith('allkeys'))) {
      const room = new Room(policy);
      room.add('plain', 200);
      room.add('volatile', 200, () => 100);
      assert.equal(room.shrinkTo(200), true, policy);
      assert.ok(room.left('plain', 0, 200) < 200, policy);
      assert.ok(room.left('volatile', 0, 200) < 200, policy);
    }
  });

  it('looks into every database', () => {
    for (const policy of EVICTING) {
      const room = new Room(policy);
      for (const db of room.keyspace.databases) room.add('k', 100, (n) => 100 + n, db);
      assert.equal(room.shrinkTo(150), true);
      for (const db of room.keyspace.databases)
        assert.ok(db.size > 0 && db.size < 100, `${policy} ${db.size}`);
      assert.equal(room.shrinkTo(1), true);
    }
  });

  it('tells of each evicted key, for tracking, events and the append-only file', () => {
    for (const lazy of [false, true]) {
      const room = new Room('allkeys-lru');
      const { effects } = room.keyspace;
      const told: string[] = [];
      effects.watching = true;
      effects.changeListener = {
        keyChanged: () => assert.fail('no client changed it'),
        keyVanished: (db, key) => told.push(`vanished ${db.index} ${key}`),
        flushing: () => {},
        swapping: () => {},
      };
      effects.eventMask = EventClass.evicted;
      effects.eventListener = { keyEvent: (db, key, event) => told.push(`${event} ${db.index} ${key}`) };
      effects.subscribe({
        batch: (commands) => told.push(...commands.map(({ db, argv }) => `${db} ${argv.join(' ')}`)),
      });
      room.eviction.lazy = lazy;
      room.add('k', 1, undefined, room.database(2));
      room.add('other', 1);
      room.keyspace.read(room.database(), Bytes.of('other:0'));
      room.database().setUsage(room.database().find(Bytes.of('other:0')), room.keyspace.usage.fresh());
      room
        .database(2)
        .setUsage(room.database(2).find(Bytes.of('k:0')), room.keyspace.usage.ofIdleSeconds(50));
      assert.equal(room.shrinkTo(1), true);
      effects.flush(true);
      assert.deepEqual(told, ['vanished 2 k:0', 'evicted 2 k:0', `2 ${lazy ? 'UNLINK' : 'DEL'} k:0`]);
    }
  });

  it('stops when its time is up, and goes on the next time', () => {
    const room = new Room('allkeys-random');
    room.add('k', 1000);
    room.eviction.maxmemory = 1;
    assert.equal(
      room.eviction.makeRoom(() => room.keyCount, 0),
      true,
      'not refused: it is being worked on',
    );
    assert.ok(room.keyCount > 900);
    assert.equal(room.shrinkTo(1), true);
    assert.equal(room.keyCount, 1);
  });

  it('gives up no further keys for memory that is about to be freed', () => {
    const room = new Room('allkeys-lru');
    const { keyspace } = room;
    const large = new HashValue().create(keyspace, room.database(), Bytes.of('large'));
    for (let n = 0; n < 20_000; n++) large.set(Bytes.of(`field ${n}`), Bytes.of(`value ${n}`));
    room.pass(100);
    room.add('small', 10);
    room.eviction.samples = 1000;
    room.eviction.maxmemory = keyspace.usedBytes - 500_000;
    assert.equal(
      room.eviction.makeRoom(() => keyspace.usedBytes, NO_TIME_LIMIT),
      true,
    );
    assert.ok(keyspace.usedBytes <= room.eviction.maxmemory);
    assert.equal(room.left('small', 0, 10), 10);
    assert.equal(room.database().find(Bytes.of('large')), 0);
  });

  it('spends no more than its time on freeing one large value', () => {
    const room = new Room('allkeys-lru');
    const { keyspace } = room;
    const large = new HashValue().create(keyspace, room.database(), Bytes.of('large'));
    for (let n = 0; n < 100_000; n++) large.set(Bytes.of(`field ${n}`), Bytes.of(`value ${n}`));
    room.eviction.maxmemory = 1;
    assert.equal(
      room.eviction.makeRoom(() => keyspace.usedBytes, 0),
      true,
    );
    assert.ok(keyspace.pendingReleases > 0);
  });
});

describe('The policies choose', () => {
  it('allkeys-lru: what was not used for longest, nearly always', () => {
    const room = new Room('allkeys-lru');
    room.add('k', 1000);
    room.pass(3600);
    room.read('k', 500, 1000);
    room.pass(10);
    room.shrinkTo(600);
    assert.ok(room.left('k', 500, 1000) >= 490, 'those read lately');
    assert.ok(room.left('k', 0, 500) <= 110, 'those not read');
  });

  it('allkeys-lru: the better, the more samples are taken', () => {
    const kept = [1, 10].map((samples) => {
      const room = new Room('allkeys-lru');
      room.eviction.samples = samples;
      for (let n = 0; n < 1000; n++) {
        room.add(`k${n}`, 1);
        room.pass(10);
      }
      room.shrinkTo(500);
      let recent = 0;
      for (let n = 500; n < 1000; n++) recent += room.left(`k${n}`, 0, 1);
      return recent;
    });
    assert.ok((kept[0] as number) < (kept[1] as number), `${kept}`);
    assert.ok((kept[1] as number) > 450, `${kept}`);
  });

  it('volatile-lru: the same among those with a time to live', () => {
    const room = new Room('volatile-lru');
    room.add('plain', 500);
    room.add('k', 500, () => 100_000);
    room.pass(3600);
    room.read('k', 250, 500);
    room.pass(10);
    room.shrinkTo(800);
    assert.equal(room.left('plain', 0, 500), 500);
    assert.ok(room.left('k', 250, 500) >= 245);
  });

  it('allkeys-lfu: what is used rarely, though it was used just now', () => {
    const room = new Room('allkeys-lfu');
    room.add('k', 500);
    for (let i = 0; i < 300; i++) room.read('k', 0, 100);
    room.pass(60);
    room.read('k', 100, 500);
    room.shrinkTo(150);
    assert.ok(room.left('k', 0, 100) >= 98, `${room.left('k', 0, 100)}`);
  });

  it('volatile-lfu: the same among those with a time to live', () => {
    const room = new Room('volatile-lfu');
    room.add('plain', 100);
    room.add('k', 500, () => 100_000);
    for (let i = 0; i < 300; i++) room.read('k', 0, 100);
    room.shrinkTo(250);
    assert.equal(room.left('plain', 0, 100), 100);
    assert.ok(room.left('k', 0, 100) >= 98);
  });

  it('volatile-ttl: exactly those that expire first, over all databases', () => {
    const room = new Room('volatile-ttl');
    room.add('k', 200, (n) => 1000 - n);
    room.add('k', 200, (n) => 10_000 + n, room.database(1));
    room.shrinkTo(250);
    assert.equal(room.left('k', 0, 50), 50);
    assert.equal(room.left('k', 50, 200), 0);
    assert.equal(room.left('k', 0, 200, room.database(1)), 200);
  });

  it('the random ones: anything, old and new alike', () => {
    for (const policy of ['allkeys-random', 'volatile-random'] as const) {
      const room = new Room(policy);
      room.add('k', 1000, () => 100_000);
      room.pass(3600);
      room.read('k', 500, 1000);
      room.shrinkTo(500);
      const old = room.left('k', 0, 500);
      assert.ok(old > 200 && old < 300, `${policy}: ${old}`);
    }
  });

  it('after a change of policy, what the new one wants', () => {
    const room = new Room('allkeys-lru');
    room.add('plain', 100);
    room.pass(1000);
    room.add('k', 100, () => 100);
    room.shrinkTo(190);
    const plain = room.left('plain', 0, 100);
    room.eviction.policy = 'volatile-lru';
    assert.equal(room.shrinkTo(150), true);
    assert.equal(room.left('plain', 0, 100), plain, 'old candidates without a time to live are forgotten');
  });

  it('not a key that was deleted, or used again, since it was sampled', () => {
    const room = new Room('allkeys-lru');
    room.add('k', 50);
    room.pass(100);
    room.shrinkTo(49);
    // Everything sampled as old is deleted and made anew: all are equally fresh now.
    for (let n = 0; n < 50; n++) {
      const entry = room.database().find(Bytes.of(`k:${n}`));
      if (entry !== 0) room.keyspace.remove(room.database(), entry);
    }
    room.add('fresh', 60);
    assert.equal(room.shrinkTo(30), true);
    assert.equal(room.keyCount, 30);
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
