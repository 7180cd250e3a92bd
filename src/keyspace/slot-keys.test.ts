import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { ManualClock } from '../bytes/clock.js';
import { keySlot, SLOTS } from '../bytes/crc16.js';
import { type RandomSource, seededRandom } from '../bytes/random.js';
import type { Database } from './database.js';
import { Keyspace } from './keyspace.js';
import { Encoding, Type } from './kinds.js';

const slotOf = (key: string): number => keySlot(Buffer.from(key), 0, key.length);

function open(indexesSlots = true): { keyspace: Keyspace; db: Database; clock: ManualClock } {
  const clock = new ManualClock(1000);
  const keyspace = new Keyspace({ databases: 2, indexesSlots, clock, random: seededRandom(1) });
  return { keyspace, db: keyspace.databases[0] as Database, clock };
}

function create(keyspace: Keyspace, db: Database, key: string): void {
  keyspace.create(db, Bytes.of(key), Type.string, Encoding.int, 7);
}

function keysIn({ slotKeys }: Keyspace, db: Database, slot: number): string[] {
  const keys: string[] = [];
  for (let entry = slotKeys.first(slot); entry !== 0; entry = slotKeys.following(entry)) {
    keys.push(db.keyText(entry));
  }
  assert.equal(keys.length, slotKeys.count(slot));
  return keys;
}

/** A key of few slots, so that slots have many keys. */
function someKey(random: RandomSource): string {
  return `{${random.integer(5)}}${random.integer(60)}`;
}

describe('SlotKeys', () => {
  it('has the keys of each slot, newest first, through a random history', () => {
    const random = seededRandom(11);
    const { keyspace, db, clock } = open();
    let model: string[] = [];
    for (let step = 0; step < 6_000; step++) {
      const key = someKey(random);
      const entry = keyspace.peek(db, Bytes.of(key));
      const drawn = random.next();
      if (drawn < 0.0005) {
        keyspace.empty();
        model = [];
      } else if (drawn < 0.001) {
        const slot = slotOf(key);
        const inSlot = model.filter((each) => slotOf(each) === slot);
        assert.equal(keyspace.deleteSlot(slot), inSlot.length);
        model = model.filter((each) => slotOf(each) !== slot);
      } else if (entry === 0) {
        create(keyspace, db, key);
        model.unshift(key);
      } else if (drawn < 0.5) {
        if (drawn < 0.4) keyspace.remove(db, entry);
        else keyspace.removeMoved(db, entry);
        model = model.filter((each) => each !== key);
      } else if (drawn < 0.6) {
        db.expiries.set(entry, clock.now());
        clock.advance(1);
        keyspace.passTime();
        keyspace.expireDue(1);
        model = model.filter((each) => each !== key);
      }
      const slot = slotOf(key);
      assert.deepEqual(
        keysIn(keyspace, db, slot),
        model.filter((each) => slotOf(each) === slot),
      );
    }
    assert.ok(model.length > 50);
  });

  it('follows the contents when databases are swapped, and a snapshot keeps the old ones', () => {
    const { keyspace, db } = open();
    const other = open();
    create(keyspace, db, 'a');
    create(other.keyspace, other.db, 'b');
    const kept = db.contents();
    db.swapContents(other.db);
    assert.deepEqual(keysIn(keyspace, db, slotOf('b')), ['b']);
    assert.deepEqual(keysIn(keyspace, db, slotOf('a')), []);
    assert.deepEqual(keysIn(other.keyspace, other.db, slotOf('a')), ['a']);
    assert.equal(kept.slotKeys?.count(slotOf('a')), 1);
    keyspace.empty();
    assert.equal(keyspace.slotKeys.count(slotOf('b')), 0);
  });

  it('costs nothing without a cluster', () => {
    const [plain, indexed] = [open(false), open(true)];
    assert.equal(plain.db.slotKeys, undefined);
    assert.equal(plain.db.keys.headerWords + 2, indexed.db.keys.headerWords);
    assert.equal(indexed.db.usedBytes - plain.db.usedBytes, SLOTS * 8);
  });

  it('can only be created while the database is empty', () => {
    const { keyspace, db } = open(false);
    create(keyspace, db, 'a');
    assert.throws(() => keyspace.indexSlots(), /only while the database is empty/);
    keyspace.empty();
    keyspace.indexSlots();
    create(keyspace, db, 'a');
    assert.equal(keyspace.slotKeys.count(slotOf('a')), 1);
  });
});
