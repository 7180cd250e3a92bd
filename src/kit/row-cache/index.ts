/** `sorrel/kit/row-cache`: rows of a database as JSON, refreshed by a schedule. */
export { KitError } from '../foundation/index.js';
export {
  type LoadContext,
  type LoadRow,
  type RowCache,
  type RowCacheOptions,
  type RowWorker,
  type RowWorkerOptions,
  rowCache,
} from './row-cache.js';
