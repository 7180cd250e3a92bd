/** `sorrel/kit/semaphores`: a limited number of permits, shared between processes. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export type { PermitOptions, SemaphoresOptions } from './options.js';
export type { Permit } from './permit.js';
export type { SemaphoreStatus } from './permit-scripts.js';
export { type Semaphores, semaphores } from './semaphores.js';
