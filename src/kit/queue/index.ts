/** `sorrel/kit/queue`: task queues. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export type { AddedFlow, AddedTask, TaskToAdd } from './adding/adding.js';
export { type FlowChildren, type FlowNode, type FlowOptions, flow } from './adding/flow.js';
export type { CleanOptions, CleanState, DrainOptions, ObliterateOptions } from './cleaning.js';
export {
  type BatchHandler,
  type BatchOptions,
  type BatchTask,
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
export type { ListedState, QueueCounts, TaskSnapshot, TaskState } from './inspection.js';
export type { MinuteMetrics } from './metrics.js';
export type {
  Backoff,
  BackoffFunction,
  Failure,
  IfDead,
  QueueOptions,
  Retention,
  ScheduleChange,
  TaskDefaults,
  TaskOptions,
  WorkerOptions,
} from './options.js';
export { prometheusText } from './prometheus.js';
export { type ListOptions, type PauseOptions, queue, type TaskQueue } from './queue.js';
export type { TaskProblem } from './record.js';
export type { ResultOptions } from './results.js';
export type { SandboxOptions } from './sandbox/sandbox.js';
export { Cron, type CronOptions } from './schedules/cron.js';
export type { Repetition, ScheduleSnapshot } from './schedules/schedule.js';
export type { TaskContext } from './working/context.js';
export { NoRetryError } from './working/no-retry-error.js';
export { PostponeError } from './working/postpone-error.js';
export type { PauseWorkerOptions, StopOptions, Worker } from './working/worker.js';
