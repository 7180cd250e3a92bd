/** `sorrel/kit/queue`: task queues. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export type { TaskContext } from './context.js';
export { Cron, type CronOptions } from './cron.js';
export {
  type DefinitionOptions,
  defineTask,
  type Handler,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  type TaskDefinition,
  type TaskHandler,
} from './definition.js';
export type { EventOptions, QueueEvent, QueueEvents, QueueEventType } from './events.js';
export { type FlowNode, type FlowOptions, flow } from './flow.js';
export type { QueueCounts, TaskSnapshot, TaskState } from './inspection.js';
export { NoRetryError } from './no-retry-error.js';
export type { Backoff, QueueOptions, TaskDefaults, TaskOptions, WorkerOptions } from './options.js';
export {
  type AddedFlow,
  type AddedTask,
  type ListOptions,
  queue,
  type ScheduleSnapshot,
  type TaskQueue,
  type TaskToAdd,
} from './queue.js';
export type { TaskProblem } from './record.js';
export type { ResultOptions } from './results.js';
export type { Repetition } from './schedule.js';
export type { StopOptions, Worker } from './worker.js';
