/** `sorrel/kit/sharded-set`: sets of any size, made of short ones; 64-bit numbers take eight bytes. */
export {
  type EvictionOptions,
  type ExactId,
  id64,
  KitError,
  type ShardedOptions,
} from '../foundation/index.js';
export { type ShardedSet, type ShardedSetOptions, shardedSet } from './sharded-set.js';
