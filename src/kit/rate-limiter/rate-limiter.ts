import type { Store } from '../../store/index.js';
import { checkStore, keyNaming, readLua } from '../foundation/index.js';
import { type RateLimiterOptions, resolveCost, resolveRateLimiterOptions } from './options.js';

/** Whether something may be done now, and what follows. */
export interface RateDecision {
  readonly isAllowed: boolean;
  /** How many whole units could be taken after this. */
  readonly remaining: number;
  /** In how many ms it is worth asking again for as much; 0 if it was allowed. Good for a `Retry-After` header. */
  readonly retryIn: number;
  /** In how many ms all units are there again, if nothing is taken meanwhile. */
  readonly fullIn: number;
}

/** Limits how often things happen, by name. Made by `rateLimiter`. */
export interface RateLimiter {
  /**
   * Takes a unit, or as many as are given, if they are there: all or none, in one round trip.
   *
   * @example
   * const { isAllowed, retryIn } = await rateLimiter(store, { limit: 10, per: 1000 }).take('user:7');
   * if (!isAllowed) return tooManyRequests({ 'Retry-After': Math.ceil(retryIn / 1000) });
   */
  take(name: string, cost?: number): Promise<RateDecision>;
  /**
   * How things stand for one unit, without taking it.
   *
   * @example
   * await rateLimiter(store, { limit: 10, per: 1000 }).look('user:7'); // { isAllowed: true, remaining: 10, … }
   */
  look(name: string): Promise<RateDecision>;
  /**
   * Gives the name all its units back.
   *
   * @example
   * await rateLimiter(store, { limit: 10, per: 1000 }).reset('user:7');
   */
  reset(name: string): Promise<void>;
}

const DECISION = (reply: unknown): RateDecision => {
  const [allowed, remaining, retryIn, fullIn] = reply as readonly [number, number, number, number];
  return { isAllowed: allowed === 1, remaining, retryIn, fullIn };
};

const TOKEN_BUCKET = {
  keys: ['bucket'],
  args: ['limit', 'per', 'burst', 'cost', 'take'],
  lua: readLua(import.meta.url, 'token-bucket.lua'),
  reply: DECISION,
} as const;

const SLIDING_WINDOW = {
  keys: ['log'],
  args: ['limit', 'per', 'cost', 'take'],
  lua: readLua(import.meta.url, 'sliding-window.lua'),
  reply: DECISION,
} as const;

/**
 * Allows `limit` units in `per` ms for each name, over all processes, by the server's clock.
 *
 * @example
 * import { open } from 'sorrel';
 * import { rateLimiter } from 'sorrel/kit/rate-limiter';
 *
 * await using store = await open();
 * const limiter = rateLimiter(store, { limit: 100, per: 60_000, burst: 20 });
 * const { isAllowed, retryIn } = await limiter.take('user:7');
 */
export function rateLimiter(store: Store, given: RateLimiterOptions): RateLimiter {
  checkStore('rateLimiter', store);
  const { limit, per, burst, algorithm, prefix } = resolveRateLimiterOptions(given);
  // Limiters with different limits count for themselves, also if they share a name.
  const part = algorithm === 'token-bucket' ? `bucket:${limit}/${per}/${burst}` : `log:${limit}/${per}`;
  const keysOf = keyNaming('rateLimiter', prefix, [part]);
  const keyOf = (name: string): string => keysOf(name)[part] as string;
  const fromBucket = store.script(TOKEN_BUCKET);
  const fromWindow = store.script(SLIDING_WINDOW);
  const decide = (name: string, cost: number, take: 0 | 1): Promise<RateDecision> => {
    const key = keyOf(name);
    return algorithm === 'token-bucket'
      ? fromBucket({ bucket: key, limit, per, burst, cost, take })
      : fromWindow({ log: key, limit, per, cost, take });
  };
  return {
    take: async (name, cost) => decide(name, resolveCost(cost, burst), 1),
    look: async (name) => decide(name, 1, 0),
    reset: async (name) => {
      await store.send('DEL', keyOf(name));
    },
  };
}
