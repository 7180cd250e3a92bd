/** `sorrel/kit/sharded-search`: a search index divided over several stores. */
export { KitError } from '../foundation/index.js';
export {
  type ShardedSearch,
  type ShardedSearchOptions,
  type ShardedSearchResult,
  type ShardedSearchSettings,
  shardedSearch,
} from './sharded-search.js';
