import {
  callback,
  EVICTION_RULES,
  type EvictionOptions,
  integer,
  listener,
  milliseconds,
  optional,
  type Resolved,
  text,
} from '../foundation/index.js';
import type { Status } from './social-network.js';

/** What happened to a status, for `onEvent`. */
export type NetworkEvent<Data = unknown> =
  | { readonly kind: 'posted'; readonly status: Status<Data> }
  | { readonly kind: 'deleted'; readonly id: string; readonly author: string };

/** Options of a network. All processes should use the same. */
export interface NetworkOptions<Data = unknown> extends EvictionOptions {
  /** Prefix of all keys, and of the queue. Default `social`. */
  readonly prefix?: string;
  /** Max statuses of the timeline of a home or list; the oldest are dropped first. Profiles have no limit. Default 1,000. */
  readonly timelineSize?: number;
  /** Max feeds that get a status in one pass. Default 1,000. */
  readonly passSize?: number;
  /** Max users that a user follows, and of a list. Default 5,000. */
  readonly maxFollowing?: number;
  /** Max lists of a user. Default 100. */
  readonly maxLists?: number;
  /** Max length of a text, in UTF-16 units as `text.length` has it. Default 1,000. */
  readonly maxText?: number;
  /**
   * Ms after which the queue takes over what a process has begun and not finished, and the lease of its tasks. Default 30,000.
   */
  readonly lease?: number;
  /**
   * Called for every status that was posted or deleted, at least once: before `post` and `deleteStatus` return, or in a worker if
   * that failed. Until it succeeds, the status does not go to the timelines.
   */
  readonly onEvent?: (event: NetworkEvent<Data>) => void | Promise<void>;
  /**
   * Called with errors of steps that the queue finishes later; the call itself succeeds. Default: a process warning.
   */
  readonly onError?: (error: unknown) => void;
}

export const NETWORK_RULES = {
  prefix: text('social'),
  timelineSize: integer(1_000, { min: 1, max: 100_000 }),
  passSize: integer(1_000, { min: 1, max: 10_000 }),
  maxFollowing: integer(5_000, { min: 1 }),
  maxLists: integer(100, { min: 1, max: 10_000 }),
  maxText: integer(1_000, { min: 1 }),
  lease: milliseconds(30_000, { min: 30 }),
  onEvent: optional(callback<(event: NetworkEvent<never>) => void | Promise<void>>()),
  onError: listener<(error: unknown) => void>((error) =>
    process.emitWarning(`a social network leaves a step to its queue: ${String(error)}`),
  ),
  ...EVICTION_RULES,
};

export type ResolvedNetworkOptions = Resolved<typeof NETWORK_RULES>;
