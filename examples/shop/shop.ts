import type { Store } from 'sorrel';
import { dictionary } from 'sorrel/kit/autocomplete';
import { pageCache } from 'sorrel/kit/cache';
import { carts } from 'sorrel/kit/carts';
import { configuration } from 'sorrel/kit/configuration';
import { counters } from 'sorrel/kit/counters';
import { ids } from 'sorrel/kit/ids';
import { ipLookup } from 'sorrel/kit/ip-lookup';
import { locks } from 'sorrel/kit/locks';
import { logs } from 'sorrel/kit/logs';
import { market } from 'sorrel/kit/market';
import { mailboxes } from 'sorrel/kit/messaging';
import { queue } from 'sorrel/kit/queue';
import { ranking } from 'sorrel/kit/rankings';
import { rateLimiter } from 'sorrel/kit/rate-limiter';
import { sessionCookies, sessions } from 'sorrel/kit/sessions';
import { statistics } from 'sorrel/kit/statistics';
import { stock } from 'sorrel/kit/stock';
import { viewAnalytics } from 'sorrel/kit/view-analytics';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 1_440 * MINUTE;

export interface ShopOptions {
  /** Signs the cookies. All processes of a shop need the same. */
  readonly secret: string;
  /** Send cookies only over HTTPS. */
  readonly secureCookies: boolean;
}

const PAGES = { ttl: MINUTE, stale: 30 * SECOND, ignoreCookies: true };

/** What a session remembers, beside who is logged in. */
export interface Visit {
  /** Shown once, on the next page. */
  readonly notice: string | undefined;
}

/** Everything the shop is made of: each part is a component of the kit on the same store. */
export function createShop(store: Store, { secret, secureCookies }: ShopOptions) {
  const visitors = sessions<Visit>(store, { idle: 7 * DAY });
  const views = viewAnalytics(store, 'products');
  return {
    store,
    // Who is here, and what they want to buy.
    cookies: sessionCookies(visitors, { secrets: [secret], secure: secureCookies }),
    carts: carts(store, { sessions: visitors }),
    // The products: how they are found, and what visitors think of them.
    names: dictionary(store, 'products'),
    votes: ranking(store, 'products', { window: 365 * DAY, groupCache: 5 * SECOND }),
    views,
    // Pages are the same for all visitors, so that they can be cached; a script in the page adds what is personal.
    caches: {
      lists: pageCache(store, { ...PAGES, tags: () => ['lists'] }),
      // Only those of the products that are viewed most.
      products: pageCache(store, {
        ...PAGES,
        tags: (url) => [`page:${url.pathname}`],
        itemOf: (url) => url.pathname.slice('/product/'.length),
        views,
        top: 10_000,
      }),
    },
    // Buying and selling.
    stock: stock(store, { hold: 5 * MINUTE, perBuyer: 10 }),
    market: market(store, 'second-hand'),
    orderIds: ids(store, 'orders', { start: 1, block: 1 }),
    receipts: queue(store, 'receipts'),
    mail: mailboxes<Letter>(store),
    // Operating it.
    settings: configuration(store),
    locks: locks(store),
    posts: rateLimiter(store, { limit: 120, per: MINUTE, burst: 60 }),
    events: counters(store),
    times: statistics(store),
    log: logs(store),
    places: ipLookup(store),
  };
}

export type Shop = ReturnType<typeof createShop>;

/** What a customer finds in the mailbox. */
export interface Letter {
  readonly subject: string;
  readonly lines: readonly string[];
}

/** Events that are counted, and shown live. */
export const EVENTS = ['views', 'searches', 'votes', 'sales'] as const;
