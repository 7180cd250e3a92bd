/**
 * A market as it is often written: inventories are sets, the market is one sorted set of `item.seller` by price, and a purchase either watches
 * the whole market or holds a lock. Labs measure it, and tests show what goes wrong with it. `space` begins the names of all keys.
 */
import type { Store } from '../../../store/index.js';

export async function listByHand(
  store: Store,
  item: string,
  seller: string,
  price: number,
  space = '',
): Promise<boolean> {
  const inventory = `${space}inventory:${seller}`;
  const done = await store.transaction({ watch: [inventory] }, async (queue, watched) => {
    if ((await watched.send('SISMEMBER', inventory, item)) === 0) return undefined;
    return [
      queue.send('ZADD', `${space}market:`, price, `${item}.${seller}`),
      queue.send('SREM', inventory, item),
    ];
  });
  return done !== undefined;
}

export interface Purchase {
  readonly buyer: string;
  readonly item: string;
  readonly seller: string;
  readonly price: number;
  readonly space?: string;
}

/** Watches the whole market. `onLook` is called before each attempt to write. */
export async function purchaseByWatch(
  store: Store,
  { buyer, item, seller, price, space = '' }: Purchase,
  onLook: () => Promise<void> = async () => {},
  attempts = 5,
): Promise<boolean> {
  const purse = `${space}users:${buyer}`;
  const market = `${space}market:`;
  const done = await store.transaction({ watch: [market, purse], attempts }, async (queue, watched) => {
    const asked = Number(await watched.send('ZSCORE', market, `${item}.${seller}`));
    const funds = Number(await watched.send('HGET', purse, 'funds'));
    await onLook();
    if (asked !== price || asked > funds) return undefined;
    return [
      queue.send('HINCRBY', `${space}users:${seller}`, 'funds', Math.trunc(asked)),
      queue.send('HINCRBY', purse, 'funds', Math.trunc(-asked)),
      queue.send('SADD', `${space}inventory:${buyer}`, item),
      queue.send('ZREM', market, `${item}.${seller}`),
    ];
  });
  return done !== undefined;
}

/** The purchase under a lock: it does not compare the expected price, and compares numbers as strings. */
export async function purchaseUnderLock(
  store: Store,
  { buyer, item, seller, space = '' }: Purchase,
): Promise<boolean> {
  const [price, funds] = await store.pipeline((queue) => [
    queue.send<string>('ZSCORE', `${space}market:`, `${item}.${seller}`),
    queue.send<string>('HGET', `${space}users:${buyer}`, 'funds'),
  ]);
  if (price === null || price > funds) return false;
  await store.transaction((queue) => [
    queue.send('HINCRBY', `${space}users:${seller}`, 'funds', Math.trunc(Number(price))),
    queue.send('HINCRBY', `${space}users:${buyer}`, 'funds', Math.trunc(-Number(price))),
    queue.send('SADD', `${space}inventory:${buyer}`, item),
    queue.send('ZREM', `${space}market:`, `${item}.${seller}`),
  ]);
  return true;
}

export const LIST = {
  keys: ['inventory', 'market'],
  args: ['item', 'price', 'entry'],
  lua: `if redis.call('SISMEMBER', inventory, item) == 0 then return 0 end
    redis.call('ZADD', market, price, entry)
    redis.call('SREM', inventory, item)
    return 1`,
} as const;

export const PURCHASE = {
  keys: ['market', 'buyer', 'seller', 'inventory'],
  args: ['entry', 'item', 'price'],
  lua: `local asked = tonumber(redis.call('ZSCORE', market, entry) or -1)
    local funds = tonumber(redis.call('HGET', buyer, 'funds') or 0)
    if asked ~= tonumber(price) or asked > funds then return 0 end
    redis.call('HINCRBY', seller, 'funds', asked)
    redis.call('HINCRBY', buyer, 'funds', -asked)
    redis.call('SADD', inventory, item)
    redis.call('ZREM', market, entry)
    return 1`,
} as const;

/** The market of the guide's chapter on scripts. */
export function scriptedMarket(store: Store, space = '') {
  const list = store.script(LIST);
  const buy = store.script(PURCHASE);
  const market = `${space}market:`;
  return {
    list: async (item: string, seller: string, price: number): Promise<boolean> =>
      (await list({
        inventory: `${space}inventory:${seller}`,
        market,
        item,
        price,
        entry: `${item}.${seller}`,
      })) === 1,
    purchase: async ({ buyer, item, seller, price }: Purchase): Promise<boolean> =>
      (await buy({
        ...{ market, buyer: `${space}users:${buyer}`, seller: `${space}users:${seller}` },
        ...{ inventory: `${space}inventory:${buyer}`, entry: `${item}.${seller}`, item, price },
      })) === 1,
  };
}
