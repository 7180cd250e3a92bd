import type { Store } from '../../store/index.js';
import type { EvictionGuard } from '../foundation/index.js';
import { LIST, PURCHASE } from './market-scripts.js';
import type { MarketKeys, PurchaseResult, Trading } from './trading.js';

/** Each step is one script: one round trip, nothing to repeat and no client waits for another. */
export function scriptTrading(store: Store, all: MarketKeys, guard: EvictionGuard): Trading {
  const { listing, prices, funds, items } = all;
  const keys = { listing, prices, funds, items };
  const list = guard.before(store.script(LIST));
  const purchase = guard.before(store.script(PURCHASE));
  return {
    list: async ({ id, ...rest }) =>
      (await list({ ...keys, id, ...rest })) ? { outcome: 'listed', id } : { outcome: 'missing' },
    purchase: async (id, buyer, price): Promise<PurchaseResult> => {
      const reply = await purchase({ ...keys, id, buyer, price });
      switch (reply[0]) {
        case 'bought':
          return { outcome: 'bought', seller: reply[1], item: reply[2], price };
        case 'gone':
          return { outcome: 'gone' };
        case 'repriced':
          return { outcome: 'repriced', price: Number(reply[1]) };
        case 'no-funds':
          return { outcome: 'no-funds', funds: Number(reply[1]) };
      }
    },
  };
}
