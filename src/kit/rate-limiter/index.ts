/** `sorrel/kit/rate-limiter`: rate limits across processes. */
export { KitError } from '../foundation/index.js';
export type { Algorithm, RateLimiterOptions } from './options.js';
export { type RateDecision, type RateLimiter, rateLimiter } from './rate-limiter.js';
