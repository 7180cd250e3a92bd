/** `sorrel/kit/sharding`: data divided over several stores, and moved between them while it is used. */
export type { ConnectionSettings } from '../configuration/index.js';
export { type EvictionOptions, KitError } from '../foundation/index.js';
export type { Gathered } from './gather.js';
export type { MergedPage, MergeSource, SourcePage } from './merge.js';
export type { ReshardOptions, ReshardProgress, ReshardReport } from './resharding.js';
export { presharded, type SlotRange } from './shard-map.js';
export type { ShardedStore, SingleKeyCommand } from './sharded-commands.js';
export {
  type CallLimits,
  type CreateOptions,
  type PageOptions,
  type ShardChange,
  type Sharding,
  type ShardingOptions,
  type ShardingStatus,
  sharding,
} from './sharding.js';
export type { TimelineEntry } from './timelines.js';
