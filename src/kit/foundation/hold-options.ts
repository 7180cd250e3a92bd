import { abortSignal, flag, milliseconds, optional, type Resolved } from './options.js';

/** How something is waited for and held: for all calls of a component, or for one. */
export interface HoldOptions {
  /**
   * How long it lasts in ms if its holder is not heard of any more. While it is held it is renewed, so this is not how long
   * the work may take. Default 30,000.
   */
  readonly lease?: number;
  /** How long `acquire` waits in ms; 0 tries once; `Infinity` is allowed. Default 10,000. */
  readonly wait?: number;
  /** Whether the lease is renewed while it is held. Default true. */
  readonly renew?: boolean;
}

/** The same of one call: what is not given is as for all calls. */
export interface AcquireOptions extends HoldOptions {
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** A lease shorter than this cannot be renewed in time, with three round trips to fit into it. */
const MIN_LEASE = 10;

const DEFAULTS = { lease: 30_000, wait: 10_000, renew: true };

export const HOLD_RULES = rulesOver(DEFAULTS);

/** The rules of one call, over those of all calls. */
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
