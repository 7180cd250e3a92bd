/**
 * A market as it is often written: inventories are sets, the market is one sorted set of `item.seller` by price, and a purchase either watches
 * the whole market or holds a lock. Used to show what goes wrong with it.
 */
import type { Store } from '../../src/store/index.js';

export async function listByHand(
  store: Store,
  item: string,
  seller: string,
  price: number,
): Promise<boolean> {
  const inventory = `inventory:${seller}`;
  const done = await store.transaction({ watch: [inventory] }, async (queue, watched) => {
    if ((await watched.send('SISMEMBER', inventory, item)) === 0) return undefined;
    return [queue.send('ZADD', 'market:', price, `${item}.${seller}`), queue.send('SREM', inventory, item)];
  });
  return done !== undefined;
}

export interface Purchase {
  readonly buyer: string;
  readonly item: string;
  readonly seller: string;
  readonly price: number;
}

/** Watches the whole market. `onLook` is called before each attempt to write. */
export async function purchaseByWatch(
  store: Store,
  { buyer, item, seller, price }: Purchase,
  onLook: () => Promise<void> = async () => {},
): Promise<boolean> {
  const purse = `users:${buyer}`;
  const done = await store.transaction({ watch: ['market:', purse], attempts: 5 }, async (queue, watched) => {
    const asked = Number(await watched.send('ZSCORE', 'market:', `${item}.${seller}`));
    const funds = Number(await watched.send('HGET', purse, 'funds'));
    await onLook();
    if (asked !== price || asked > funds) return undefined;
    return [
      queue.send('HINCRBY', `users:${seller}`, 'funds', Math.trunc(asked)),
      queue.send('HINCRBY', purse, 'funds', Math.trunc(-asked)),
      queue.send('SADD', `inventory:${buyer}`, item),
      queue.send('ZREM', 'market:', `${item}.${seller}`),
    ];
  });
  return done !== undefined;
}

/** The purchase under a lock: it does not compare the expected price, and compares numbers as strings. */
export async function purchaseUnderLock(store: Store, { buyer, item, seller }: Purchase): Promise<boolean> {
  const [price, funds] = await store.pipeline((queue) => [
    queue.send<string>('ZSCORE', 'market:', `${item}.${seller}`),
    queue.send<string>('HGET', `users:${buyer}`, 'funds'),
  ]);
  if (price === null || price > funds) return false;
  await store.transaction((queue) => [
    queue.send('HINCRBY', `users:${seller}`, 'funds', Math.trunc(Number(price))),
    queue.send('HINCRBY', `users:${buyer}`, 'funds', Math.trunc(-Number(price))),
    queue.send('SADD', `inventory:${buyer}`, item),
    queue.send('ZREM', 'market:', `${item}.${seller}`),
  ]);
  return true;
}
