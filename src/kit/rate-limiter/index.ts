/** `sorrel/kit/rate-limiter`: so many in so long, over all processes. */
export { KitError } from '../foundation/index.js';
export type { Algorithm, RateLimiterOptions } from './options.js';
export { type RateDecision, type RateLimiter, rateLimiter } from './rate-limiter.js';
