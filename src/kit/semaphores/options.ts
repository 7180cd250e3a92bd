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

/** Options of `semaphores`; those of single calls (`PermitOptions`) can be given here too, for all calls. */
export interface SemaphoresOptions extends HoldOptions, EvictionOptions {
  /** How many permits each name has, unless `setLimit` has said otherwise. */
  readonly limit: number;
  /** What the keys begin with: `prefix:{name}:…`. Default `semaphore`. */
  readonly prefix?: string;
}

/** Options of one acquisition. */
export interface PermitOptions extends AcquireOptions {
  /** How many permits to hold, all or none. Default 1. */
  readonly permits?: number;
}

/** Each permit of an acquisition is a member of a sorted set, written in one script. */
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

/** Options of one call, completed from those of all calls. */
export function permitOptionsOver(
  defaults: CompleteSemaphoresOptions,
): (given: PermitOptions | undefined) => CompletePermitOptions {
  return resolverOf('acquire', permitRules(defaults));
}

/** The limit that `setLimit` was given. */
export function resolveLimit(given: number): number {
  return resolveOptions('setLimit', { limit: given }, { limit: RULES.limit }).limit;
}
