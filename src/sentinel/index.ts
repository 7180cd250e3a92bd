export { serveSentinel } from './commands/handlers.js';
export { sentinelTable } from './commands/table.js';
export { applyDirectives } from './configuration.js';
export { processWorld } from './process-world.js';
export { Sentinel } from './sentinel.js';
export type { SentinelWorld } from './sentinel-world.js';
