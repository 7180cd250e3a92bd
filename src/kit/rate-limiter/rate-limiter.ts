import type { Store } from '../../store/index.js';
import { checkStore, keyNaming, readLua } from '../foundation/index.js';
import { type RateLimiterOptions, resolveCost, resolveRateLimiterOptions } from './options.js';

/** The result of a call: whether it is allowed, and when the next one is. */
export interface RateDecision {
  readonly isAllowed: boolean;
  /** Whole units left after this call. */
  readonly remaining: number;
  /** Ms until the same call would be allowed; 0 if it was allowed. Suitable for a `Retry-After` header. */
  readonly retryIn: number;
  /** Ms until all units are available again, if none are taken meanwhile. */
  readonly fullIn: number;
}

/** A rate limit for each name. Made by `rateLimiter`. */
export interface RateLimiter {
  /**
   * Takes one unit, or the given number, if available: all or none, in one round trip.
   *
   * @example
   * const { isAllowed, retryIn } = await rateLimiter(store, { limit: 10, per: 1000 }).take('user:7');
   * if (!isAllowed) return tooManyRequests({ 'Retry-After': Math.ceil(retryIn / 1000) });
   */
  take(name: string, cost?: number): Promise<RateDecision>;
  /**
   * Returns what `take` of one unit would return, without taking it.
   *
   * @example
   * await rateLimiter(store, { limit: 10, per: 1000 }).look('user:7'); // { isAllowed: true, remaining: 10, … }
   */
  look(name: string): Promise<RateDecision>;
  /**
   * Returns all units to the name.
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
 * Allows `limit` units in `per` ms for each name, across all processes, on the server's clock.
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
  // Limiters with different limits count separately, even if they share a name.
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
