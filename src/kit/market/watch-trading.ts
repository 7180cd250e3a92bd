import type { Store } from '../../store/index.js';
import type { ListResult, MarketKeys, PurchaseResult, Trading } from './trading.js';

/**
 * Each step reads under WATCH, decides in this process, and writes in a transaction; it is repeated if what it read has changed. Only
 * the keys that the decision depends on are watched: the listing and the buyer's money, not the whole market.
 */
export function watchTrading(store: Store, keys: MarketKeys, attempts: number, onRetry: () => void): Trading {
  return {
    list: async ({ id, seller, item, price }) => {
      const own = keys.items + seller;
      let result: ListResult = { outcome: 'missing' };
      let tries = 0;
      await store.transaction({ watch: [own], attempts }, async (queue, watched) => {
        if (tries++ > 0) onRetry();
        const count = Number(await watched.hget(own, item));
        result = count === 0 ? { outcome: 'missing' } : { outcome: 'listed', id };
        if (count === 0) return undefined;
        return [
          count === 1 ? queue.hdel(own, item) : queue.hincrby(own, item, -1),
          queue.hset(keys.listing + id, { seller, item, price }),
          queue.zadd(keys.prices, { score: price, member: id }),
        ];
      });
      return result;
    },
    purchase: async (id, buyer, price) => {
      const [listing, purse] = [keys.listing + id, keys.funds + buyer];
      let result: PurchaseResult = { outcome: 'gone' };
      let tries = 0;
      await store.transaction({ watch: [listing, purse], attempts }, async (queue, watched) => {
        if (tries++ > 0) onRetry();
        const [[seller, item, asked], funds] = await Promise.all([
          watched.hmget(listing, ['seller', 'item', 'price']) as Promise<(string | null)[]>,
          watched.get(purse).then(Number),
        ]);
        result = decide(seller ?? undefined, item ?? '', Number(asked), price, funds);
        if (result.outcome !== 'bought') return undefined;
        const payment =
          result.seller === buyer || price === 0
            ? []
            : [
                funds === price ? queue.del(purse) : queue.decrby(purse, price),
                queue.incrby(keys.funds + result.seller, price),
              ];
        return [
          ...payment,
          queue.hincrby(keys.items + buyer, result.item, 1),
          queue.del(listing),
          queue.zrem(keys.prices, id),
        ];
      });
      return result;
    },
  };
}

/** The same decision as in purchase.lua. */
function decide(
  seller: string | undefined,
  item: string,
  asked: number,
  expected: number,
  funds: number,
): PurchaseResult {
  if (seller === undefined) return { outcome: 'gone' };
  if (asked !== expected) return { outcome: 'repriced', price: asked };
  if (funds < asked) return { outcome: 'no-funds', funds };
  return { outcome: 'bought', seller, item, price: asked };
}
