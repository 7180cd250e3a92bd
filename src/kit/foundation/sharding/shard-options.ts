import { EVICTION_RULES, type EvictionOptions } from '../eviction.js';
import { integer, milliseconds, oneOf, optional, type Resolved, text } from '../options.js';
import type { ShardLayout } from './shards.js';

/** Options of structures that are divided into short shards. */
export interface ShardedOptions extends EvictionOptions {
  /** Prefix of all keys. */
  readonly prefix?: string;
  /**
   * `hashed`: any ids, divided over a fixed number of shards. `sequential`: whole numbers that are counted up from 0, as those of
   * `sorrel/kit/ids`; the number of shards then grows with them. Default `hashed`.
   */
  readonly layout?: 'hashed' | 'sequential';
  /** With the layout `hashed`: how many elements there will be, about. Default 1,000,000. */
  readonly expected?: number;
  /** How many elements a shard should have. */
  readonly shardSize?: number;
  /** After how many ms without a write a shard expires. Default: never. */
  readonly expiry?: number;
}

/** The rules of `ShardedOptions` with the defaults of one component. */
export function shardedRules(prefix: string, shardSize: number) {
  return {
    prefix: text(prefix),
    layout: oneOf(['hashed', 'sequential'], 'hashed'),
    expected: integer(1_000_000, { min: 1, max: 1e12 }),
    shardSize: integer(shardSize, { min: 1, max: 1e6 }),
    expiry: optional(milliseconds(undefined, { min: 1 })),
    ...EVICTION_RULES,
  };
}

/** There is always at least one shard. */
export function layoutFor(options: Resolved<ReturnType<typeof shardedRules>>): ShardLayout {
  const { layout: kind, expected, shardSize } = options;
  return { kind, number: kind === 'sequential' ? shardSize : Math.ceil(expected / shardSize) };
}
