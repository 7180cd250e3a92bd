import {
  abortSignal,
  EVICTION_RULES,
  type EvictionOptions,
  integer,
  listener,
  milliseconds,
  optional,
  type Resolved,
  resolverOf,
  ruled,
  text,
} from '../foundation/index.js';

/** Options of `sessions`. All processes that share sessions must use the same `prefix` and `shards`. */
export interface SessionsOptions extends EvictionOptions {
  /** Prefix of all keys. Default `session`. */
  readonly prefix?: string;
  /**
   * Ms without a visit after which a session ends; each visit starts it again. Since visits do not extend times to live each time, it
   * ends up to a thousandth of `idle` later, at most a minute. Default 7 days.
   */
  readonly idle?: number;
  /** Ms after which a session ends even if it is in use. Default 30 days. */
  readonly lifetime?: number;
  /** Max number of sessions that `clean` leaves; those that were not seen for the longest time go first. Default 10,000,000. */
  readonly limit?: number;
  /** How many viewed items a session keeps. Default 25. */
  readonly viewed?: number;
  /**
   * Into how many parts the sessions are divided. In a Cluster each part is in one slot. Another number does not find
   * existing sessions. Default 16.
   */
  readonly shards?: number;
}

const DAY = 86_400_000;

export const RULES = {
  prefix: text('session'),
  idle: milliseconds(7 * DAY, { min: 1 }),
  lifetime: milliseconds(30 * DAY, { min: 1 }),
  limit: integer(10_000_000, { min: 0 }),
  viewed: integer(25, { min: 1 }),
  shards: integer(16, { min: 1, max: 16_384 }),
  ...EVICTION_RULES,
};

export type CompleteSessionsOptions = Resolved<typeof RULES>;

/** Options of a new session. */
export interface CreateOptions<Data extends object> {
  /** Who is logged in. Default: a visitor without a name. */
  readonly user?: string;
  readonly data?: Partial<Data>;
}

export interface TouchOptions {
  /** An item that the visitor looks at. */
  readonly item?: string;
}

export interface RotateOptions {
  /** Who is logged in from now on. Default: the same as before. */
  readonly user?: string;
}

export interface RevokeUserOptions {
  /** The token of a session that stays: the one that asks for it. */
  readonly except?: string;
}

const plainObject = ruled<object>((value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object',
);

export const CREATE_RULES = { user: optional(text()), data: optional(plainObject) };
const TOUCH_RULES = { item: optional(text()) };
export const resolveTouch = resolverOf<typeof TOUCH_RULES, TouchOptions>('touch', TOUCH_RULES);
export const ROTATE_RULES = { user: optional(text()) };
export const REVOKE_USER_RULES = { except: optional(text()) };

/** Options of one pass of cleaning. */
export interface CleanOptions {
  /** Ends the pass with `ABORTED`; sessions that were removed stay removed. */
  readonly signal?: AbortSignal;
}

/** Options of repeated cleaning. */
export interface KeepCleanOptions {
  /** Ms between two passes. Default 1,000. */
  readonly every?: number;
  /** Ends the cleaning. */
  readonly signal?: AbortSignal;
  /** Called if a pass fails; the next one comes at its time. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
}

export const CLEAN_RULES = { signal: optional(abortSignal()) };

export const KEEP_CLEAN_RULES = {
  every: milliseconds(1_000, { min: 1 }),
  signal: optional(abortSignal()),
  onError: listener<NonNullable<KeepCleanOptions['onError']>>((error) => {
    process.emitWarning(error instanceof Error ? error : String(error));
  }),
};
