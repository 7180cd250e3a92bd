import {
  integer,
  KitError,
  milliseconds,
  oneOf,
  optional,
  type Resolved,
  resolveOptions,
  text,
} from '../foundation/index.js';

export type Algorithm = 'token-bucket' | 'sliding-window';

/** Options of `rateLimiter`. */
export interface RateLimiterOptions {
  /** Max units … */
  readonly limit: number;
  /** … per this number of ms. */
  readonly per: number;
  /**
   * `token-bucket`: units are added one by one at a constant rate; stores two numbers per name, whatever the limit.
   * `sliding-window`: no period of `per` ms ever has more than `limit` units; stores one number per unit.
   * Default `token-bucket`.
   */
  readonly algorithm?: Algorithm;
  /** Max units in a token bucket, which can be taken at once. Default `limit`. */
  readonly burst?: number;
  /** Prefix of all keys: `prefix:{name}:…`. Default `rate`. */
  readonly prefix?: string;
}

const RULES = {
  limit: integer(undefined, { min: 1 }),
  per: milliseconds(undefined, { min: 1 }),
  algorithm: oneOf(['token-bucket', 'sliding-window'], 'token-bucket'),
  burst: optional(integer(undefined, { min: 1 })),
  prefix: text('rate'),
};

type GivenOptions = Resolved<typeof RULES>;

export interface CompleteRateLimiterOptions extends Omit<GivenOptions, 'burst'> {
  readonly burst: number;
}

export function resolveRateLimiterOptions(given: RateLimiterOptions): CompleteRateLimiterOptions {
  const options = resolveOptions('rateLimiter', given, RULES);
  if (options.burst !== undefined && options.algorithm === 'sliding-window') {
    throw new KitError('OPTION', 'rateLimiter: a sliding window has no `burst`, only `limit` and `per`');
  }
  return { ...options, burst: options.burst ?? options.limit };
}

/** The cost of one call. */
export function resolveCost(given: number | undefined, max: number): number {
  const { cost } = resolveOptions('take', { cost: given }, { cost: integer(1, { min: 1, max }) });
  return cost;
}
