import {
  callback,
  EVICTION_RULES,
  type EvictionOptions,
  flag,
  hasHalfCharacters,
  integer,
  KitError,
  listener,
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

/** A failed attempt, as a function that decides the delay sees it. */
export interface Failure {
  /** Number of failed attempts, this one included. */
  readonly failures: number;
  readonly error: unknown;
  readonly id: string;
  readonly data: unknown;
}

/** The delay in ms before the next attempt; undefined if a retry would not help: the task is dead at once. */
export type BackoffFunction = (failure: Failure) => number | undefined;

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
  /**
   * Max time of one attempt in ms. Then `task.signal` aborts and the attempt has failed. A handler that goes on is not
   * waited for; one in a sandbox is killed. Default: none.
   */
  readonly timeLimit?: number;
  /** Last in, first out: the task is taken before all others of priority 0. Not with `priority` or `group`. Default false. */
  readonly lifo?: boolean;
  /**
   * What becomes of the tasks that wait for this one (its parent in a flow, those with `after`) if it is dead. `block`: they wait until
   * it was replayed and is completed, or is removed. `continue`: they run without its result, and get its error from `task.deadInputs()`.
   * `fail`: they are dead at once, too. Default `block`.
   */
  readonly ifDead?: IfDead;
}

export type IfDead = 'block' | 'continue' | 'fail';

/** Options of one task. */
export interface TaskOptions extends TaskDefaults {
  /**
   * Own id of the task. While a task with this id is in the queue or kept (completed or dead), adding another one adds
   * nothing and returns the existing one. 1 to 200 characters without white space; not 16 digits.
   */
  readonly id?: string;
  /** The task belongs to this group: groups take turns, and the queue can limit how many tasks of a group are active. */
  readonly group?: string;
  /**
   * For `per` ms after a task with this key was added, adding another one adds nothing and returns the first,
   * even if that one is over.
   */
  readonly throttle?: { readonly key: string; readonly per: number };
  /**
   * The task starts after `wait` ms. Adding another one of its kind with this key before it has started replaces its data and starts
   * the wait again; but it waits no longer than `max` ms in all, if given.
   */
  readonly debounce?: { readonly key: string; readonly wait: number; readonly max?: number };
  /** Delay in ms before it can start. */
  readonly delay?: number;
  /** The earliest time at which it can start. */
  readonly at?: Date;
  /**
   * While a task with this key is in the queue (waiting, delayed, blocked or active), adding another one adds
   * nothing and returns the existing one.
   */
  readonly key?: string;
  /** Ids of tasks of the same queue that must be completed first. `ifDead` of a dead one says whether it blocks this task. */
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
    : "must be an object such as { kind: 'fixed', delay: 1000 }; a function belongs into `defineTask`",
);

const PRIORITIES = { min: -1_000_000, max: 1_000_000 };

const DEFAULTS_RULES = {
  priority: integer(0, PRIORITIES),
  attempts: integer(1, { min: 1 }),
  backoff: optional(isObject),
  recoveries: optional(integer(undefined, { min: 0 })),
  timeLimit: optional(milliseconds(undefined, { min: 1 })),
  lifo: flag(false),
  ifDead: oneOf(['block', 'continue', 'fail'], 'block'),
};

/** The options that are stored with a task. */
export interface HeaderOptions {
  readonly priority: number;
  readonly attempts: number;
  readonly backoff: CompleteBackoff | undefined;
  readonly recoveries: number | undefined;
  readonly timeLimit: number | undefined;
  readonly lifo: boolean;
  readonly ifDead: IfDead;
}

export function taskDefaults(given: TaskDefaults): HeaderOptions {
  const { backoff, ...rest } = resolveOptions('defineTask', given, DEFAULTS_RULES);
  const complete = { ...rest, backoff: completeBackoff(backoff) };
  checkOrder('defineTask', complete);
  return complete;
}

function checkOrder(owner: string, { lifo, priority }: HeaderOptions, group?: string): void {
  if (lifo && (priority !== 0 || group !== undefined)) {
    throw new KitError('OPTION', `${owner}: \`lifo\` is for tasks without \`priority\` and \`group\``);
  }
}

function completeBackoff(backoff: Backoff | undefined): CompleteBackoff | undefined {
  return backoff === undefined ? undefined : resolveOptions('backoff', backoff, BACKOFF_RULES);
}

/** An object, whose parts are checked by rules of its own. */
function record<T extends object>(example: string) {
  return ruled<T>((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : `must be an object such as ${example}`,
  );
}

function plainText() {
  return ruled<string>((value) =>
    typeof value === 'string' && value !== '' && !value.includes('\0') && !hasHalfCharacters(value)
      ? undefined
      : 'must be a string that is not empty and has no NUL and no half character in it',
  );
}

const MAX_OWN_ID = 200;

function ownIdComplaint(value: unknown): string | undefined {
  const isFit =
    typeof value === 'string' && /^[^\s\p{Cc}\p{Surrogate}]+$/u.test(value) && value.length <= MAX_OWN_ID;
  if (!isFit) return `must be 1 to ${MAX_OWN_ID} characters without white space`;
  return /^\d{16}$/.test(value) ? 'must not have 16 digits, as the ids of the queue have' : undefined;
}

const THROTTLE_RULES = { key: text(), per: milliseconds(undefined, { min: 1 }) };
const DEBOUNCE_RULES = {
  key: text(),
  wait: milliseconds(undefined, { min: 1 }),
  max: optional(milliseconds(undefined, { min: 1 })),
};

export const validDate = optional(
  ruled<Date>((value) =>
    value instanceof Date && !Number.isNaN(value.getTime()) ? undefined : 'must be a valid Date',
  ),
);

const TASK_RULES = {
  ...DEFAULTS_RULES,
  delay: milliseconds(0),
  at: validDate,
  key: optional(text()),
  id: optional(ruled<string>(ownIdComplaint)),
  group: optional(plainText()),
  throttle: optional(record<NonNullable<TaskOptions['throttle']>>("{ key: 'report', per: 60_000 }")),
  debounce: optional(record<NonNullable<TaskOptions['debounce']>>("{ key: 'report', wait: 5_000 }")),
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
  readonly id: string | undefined;
  readonly group: string | undefined;
  readonly throttle: Resolved<typeof THROTTLE_RULES> | undefined;
  readonly debounce: Resolved<typeof DEBOUNCE_RULES> | undefined;
  readonly after: readonly string[];
}

/** The options of a task, with those of its definition as defaults. */
export function taskOptions(given: TaskOptions, defaults: HeaderOptions): CompleteTaskOptions {
  const resolved = resolveOptions('add', given, TASK_RULES);
  const complete = {
    ...resolved,
    ...headerDefaults(given, defaults),
    throttle: resolved.throttle && resolveOptions('throttle', resolved.throttle, THROTTLE_RULES),
    debounce: resolved.debounce && resolveOptions('debounce', resolved.debounce, DEBOUNCE_RULES),
  };
  checkTogether(complete);
  return complete;
}

/** What the task does not set is set by its definition. */
function headerDefaults(given: TaskOptions, defaults: HeaderOptions): HeaderOptions {
  const { priority, attempts, recoveries, timeLimit, lifo, backoff, ifDead } = given;
  return {
    priority: priority ?? defaults.priority,
    attempts: attempts ?? defaults.attempts,
    recoveries: recoveries ?? defaults.recoveries,
    timeLimit: timeLimit ?? defaults.timeLimit,
    lifo: lifo ?? defaults.lifo,
    ifDead: ifDead ?? defaults.ifDead,
    backoff: backoff === undefined ? defaults.backoff : completeBackoff(backoff),
  };
}

/** Throws if options contradict each other. */
function checkTogether(options: CompleteTaskOptions): void {
  const { delay, at, after, debounce, throttle, key, group } = options;
  const isLater = delay > 0 || at !== undefined;
  if (delay > 0 && at !== undefined) {
    throw new KitError('OPTION', 'add: give either `delay` or `at`, not both');
  }
  if ((isLater || debounce !== undefined) && after.length > 0) {
    throw new KitError(
      'OPTION',
      'add: a task that waits for others (`after`) cannot have `delay`, `at` or `debounce`',
    );
  }
  if (debounce !== undefined && (isLater || key !== undefined || throttle !== undefined)) {
    throw new KitError('OPTION', 'add: `debounce` cannot be used with `delay`, `at`, `key` or `throttle`');
  }
  checkOrder('add', options, group);
}

/** A change of the order in which a task is taken: at least one of them. */
export interface ScheduleChange {
  /** Higher priorities are taken first; -1,000,000 to 1,000,000. Default: as before. */
  readonly priority?: number;
  /** It can start in this number of ms; 0: now. Default: as before. */
  readonly delay?: number;
  /** The earliest time at which it can start, in place of `delay`. */
  readonly at?: Date;
}

const CHANGE_RULES = {
  priority: optional(integer(undefined, PRIORITIES)),
  delay: optional(milliseconds()),
  at: validDate,
};

export function scheduleChange(given: ScheduleChange): Resolved<typeof CHANGE_RULES> {
  const change = resolveOptions('reschedule', given, CHANGE_RULES);
  const { priority, delay, at } = change;
  if (priority === undefined && delay === undefined && at === undefined)
    throw new KitError('OPTION', 'reschedule: give the new `priority`, `delay` or `at`');
  if (delay !== undefined && at !== undefined)
    throw new KitError('OPTION', 'reschedule: give either `delay` or `at`, not both');
  return change;
}

/** How many ended tasks to keep, and for how long. */
export interface Retention {
  readonly count: number;
  /** In ms; `Infinity` for any time. */
  readonly age: number;
}

const RETENTION_RULES = {
  count: integer(Number.MAX_SAFE_INTEGER, { min: 0 }),
  age: milliseconds(Number.POSITIVE_INFINITY, { infinite: true }),
};

function retention(fallback: number) {
  return ruled<number | Partial<Retention>>(
    (value) =>
      (Number.isSafeInteger(value) && Number(value) >= 0) || (typeof value === 'object' && value !== null)
        ? undefined
        : 'must be a whole number of at least 0, or an object such as { count: 1_000, age: 3_600_000 }',
    fallback,
  );
}

function completeRetention(owner: string, given: number | Partial<Retention>): Retention {
  return typeof given === 'number'
    ? { count: given, age: Number.POSITIVE_INFINITY }
    : resolveOptions(owner, given, RETENTION_RULES);
}

/** Options of a queue. All programs that use the queue should use the same. */
export interface QueueOptions extends EvictionOptions {
  /** Prefix of all keys. Default `queue`. */
  readonly prefix?: string;
  /**
   * Max completed tasks to keep, with their results: how many, for how many ms (`age`), or both. The oldest are removed
   * first; those too old when a worker takes its next step. Default 1,000.
   */
  readonly keepCompleted?: number | Partial<Retention>;
  /**
   * The same for dead tasks. Their removal is an event (`removed`), and tasks that wait for them are unblocked.
   * Default 10,000.
   */
  readonly keepDead?: number | Partial<Retention>;
  /**
   * Approximate max entries in the stream of events, which expires after a day without use. 0: no events, and results
   * cannot be awaited. Default 1,000.
   */
  readonly keepEvents?: number;
  /** How often a task may be taken over from a dead worker before it is dead. Default 5. */
  readonly recoveries?: number;
  /** Max lines in the log of a task; the oldest are removed first. Default 1,000. */
  readonly keepLog?: number;
  /** For how many minutes to keep metrics (see `metrics`). Default 0: none. */
  readonly keepMetrics?: number;
}

export const DEFAULT_KEEP_DEAD = 10_000;

const QUEUE_RULES = {
  prefix: text('queue'),
  keepCompleted: retention(1_000),
  keepDead: retention(DEFAULT_KEEP_DEAD),
  keepEvents: integer(1_000, { min: 0 }),
  recoveries: integer(5, { min: 0 }),
  keepLog: integer(1_000, { min: 1, max: 100_000 }),
  keepMetrics: integer(0, { min: 0, max: 100_000 }),
  ...EVICTION_RULES,
};

export interface CompleteQueueOptions
  extends Omit<Resolved<typeof QUEUE_RULES>, 'keepCompleted' | 'keepDead'> {
  readonly keepCompleted: Retention;
  readonly keepDead: Retention;
}

export function queueOptions(given: QueueOptions): CompleteQueueOptions {
  const options = resolveOptions('queue', given, QUEUE_RULES);
  return {
    ...options,
    keepCompleted: completeRetention('keepCompleted', options.keepCompleted),
    keepDead: completeRetention('keepDead', options.keepDead),
  };
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
  onLost: listener<NonNullable<WorkerOptions['onLost']>>(() => {}),
  onError: listener<NonNullable<WorkerOptions['onError']>>((error) =>
    process.emitWarning(`a queue worker got an error from its store and retries: ${String(error)}`),
  ),
  random: callback<() => number>(() => Math.random()),
};

export type CompleteWorkerOptions = Resolved<typeof WORKER_RULES>;

export function workerOptions(given: WorkerOptions): CompleteWorkerOptions {
  return resolveOptions('work', given, WORKER_RULES);
}
