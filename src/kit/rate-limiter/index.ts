/** `sorrel/kit/rate-limiter`: limits how often things happen, over all processes. */
export { KitError } from '../foundation/index.js';
export type { Algorithm, RateLimiterOptions } from './options.js';
export { type RateDecision, type RateLimiter, rateLimiter } from './rate-limiter.js';
