/** `sorrel/kit/statistics`: count, mean, deviation and percentiles by hour, and the slowest parts of an application. */
export { KitError } from '../foundation/index.js';
export {
  type PeriodOptions,
  type SlowContext,
  type SlowestOptions,
  type Statistics,
  type StatisticsOptions,
  statistics,
  type TimedOptions,
} from './statistics.js';
export { type Summary, summarize } from './summary.js';
