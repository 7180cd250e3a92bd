/**
 * Lookups of IPv4 addresses over a million ranges: the guide's sorted set of range starts with a hash of cities, and the kit's pages,
 * all or none of them in the memory of the process. Option: --ranges=1000000
 */
import type * as kit from '../../src/kit/ip-lookup/index.js';
import type { Store } from '../../src/store/index.js';
import { built } from '../support/built.js';
import { option, printTable, progress, thousands } from '../support/measure.js';
import type { Place } from '../support/place.js';
import { inRounds, prove, times, type WebPart } from '../support/web-part.js';

const { exampleData, ipLookup } = await built<typeof kit>('kit/ip-lookup/index.js');

const RANGES = option('ranges', 1_000_000);
/** Lookups at a time: as a server with that many requests. */
const AT_ONCE = 50;
/** Addresses that are requested repeatedly. */
const ADDRESSES = 20_000;
const WARM_UP = 2_000;
const LOOKUPS_OF_A_TURN = 1_000;
/** Commands of a pipeline when data is loaded. */
const BATCH = 10_000;

/** The sizes of a page of 64 ranges and of a place. */
const [PAGE_BYTES, PLACE_BYTES] = [768, 100];

type Find = (address: string) => Promise<string | undefined>;

interface Lookup {
  readonly name: string;
  find(store: Store): Find;
}

const LISTING = 'sorted set (guide)';
const FLOOR = 'two requests alone';
const OURS = 'pages';

const LOOKUPS: readonly Lookup[] = [
  { name: LISTING, find: findInSortedSet },
  // A page and a place, without searching and parsing: no lookup that reads both can be faster.
  {
    name: FLOOR,
    find: (store) => async () => {
      await store.bytes.get('floor:page');
      return (await store.hget('floor:places', '1')) ?? undefined;
    },
  },
  {
    name: 'pages, none in memory',
    find: (store) => {
      const places = ipLookup(store, { cachedPages: 0, cachedPlaces: 0 });
      return async (address) => (await places.find(address))?.city;
    },
  },
  {
    name: OURS,
    find: (store) => {
      const places = ipLookup(store);
      return async (address) => (await places.find(address))?.city;
    },
  },
];

/** The guide's way: the last range that begins at or before the address; where it ends is not known. */
function findInSortedSet(store: Store): Find {
  return async (address) => {
    const score = scoreOf(address);
    const [member] = (await store.send(
      'ZREVRANGEBYSCORE',
      'ip2cityid:',
      score,
      0,
      'LIMIT',
      0,
      1,
    )) as string[];
    if (member === undefined) return undefined;
    const [id = ''] = member.split('_');
    const city = (await store.send('HGET', 'cityid2city:', id)) as string;
    return (JSON.parse(city) as string[])[0];
  };
}

function scoreOf(address: string): number {
  return address.split('.').reduce((score, part) => score * 256 + Number(part), 0);
}

/** The same example data for both. Returns how long the kit's import took, in ms. */
async function load(store: Store): Promise<number> {
  const { locations, ipv4 } = exampleData(RANGES);
  const start = performance.now();
  await ipLookup(store).import({ locations, blocks: [ipv4] });
  const taken = performance.now() - start;
  const cities = locations.slice(1).join('').trim().split('\n');
  for (let first = 0; first < cities.length; first += BATCH) {
    await store.pipeline((queue) =>
      cities.slice(first, first + BATCH).map((row) => {
        const [id = ''] = row.split(',');
        const city = /"([^"]*)",,[^,]*,0$/.exec(row)?.[1];
        return queue.send('HSET', 'cityid2city:', id, JSON.stringify([city]));
      }),
    );
  }
  await store.set('floor:page', Buffer.alloc(PAGE_BYTES));
  await store.hset('floor:places', { 1: JSON.stringify(['x'.repeat(PLACE_BYTES)]) });
  const rows = ipv4.slice(1).flatMap((piece) => piece.trimEnd().split('\n'));
  for (let first = 0; first < rows.length; first += BATCH) {
    await store.pipeline((queue) =>
      rows.slice(first, first + BATCH).map((row, i) => {
        const [network = '', id] = row.split(',');
        return queue.send(
          'ZADD',
          'ip2cityid:',
          scoreOf(network.split('/')[0] as string),
          `${id}_${first + i}`,
        );
      }),
    );
  }
  return taken;
}

/** Addresses in different ranges, spread over all of them, in no order. */
function addresses(): string[] {
  return Array.from({ length: ADDRESSES }, (_, i) => {
    const number = 10 * 2 ** 24 + ((i * 7_919 * 31) % RANGES) * 32 + (i % 16);
    return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
  });
}

// Lookups in memory never wait, so that other callers would not run, and no answer would be read.
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function rateOf(find: Find, asked: readonly string[], seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let done = 0;
  const ask = async (from: number): Promise<void> => {
    for (let i = from; performance.now() < end; i += AT_ONCE) {
      await find(asked[i % asked.length] as string);
      done++;
      if (done % LOOKUPS_OF_A_TURN === 0) await turn();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => ask(i)));
  return done / seconds;
}

async function pagesRead(store: Store): Promise<number> {
  const info = (await store.send('INFO', 'commandstats')) as string;
  return Number(/cmdstat_get:calls=(\d+)/.exec(info)?.[1] ?? 0);
}

interface Measured {
  /** Lookups a second. */
  readonly rates: ReadonlyMap<string, number>;
  /** How long the kit's import took, in ms. */
  readonly imported: number;
}

async function measure(place: Place, rounds: number, seconds: number): Promise<Measured> {
  await using store = await place.openStore();
  progress(`ip-lookup: loading ${thousands(RANGES)} ranges twice, ${place.name}`);
  const imported = await load(store);
  const asked = addresses();
  const finders = new Map(LOOKUPS.map((lookup) => [lookup.name, lookup.find(store)]));
  for (const address of asked.slice(0, 200)) {
    const ways = [...finders].filter(([name]) => name !== FLOOR);
    const cities = await Promise.all(ways.map(([, find]) => find(address)));
    prove(cities[0] !== undefined && new Set(cities).size === 1, `${address}: ${cities.join(', ')}`);
  }
  // The pages that a process has in memory after some time.
  for (let first = 0; first < asked.length; first += WARM_UP) {
    await Promise.all(asked.slice(first, first + WARM_UP).map(finders.get(OURS) as Find));
  }
  const scores = await inRounds(`ip-lookup, ${place.name}`, rounds, LOOKUPS, async ({ name }) => {
    const before = await pagesRead(store);
    const rate = await rateOf(finders.get(name) as Find, asked, seconds);
    prove(name !== OURS || (await pagesRead(store)) === before, 'all pages are in memory');
    return { rate };
  });
  return { rates: new Map([...scores].map(([name, { rate }]) => [name, rate])), imported };
}

export const part: WebPart = {
  about: `lookups of IPv4 addresses over ${thousands(RANGES)} ranges, ${AT_ONCE} at a time`,
  async run({ rounds, seconds, places }) {
    const found = new Map<string, Measured>();
    for (const place of places) found.set(place.name, await measure(place, rounds, seconds));
    const rate = (place: string, way: string): number => found.get(place)?.rates.get(way) ?? Number.NaN;
    printTable(
      ['place', 'way', 'lookups/s', "to the guide's", 'to that on redis-server', ''],
      places.flatMap(({ name: place }) =>
        LOOKUPS.map(({ name }) => [
          place,
          name,
          thousands(rate(place, name)),
          times(rate(place, name), rate(place, LISTING)),
          place === 'embedded' ? times(rate(place, name), rate('redis-server', LISTING)) : '',
          name === OURS ? `imported in ${((found.get(place)?.imported ?? 0) / 1_000).toFixed(1)} s` : '',
        ]),
      ),
    );
    console.log(
      "\nThe guide's way knows where a range begins, not where it ends, so that it also finds a city for addresses that belong to none, and reads one\n" +
        'name. Ours compares both ends, and returns the range and nine facts of its place. Without pages in memory that is the difference: both\n' +
        'send two requests for a lookup.',
    );
  },
};
