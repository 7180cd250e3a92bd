import {
  callback,
  EVICTION_RULES,
  type EvictionOptions,
  integer,
  KitError,
  milliseconds,
  oneOf,
  optional,
  type Resolved,
  resolveOptions,
  ruled,
  text,
} from '../foundation/index.js';

/** The delay before a failed task is retried. */
export interface Backoff {
  /** `fixed`: always `delay`; `exponential`: `delay`, then twice that, four times, … */
  readonly kind: 'fixed' | 'exponential';
  /** In ms. */
  readonly delay: number;
  /** Max delay in ms. Default: one day. */
  readonly max?: number;
  /** The random part of each delay, 0 to 1: with 0.5 the delay is between half and the whole. Default 0. */
  readonly jitter?: number;
}

/** Options that a definition can set for all its tasks. */
export interface TaskDefaults {
  /** Higher priorities are taken first; -1,000,000 to 1,000,000. Default 0. Within a priority: first in, first out. */
  readonly priority?: number;
  /** Max attempts before the task is dead. Default 1. */
  readonly attempts?: number;
  /** The delay before the next attempt. Default: none. */
  readonly backoff?: Backoff;
  /** How often the task may be taken over from a dead worker before it is dead. Default: the queue's option. */
  readonly recoveries?: number;
}

/** Options of one task. */
export interface TaskOptions extends TaskDefaults {
  /** Delay in ms before it can start. */
  readonly delay?: number;
  /** The earliest time at which it can start. */
  readonly at?: Date;
  /**
   * While a task with this key is in the queue (waiting, delayed, blocked or active), adding another one adds
   * nothing and returns the existing one.
   */
  readonly key?: string;
  /** Ids of tasks of the same queue that must be completed first. A dead one blocks this task until it is replayed. */
  readonly after?: readonly string[];
}

const BACKOFF_RULES = {
  kind: oneOf(['fixed', 'exponential']),
  delay: milliseconds(),
  max: milliseconds(86_400_000),
  jitter: ruled<number>(
    (value) =>
      typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'must be a number from 0 to 1',
    0,
  ),
};

export type CompleteBackoff = Resolved<typeof BACKOFF_RULES>;

const isObject = ruled<Backoff>((value) =>
  typeof value === 'object' && value !== null
    ? undefined
    : "must be an object such as { kind: 'fixed', delay: 1000 }",
);

const DEFAULTS_RULES = {
  priority: integer(0, { min: -1_000_000, max: 1_000_000 }),
  attempts: integer(1, { min: 1 }),
  backoff: optional(isObject),
  recoveries: optional(integer(undefined, { min: 0 })),
};

/** The options that are stored with a task. */
export interface HeaderOptions {
  readonly priority: number;
  readonly attempts: number;
  readonly backoff: CompleteBackoff | undefined;
  readonly recoveries: number | undefined;
}

export function taskDefaults(given: TaskDefaults): HeaderOptions {
  const { backoff, ...rest } = resolveOptions('defineTask', given, DEFAULTS_RULES);
  return { ...rest, backoff: completeBackoff(backoff) };
}

function completeBackoff(backoff: Backoff | undefined): CompleteBackoff | undefined {
  return backoff === undefined ? undefined : resolveOptions('backoff', backoff, BACKOFF_RULES);
}

const TASK_RULES = {
  ...DEFAULTS_RULES,
  delay: milliseconds(0),
  at: optional(
    ruled<Date>((value) =>
      value instanceof Date && !Number.isNaN(value.getTime()) ? undefined : 'must be a valid Date',
    ),
  ),
  key: optional(text()),
  after: ruled<readonly string[]>(
    (value) =>
      Array.isArray(value) && value.every((id) => typeof id === 'string')
        ? undefined
        : 'must be an array of task ids',
    [],
  ),
};

export interface CompleteTaskOptions extends HeaderOptions {
  readonly delay: number;
  readonly at: Date | undefined;
  readonly key: string | undefined;
  readonly after: readonly string[];
}

/** The options of a task, with those of its definition as defaults. */
export function taskOptions(given: TaskOptions, defaults: HeaderOptions): CompleteTaskOptions {
  const resolved = resolveOptions('add', given, TASK_RULES);
  const { priority, attempts, recoveries } = { ...defaults, ...definedOf(given) };
  const backoff = given.backoff === undefined ? defaults.backoff : completeBackoff(given.backoff);
  const isLater = resolved.delay > 0 || resolved.at !== undefined;
  if (resolved.delay > 0 && resolved.at !== undefined) {
    throw new KitError('OPTION', 'add: give either `delay` or `at`, not both');
  }
  if (isLater && resolved.after.length > 0) {
    throw new KitError('OPTION', 'add: a task that waits for others (`after`) cannot have `delay` or `at`');
  }
  return { ...resolved, priority, attempts, recoveries, backoff };
}

function definedOf(given: TaskOptions): Partial<Pick<HeaderOptions, 'priority' | 'attempts' | 'recoveries'>> {
  return {
    ...(given.priority === undefined ? {} : { priority: given.priority }),
    ...(given.attempts === undefined ? {} : { attempts: given.attempts }),
    ...(given.recoveries === undefined ? {} : { recoveries: given.recoveries }),
  };
}

/** Options of a queue. All programs that use the queue should use the same. */
export interface QueueOptions extends EvictionOptions {
  /** Prefix of all keys. Default `queue`. */
  readonly prefix?: string;
  /** Max completed tasks to keep, with their results; the oldest are removed first. Default 1,000. */
  readonly keepCompleted?: number;
  /**
   * Max dead tasks to keep. The oldest are removed first (event `removed`), and tasks that wait for them are unblocked.
   * Default 10,000.
   */
  readonly keepDead?: number;
  /**
   * Approximate max entries in the stream of events, which expires after a day without use. 0: no events, and results
   * cannot be awaited. Default 1,000.
   */
  readonly keepEvents?: number;
  /** How often a task may be taken over from a dead worker before it is dead. Default 5. */
  readonly recoveries?: number;
}

const QUEUE_RULES = {
  prefix: text('queue'),
  keepCompleted: integer(1_000, { min: 0 }),
  keepDead: integer(10_000, { min: 0 }),
  keepEvents: integer(1_000, { min: 0 }),
  recoveries: integer(5, { min: 0 }),
  ...EVICTION_RULES,
};

export type CompleteQueueOptions = Resolved<typeof QUEUE_RULES>;

export function queueOptions(given: QueueOptions): CompleteQueueOptions {
  return resolveOptions('queue', given, QUEUE_RULES);
}

/** Options of a worker. */
export interface WorkerOptions {
  /** Max tasks run at the same time. Default 1. */
  readonly concurrency?: number;
  /**
   * How many more tasks may be taken ahead, so that the next one can start at once: good for short
   * tasks, bad for long ones, because a free worker does not get them. `auto` takes as many as will probably start
   * within about 10 ms, none if tasks take longer, and returns tasks that did not start within
   * 100 ms. Default `auto`.
   */
  readonly prefetch?: number | 'auto';
  /**
   * Length of the lease of a task in ms. It is renewed while the handler runs. After a
   * crash, other workers run the tasks when the lease ends. Default 30,000.
   */
  readonly lease?: number;
  /** Called when a task was lost: its lease ended before it was renewed, and its result is refused. */
  readonly onLost?: (task: { readonly id: string; readonly name: string }, error: KitError) => void;
  /** Called with errors of the store; the worker retries. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
  /** Source of randomness for jitter, such as `Math.random`. */
  readonly random?: () => number;
}

const WORKER_RULES = {
  concurrency: integer(1, { min: 1, max: 1_000 }),
  prefetch: ruled<number | 'auto'>(
    (value) =>
      value === 'auto' || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 1_000)
        ? undefined
        : "must be 'auto' or a whole number from 0 to 1000",
    'auto',
  ),
  lease: milliseconds(30_000, { min: 10 }),
  onLost: callback<NonNullable<WorkerOptions['onLost']>>(() => {}),
  onError: callback<NonNullable<WorkerOptions['onError']>>((error) =>
    process.emitWarning(`a queue worker got an error from its store and retries: ${String(error)}`),
  ),
  random: callback<() => number>(() => Math.random()),
};

export type CompleteWorkerOptions = Resolved<typeof WORKER_RULES>;

export function workerOptions(given: WorkerOptions): CompleteWorkerOptions {
  return resolveOptions('work', given, WORKER_RULES);
}
