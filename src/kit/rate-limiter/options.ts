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
  /** How many units are allowed … */
  readonly limit: number;
  /** … in how many ms. */
  readonly per: number;
  /**
   * `token-bucket`: units come back one by one at a constant rate; takes two numbers per name, whatever the limit.
   * `sliding-window`: in no stretch of `per` ms is more than `limit` taken, exactly; takes one number per unit.
   * Default `token-bucket`.
   */
  readonly algorithm?: Algorithm;
  /** Of a token bucket: how many units can be saved up and taken at once. Default `limit`. */
  readonly burst?: number;
  /** What the keys begin with: `prefix:{name}:…`. Default `rate`. */
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
    throw new KitError('OPTION', 'rateLimiter: a sliding window has no `burst`: the limit is all there is');
  }
  return { ...options, burst: options.burst ?? options.limit };
}

/** The cost of one call. */
export function resolveCost(given: number | undefined, max: number): number {
  const { cost } = resolveOptions('take', { cost: given }, { cost: integer(1, { min: 1, max }) });
  return cost;
}
