import type { Store } from '../../store/index.js';
import {
  checkName,
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  KitError,
  keyNaming,
  milliseconds,
  newId,
  oneOf,
  resolveOptions,
  ruled,
  shown,
  text,
} from '../foundation/index.js';
import type { Sessions } from '../sessions/index.js';
import { internalsOf } from '../sessions/sessions.js';
import { ACCEPT, CHANGE_OF_SESSION, CHANGE_OF_USER, OFFER, type Offer, SETTLE } from './cart-scripts.js';

/** What happens to an item that is in both carts. */
export type MergeRule =
  /** The counts are added. */
  | 'add'
  /** The larger count stays. */
  | 'max'
  /** The user's count stays. */
  | 'keep'
  /** The session's count replaces the user's. */
  | 'replace';

export interface CartsOptions extends EvictionOptions {
  /** The sessions that carts belong to: the result of `sessions(store)`. */
  readonly sessions: Pick<Sessions, 'revoke'>;
  /** Prefix of the keys of users' carts. Default `cart`. */
  readonly prefix?: string;
  /** Ms after the last change for which the cart of a user is kept. Default 90 days. */
  readonly keep?: number;
  /** Max number of different items in a cart. Default 1,000. */
  readonly maxItems?: number;
  /** Max count of an item. Default 1,000,000. */
  readonly maxCount?: number;
}

export interface CartItem {
  readonly item: string;
  readonly count: number;
}

export interface MergeOptions {
  /** What happens to an item that is in both carts. Default `add`. */
  readonly rule?: MergeRule;
}

export interface Merged {
  /** The user's cart after the merge. */
  readonly items: CartItem[];
  /** Items for which the user's cart had no room: they are in neither cart now. */
  readonly refused: string[];
}

/** A cart. Changes of a session's cart count as visits, and return undefined if the session has ended. */
export interface Cart {
  /** Sets the count of an item; 0 or less removes it. Returns the new count. */
  set(item: string, count: number): Promise<number | undefined>;
  /** Adds to the count of an item, or takes away. Returns the new count; the item is removed at 0. */
  add(item: string, count?: number): Promise<number | undefined>;
  /** Removes an item. */
  remove(item: string): Promise<void>;
  /** All items, by name. */
  items(): Promise<CartItem[]>;
  /** Removes all items. */
  clear(): Promise<void>;
}

/** Carts of sessions and of users. */
export interface Carts {
  /**
   * The cart of a session, which ends with the session.
   *
   * @example
   * const all = sessions(store);
   * const { token } = await all.create();
   * const cart = carts(store, { sessions: all }).ofSession(token);
   * await cart.set('book', 2); // 2
   * await cart.add('book', -1); // 1
   * await cart.items(); // [{ item: 'book', count: 1 }]
   */
  ofSession(token: string): Cart;
  /** The cart of a user, on whatever device. */
  ofUser(user: string): Cart;
  /**
   * Moves the cart of a session into the cart of a user, usually at a login. If the process dies on the way, the next call
   * goes on: nothing is lost or counted twice.
   */
  merge(token: string, user: string, options?: MergeOptions): Promise<Merged>;
}

const RULES = {
  sessions: ruled<Pick<Sessions, 'revoke'>>((value) =>
    typeof value === 'object' && value !== null ? undefined : 'must be the result of `sessions(store)`',
  ),
  prefix: text('cart'),
  keep: milliseconds(90 * 86_400_000, { min: 1 }),
  maxItems: integer(1_000, { min: 1 }),
  maxCount: integer(1_000_000, { min: 1 }),
  ...EVICTION_RULES,
};

const MERGE_RULES = { rule: oneOf(['add', 'max', 'keep', 'replace'], 'add') };

/**
 * Shopping carts of sessions and users.
 *
 * @example
 * const all = sessions(store);
 * const shop = carts(store, { sessions: all });
 * const { token } = await all.create();
 * await shop.ofSession(token).set('book', 2); // 2
 * (await shop.merge(token, 'ann')).items; // [{ item: 'book', count: 2 }]
 */
export function carts(store: Store, given: CartsOptions): Carts {
  checkStore('carts', store);
  const options = resolveOptions('carts', given ?? {}, RULES);
  const { prefix, keep, maxItems, maxCount } = options;
  const { place } = internalsOf('carts', options.sessions);
  const keysOf = keyNaming('carts', prefix, ['items', 'merged']);
  const guard = new EvictionGuard(store, 'carts', options);
  const changeOfSession = guard.before(store.script(CHANGE_OF_SESSION));
  const changeOfUser = guard.before(store.script(CHANGE_OF_USER));
  const offer = store.script(OFFER);
  const accept = guard.before(store.script(ACCEPT));
  const settle = store.script(SETTLE);

  type Change = (change: {
    item: string;
    how: 'set' | 'add';
    count: number;
    maxItems: number;
    maxCount: number;
  }) => Promise<number>;

  function cartWith(keyOf: () => string, change: Change): Cart {
    const changed = async (item: string, how: 'set' | 'add', count: number): Promise<number | undefined> => {
      checkName('carts', item);
      if (!Number.isSafeInteger(count)) {
        throw new KitError('OPTION', `carts: a count must be a whole number, not ${shown(count)}`);
      }
      const result = await change({ item, how, count, maxItems, maxCount });
      if (result >= 0) return result;
      if (result === NO_SESSION) return undefined;
      throw full(result, item, maxItems, maxCount);
    };
    return {
      set: (item, count) => changed(item, 'set', count),
      add: (item, count = 1) => changed(item, 'add', count),
      remove: async (item) => {
        await changed(item, 'set', 0);
      },
      items: async () => itemsIn(await store.send('HGETALL', keyOf())),
      clear: async () => {
        await store.send('DEL', keyOf());
      },
    };
  }

  /** Takes an offer into the cart of its user, and out of the cart of the session. */
  async function take(from: ReturnType<typeof place>, { number, user, items }: Offer, how: MergeRule) {
    const flat = Object.entries(items).flat();
    const { items: cart, merged } = keysOf(user);
    const refused = await accept({ cart, merged, keep, number, how, maxItems, maxCount, items: flat });
    await settle({ ...from, number, items: flat });
    return refused;
  }

  return {
    ofSession: (token) => {
      const at = place(token);
      return cartWith(
        () => `${at.shard}cart:${at.id}`,
        (change) => changeOfSession({ ...at, ...change }),
      );
    },
    ofUser: (user) => {
      const { items: cart } = keysOf(user);
      return cartWith(
        () => cart,
        (change) => changeOfUser({ cart, keep, ...change }),
      );
    },
    merge: async (token, user, given = {}) => {
      const { rule } = resolveOptions('merge', given, MERGE_RULES);
      const { items: cart } = keysOf(user);
      const from = place(token);
      const refused: string[] = [];
      for (;;) {
        const offered = await offer({ ...from, number: newId(), user });
        if (offered === undefined) break;
        // Another login of this session may have begun to merge it for another user.
        refused.push(...(await take(from, offered, rule)));
        if (offered.user === user) break;
      }
      return { items: itemsIn(await store.send('HGETALL', cart)), refused };
    },
  };
}

/** As in change.lua. */
const NO_SESSION = -1;
const TOO_MANY = -2;

function full(result: number, item: string, maxItems: number, maxCount: number): KitError {
  return new KitError(
    'FULL',
    result === TOO_MANY
      ? `the cart cannot have more than ${maxCount} of '${item}': raise \`maxCount\``
      : `the cart has ${maxItems} different items and no room for '${item}': raise \`maxItems\``,
  );
}

function itemsIn(reply: unknown): CartItem[] {
  const flat = reply as readonly string[];
  const items: CartItem[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    const field = flat[at] as string;
    if (field.startsWith('i:')) items.push({ item: field.slice(2), count: Number(flat[at + 1]) });
  }
  return items.sort((a, b) => (a.item < b.item ? -1 : 1));
}
