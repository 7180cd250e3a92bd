import { KitError, shown } from '../foundation/index.js';

/** What an advertiser pays: for a thousand views (`cpm`), for each click (`cpc`) or for each action (`cpa`). */
export type Price =
  | { readonly cpm: number; readonly cpc?: undefined; readonly cpa?: undefined }
  | { readonly cpc: number; readonly cpm?: undefined; readonly cpa?: undefined }
  | { readonly cpa: number; readonly cpm?: undefined; readonly cpc?: undefined };

export interface PriceParts {
  readonly type: 'cpm' | 'cpc' | 'cpa';
  readonly price: number;
}

/** The one kind of price that an ad has. */
export function priceOf({ cpm, cpc, cpa }: Price): PriceParts {
  const given = Object.entries({ cpm, cpc, cpa }).filter(([, price]) => price !== undefined);
  const [entry] = given;
  if (entry === undefined || given.length > 1) {
    throw new KitError('OPTION', 'adIndex: an ad must have one price: cpm, cpc or cpa');
  }
  const [type, price] = entry;
  if (typeof price !== 'number' || !Number.isFinite(price) || price < 0) {
    throw new KitError('OPTION', `adIndex: \`${type}\` must be a number, 0 or more, not ${shown(price)}`);
  }
  return { type: type as PriceParts['type'], price };
}

export interface Counts {
  readonly views: number;
  /** Clicks for a price by click, actions for a price by action. */
  readonly events?: number;
}

/**
 * What a thousand views of an ad earn at these counts: the price of a thousand views; for a price by click or action, as much as were paid in a
 * thousand views. It makes the three kinds of price comparable.
 *
 * @example
 * ecpm({ cpm: 2 }, { views: 5_000 }); // 2
 * ecpm({ cpc: 0.25 }, { views: 5_000, events: 60 }); // 3: a thousand views give 12 clicks
 * ecpm({ cpa: 3 }, { views: 5_000, events: 8 }); // 4.8
 */
export function ecpm(price: Price, { views, events = 0 }: Counts): number {
  const parts = priceOf(price);
  for (const [name, value] of Object.entries({ views, events })) {
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      throw new KitError('OPTION', `ecpm: \`${name}\` must be a number, 0 or more, not ${shown(value)}`);
    }
  }
  if (parts.type === 'cpm') return parts.price;
  return views === 0 ? 0 : (1_000 * parts.price * events) / views;
}
