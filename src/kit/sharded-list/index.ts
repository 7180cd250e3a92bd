/** `sorrel/kit/sharded-list`: lists of any length, made of short ones. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export {
  type ShardedList,
  type ShardedListOptions,
  shardedList,
  type TakeOptions,
} from './sharded-list.js';
