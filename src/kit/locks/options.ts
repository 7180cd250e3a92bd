import {
  abortSignal,
  flag,
  milliseconds,
  optional,
  type Resolved,
  resolveOptions,
  text,
} from '../foundation/index.js';

/** Options of `locks`; those of single calls (`LockOptions`) can be given here too, for all calls. */
export interface LocksOptions {
  /** What the keys begin with: `prefix:{name}:…`. Default `lock`. */
  readonly prefix?: string;
  /**
   * How long the lock lasts in ms if its holder is not heard of any more. While it is held it is renewed, so this is not
   * how long the work may take. Default 30,000.
   */
  readonly lease?: number;
  /** How long `acquire` waits in ms; 0 tries once; `Infinity` is allowed. Default 10,000. */
  readonly wait?: number;
  /** Whether the lease is renewed while the lock is held. Default true. */
  readonly renew?: boolean;
  /**
   * Whether who came first is first served. Without it a lock that becomes free goes to whoever asks first, which gets
   * more done, as one who works on need not wait for one who has to be woken. Default false.
   */
  readonly fair?: boolean;
  /**
   * For how many ms after its last use the last fencing token of a name is kept. Tokens are at least the server's time,
   * so this only matters to servers whose clock is put back. Default one day.
   */
  readonly fenceMemory?: number;
}

/** Options of one acquisition. */
export interface LockOptions {
  /** See `LocksOptions`. */
  readonly lease?: number;
  /** See `LocksOptions`. */
  readonly wait?: number;
  /** See `LocksOptions`. */
  readonly renew?: boolean;
  /** See `LocksOptions`. */
  readonly fair?: boolean;
  /** With `true`, others may have it too who want it shared; nobody then has it for himself. Default false. */
  readonly shared?: boolean;
  /** Who acquires: the same holder may have a lock several times. Default: somebody new; see `Lock.holder`. */
  readonly holder?: string;
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** A lease shorter than this cannot be renewed in time, with three round trips to fit into it. */
const SHORTEST_LEASE = 10;
const DAY = 86_400_000;

/** The rules of `locks`. */
export const LOCKS_RULES = {
  prefix: text('lock'),
  lease: milliseconds(30_000, { least: SHORTEST_LEASE }),
  wait: milliseconds(10_000, { infinite: true }),
  renew: flag(true),
  fair: flag(false),
  fenceMemory: milliseconds(DAY, { least: 1 }),
};

export type CompleteLocksOptions = Resolved<typeof LOCKS_RULES>;

export function resolveLocksOptions(given: LocksOptions): CompleteLocksOptions {
  return resolveOptions('locks', given, LOCKS_RULES);
}

export interface CompleteLockOptions {
  readonly lease: number;
  readonly wait: number;
  readonly renew: boolean;
  readonly fair: boolean;
  readonly shared: boolean;
  readonly holder: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Options of one call, completed from those of all calls. */
export function lockOptionsOver(defaults: CompleteLocksOptions): (given: LockOptions) => CompleteLockOptions {
  const rules = {
    lease: milliseconds(defaults.lease, { least: SHORTEST_LEASE }),
    wait: milliseconds(defaults.wait, { infinite: true }),
    renew: flag(defaults.renew),
    fair: flag(defaults.fair),
    shared: flag(false),
    holder: optional(text()),
    signal: optional(abortSignal()),
  };
  return (given) => resolveOptions('acquire', given, rules);
}
