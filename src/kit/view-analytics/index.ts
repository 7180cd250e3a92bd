/** `sorrel/kit/view-analytics`: a ranking of items by views, in which old views count less. */
export { KitError } from '../foundation/index.js';
export {
  type ItemViews,
  type ViewAnalytics,
  type ViewAnalyticsOptions,
  type ViewedItem,
  viewAnalytics,
} from './view-analytics.js';
