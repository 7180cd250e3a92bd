/** The faults of the short implementations in the guide's chapter 9, which the components of the kit do not have. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { COUNTRIES, choice, packedRecords } from '../../src/kit/packed-records/index.js';
import { shardedHash } from '../../src/kit/sharded-hash/index.js';
import { uniqueVisitors } from '../../src/kit/unique-visitors/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';
import {
  countByState,
  countVisit,
  locationCode,
  setLocation,
  shardedHgetByHand,
  shardedHsetByHand,
} from './sharding-by-hand.js';

const DAY = 86_400_000;

let clock: ManualClock;
let store: EmbeddedStore;

beforeEach(async () => {
  clock = new ManualClock(20_000 * DAY);
  store = await open('memory:', { clock });
});
afterEach(() => store.close());

describe('A sharded hash', () => {
  it('by hand loses fields if a program expects another number of elements', async () => {
    await shardedHsetByHand(store, 'paris', 'FR', 1_000);
    assert.equal(await shardedHgetByHand(store, 'paris', 500_000), null);
  });

  it('of the kit keeps its layout in the store', async () => {
    await shardedHash(store, 'cities', { expected: 1_000 }).set('paris', 'FR');
    assert.equal(await shardedHash(store, 'cities', { expected: 500_000 }).get('paris'), 'FR');
  });

  it('by hand gives every large id a shard of its own', async () => {
    for (let i = 0n; i < 50n; i++) {
      await shardedHsetByHand(store, String((1_700_000_000_000n + i) * 2n ** 20n), 'x', 1_000);
    }
    assert.equal(await store.dbsize(), 50);
    await store.flushdb();
    const hash = shardedHash(store, 'ids', { expected: 50 });
    for (let i = 0n; i < 50n; i++) await hash.set((1_700_000_000_000n + i) * 2n ** 20n, 'x');
    assert.equal(await store.dbsize(), 2, 'a shard and the layout');
  });
});

describe('Unique visitors', () => {
  it('by hand have no shard at all after a day of at most 85', async () => {
    const shard = await countVisit(store, 'monday', 'f47ac10b-58cc-4372-a567-0e02b2c3d479', 85);
    assert.equal(shard, 'unique:monday:NaN');
    const visitors = uniqueVisitors(store, 'shop');
    for (let i = 0; i < 85; i++) await visitors.visit(`visitor ${i}`);
    clock.advance(DAY);
    await visitors.visit('f47ac10b-58cc-4372-a567-0e02b2c3d479');
    assert.equal(await visitors.count(), 1);
  });

  it('by hand are too few: fifteen hexadecimal digits are 60 bits, and a double holds 53', async () => {
    const sessions = ['f47ac10b-58cc-4372-a567-0e02b2c3d479', 'f47ac10b-58cc-4373-a567-0e02b2c3d479'];
    for (const session of sessions) await countVisit(store, 'monday', session, 1_000_000);
    assert.equal(await store.get('unique:monday'), '1');
    const visitors = uniqueVisitors(store, 'shop');
    for (const session of sessions) await visitors.visit(session);
    assert.equal(await visitors.count(), 2);
  });
});

describe('A packed location', () => {
  it('by hand overwrites its neighbour if its code is 128 or more', async () => {
    await setLocation(store, 1, locationCode(COUNTRIES, 'DEU'));
    await setLocation(store, 0, locationCode(COUNTRIES, 'USA'));
    const bytes = await store.bytes.getrange('location:0', 2, 3);
    assert.notEqual(bytes[0], COUNTRIES.indexOf('DEU') + 1);
    const users = packedRecords(store, 'location', { fields: { country: choice(COUNTRIES) } });
    await users.set(1, { country: 'DEU' });
    await users.set(0, { country: 'USA' });
    assert.deepEqual(await users.getMany([0, 1]), [{ country: 'USA' }, { country: 'DEU' }]);
  });

  it('by hand is that of the next country, or none, if the country does not exist', async () => {
    assert.equal(locationCode(COUNTRIES, 'XYZ').charCodeAt(0), COUNTRIES.indexOf('YEM') + 1);
    assert.equal(locationCode(COUNTRIES, 'ZZZ').charCodeAt(0), 0);
    const users = packedRecords(store, 'location', { fields: { country: choice(COUNTRIES) } });
    for (const country of ['XYZ', 'ZZZ']) {
      await assert.rejects(users.set(0, { country }), {
        code: 'OPTION',
        message: /must be one of its values/,
      });
    }
    assert.equal(await users.get(0), undefined);
  });

  it('by hand is counted for a state of no name if its code is that of none', async () => {
    const states = ['NY', 'CA'];
    assert.deepEqual(countByState(states, [1, 3]), { NY: 1, undefined: 1 });
    const state = (names: readonly string[]) => ({ fields: { state: choice(names, { bits: 8 }) } });
    // A newer version of the program knows one more.
    await packedRecords(store, 'location', state([...states, 'WY'])).set(3, { state: 'WY' });
    const users = packedRecords(store, 'location', state(states));
    await users.set(1, { state: 'NY' });
    const tally = await users.tally('state', { ids: [1, 3] });
    assert.deepEqual(
      tally.map(({ values, count }) => [values.state, count]),
      [
        ['NY', 1],
        [undefined, 1],
      ],
      'a record without a known state, not a state called undefined',
    );
  });
});
