import { keyNaming } from '../foundation/index.js';

/** How `list` and `purchase` are made atomic. The results are the same. */
export type MarketVariant = 'script' | 'watch' | 'lock' | 'fine-lock';

/** An item that is for sale. */
export interface Listing {
  readonly id: string;
  readonly seller: string;
  readonly item: string;
  /** In the smallest unit of the currency. */
  readonly price: number;
}

export type ListResult =
  | { readonly outcome: 'listed'; readonly id: string }
  /** The seller does not have the item. */
  | { readonly outcome: 'missing' };

export type PurchaseResult =
  | ({ readonly outcome: 'bought' } & Omit<Listing, 'id'>)
  /** It was sold or taken back. */
  | { readonly outcome: 'gone' }
  /** The price is not the expected one. */
  | { readonly outcome: 'repriced'; readonly price: number }
  /** The buyer has less than the price. */
  | { readonly outcome: 'no-funds'; readonly funds: number };

/** The two steps that exist in several variants. */
export interface Trading {
  list(listing: Listing): Promise<ListResult>;
  purchase(id: string, buyer: string, price: number): Promise<PurchaseResult>;
}

/**
 * Keys of a market. `listing`, `funds` and `items` are followed by the id of a listing or the name of a user: each has a key of
 * its own, so that WATCH concerns no other. All are in one slot.
 */
export interface MarketKeys {
  /** What all of them begin with. */
  readonly base: string;
  readonly listing: string;
  readonly prices: string;
  readonly funds: string;
  readonly items: string;
  readonly total: string;
}

export function marketKeys(prefix: string, name: string): MarketKeys {
  const { listing, prices, funds, items, total } = keyNaming('market', prefix, [
    'listing',
    'prices',
    'funds',
    'items',
    'total',
  ])(name);
  const base = prices.slice(0, -'prices'.length);
  return { base, listing: `${listing}:`, prices, funds: `${funds}:`, items: `${items}:`, total };
}
