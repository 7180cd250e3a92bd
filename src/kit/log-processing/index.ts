/** `sorrel/kit/log-processing`: reads rotating log files; what it has read is stored together with what it has counted. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export {
  type FollowOptions,
  type LineHandler,
  type LogProcessor,
  type LogProcessorOptions,
  type LogStatus,
  logProcessor,
  type Processed,
  type ProcessOptions,
} from './log-processor.js';
export type { LineSource, Tally } from './tally.js';
