import type { Store } from '../../store/index.js';
import type { EvictionGuard } from '../foundation/index.js';
import { LIST, PURCHASE } from './market-scripts.js';
import type { MarketKeys, PurchaseResult, Trading } from './trading.js';

/** Each step is one script: one round trip, nothing to repeat and no client waits for another. */
export function scriptTrading(store: Store, { base }: MarketKeys, guard: EvictionGuard): Trading {
  const list = guard.before(store.script(LIST));
  const purchase = guard.before(store.script(PURCHASE));
  return {
    list: async ({ id, seller, item, price }) =>
      (await list({ base, id, seller, item, price })) ? { outcome: 'listed', id } : { outcome: 'missing' },
    purchase: async (id, buyer, price): Promise<PurchaseResult> => {
      const reply = await purchase({ base, id, buyer, price });
      if (typeof reply !== 'string') return { outcome: 'bought', seller: reply[0], item: reply[1], price };
      const [outcome, amount] = reply.split(' ');
      if (outcome === 'repriced') return { outcome, price: Number(amount) };
      if (outcome === 'no-funds') return { outcome, funds: Number(amount) };
      return { outcome: 'gone' };
    },
  };
}
