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

/** Options of `locks`. Options of single calls (`LockOptions`) can be set here for all calls. */
export interface LocksOptions extends HoldOptions, EvictionOptions {
  /** Prefix of all keys: `prefix:{name}:…`. Default `lock`. */
  readonly prefix?: string;
  /**
   * Whether waiters are served in order of arrival. Otherwise the order is not guaranteed: a free lock goes to the
   * first client that asks, and a waiter whose connection is down is skipped. Default false.
   */
  readonly fair?: boolean;
  /**
   * How long the last fencing token of a name is kept after its last use, in ms, up to twice as long. Tokens are at least the server's time,
   * so this matters only if the server's clock is set back. Default one hour.
   */
  readonly fenceMemory?: number;
}

/** Options of one acquisition. */
export interface LockOptions extends AcquireOptions {
  /** See `LocksOptions`. */
  readonly fair?: boolean;
  /** Whether other clients that also ask for a shared lock may hold it at the same time. Default false. */
  readonly shared?: boolean;
  /** The holder: the same holder can acquire a lock several times. Default: a new holder; see `Lock.holder`. */
  readonly holder?: string;
}

/** Options of `forceRelease`. */
export interface ForceReleaseOptions {
  /** The holder that loses the lock: see `status`. Default: all holders. */
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

/** Resolves the options of one call; missing ones are taken from `locks`. */
export function lockOptionsOver(
  defaults: CompleteLocksOptions,
): (given: LockOptions | undefined) => CompleteLockOptions {
  return resolverOf('acquire', lockRules(defaults));
}

/** Resolves the options of `forceRelease`. */
export const forceReleaseOptions: (given: ForceReleaseOptions | undefined) => {
  readonly holder: string | undefined;
} = resolverOf('forceRelease', { holder: optional(text()) });
