/** `sorrel/kit/counters`: time series of counts at several precisions. */
export { KitError } from '../foundation/index.js';
export {
  type Counters,
  type CountersOptions,
  counters,
  type RangeOptions,
  type Sample,
  type Series,
} from './counters.js';
export { type SparklineOptions, sparkline } from './sparkline.js';
