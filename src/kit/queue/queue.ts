import type { Store } from '../../store/index.js';
import {
  checkName,
  checkStore,
  EvictionGuard,
  integer,
  KitError,
  milliseconds,
  resolveOptions,
} from '../foundation/index.js';
import { Adder } from './adder.js';
import type { TaskDefinition, TaskHandler } from './definition.js';
import { checkData, checkDefinition, checkNumber, entryOf, flowEntries } from './entries.js';
import { type EventOptions, QueueEvents } from './events.js';
import type { FlowNode } from './flow.js';
import {
  countTasks,
  describeTasks,
  type QueueCounts,
  type TaskSnapshot,
  type TaskState,
} from './inspection.js';
import {
  type QueueOptions,
  queueOptions,
  type TaskOptions,
  taskOptions,
  type WorkerOptions,
  workerOptions,
} from './options.js';
import { headerOf, recordOf } from './record.js';
import { checkId, type ResultOptions, Results } from './results.js';
import {
  checkRepetition,
  nextOccurrence,
  type Repetition,
  type Specification,
  type Times,
} from './schedule.js';
import { bindScripts, EventRenewal, keyList, keysOf, type QueueCore } from './scripts.js';
import { Worker } from './worker.js';

/** A task that was added, or the existing one with the same unique key. */
export interface AddedTask<Result = unknown> {
  readonly id: string;
  /** False if this is an existing task with the same unique key. */
  readonly isNew: boolean;
  /** Waits for the task's result. Rejects with `DEAD` if the task is dead, with `GONE` if the result is no longer kept. */
  result(options?: ResultOptions): Promise<Result>;
}

/** A task of a flow that was added. */
export interface AddedFlow extends AddedTask {
  readonly children: readonly AddedFlow[];
}

/** One task of `addAll`. */
export type TaskToAdd<Input> = readonly [data: Input, options?: TaskOptions];

/** A schedule and its next due time. */
export interface ScheduleSnapshot {
  readonly name: string;
  readonly cron: string | undefined;
  /** Of the cron expression. */
  readonly timeZone: string | undefined;
  readonly every: number | undefined;
  readonly until: Date | undefined;
  readonly next: Date;
}

export interface ListOptions {
  /** Number of tasks to skip. Default 0. */
  readonly offset?: number;
  /** Max number of tasks. Default 100. */
  readonly limit?: number;
}

const LIST_RULES = { offset: integer(0, { min: 0 }), limit: integer(100, { min: 1, max: 1_000 }) };
const REPLAY_RULES = { limit: integer(Number.MAX_SAFE_INTEGER, { min: 0 }) };
const RATE_RULES = { tasks: integer(undefined, { min: 1 }), per: milliseconds(undefined, { min: 1 }) };

/**
 * A queue of tasks. Any number of programs can add tasks to it and run them. All its data is in the store, under keys of one
 * hash tag. Made by `queue`.
 */
export class TaskQueue {
  readonly name: string;
  readonly #core: QueueCore;
  readonly #adder: Adder;
  readonly #results: Results;

  constructor(store: Store, name: string, given: QueueOptions) {
    const { prefix, requireNoEviction, onWarning, ...options } = queueOptions(given);
    const guard = new EvictionGuard(store, 'queue', { requireNoEviction, onWarning });
    this.name = name;
    const keys = keysOf(prefix, name);
    this.#core = {
      store,
      name,
      keys,
      keyList: keyList(keys),
      scripts: bindScripts(store, guard),
      ...options,
      eventRenewal: new EventRenewal(store.time),
    };
    this.#adder = new Adder(this.#core);
    this.#results = new Results(this.#core);
  }

  // ---- adding ----

  /**
   * Adds a task. Calls made in the same turn of the event loop share a round trip.
   *
   * @example
   * const task = await mail.add(email, { to: 'ann@example.com' }, { priority: 1, attempts: 3 });
   * await task.result(); // 'sent to ann@example.com'
   */
  async add<Input, Output, Result>(
    definition: TaskDefinition<Input, Output, Result>,
    data: NoInfer<Input>,
    options?: TaskOptions,
  ): Promise<AddedTask<Result>> {
    checkDefinition('add', definition);
    if (definition.schema !== undefined) await checkData(definition, data);
    const [id = ''] = await this.#adder.add([entryOf(definition, data, options)]);
    return this.#added<Result>(id);
  }

  /**
   * Adds several tasks of one kind, in order: all or, on an error, none (up to 2,000).
   *
   * @example
   * await mail.addAll(email, [[{ to: 'ann@example.com' }], [{ to: 'bob@example.com' }, { priority: 1 }]]);
   */
  async addAll<Input, Output, Result>(
    definition: TaskDefinition<Input, Output, Result>,
    tasks: readonly TaskToAdd<NoInfer<Input>>[],
  ): Promise<AddedTask<Result>[]> {
    checkDefinition('addAll', definition);
    if (!Array.isArray(tasks) || !tasks.every((task) => Array.isArray(task))) {
      throw new KitError('OPTION', 'addAll: tasks must be a list such as [[data], [data, { priority: 1 }]]');
    }
    if (tasks.length === 0) return [];
    checkNumber(tasks.length);
    if (definition.schema !== undefined) for (const [data] of tasks) await checkData(definition, data);
    const ids = await this.#adder.add(tasks.map(([data, options]) => entryOf(definition, data, options)));
    return ids.map((id) => this.#added<Result>(id));
  }

  /**
   * Adds a task and those that must be completed before it, in one atomic step; children may have children. A dead
   * child blocks its parent until it is replayed or removed.
   *
   * @example
   * await reports.addFlow(flow(summary, { month: 5 }, [flow(sales, { month: 5 }), flow(costs, { month: 5 })]));
   */
  async addFlow(root: FlowNode): Promise<AddedFlow> {
    const { entries, places } = await flowEntries(root);
    const ids = await this.#adder.add(entries);
    const added = (node: FlowNode): AddedFlow =>
      Object.assign(this.#added(ids[places.get(node) ?? 0] ?? ''), { children: node.children.map(added) });
    return added(root);
  }

  #added<Result>(id: string): AddedTask<Result> {
    return new Added<Result>(this.#results, id);
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
    options: Omit<TaskOptions, 'delay' | 'at' | 'after'> = {},
  ): Promise<ScheduleSnapshot> {
    checkName('schedule', name);
    checkDefinition('schedule', definition);
    if (definition.schema !== undefined) await checkData(definition, data);
    const when = checkRepetition(repetition);
    const complete = taskOptions(options, definition.defaults);
    const record = recordOf(JSON.stringify(headerOf(definition.name, complete, name)), data);
    const specification = { ...when, record, priority: complete.priority, key: complete.key ?? '' };
    const { keyList, scripts, store } = this.#core;
    const [seconds, micros] = (await store.send('TIME')) as readonly [string, string];
    const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    const first = nextOccurrence(when, now, now);
    if (first === undefined) throw new KitError('OPTION', 'schedule: `until` is before the first occurrence');
    const next = await scripts.schedule({
      keys: keyList,
      name,
      specification: JSON.stringify(specification),
      first,
    });
    return scheduleOf(name, specification, Number(next));
  }

  /** Ends a schedule; tasks it has added stay. False if there is none of this name. */
  async unschedule(name: string): Promise<boolean> {
    checkName('unschedule', name);
    const { keyList, scripts } = this.#core;
    return (await scripts.unschedule({ keys: keyList, name })) === 1;
  }

  /** All schedules, in order of their next due time. */
  async schedules(): Promise<ScheduleSnapshot[]> {
    const { store, keys } = this.#core;
    const due = (await store.send('ZRANGE', keys.occurrences, 0, -1, 'WITHSCORES')) as readonly string[];
    const texts = (await store.send('HGETALL', keys.schedules)) as readonly string[];
    const specifications = new Map(pairs(texts));
    return pairs(due).flatMap(([name, at]) => {
      const text = specifications.get(name);
      return text === undefined ? [] : [scheduleOf(name, JSON.parse(text) as Specification, Number(at))];
    });
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

  /** Stops all workers from starting tasks until `resume`. Tasks can still be added. False if it was paused already. */
  async pause(): Promise<boolean> {
    return this.#control('pause');
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

  async #control(verb: string, limit = 0, per = 0): Promise<boolean> {
    const { keyList, scripts, keepEvents: bound } = this.#core;
    return (await scripts.control({ keys: keyList, verb, limit, per, bound })) === 1;
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
   * because the worker that found them does not handle their kind, come last; `setAside` lists only these.
   */
  async list(state: TaskState | 'setAside', options: ListOptions = {}): Promise<TaskSnapshot[]> {
    if (!STATES.includes(state))
      throw new KitError('OPTION', `list: the state must be one of ${STATES.join(', ')}`);
    const { offset, limit } = resolveOptions('list', options, LIST_RULES);
    return describeTasks(this.#core, state, offset, limit);
  }

  /** A task by its id; undefined if it does not exist (any more). */
  async get(id: string): Promise<TaskSnapshot | undefined> {
    checkId('get', id);
    const [task] = await describeTasks(this.#core, 'id', 0, id);
    return task;
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
    const reply = await scripts.move({ keys: keyList, verb, id, bound });
    if (reply === -1) {
      throw new KitError(
        'KEY_TAKEN',
        `task ${id} cannot be put back: another task with its unique key is in the queue. Wait for that one, or remove ` +
          'one of them',
      );
    }
    return reply === 1;
  }
}

class Added<Result> implements AddedTask<Result> {
  readonly id: string;
  readonly isNew: boolean;
  readonly #results: Results;

  /** The prefix '=' marks the id of an existing task. */
  constructor(results: Results, id: string) {
    this.#results = results;
    this.isNew = !id.startsWith('=');
    this.id = this.isNew ? id : id.slice(1);
  }

  result(options?: ResultOptions): Promise<Result> {
    return this.#results.wait(this.id, options) as Promise<Result>;
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

const STATES: readonly (TaskState | 'setAside')[] = [
  'waiting',
  'setAside',
  'delayed',
  'blocked',
  'active',
  'completed',
  'dead',
];

function scheduleOf(name: string, { cron, timeZone, every, until }: Times, at: number): ScheduleSnapshot {
  return {
    name,
    cron,
    timeZone: cron === undefined ? undefined : (timeZone ?? 'UTC'),
    every,
    until: until === undefined ? undefined : new Date(until),
    next: new Date(at),
  };
}

function pairs(flat: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let i = 0; i < flat.length; i += 2) list.push([flat[i] ?? '', flat[i + 1] ?? '']);
  return list;
}
