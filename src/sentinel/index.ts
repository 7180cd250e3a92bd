export { serveSentinel } from './commands/handlers.js';
export { sentinelTable } from './commands/table.js';
export { applyDirectives } from './configuration.js';
export { requestFailover } from './failover.js';
export type { Master } from './instance.js';
export { processWorld } from './process-world.js';
export { Sentinel } from './sentinel.js';
export type { SentinelWorld } from './sentinel-world.js';
