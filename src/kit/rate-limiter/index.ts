/** `sorrel/kit/rate-limiter`: rate limits across processes. */
export { KitError } from '../foundation/index.js';
export { rateLimitHeaders } from './headers.js';
export {
  type FastifyReplyLike,
  type FastifyRequestLike,
  limitExpress,
  limitFastify,
  limitFetch,
  type NodeResponse,
  type RequestLimitOptions,
} from './http.js';
export type { Algorithm, InsuranceOptions, RateLimiterOptions, RateWindow, WaitOptions } from './options.js';
export type { RateDecision, WindowState } from './policy.js';
export { type RateLimiter, rateLimiter } from './rate-limiter.js';
