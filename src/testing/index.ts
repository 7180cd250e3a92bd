/** `sorrel/testing`: a Redis for tests in the same process, also for code that uses ioredis or node-redis. */
export { replaceIoredis } from './replace-ioredis.js';
export { replaceNodeRedis } from './replace-node-redis.js';
export { setupStore, sharedStore, type TestHooks } from './test-store.js';
