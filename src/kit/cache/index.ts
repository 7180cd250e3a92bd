/** `sorrel/kit/cache`: results of functions and rendered pages, produced once for all processes. */
export { KitError } from '../foundation/index.js';
export { type Cached, type CachedCallOptions, type CachedOptions, cached } from './cached.js';
export type { NodeResponseLike } from './captured-response.js';
export type { CacheOptions } from './options.js';
export { type NodeRequestLike, type PageCache, type PageCacheOptions, pageCache } from './page-cache.js';
