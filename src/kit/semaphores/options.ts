import {
  abortSignal,
  flag,
  integer,
  milliseconds,
  optional,
  type Resolved,
  resolveOptions,
  text,
} from '../foundation/index.js';

/** Options of `semaphores`. */
export interface SemaphoresOptions {
  /** How many permits each name has, unless `setLimit` has said otherwise. */
  readonly limit: number;
  /** What the keys begin with: `prefix:{name}:…`. Default `semaphore`. */
  readonly prefix?: string;
  /**
   * How long a permit lasts in ms if its holder is not heard of any more. While it is held it is renewed. Default 30,000.
   */
  readonly lease?: number;
  /** How long `acquire` waits in ms; 0 tries once; `Infinity` is allowed. Default 10,000. */
  readonly wait?: number;
  /** Whether the lease is renewed while the permit is held. Default true. */
  readonly renew?: boolean;
}

/** Options of one acquisition. */
export interface PermitOptions {
  /** How many permits to hold, all or none. Default 1. */
  readonly permits?: number;
  /** See `SemaphoresOptions`. */
  readonly lease?: number;
  /** See `SemaphoresOptions`. */
  readonly wait?: number;
  /** See `SemaphoresOptions`. */
  readonly renew?: boolean;
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

const SHORTEST_LEASE = 10;
/** Each permit of an acquisition is a member of a sorted set, written in one script. */
const MOST_PERMITS = 1_000;

const RULES = {
  limit: integer(undefined, { least: 0 }),
  prefix: text('semaphore'),
  lease: milliseconds(30_000, { least: SHORTEST_LEASE }),
  wait: milliseconds(10_000, { infinite: true }),
  renew: flag(true),
};

export type CompleteSemaphoresOptions = Resolved<typeof RULES>;

export function resolveSemaphoresOptions(given: SemaphoresOptions): CompleteSemaphoresOptions {
  return resolveOptions('semaphores', given, RULES);
}

export interface CompletePermitOptions {
  readonly permits: number;
  readonly lease: number;
  readonly wait: number;
  readonly renew: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Options of one call, completed from those of all calls. */
export function permitOptionsOver(
  defaults: CompleteSemaphoresOptions,
): (given: PermitOptions) => CompletePermitOptions {
  const rules = {
    permits: integer(1, { least: 1, most: MOST_PERMITS }),
    lease: milliseconds(defaults.lease, { least: SHORTEST_LEASE }),
    wait: milliseconds(defaults.wait, { infinite: true }),
    renew: flag(defaults.renew),
    signal: optional(abortSignal()),
  };
  return (given) => resolveOptions('acquire', given, rules);
}

/** The limit that `setLimit` was given. */
export function resolveLimit(given: number): number {
  return resolveOptions('setLimit', { limit: given }, { limit: RULES.limit }).limit;
}
