import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { LIST, PURCHASE } from '../../src/console/labs/listings/market.js';
import type * as kit from '../../src/kit/market/index.js';
import { compileScript } from '../../src/store/script-binding.js';
import { built } from './built.js';
import type { Place } from './place.js';

const { market } = await built<typeof kit>('kit/market/index.js');

/** An item for sale, as contenders know it. */
export interface Offer {
  readonly id: string;
  readonly seller: string;
  readonly price: number;
}

/** One client of a market. */
export interface Trader {
  /** Gives the seller a new item and lists it. */
  list(seller: string, price: number): Promise<Offer>;
  /** False if it was not bought. */
  buy(buyer: string, offer: Offer): Promise<boolean>;
  close(): Promise<void>;
}

/** What is in a market after a race. */
export interface Inventory {
  readonly money: number;
  readonly forSale: number;
  readonly owned: number;
}

export interface MarketContender {
  readonly name: string;
  readonly isOurs: boolean;
  /** Gives each user this money. */
  prepare(place: Place, space: string, users: readonly string[], money: number): Promise<void>;
  connect(place: Place, space: string, onRetry: () => void): Promise<Trader>;
  count(place: Place, space: string, users: readonly string[]): Promise<Inventory>;
}

function ourVariant(variant: kit.MarketVariant): MarketContender {
  return {
    name: `ours, ${variant === 'watch' ? 'WATCH' : variant}`,
    isOurs: true,
    async prepare(place, space, users, money) {
      await using store = await place.openStore();
      for (const user of users) await market(store, space).deposit(user, money);
    },
    async connect(place, space, onRetry) {
      const store = await place.openStore();
      const own = market(store, space, { variant, onRetry, attempts: 1_000_000, wait: 600_000 });
      return {
        async list(seller, price) {
          await own.give(seller, 'item');
          const result = await own.list(seller, 'item', price);
          if (result.outcome !== 'listed') throw new Error('not listed');
          return { id: result.id, seller, price };
        },
        buy: async (buyer, { id, price }) => (await own.purchase(buyer, id, price)).outcome === 'bought',
        close: () => store.close(),
      };
    },
    async count(place, space, users) {
      await using store = await place.openStore();
      const own = market(store, space);
      let [money, owned] = [0, 0];
      for (const user of users) {
        money += await own.funds(user);
        owned += (await own.items(user)).get('item') ?? 0;
      }
      return { money, owned, forSale: Number(await store.zcard(`market:{${space}}:prices`)) };
    },
  };
}

/** How the guide's first versions buy. */
type Buying = (client: Redis, keys: PlainKeys, onRetry: () => void) => Promise<boolean>;

interface PlainKeys {
  readonly market: string;
  readonly entry: string;
  readonly buyer: string;
  readonly seller: string;
  readonly inventory: string;
  readonly item: string;
  readonly price: number;
}

function plain(name: string, buying: Buying, listing: typeof listWatching = listWatching): MarketContender {
  return {
    name,
    isOurs: false,
    async prepare(place, space, users, money) {
      const client = place.newClient();
      for (const user of users) await client.hset(`${space}:users:${user}`, 'funds', money);
      client.disconnect();
    },
    async connect(place, space, onRetry) {
      const client = place.newClient();
      return {
        async list(seller, price) {
          const item = randomUUID();
          await client.sadd(`${space}:inventory:${seller}`, item);
          await listing(client, space, item, seller, price, onRetry);
          return { id: item, seller, price };
        },
        buy: (buyer, { id, seller, price }) =>
          buying(
            client,
            {
              market: `${space}:market`,
              entry: `${id}.${seller}`,
              buyer: `${space}:users:${buyer}`,
              seller: `${space}:users:${seller}`,
              inventory: `${space}:inventory:${buyer}`,
              item: id,
              price,
            },
            onRetry,
          ),
        close: async () => client.disconnect(),
      };
    },
    async count(place, space, users) {
      const client = place.newClient();
      let [money, owned] = [0, 0];
      for (const user of users) {
        money += Number(await client.hget(`${space}:users:${user}`, 'funds'));
        owned += await client.scard(`${space}:inventory:${user}`);
      }
      const forSale = await client.zcard(`${space}:market`);
      client.disconnect();
      return { money, owned, forSale };
    },
  };
}

async function listWatching(
  client: Redis,
  space: string,
  item: string,
  seller: string,
  price: number,
  onRetry: () => void,
): Promise<void> {
  const inventory = `${space}:inventory:${seller}`;
  for (;;) {
    await client.watch(inventory);
    if ((await client.sismember(inventory, item)) === 0) throw new Error('not owned');
    const done = await client
      .multi()
      .zadd(`${space}:market`, price, `${item}.${seller}`)
      .srem(inventory, item)
      .exec();
    if (done !== null) return;
    onRetry();
  }
}

async function listByScript(
  client: Redis,
  space: string,
  item: string,
  seller: string,
  price: number,
): Promise<void> {
  const digest = await digestOf(client, compileScript(LIST).source);
  const keys = [`${space}:inventory:${seller}`, `${space}:market`];
  if ((await client.evalsha(digest, 2, ...keys, item, price, `${item}.${seller}`)) !== 1)
    throw new Error('not owned');
}

const digests = new Map<string, Promise<string>>();

/** The script is loaded once per server. */
function digestOf(client: Redis, lua: string): Promise<string> {
  const own = `${client.options.port} ${lua}`;
  const known = digests.get(own) ?? (client.script('LOAD', lua) as Promise<string>);
  digests.set(own, known);
  return known;
}

async function purchase(client: Redis, keys: PlainKeys): Promise<unknown[] | null | undefined> {
  const [price, funds] = [
    await client.zscore(keys.market, keys.entry),
    await client.hget(keys.buyer, 'funds'),
  ];
  if (Number(price) !== keys.price || keys.price > Number(funds)) return undefined;
  return client
    .multi()
    .hincrby(keys.seller, 'funds', keys.price)
    .hincrby(keys.buyer, 'funds', -keys.price)
    .sadd(keys.inventory, keys.item)
    .zrem(keys.market, keys.entry)
    .exec();
}

const watching = plain('guide, WATCH', async (client, keys, onRetry) => {
  for (;;) {
    await client.watch(keys.market, keys.buyer);
    const done = await purchase(client, keys);
    if (done === undefined) await client.unwatch();
    if (done !== null) return done !== undefined;
    onRetry();
  }
});

/** SETNX every millisecond until it succeeds; deleted under WATCH by its owner. */
async function underLock<T>(client: Redis, lock: string, work: () => Promise<T>): Promise<T> {
  const token = randomUUID();
  while ((await client.setnx(lock, token)) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  try {
    return await work();
  } finally {
    await client.watch(lock);
    if ((await client.get(lock)) === token) await client.multi().del(lock).exec();
    else await client.unwatch();
  }
}

const locked = plain('guide, lock', (client, keys) =>
  underLock(client, `lock:${keys.market}`, async () => (await purchase(client, keys)) !== undefined),
);

const fineLocked = plain('guide, fine-lock', (client, keys) =>
  underLock(
    client,
    `lock:${keys.market}:${keys.entry}`,
    async () => (await purchase(client, keys)) !== undefined,
  ),
);

const scripted = plain(
  'guide, script',
  async (client, keys) => {
    const digest = await digestOf(client, compileScript(PURCHASE).source);
    const names = [keys.market, keys.buyer, keys.seller, keys.inventory];
    return (await client.evalsha(digest, 4, ...names, keys.entry, keys.item, keys.price)) === 1;
  },
  listByScript,
);

export const MARKET_CONTENDERS: readonly MarketContender[] = [
  watching,
  ourVariant('watch'),
  locked,
  ourVariant('lock'),
  fineLocked,
  ourVariant('fine-lock'),
  scripted,
  ourVariant('script'),
];
