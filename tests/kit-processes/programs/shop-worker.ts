/**
 * Buys what shop.test.ts offers, at the same time as other processes. Arguments: address, number of this process. Waits for the key `go`, and tells its
 * parent what it has got.
 */
import { type MarketVariant, market } from '../../../src/kit/market/index.js';
import { stock } from '../../../src/kit/stock/index.js';
import { open } from '../../../src/store/index.js';
import { type Bought, BUYER_MONEY, BUYERS_PER_PROCESS, LISTINGS, PRICE } from './shop-plan.js';

const [address = '', number = ''] = process.argv.slice(2);
process.once('disconnect', () => process.exit(2));
const store = await open(address);
const own = Number(number);

/** Each buyer reserves; every third gives it back, and buys again. */
async function buyStock(): Promise<string[]> {
  const sale = stock(store);
  const confirmed: string[] = [];
  await Promise.all(
    Array.from({ length: BUYERS_PER_PROCESS }, async (_, i) => {
      const buyer = `buyer ${own} ${i}`;
      const first = await sale.reserve('tv', buyer);
      if (first.outcome !== 'reserved') return;
      if (i % 3 === 0) await sale.cancel('tv', buyer, first.id);
      const last = i % 3 === 0 ? await sale.reserve('tv', buyer) : first;
      if (last.outcome === 'reserved' && (await sale.confirm('tv', buyer, last.id))) confirmed.push(buyer);
    }),
  );
  return confirmed;
}

const VARIANTS: readonly MarketVariant[] = ['script', 'watch', 'lock', 'fine-lock'];

/** Tries to buy every listing. */
async function buyListings(): Promise<string[]> {
  const realm = market(store, 'realm', { variant: VARIANTS[own % 4] as MarketVariant, wait: 60_000 });
  const listings = await realm.browse({ limit: LISTINGS });
  const bought: string[] = [];
  for (const { id } of listings) {
    const { outcome } = await realm.purchase(`buyer ${own}`, id, PRICE);
    if (outcome === 'bought') bought.push(id);
  }
  return bought;
}

await market(store, 'realm').deposit(`buyer ${own}`, BUYER_MONEY);
process.send?.('ready');
while ((await store.get('go')) === null) await store.time.sleep(1);
const bought: Bought = { buyers: await buyStock(), listings: await buyListings() };
process.send?.(bought);
await store.close();
process.disconnect?.();
