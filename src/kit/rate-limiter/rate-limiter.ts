import type { Store } from '../../store/index.js';
import { checkStore, KitError } from '../foundation/index.js';
import { InsuredPolicy } from './insurance.js';
import {
  type RateLimiterOptions,
  resolveBlock,
  resolveRateLimiterOptions,
  resolveUnits,
  resolveWait,
  type WaitOptions,
} from './options.js';
import { type RateDecision, storePolicy } from './policy.js';
import { RememberedRefusals } from './remembered-refusals.js';
import { WaitingCalls } from './waiting-calls.js';

/** A rate limit for each name. Made by `rateLimiter`. */
export interface RateLimiter {
  /**
   * Takes one unit, or the given number, if available: all or none, from all windows or from none, in one round trip.
   *
   * @example
   * const { isAllowed, retryIn } = await rateLimiter(store, { limit: 10, per: 1000 }).take('user:7');
   * if (!isAllowed) return tooManyRequests({ 'Retry-After': Math.ceil(retryIn / 1000) });
   */
  take(name: string, cost?: number): Promise<RateDecision>;
  /**
   * Waits until one unit, or `cost` units, can be taken, and takes them. Calls of one process for the same name get them in their order;
   * those of several processes as it happens. Rejects with `TIMEOUT` after `within` ms, or at once if the store says that it will take
   * longer. An answer of the store is waited for, half a second at least. With `burst: 1`, a token bucket or GCRA spreads calls evenly.
   *
   * @example
   * const calls = rateLimiter(store, { limit: 10, per: 1000, burst: 1 });
   * await calls.wait('api.example', { within: 5_000 });
   */
  wait(name: string, options?: WaitOptions): Promise<RateDecision>;
  /**
   * Returns what `take` of one unit, or the given number, would return, without taking it.
   *
   * @example
   * await rateLimiter(store, { limit: 10, per: 1000 }).look('user:7'); // { isAllowed: true, remaining: 10, … }
   */
  look(name: string, cost?: number): Promise<RateDecision>;
  /**
   * Takes units even if too few are left, for example after a wrong password. A name can owe at most as many units as a full window
   * has. Returns what `look` would return now.
   *
   * @example
   * await rateLimiter(store, { limit: 10, per: 1000 }).penalize('user:7', 5);
   */
  penalize(name: string, units?: number): Promise<RateDecision>;
  /**
   * Returns units, for example if a request was not executed: as many as were taken at most. Returns what `look` would return now.
   *
   * @example
   * await rateLimiter(store, { limit: 10, per: 1000 }).reward('user:7');
   */
  reward(name: string, units?: number): Promise<RateDecision>;
  /**
   * Refuses all calls for this number of ms. Needs the option `block`. `reset` ends it.
   *
   * @example
   * await rateLimiter(store, { limit: 10, per: 1000, block: 0 }).block('user:7', 3_600_000);
   */
  block(name: string, ms: number): Promise<void>;
  /**
   * Returns all units to the name, and ends its block.
   *
   * @example
   * await rateLimiter(store, { limit: 10, per: 1000 }).reset('user:7');
   */
  reset(name: string): Promise<void>;
}

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
  const options = resolveRateLimiterOptions(given);
  const { insurance } = options;
  const max = Math.min(...options.windows.map(({ burst }) => burst));
  const counted =
    insurance === undefined ? storePolicy(store, options) : new InsuredPolicy(store, options, insurance);
  const policy = options.rememberRefused ? new RememberedRefusals(counted, store.time) : counted;
  const waiting = new WaitingCalls(policy, store.time);
  return {
    take: async (name, cost) => policy.decide(name, 'take', resolveUnits('take', cost, max)),
    wait: async (name, given = {}) => {
      if (options.block !== undefined && options.block > 0) {
        throw new KitError(
          'OPTION',
          'wait: a limiter with the option `block` blocks names that have to wait',
        );
      }
      const { cost, ...limits } = resolveWait(given, max);
      return waiting.take(name, cost, limits);
    },
    look: async (name, cost) => policy.decide(name, 'look', resolveUnits('look', cost, max)),
    penalize: async (name, units) => policy.decide(name, 'change', resolveUnits('penalize', units, max)),
    reward: async (name, units) => policy.decide(name, 'change', -resolveUnits('reward', units, max)),
    block: async (name, ms) => {
      if (options.block === undefined) {
        throw new KitError(
          'OPTION',
          'block: names of this limiter cannot be blocked: give it the option `block`',
        );
      }
      await policy.block(name, resolveBlock(ms));
    },
    reset: async (name) => policy.reset(name),
  };
}
