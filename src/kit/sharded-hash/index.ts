/** `sorrel/kit/sharded-hash`: hashes of any size, made of short ones that Redis stores compactly. */
export { type EvictionOptions, type ExactId, KitError, type ShardedOptions } from '../foundation/index.js';
export { type ShardedHash, type ShardedHashOptions, shardedHash } from './sharded-hash.js';
