import type { Store } from '../../store/index.js';
import {
  callback,
  checkStore,
  checkText,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  KitError,
  milliseconds,
  newId,
  oneOf,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';
import { locks } from '../locks/index.js';
import { coarseNames, fineNames, lockedTrading } from './locked-trading.js';
import { BROWSE, MOVE_FUNDS, REPRICE, TAKE_ITEMS, WITHDRAW_LISTING } from './market-scripts.js';
import { scriptTrading } from './script-trading.js';
import {
  type Listing,
  type ListResult,
  type MarketVariant,
  marketKeys,
  type PurchaseResult,
  type Trading,
} from './trading.js';
import { watchTrading } from './watch-trading.js';

export interface MarketOptions extends EvictionOptions {
  /**
   * How `list` and `purchase` are made atomic: by a `script`, by `watch` (repeated if what was read has changed), by one `lock` for all
   * purchases of the market, or by a `fine-lock` for each listing; with both, a seller lists one item at a time. The results are the same, and clients of one market may use
   * different ones. Default `script`, the fastest.
   */
  readonly variant?: MarketVariant;
  /** Without `script`: how often a step is tried before it fails with `CONFLICT`. Default 100. */
  readonly attempts?: number;
  /** Without `script`: called each time a step is tried again. */
  readonly onRetry?: () => void;
  /** With a lock: how long to wait for it, in ms; then the step fails with `TIMEOUT`. Default 10,000. */
  readonly wait?: number;
  /** Prefix of all keys. Default `market`. */
  readonly prefix?: string;
}

export interface BrowseOptions {
  /** How many of the cheapest listings to skip. Default 0. */
  readonly offset?: number;
  /** Max listings, up to 1,000. Default 50. */
  readonly limit?: number;
}

/**
 * A market: users have money and items, and sell items to each other. Amounts of money are whole numbers of the smallest unit (cents),
 * so they are exact. All keys of a market are in one slot of a Cluster: a purchase concerns the buyer, any seller and the market
 * at once.
 */
export interface Market {
  readonly name: string;
  /** Pays money in. Returns what the user has then. All users together have at most 2^53 - 1: `FULL`. */
  deposit(user: string, amount: number): Promise<number>;
  /** Pays money out. Returns what the user has left; undefined if it is too little. */
  withdraw(user: string, amount: number): Promise<number | undefined>;
  funds(user: string): Promise<number>;
  /** Gives items to a user. Returns how many of this item the user has then. */
  give(user: string, item: string, quantity?: number): Promise<number>;
  /** Takes items from a user. Returns how many are left; undefined if there are too few. */
  take(user: string, item: string, quantity?: number): Promise<number | undefined>;
  /** The items of a user and their counts. Items that are for sale are not among them. */
  items(user: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Puts one item of a user up for sale.
   *
   * @example
   * const result = await market(store, 'realm').list('ann', 'sword', 1_250);
   * if (result.outcome === 'listed') console.log(result.id);
   */
  list(seller: string, item: string, price: number): Promise<ListResult>;
  /**
   * Buys a listing at the expected price.
   *
   * @example
   * const { outcome } = await market(store, 'realm').purchase('bob', id, 1_250);
   * // 'bought', 'gone', 'repriced' or 'no-funds'
   */
  purchase(buyer: string, id: string, price: number): Promise<PurchaseResult>;
  /** Changes the price of a listing. Returns false if it is gone, or another user's. */
  reprice(seller: string, id: string, price: number): Promise<boolean>;
  /** Takes a listing back. Returns false if it is gone, or another user's. */
  unlist(seller: string, id: string): Promise<boolean>;
  /** The listings, cheapest first. */
  browse(options?: BrowseOptions): Promise<Listing[]>;
}

/**
 * Opens a market.
 *
 * @example
 * const realm = market(store, 'realm');
 * await realm.give('ann', 'sword');
 * await realm.deposit('bob', 2_000);
 * const listed = await realm.list('ann', 'sword', 1_250);
 * if (listed.outcome === 'listed') await realm.purchase('bob', listed.id, 1_250); // { outcome: 'bought', … }
 */
export function market(store: Store, name: string, options: MarketOptions = {}): Market {
  checkStore('market', store);
  const { prefix, variant, attempts, onRetry, wait, ...eviction } = resolveOptions('market', options, RULES);
  const keys = marketKeys(prefix, name);
  const { base, funds, items, total } = keys;
  const guard = new EvictionGuard(store, 'market', eviction);
  const trading = tradingOf(variant);
  const moveFunds = guard.before(store.script(MOVE_FUNDS));
  const give = guard.before(({ user, item, quantity }: Gift) => store.hincrby(items + user, item, quantity));
  const takeItems = store.script(TAKE_ITEMS);
  const reprice = guard.before(store.script(REPRICE));
  const unlist = guard.before(store.script(WITHDRAW_LISTING));
  const browse = store.script(BROWSE);

  function tradingOf(chosen: MarketVariant): Trading {
    if (chosen === 'script') return scriptTrading(store, keys, guard);
    const watching = guarded(watchTrading(store, keys, attempts, onRetry));
    if (chosen === 'watch') return watching;
    const own = locks(store, { prefix: `${prefix}-lock`, wait });
    return lockedTrading(watching, own, chosen === 'lock' ? coarseNames(name) : fineNames(name));
  }

  /** The steps that are not scripts check the server's eviction policy, too. */
  function guarded({ list, purchase }: Trading): Trading {
    return {
      list: guard.before(list),
      purchase: (id, buyer, price) => guard.before(() => purchase(id, buyer, price))(undefined),
    };
  }

  async function move(user: string, amount: number): Promise<number | undefined> {
    const moved = await moveFunds({ funds: funds + user, total, amount, max: Number.MAX_SAFE_INTEGER });
    if (moved === 'no-funds') return undefined;
    if (moved !== 'full') return Number(moved);
    throw new KitError('FULL', `market: all users together would have more than 2^53 - 1: deposit less`);
  }

  return {
    name,
    deposit: async (user, amount) =>
      (await move(checkText('market', 'the user', user), checkAmount(amount, 1))) as number,
    withdraw: async (user, amount) => move(checkText('market', 'the user', user), -checkAmount(amount, 1)),
    funds: async (user) => Number(await store.get(funds + checkText('market', 'the user', user))),
    give: async (user, item, quantity = 1) =>
      give({
        user: checkText('market', 'the user', user),
        item: checkText('market', 'the item', item),
        quantity: checkQuantity(quantity),
      }),
    take: async (user, item, quantity = 1) => {
      const left = await takeItems({
        items: items + checkText('market', 'the user', user),
        item: checkText('market', 'the item', item),
        quantity: checkQuantity(quantity),
      });
      return left < 0 ? undefined : left;
    },
    items: async (user) => {
      const counts = await store.hgetall(items + checkText('market', 'the user', user));
      return new Map(Object.entries(counts).map(([item, count]) => [item, Number(count)]));
    },
    list: async (seller, item, price) =>
      trading.list({
        id: newId(),
        seller: checkText('market', 'the seller', seller),
        item: checkText('market', 'the item', item),
        price: checkAmount(price),
      }),
    purchase: async (buyer, id, price) =>
      trading.purchase(
        checkText('market', 'the id', id),
        checkText('market', 'the buyer', buyer),
        checkAmount(price),
      ),
    reprice: async (seller, id, price) =>
      reprice({
        base,
        id: checkText('market', 'the id', id),
        seller: checkText('market', 'the seller', seller),
        price: checkAmount(price),
      }),
    unlist: async (seller, id) =>
      unlist({
        base,
        id: checkText('market', 'the id', id),
        seller: checkText('market', 'the seller', seller),
      }),
    browse: async (given = {}) => {
      const { offset, limit } = resolveOptions('browse', given, BROWSE_RULES);
      const page = await browse({ base, offset, limit });
      return Array.from({ length: page.length / 4 }, (_, at) => {
        const [id, seller, item, price] = page.slice(at * 4, at * 4 + 4) as [string, string, string, string];
        return { id, seller, item, price: Number(price) };
      });
    },
  };
}

interface Gift {
  readonly user: string;
  readonly item: string;
  readonly quantity: number;
}

function checkAmount(amount: number, min = 0): number {
  if (Number.isSafeInteger(amount) && amount >= min) return amount;
  throw new KitError(
    'OPTION',
    `market: an amount must be a whole number of the smallest unit (cents) of at least ${min}, not ${shown(amount)}`,
  );
}

function checkQuantity(quantity: number): number {
  if (Number.isSafeInteger(quantity) && quantity >= 1 && quantity <= 1e12) return quantity;
  throw new KitError(
    'OPTION',
    `market: a quantity must be a whole number from 1 to 10^12, not ${shown(quantity)}`,
  );
}

const RULES = {
  variant: oneOf(['script', 'watch', 'lock', 'fine-lock'], 'script'),
  attempts: integer(100, { min: 1 }),
  onRetry: callback<() => void>(() => {}),
  wait: milliseconds(10_000, { infinite: true }),
  prefix: text('market'),
  ...EVICTION_RULES,
};
const BROWSE_RULES = { offset: integer(0, { min: 0 }), limit: integer(50, { min: 1, max: 1_000 }) };
