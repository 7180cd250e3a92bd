import {
  type AcquireOptions,
  acquireRules,
  EVICTION_RULES,
  type EvictionOptions,
  flag,
  HOLD_RULES,
  type HoldOptions,
  milliseconds,
  optional,
  type Resolved,
  resolveOptions,
  resolverOf,
  text,
} from '../foundation/index.js';

/** Options of `locks`; those of single calls (`LockOptions`) can be given here too, for all calls. */
export interface LocksOptions extends HoldOptions, EvictionOptions {
  /** What the keys begin with: `prefix:{name}:…`. Default `lock`. */
  readonly prefix?: string;
  /**
   * Whether waiters are served in the order in which they came. Without it the order is not promised: a free lock goes to the
   * first client that asks, and a waiter whose connection is down is passed over. Default false.
   */
  readonly fair?: boolean;
  /**
   * For how many ms after its last use the last fencing token of a name is kept. Tokens are at least the server's time,
   * so this only matters to servers whose clock is put back. Default one hour.
   */
  readonly fenceMemory?: number;
}

/** Options of one acquisition. */
export interface LockOptions extends AcquireOptions {
  /** See `LocksOptions`. */
  readonly fair?: boolean;
  /** With `true`, other clients that want it shared may hold it too; no client then holds it alone. Default false. */
  readonly shared?: boolean;
  /** Who acquires: the same holder may have a lock several times. Default: a new holder; see `Lock.holder`. */
  readonly holder?: string;
}

const HOUR = 3_600_000;

/** The rules of `locks`. */
export const LOCKS_RULES = {
  prefix: text('lock'),
  ...HOLD_RULES,
  ...EVICTION_RULES,
  fair: flag(false),
  fenceMemory: milliseconds(HOUR, { min: 1 }),
};

export type CompleteLocksOptions = Resolved<typeof LOCKS_RULES>;

export function resolveLocksOptions(given: LocksOptions): CompleteLocksOptions {
  return resolveOptions('locks', given, LOCKS_RULES);
}

function lockRules(defaults: CompleteLocksOptions) {
  return {
    ...acquireRules(defaults),
    fair: flag(defaults.fair),
    shared: flag(false),
    holder: optional(text()),
  };
}

export type CompleteLockOptions = Resolved<ReturnType<typeof lockRules>>;

/** Options of one call, completed from those of all calls. */
export function lockOptionsOver(
  defaults: CompleteLocksOptions,
): (given: LockOptions | undefined) => CompleteLockOptions {
  return resolverOf('acquire', lockRules(defaults));
}
