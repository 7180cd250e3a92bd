import {
  type AcquireOptions,
  acquireRules,
  EVICTION_RULES,
  type EvictionOptions,
  HOLD_RULES,
  type HoldOptions,
  integer,
  type Resolved,
  resolveOptions,
  resolverOf,
  text,
} from '../foundation/index.js';

/** Options of `semaphores`. Options of single calls (`PermitOptions`) can be set here for all calls. */
export interface SemaphoresOptions extends HoldOptions, EvictionOptions {
  /** Permits per name, unless `setLimit` was called. */
  readonly limit: number;
  /** Prefix of all keys: `prefix:{name}:…`. Default `semaphore`. */
  readonly prefix?: string;
}

/** Options of one acquisition. */
export interface PermitOptions extends AcquireOptions {
  /** Number of permits to hold, all or none. Default 1. */
  readonly permits?: number;
}

/** Limits how long a script runs: it adds a member to a sorted set for each permit. */
const MAX_PERMITS = 1_000;

const RULES = {
  limit: integer(undefined, { min: 0 }),
  prefix: text('semaphore'),
  ...HOLD_RULES,
  ...EVICTION_RULES,
};

export type CompleteSemaphoresOptions = Resolved<typeof RULES>;

export function resolveSemaphoresOptions(given: SemaphoresOptions): CompleteSemaphoresOptions {
  return resolveOptions('semaphores', given, RULES);
}

function permitRules(defaults: CompleteSemaphoresOptions) {
  return { permits: integer(1, { min: 1, max: MAX_PERMITS }), ...acquireRules(defaults) };
}

export type CompletePermitOptions = Resolved<ReturnType<typeof permitRules>>;

/** Resolves the options of one call; missing ones are taken from `semaphores`. */
export function permitOptionsOver(
  defaults: CompleteSemaphoresOptions,
): (given: PermitOptions | undefined) => CompletePermitOptions {
  return resolverOf('acquire', permitRules(defaults));
}

/** Checks the limit passed to `setLimit`. */
export function resolveLimit(given: number): number {
  return resolveOptions('setLimit', { limit: given }, { limit: RULES.limit }).limit;
}
