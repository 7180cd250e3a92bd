import { abortSignal, flag, milliseconds, optional, type Resolved } from '../options.js';

/** Options for waiting and holding, for all calls of a component or for one. */
export interface HoldOptions {
  /**
   * How long the hold outlives a dead holder, in ms. A live holder renews it, so this does not limit how long the work may
   * take. Default 30,000.
   */
  readonly lease?: number;
  /** How long `acquire` waits in ms; 0 tries once; `Infinity` is allowed. Default 10,000. */
  readonly wait?: number;
  /** Whether the lease is renewed while it is held. Default true. */
  readonly renew?: boolean;
}

/** The same for one call. Missing options are those for all calls. */
export interface AcquireOptions extends HoldOptions {
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** Min lease in ms: three round trips must fit into it, so that it can be renewed in time. */
const MIN_LEASE = 10;

const DEFAULTS = { lease: 30_000, wait: 10_000, renew: true };

export const HOLD_RULES = rulesOver(DEFAULTS);

/** The rules of one call, with the options of all calls as defaults. */
export function acquireRules(defaults: Resolved<typeof HOLD_RULES>) {
  return { ...rulesOver(defaults), signal: optional(abortSignal()) };
}

function rulesOver({ lease, wait, renew }: typeof DEFAULTS) {
  return {
    lease: milliseconds(lease, { min: MIN_LEASE }),
    wait: milliseconds(wait, { infinite: true }),
    renew: flag(renew),
  };
}
