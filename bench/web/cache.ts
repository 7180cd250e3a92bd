/** Hits of a cache by one client, and a value that is missing for many callers at once: keyv and cache-manager with ioredis, and ours. */
import { randomUUID } from 'node:crypto';
import { createCache } from 'cache-manager';
import { Keyv } from 'keyv';
import type * as kit from '../../src/kit/cache/index.js';
import { built } from '../support/built.js';
import { printTable, thousands } from '../support/measure.js';
import type { Place } from '../support/place.js';
import { rateOf } from '../support/rate.js';
import { inRounds, prove, type Score, times, type WebPart } from '../support/web-part.js';

const { cached } = await built<typeof kit>('kit/cache/index.js');

const TTL = 300_000;
const KEYS = 100;
/** Clients that miss a value at once, and callers in each of them. */
const [CLIENTS, CALLERS] = [5, 20];

interface Product {
  readonly id: string;
  readonly price: number;
  readonly text: string;
}

const TEXT = 'a description of a product, as shops have it. '.repeat(10);
const productOf = (id: string): Product => ({ id, price: id.length, text: TEXT });

/** A cached function of one client. */
interface Client {
  call(id: string): Promise<Product>;
  close(): Promise<unknown>;
}

interface Way {
  readonly name: string;
  connect(place: Place, space: string, load: (id: string) => Promise<Product>): Promise<Client>;
}

/** A store of keyv on an ioredis client. */
function keyvOn(place: Place, space: string): { keyv: Keyv; close: () => Promise<unknown> } {
  const client = place.newClient();
  const storage = {
    get: async (key: string) => (await client.get(space + key)) ?? undefined,
    set: async (key: string, value: string, ttl?: number) => client.set(space + key, value, 'PX', ttl ?? TTL),
    delete: async (key: string) => (await client.del(space + key)) === 1,
    clear: async () => {},
  };
  return { keyv: new Keyv({ store: storage, useKeyPrefix: false }), close: async () => client.disconnect() };
}

const WAYS: readonly Way[] = [
  {
    name: 'keyv',
    connect: async (place, space, load) => {
      const { keyv, close } = keyvOn(place, space);
      const call = async (id: string): Promise<Product> => {
        const found = await keyv.get<Product>(id);
        if (found !== undefined) return found;
        const product = await load(id);
        await keyv.set(id, product, TTL);
        return product;
      };
      return { call, close };
    },
  },
  {
    name: 'cache-manager',
    connect: async (place, space, load) => {
      const { keyv, close } = keyvOn(place, space);
      const cache = createCache({ stores: [keyv] });
      return { call: (id) => cache.wrap(id, () => load(id), TTL), close };
    },
  },
  ours('cached', 0),
  ours('cached, local', 1_000),
];

function ours(name: string, local: number): Way {
  return {
    name,
    connect: async (place, space, load) => {
      const store = await place.openStore();
      const call = cached(store, load, { name: 'product', prefix: space, ttl: TTL, local });
      return {
        call,
        close: async () => {
          await call.close();
          await store.close();
        },
      };
    },
  };
}

type CacheScore = Score<'hits' | 'loads' | 'ms'>;

async function measure({ connect }: Way, place: Place, seconds: number): Promise<CacheScore> {
  const space = `${randomUUID()}:`;
  let loads = 0;
  const load = async (id: string): Promise<Product> => {
    loads++;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return productOf(id);
  };
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connect(place, space, load)));
  const [first] = clients as [Client];
  // All clients fill the cache, and the level in memory subscribes.
  await Promise.all(Array.from({ length: KEYS }, (_, i) => first.call(`${i}`)));
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (let i = 0; i < KEYS; i++) await first.call(`${i}`);
  loads = 0;
  const hits = await rateOf(seconds, async (count) => {
    const { price, text } = await first.call(`${count % KEYS}`);
    prove(price > 0 && text === TEXT, 'a hit is the product');
  });
  prove(loads === 0, 'all calls were hits');
  const start = performance.now();
  await Promise.all(
    clients.flatMap((client) => Array.from({ length: CALLERS }, () => client.call('missing'))),
  );
  const ms = performance.now() - start;
  await Promise.all(clients.map((client) => client.close()));
  return { hits, loads, ms };
}

export const part: WebPart = {
  about: 'hits of a cache a second, and how often a missing value is produced',
  async run({ places, rounds, seconds }) {
    const found = new Map<string, ReadonlyMap<string, CacheScore>>();
    for (const place of places) {
      found.set(
        place.name,
        await inRounds(`cache, ${place.name}`, rounds, WAYS, (way) => measure(way, place, seconds)),
      );
    }
    const score = (place: string, way: string): CacheScore => found.get(place)?.get(way) as CacheScore;
    const names = WAYS.map(({ name }) => name);
    console.log('Hits a second by one client that waits for each, values of 500 bytes\n');
    printTable(
      ['', ...names, 'cached to cache-manager', 'local to it', 'to it on redis-server'],
      places.map(({ name }) => {
        const theirs = score(name, 'cache-manager').hits;
        return [
          name,
          ...names.map((way) => thousands(score(name, way).hits)),
          times(score(name, 'cached').hits, theirs),
          times(score(name, 'cached, local').hits, theirs),
          name === 'embedded'
            ? times(score(name, 'cached').hits, score('redis-server', 'cache-manager').hits)
            : '',
        ];
      }),
    );
    console.log(
      `\n${CLIENTS} clients with ${CALLERS} callers each miss the same value, which takes 20 ms: how often it is produced, and ms until all have it\n`,
    );
    printTable(
      ['', ...names],
      places.map(({ name }) => [
        name,
        ...names.map((way) => `${score(name, way).loads}, ${score(name, way).ms.toFixed(0)} ms`),
      ]),
    );
  },
};
