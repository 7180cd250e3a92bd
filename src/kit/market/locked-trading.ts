import type { Locks } from '../locks/index.js';
import type { Trading } from './trading.js';

/** Names of the locks of each step. */
export interface LockNames {
  list(seller: string): string;
  purchase(id: string): string;
}

/**
 * Each step holds a lock, so that clients wait for each other instead of repeating. The steps still watch what they read: a process that is
 * paused for longer than its lease, or one that uses another variant, cannot spoil the result.
 */
export function lockedTrading(inner: Trading, locks: Locks, names: LockNames): Trading {
  return {
    list: (listing) => locks.run(names.list(listing.seller), () => inner.list(listing)),
    purchase: (id, buyer, price) => locks.run(names.purchase(id), () => inner.purchase(id, buyer, price)),
  };
}

/** One lock for all purchases of the market. Listing only touches what is the seller's, and a listing that is new. */
export function coarseNames(market: string): LockNames {
  return { ...fineNames(market), purchase: () => market };
}

/** A lock for each listing and each seller. */
export function fineNames(market: string): LockNames {
  return { list: (seller) => `${market} seller ${seller}`, purchase: (id) => `${market} listing ${id}` };
}
