/** The faults of the short implementations in the guide's chapter 5, which the components of the kit do not have. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { configuration } from '../../src/kit/configuration/index.js';
import { counters } from '../../src/kit/counters/index.js';
import { ipLookup } from '../../src/kit/ip-lookup/index.js';
import { logs } from '../../src/kit/logs/index.js';
import { statistics } from '../../src/kit/statistics/index.js';
import { type EmbeddedStore, ManualClock, open, type Store } from '../../src/store/index.js';
import {
  addRange,
  cleanCounters,
  connectionByHand,
  deviationOf,
  findCity,
  logCommon,
  updateCounter,
  updateStats,
} from './application-support-by-hand.js';

const HOUR = 3_600_000;

let clock: ManualClock;
let store: EmbeddedStore;

beforeEach(async () => {
  clock = new ManualClock(Date.UTC(2026, 0, 1));
  store = await open('memory:', { clock });
});
afterEach(() => store.close());

async function callsOf(command: string): Promise<number> {
  const info = (await store.send('INFO', 'commandstats')) as string;
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
}

describe('Common messages', () => {
  it('by hand are never rotated, because no call stores the first hour', async () => {
    for (let hour = 0; hour < 5; hour++) {
      await logCommon(store, 'shop', 'disk full', clock.now());
      clock.advance(HOUR);
    }
    assert.equal(await store.send('ZSCORE', 'common:shop', 'disk full'), '5');
    assert.equal(await store.send('EXISTS', 'common:shop:last'), 0);
  });

  it('of the kit belong to their hour', async () => {
    const log = logs(store);
    for (let hour = 0; hour < 5; hour++) {
      if (hour > 0) clock.advance(HOUR);
      await log.write('shop', 'disk full');
    }
    assert.deepEqual(await log.common('shop'), [{ message: 'disk full', count: 1 }]);
    assert.deepEqual(await log.common('shop', { ago: 1 }), [{ message: 'disk full', count: 1 }]);
  });
});

describe('The deviation of three equal numbers', () => {
  const VALUE = 100_000_000.1;

  it('by hand is not zero: sums of squares lose precision', async () => {
    for (let i = 0; i < 3; i++) await updateStats(store, 'stats:page', VALUE);
    assert.ok((await deviationOf(store, 'stats:page')) > 1);
  });

  it('of the kit is zero', async () => {
    const stats = statistics(store);
    for (let i = 0; i < 3; i++) await stats.record('page', 'size', VALUE);
    assert.equal((await stats.read('page', 'size'))?.deviation, 0);
  });
});

describe('A cleaner of counters', () => {
  it('by hand checks all counters in every round, whether they have changed or not', async () => {
    for (let i = 0; i < 200; i++) await updateCounter(store, `idle ${i}`, [1_000], clock.now());
    let looks = 0;
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000);
      await updateCounter(store, 'busy', [1_000], clock.now());
      looks += await cleanCounters(store, 120, clock.now());
    }
    assert.ok(looks > 60 * 200);
  });

  it('of the kit is the count itself, and checks only its own counter', async () => {
    const hits = counters(store, { precisions: [1_000] });
    for (let i = 0; i < 200; i++) await hits.count(`idle ${i}`);
    for (let second = 0; second < 600; second++) {
      clock.advance(1_000);
      await hits.count('busy');
    }
    assert.ok((await callsOf('hkeys')) < 600 / 6);
    assert.equal(await store.send('DBSIZE'), 1, 'the idle counters have expired');
  });
});

describe('An address between two ranges', () => {
  it('by hand is in the city of the range before it', async () => {
    await addRange(store, '10.0.0.0', 'Ashford'); // … to 10.0.0.15, which is not stored
    await addRange(store, '10.0.0.32', 'Lindau');
    assert.equal(await findCity(store, '10.0.0.20'), 'Ashford');
    assert.equal(await findCity(store, '255.255.255.255'), 'Lindau');
  });

  it('of the kit has no city', async () => {
    const places = ipLookup(store);
    const locations = ['geoname_id,country_name,city_name\n1,Arden,Ashford\n2,Arden,Lindau\n'];
    const blocks = [['network,geoname_id\n10.0.0.0/28,1\n10.0.0.32/28,2\n']];
    await places.import({ locations, blocks });
    assert.equal((await places.find('10.0.0.15'))?.city, 'Ashford');
    assert.equal(await places.find('10.0.0.20'), undefined);
    assert.equal(await places.find('255.255.255.255'), undefined);
  });
});

describe('A component that is used five times', () => {
  it('by hand connects five times, because bytes are never equal to text', async () => {
    await store.send('SET', 'config:redis:logs', '{"host":"a","db":1}');
    let connections = 0;
    const connect = connectionByHand(store, () => ++connections);
    for (let i = 0; i < 5; i++) await connect();
    assert.equal(connections, 5);
  });

  it('of the kit connects once', async () => {
    await using settings = configuration(store);
    await settings.set('logs', { address: 'redis://a', database: 1 });
    let connections = 0;
    const connect = (): Promise<Store> => {
      connections++;
      return open();
    };
    const component = settings.component('logs', (own) => own, { open: connect });
    for (let i = 0; i < 5; i++) {
      clock.advance(2_000);
      await component.use((own) => own.incr('n'));
    }
    assert.equal(connections, 1);
  });
});
