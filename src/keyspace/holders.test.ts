import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { ManualClock } from '../bytes/clock.js';
import { seededRandom } from '../bytes/random.js';
import type { Database } from './database.js';
import type { Entry } from './entry.js';
import { Holders } from './holders.js';
import { Keyspace } from './keyspace.js';
import { Encoding, Type } from './kinds.js';

test('something is held until the last party has released it, in any order', () => {
  const changes: boolean[] = [];
  const holders = new Holders((isHeld) => changes.push(isHeld));
  const [first, second] = [{}, {}];
  holders.hold(first);
  holders.hold(second);
  holders.hold(first);
  holders.release(first);
  assert.equal(holders.isHeld, true);
  holders.release(first);
  assert.equal(holders.isHeld, true);
  holders.release(second);
  assert.equal(holders.isHeld, false);
  assert.deepEqual(changes, [true, false]);
});

test('an expired entry that was kept is deleted when its key is created again', () => {
  const clock = new ManualClock();
  const keyspace = new Keyspace({ databases: 1, clock, random: seededRandom(7) });
  const db = keyspace.databases[0] as Database;
  const key = Bytes.of('key');
  const create = (value: number): Entry => keyspace.create(db, key, Type.string, Encoding.int, value);
  db.expiries.set(create(1), clock.now() + 10);
  keyspace.expiryHolders.hold(db);
  clock.advance(20);
  keyspace.passTime();
  assert.equal(keyspace.write(db, key), 0);
  assert.equal(db.size, 1);
  create(2);
  assert.equal(db.size, 1);
  assert.notEqual(keyspace.write(db, key), 0);
});
