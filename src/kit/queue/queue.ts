import type { Store } from '../../store/index.js';
import {
  checkName,
  checkStore,
  checkText,
  EvictionGuard,
  integer,
  KitError,
  milliseconds,
  optional,
  resolveOptions,
} from '../foundation/index.js';
import { type AddedFlow, type AddedTask, Adding, type TaskToAdd } from './adding/adding.js';
import { checkData, checkDefinition } from './adding/entries.js';
import type { FlowNode } from './adding/flow.js';
import { deliver } from './adding/outbox.js';
import {
  Cleaning,
  type CleanOptions,
  type CleanState,
  type DrainOptions,
  type ObliterateOptions,
} from './cleaning.js';
import type { TaskDefinition, TaskHandler } from './definition.js';
import { type EventOptions, QueueEvents } from './events.js';
import {
  countTasks,
  describeTask,
  describeTasks,
  type ListedState,
  type QueueCounts,
  type TaskSnapshot,
} from './inspection.js';
import { remember } from './internals.js';
import { bindScripts, EventRenewal, keyList, keysOf, type QueueCore } from './lua/scripts.js';
import { type MinuteMetrics, readMetrics } from './metrics.js';
import {
  type QueueOptions,
  queueOptions,
  type ScheduleChange,
  scheduleChange,
  type TaskOptions,
  type WorkerOptions,
  workerOptions,
} from './options.js';
import { toJson } from './record.js';
import { checkId, type ResultOptions, Results } from './results.js';
import type { Repetition, ScheduleSnapshot } from './schedules/schedule.js';
import { type ScheduledOptions, Schedules } from './schedules/schedules.js';
import { Worker } from './working/worker.js';

export interface ListOptions {
  /** Number of tasks to skip. Default 0. */
  readonly offset?: number;
  /** Max number of tasks. Default 100. For all of them see `iterate`. */
  readonly limit?: number;
}

const LIST_RULES = { offset: integer(0, { min: 0 }), limit: integer(100, { min: 1 }) };
const REPLAY_RULES = { limit: integer(Number.MAX_SAFE_INTEGER, { min: 0 }) };
const LIMIT_RULES = { tasks: integer(undefined, { min: 1 }) };
const METRICS_RULES = { minutes: integer(60, { min: 1 }) };
const PAUSE_RULES = { for: optional(milliseconds(undefined, { min: 1 })) };
const RATE_RULES = { tasks: integer(undefined, { min: 1 }), per: milliseconds(undefined, { min: 1 }) };

/** Options of `pause`. */
export interface PauseOptions {
  /** For how long, in ms. Default: until `resume`. */
  readonly for?: number;
}

/**
 * A queue of tasks. Any number of programs can add tasks to it and run them. All its data is in the store, under keys of one
 * hash tag. Made by `queue`.
 */
export class TaskQueue {
  readonly name: string;
  readonly #core: QueueCore;
  readonly #adding: Adding;
  readonly #results: Results;
  readonly #cleaning: Cleaning;
  readonly #schedules: Schedules;

  constructor(store: Store, name: string, given: QueueOptions) {
    const { prefix, requireNoEviction, onWarning, ...options } = queueOptions(given);
    const guard = new EvictionGuard(store, 'queue', { requireNoEviction, onWarning });
    this.name = name;
    const keys = keysOf(prefix, name);
    this.#core = {
      store,
      name,
      prefix,
      keys,
      keyList: keyList(keys),
      scripts: bindScripts(store, guard),
      ...options,
      eventRenewal: new EventRenewal(store.time),
    };
    this.#results = new Results(this.#core);
    this.#adding = new Adding(this.#core, this.#results);
    this.#cleaning = new Cleaning(this.#core);
    this.#schedules = new Schedules(this.#core);
    remember(this, { core: this.#core, results: this.#results });
  }

  // ---- adding ----

  /**
   * Adds a task. Calls made in the same turn of the event loop share a round trip.
   *
   * @example
   * const task = await mail.add(email, { to: 'ann@example.com' }, { priority: 1, attempts: 3 });
   * await task.result(); // 'sent to ann@example.com'
   */
  add<Input, Output, Result>(
    definition: TaskDefinition<Input, Output, Result>,
    data: NoInfer<Input>,
    options?: TaskOptions,
  ): Promise<AddedTask<Result>> {
    return this.#adding.one<Result>(definition, data, options);
  }

  /**
   * Adds any number of tasks of one kind, in order, from a list or any (async) iterable. Up to 1,000 are added in one atomic
   * step; if a later step fails, the tasks of the steps before stay.
   *
   * @example
   * await mail.addAll(email, [[{ to: 'ann@example.com' }], [{ to: 'bob@example.com' }, { priority: 1 }]]);
   */
  async addAll<Input, Output, Result>(
    definition: TaskDefinition<Input, Output, Result>,
    tasks: Iterable<TaskToAdd<NoInfer<Input>>> | AsyncIterable<TaskToAdd<NoInfer<Input>>>,
  ): Promise<AddedTask<Result>[]> {
    checkDefinition('addAll', definition);
    return this.#adding.all<Result>(definition, tasks);
  }

  /**
   * Adds a task and those that must be completed before it; children may have children. Those of this queue are added in one
   * atomic step. Children in other queues are added there right after it, at the latest by a worker of this queue. A dead
   * child blocks its parent until it is replayed or removed.
   *
   * @example
   * await reports.addFlow(flow(summary, { month: 5 }, [flow(sales, { month: 5 }), flow(costs, { month: 5 })]));
   */
  async addFlow(root: FlowNode): Promise<AddedFlow> {
    return this.#adding.flow(root);
  }

  // ---- repeating ----

  /**
   * Adds a task repeatedly: at the times of a cron expression (in UTC or a `timeZone`), or every `every` ms. Replaces a
   * schedule of the same name. An unchanged schedule keeps its next due time, so a program can call this at every start. With a
   * unique `key` there is no second task while the first is in the queue. Times that pass while no worker runs are made up
   * for by one task.
   *
   * @example
   * await reports.schedule('nightly', summary, { month: 5 }, { cron: '0 3 * * *', timeZone: 'Europe/Berlin' });
   */
  async schedule<Input, Output, Result>(
    name: string,
    definition: TaskDefinition<Input, Output, Result>,
    data: NoInfer<Input>,
    repetition: Repetition,
    options: ScheduledOptions = {},
  ): Promise<ScheduleSnapshot> {
    checkName('schedule', name);
    checkDefinition('schedule', definition);
    return this.#schedules.set(name, definition, data, repetition, options);
  }

  /** Ends a schedule; tasks it has added stay. False if there is none of this name. */
  async unschedule(name: string): Promise<boolean> {
    checkName('unschedule', name);
    return this.#schedules.end(name);
  }

  /** All schedules, in order of their next due time. */
  async schedules(): Promise<ScheduleSnapshot[]> {
    return this.#schedules.list();
  }

  // ---- working ----

  /**
   * Starts a worker. Each handler is for one kind of task. The worker takes only tasks of these kinds: others wait
   * for a worker that handles them.
   *
   * @example
   * await using worker = mail.work(email.handle(async ({ to }) => console.log(to)), { concurrency: 10 });
   */
  work(handlers: TaskHandler | readonly TaskHandler[], options: WorkerOptions = {}): Worker {
    const list = Array.isArray(handlers) ? handlers : [handlers];
    return new Worker(this.#core, list as readonly TaskHandler[], workerOptions(options));
  }

  /**
   * Stops all workers from starting tasks, for some ms or until `resume`. Tasks can still be added. False if it was paused already;
   * the later end counts.
   *
   * @example
   * await mail.pause({ for: 60_000 }); // the mail server asked for it
   */
  async pause(options: PauseOptions = {}): Promise<boolean> {
    const { for: ms = '' } = resolveOptions('pause', options, PAUSE_RULES);
    return this.#control('pause', ms);
  }

  /** Ends a pause. False if it was not paused. */
  async resume(): Promise<boolean> {
    return this.#control('resume');
  }

  /**
   * Sets a rate limit: all workers together start at most `tasks` tasks within any `per` ms; undefined: no limit. It
   * is kept until it is changed.
   *
   * @example
   * await mail.limit({ tasks: 100, per: 60_000 });
   */
  async limit(rate: { readonly tasks: number; readonly per: number } | undefined): Promise<void> {
    if (rate === undefined) {
      await this.#control('unlimit');
      return;
    }
    const { tasks, per } = resolveOptions('limit', rate, RATE_RULES);
    await this.#control('limit', tasks, per);
  }

  /**
   * Sets the max number of tasks that are active at the same time in all workers together; undefined: no limit. It is kept
   * until it is changed.
   *
   * @example
   * await mail.limitActive({ tasks: 10 });
   */
  async limitActive(limit: { readonly tasks: number } | undefined): Promise<void> {
    const tasks = limit === undefined ? '' : resolveOptions('limitActive', limit, LIMIT_RULES).tasks;
    await this.#control('concurrency', tasks);
  }

  /**
   * Sets the max number of active tasks of each group, or of one group; undefined: no limit, or for one group the
   * limit of the others. It is kept until it is changed.
   *
   * @example
   * await mail.limitGroups({ tasks: 2 });
   * await mail.limitGroups({ tasks: 10 }, 'large customer');
   */
  async limitGroups(limit: { readonly tasks: number } | undefined, group = ''): Promise<void> {
    if (group !== '') checkText('limitGroups', 'the name of a group', group);
    const tasks = limit === undefined ? '' : resolveOptions('limitGroups', limit, LIMIT_RULES).tasks;
    await this.#control('groupLimit', tasks, group);
  }

  async #control(verb: string, first: number | string = '', second: number | string = ''): Promise<boolean> {
    const { keyList, scripts, keepEvents: bound } = this.#core;
    return (await scripts.control({ keys: keyList, verb, first, second, bound })) === 1;
  }

  // ---- watching ----

  /**
   * The events of the queue, as they happen.
   *
   * @example
   * for await (const { type, id } of mail.events({ signal })) console.log(type, id);
   */
  events(options: EventOptions = {}): QueueEvents {
    return new QueueEvents(this.#core, options);
  }

  /** Waits for the result of a task by its id, as `result` of an added task does. */
  result(id: string, options?: ResultOptions): Promise<unknown> {
    return this.#results.wait(id, options);
  }

  /** The number of tasks in each state. */
  counts(): Promise<QueueCounts> {
    return countTasks(this.#core);
  }

  /**
   * Tasks of one state: waiting ones in the order in which they will be taken, delayed ones by due time, active
   * ones in the order of adding, completed ones newest first, dead ones oldest first. Waiting ones that were set aside,
   * because the worker that found them does not handle their kind, come after these; `setAside` lists only these. Those of
   * groups come last, group by group.
   */
  async list(state: ListedState, options: ListOptions = {}): Promise<TaskSnapshot[]> {
    checkState('list', state);
    const { offset, limit } = resolveOptions('list', options, LIST_RULES);
    const tasks: TaskSnapshot[] = [];
    for await (const task of describeTasks(this.#core, state, offset, limit)) tasks.push(task);
    return tasks;
  }

  /**
   * All tasks of one state, in the order of `list`, read in parts. A task that stays in this state is given once; one that
   * enters or leaves it meanwhile may be missing.
   *
   * @example
   * for await (const { id, error } of mail.iterate('dead')) console.log(id, error?.message);
   */
  iterate(state: ListedState): AsyncIterableIterator<TaskSnapshot> {
    checkState('iterate', state);
    return describeTasks(this.#core, state);
  }

  /** A task by its id; undefined if it does not exist (any more). */
  async get(id: string): Promise<TaskSnapshot | undefined> {
    checkId('get', id);
    return describeTask(this.#core, id);
  }

  /** The lines that handlers wrote by `task.log`, oldest first; the last `keepLog` of them. They are kept with the task. */
  async log(id: string): Promise<string[]> {
    checkId('log', id);
    const { keyList: keys, scripts } = this.#core;
    return (await scripts.readLog({ keys, given: id })) as string[];
  }

  /**
   * What happened in each of the last minutes, oldest first, by the server's clock; needs the option `keepMetrics`.
   *
   * @example
   * const [minute] = (await mail.metrics({ minutes: 10 })).slice(-1);
   */
  async metrics(options: { readonly minutes?: number } = {}): Promise<MinuteMetrics[]> {
    return readMetrics(this.#core, resolveOptions('metrics', options, METRICS_RULES).minutes);
  }

  // ---- repairing ----

  /**
   * Replaces the data of a task that is not completed; one that is active or dead gets it in its next attempt. False if there
   * is no such task, or it is completed.
   *
   * @example
   * const { id } = await mail.add(email, { to: 'an@example.com' }, { delay: 60_000 });
   * await mail.update(id, email, { to: 'ann@example.com' });
   */
  async update<Input, Output, Result>(
    id: string,
    definition: TaskDefinition<Input, Output, Result>,
    data: NoInfer<Input>,
  ): Promise<boolean> {
    checkId('update', id);
    checkDefinition('update', definition);
    await checkData(definition, data);
    const { keyList: keys, scripts, keepEvents: bound } = this.#core;
    const kind = definition.name;
    const reply = await scripts.update({ keys, given: id, token: '', kind, data: toJson(data), bound });
    if (typeof reply === 'string') {
      throw new KitError('OPTION', `update: task ${id} is of kind '${reply}', not '${kind}'`);
    }
    return reply === 1;
  }

  /**
   * Removes a task, whatever its state. If it is active, its `task.signal` aborts and its
   * result is refused. Tasks that wait for it are unblocked. False if there is no such task.
   */
  remove(id: string): Promise<boolean> {
    return this.#move('remove', id);
  }

  /** Makes a delayed task due now. False if it is not delayed. */
  promote(id: string): Promise<boolean> {
    return this.#move('promote', id);
  }

  /**
   * Changes the priority or the time of a task that has not started, or both, in one atomic step. A waiting task that gets a time is delayed, and
   * a delayed one whose time has come waits. A task that gets priority 0 comes after the others of that priority. False if there is no
   * such task, it is active or over, or it waits for other tasks and is given a time.
   *
   * @example
   * const { id } = await mail.add(email, { to: 'ann@example.com' }, { delay: 60_000 });
   * await mail.reschedule(id, { delay: 5_000, priority: 1 });
   */
  async reschedule(id: string, change: ScheduleChange): Promise<boolean> {
    checkId('reschedule', id);
    const { priority = '', delay = '', at } = scheduleChange(change);
    const { keyList: keys, scripts, keepEvents: bound } = this.#core;
    const time = { delay, at: at?.getTime() ?? '' };
    return (await scripts.reschedule({ keys, given: id, priority, ...time, bound })) === 1;
  }

  /** Puts a dead task back into the queue, with all its attempts. False if it is not dead. */
  retry(id: string): Promise<boolean> {
    return this.#move('retry', id);
  }

  /** Puts dead tasks back into the queue, the oldest first; all of them unless there is a `limit`. Returns their number. */
  async replay(options: { readonly limit?: number } = {}): Promise<number> {
    const { limit } = resolveOptions('replay', options, REPLAY_RULES);
    let replayed = 0;
    let kept = 0;
    while (replayed < limit) {
      const dead = await this.list('dead', { offset: kept, limit: Math.min(100, limit - replayed) });
      if (dead.length === 0) break;
      for (const { id } of dead) {
        if (await this.#tryRetry(id)) replayed++;
        else kept++;
      }
    }
    return replayed;
  }

  /**
   * Removes tasks of one state that ended more than `olderThan` ms ago or, if they have not ended, were added before
   * then; all of them by default. Works in steps, so that the server stays responsive. Returns their number.
   *
   * @example
   * await mail.clean('dead', { olderThan: 7 * 86_400_000 });
   */
  clean(state: CleanState, options: CleanOptions = {}): Promise<number> {
    return this.#cleaning.clean(state, options);
  }

  /** Removes all waiting tasks and, with `delayed: true`, the delayed ones. Active tasks go on. Returns their number. */
  drain(options: DrainOptions = {}): Promise<number> {
    return this.#cleaning.drain(options);
  }

  /**
   * Deletes the queue with everything in it, at once. Rejects with `ACTIVE` while tasks are active, unless `force` is true:
   * their results are refused then. Parents in other queues go on waiting.
   */
  obliterate(options: ObliterateOptions = {}): Promise<void> {
    return this.#cleaning.obliterate(options);
  }

  async #tryRetry(id: string): Promise<boolean> {
    try {
      return await this.retry(id);
    } catch (error) {
      if (error instanceof KitError && error.code === 'KEY_TAKEN') return false;
      throw error;
    }
  }

  async #move(verb: 'remove' | 'promote' | 'retry', id: string): Promise<boolean> {
    checkId(verb, id);
    const { keyList, scripts, keepEvents: bound } = this.#core;
    const reply = await scripts.move({ keys: keyList, verb, given: id, bound });
    if (reply === -1) {
      throw new KitError(
        'KEY_TAKEN',
        `task ${id} cannot be put back: another task with its unique key is in the queue. Wait for that one, or remove ` +
          'one of them',
      );
    }
    // What cannot be delivered now is delivered by the next worker.
    if (reply === 2) await deliver(scripts, keyList).catch(() => {});
    return reply !== 0;
  }
}

/**
 * Opens the queue of this name in a store.
 *
 * @example
 * import { open } from 'sorrel';
 * import { defineTask, queue } from 'sorrel/kit/queue';
 *
 * await using store = await open();
 * const email = defineTask<{ to: string }, string>('email', undefined, { attempts: 3 });
 * const mail = queue(store, 'mail');
 *
 * await using worker = mail.work(email.handle(async ({ to }) => `sent to ${to}`));
 * const task = await mail.add(email, { to: 'ann@example.com' });
 * await task.result(); // 'sent to ann@example.com'
 */
export function queue(store: Store, name: string, options: QueueOptions = {}): TaskQueue {
  checkStore('queue', store);
  return new TaskQueue(store, name, options);
}

const STATES: readonly ListedState[] = [
  'waiting',
  'setAside',
  'delayed',
  'blocked',
  'active',
  'completed',
  'dead',
];

function checkState(owner: string, state: unknown): void {
  if ((STATES as readonly unknown[]).includes(state)) return;
  throw new KitError('OPTION', `${owner}: the state must be one of ${STATES.join(', ')}`);
}
