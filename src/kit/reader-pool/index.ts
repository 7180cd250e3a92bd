/** `sorrel/kit/reader-pool`: reads from replicas, each client from the same one, after its own writes have arrived there. */
export { KitError } from '../foundation/index.js';
export { type PoolClient, type ReaderPool, type ReaderPoolOptions, readerPool } from './reader-pool.js';
