/** `sorrel/kit/unique-visitors`: how many different visitors there were each day, exactly or estimated. */
export { type EvictionOptions, type ExactId, KitError } from '../foundation/index.js';
export {
  type UniqueVisitors,
  type UniqueVisitorsOptions,
  uniqueVisitors,
  type VisitorDay,
} from './unique-visitors.js';
