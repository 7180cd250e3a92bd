/** `sorrel/kit/logs`: the recent and the common messages of an application. The default export is a transport for pino. */
export { KitError } from '../foundation/index.js';
export type { LogStreamOptions } from './log-stream.js';
export {
  type CommonMessage,
  type CommonOptions,
  type LogEntry,
  type Logs,
  type LogsOptions,
  logs,
  type RecentOptions,
  type WriteOptions,
} from './logs.js';
export { default, type TransportOptions } from './pino-transport.js';
export { SEVERITIES, type Severity } from './severity.js';
