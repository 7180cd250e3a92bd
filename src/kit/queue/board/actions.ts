import type { Store } from '../../../store/index.js';
import { type Action, type ActionRequest, type ActionResult, KitError } from '../../foundation/index.js';
import type { CleanState } from '../cleaning.js';
import { defineTask } from '../definition.js';
import type { TaskState } from '../inspection.js';
import type { QueueCore } from '../lua/scripts.js';
import type { TaskOptions } from '../options.js';
import { queue, type TaskQueue } from '../queue.js';
import type { Repetition, Specification } from '../schedules/schedule.js';
import { changeSchedule } from '../schedules/schedules.js';

/** Tasks that one step of a long action handles. */
const STEP = 500;

/** What a person can do with a queue and its tasks. */
export const ACTIONS: readonly Action[] = [
  {
    id: 'pause',
    label: 'Pause',
    target: 'board',
    confirm: 'Workers start no more tasks until the queue is resumed.',
  },
  { id: 'resume', label: 'Resume', target: 'board' },
  {
    ...{ id: 'add', label: 'Add a task', target: 'board' },
    inputs: [
      { name: 'kind', label: 'Kind', format: 'text' },
      { name: 'data', label: 'Data', format: 'json', value: '{}' },
      { name: 'options', label: 'Options', format: 'json', value: '{}', isOptional: true },
    ],
  },
  {
    ...{ id: 'replay', label: 'Replay all dead', target: 'board' },
    confirm: 'All dead tasks run again, from their first attempt.',
  },
  {
    id: 'promoteAll',
    label: 'Start all delayed',
    target: 'board',
    confirm: 'All delayed tasks are due now.',
  },
  {
    ...{ id: 'clean', label: 'Remove ended tasks', target: 'board', isDangerous: true },
    confirm: 'Tasks of this state are removed, with their data and results.',
    inputs: [
      {
        name: 'state',
        label: 'State: completed, dead, waiting, delayed or blocked',
        format: 'text',
        value: 'completed',
      },
      { name: 'olderThan', label: 'Older than (ms)', format: 'number', value: '0', isOptional: true },
    ],
  },
  {
    ...{ id: 'drain', label: 'Remove all waiting', target: 'board', isDangerous: true },
    confirm: 'All waiting tasks are removed. Active ones go on.',
  },
  {
    ...{ id: 'limit', label: 'Set the rate limit', target: 'board' },
    inputs: [
      { name: 'tasks', label: 'Tasks (empty: no limit)', format: 'number', isOptional: true },
      { name: 'per', label: 'Per (ms)', format: 'number', value: '60000', isOptional: true },
    ],
  },
  {
    ...{ id: 'limitActive', label: 'Set the max of active tasks', target: 'board' },
    inputs: [{ name: 'tasks', label: 'Tasks (empty: no limit)', format: 'number', isOptional: true }],
  },
  {
    ...{ id: 'limitGroups', label: 'Set the max of a group', target: 'board' },
    inputs: [
      { name: 'tasks', label: 'Tasks (empty: no limit)', format: 'number', isOptional: true },
      { name: 'group', label: 'Group (empty: each)', format: 'text', isOptional: true },
    ],
  },
  {
    ...{ id: 'obliterate', label: 'Delete the queue', target: 'board', isDangerous: true },
    confirm: 'The queue is deleted with all tasks, results and schedules. Refused while tasks are active.',
  },
  { id: 'retry', label: 'Retry', target: 'row' },
  { id: 'promote', label: 'Start now', target: 'row' },
  {
    ...{ id: 'reorder', label: 'Reorder', target: 'row' },
    inputs: [
      { name: 'priority', label: 'Priority (empty: as before)', format: 'number', isOptional: true },
      { name: 'delay', label: 'Start in (ms; empty: as before)', format: 'number', isOptional: true },
    ],
  },
  {
    ...{ id: 'update', label: 'Change the data', target: 'row' },
    inputs: [{ name: 'data', label: 'Data', format: 'json' }],
  },
  { id: 'duplicate', label: 'Add again', target: 'row', confirm: 'A new task with the same data is added.' },
  {
    ...{ id: 'remove', label: 'Remove', target: 'row', isDangerous: true },
    confirm: 'The task is removed, whatever its state.',
  },
  {
    ...{ id: 'reschedule', label: 'Change the schedule', target: 'row' },
    inputs: [
      { name: 'cron', label: 'Cron expression', format: 'text', isOptional: true },
      { name: 'timeZone', label: 'Its time zone (empty: UTC)', format: 'text', isOptional: true },
      { name: 'every', label: 'Or every (ms)', format: 'number', isOptional: true },
      {
        name: 'until',
        label: 'Until (empty: no end), such as 2030-12-31T12:00:00Z',
        format: 'text',
        isOptional: true,
      },
      { name: 'data', label: 'Data', format: 'json', isOptional: true },
    ],
  },
  {
    ...{ id: 'unschedule', label: 'End the schedule', target: 'row', isDangerous: true },
    confirm: 'The schedule adds no more tasks.',
  },
];

/** The actions on a task of this state. */
export function rowActions(state: TaskState): readonly string[] {
  if (state === 'dead') return ['retry', 'update', 'duplicate', 'remove'];
  if (state === 'delayed') return ['promote', 'reorder', 'update', 'duplicate', 'remove'];
  if (state === 'waiting') return ['reorder', 'update', 'duplicate', 'remove'];
  if (state === 'completed') return ['duplicate', 'remove'];
  return ['update', 'duplicate', 'remove'];
}

/** Does what a person asked for. Long work is done in steps: `hasMore` says that another one is needed. */
export async function actOnQueue(
  store: Store,
  core: QueueCore,
  action: string,
  { id = '', inputs }: ActionRequest,
): Promise<ActionResult> {
  const { name, prefix, keys } = core;
  // An action adds an event, which must not cut off those that the queue's programs keep.
  const keepEvents = Math.max(1_000, Number(await store.send('XLEN', keys.events)) + 1);
  const own = queue(store, name, { prefix, keepEvents, onWarning: () => {} });
  const actions: Readonly<Record<string, () => Promise<ActionResult>>> = {
    pause: async () => said(await own.pause(), 'The queue is paused.', 'The queue was paused already.'),
    resume: async () => said(await own.resume(), 'The queue is resumed.', 'The queue was not paused.'),
    add: () => add(own, inputs),
    replay: async () => step(await own.replay({ limit: STEP }), 'Replayed'),
    promoteAll: () => promoteAll(own),
    clean: () => clean(own, inputs),
    drain: async () => step(await own.clean('waiting', { limit: STEP }), 'Removed'),
    limit: async () => {
      const tasks = numberOf(inputs, 'tasks');
      await own.limit(tasks === undefined ? undefined : { tasks, per: numberOf(inputs, 'per') ?? 60_000 });
      return { message: tasks === undefined ? 'There is no rate limit.' : 'The rate limit is set.' };
    },
    limitActive: async () => {
      const tasks = numberOf(inputs, 'tasks');
      await own.limitActive(tasks === undefined ? undefined : { tasks });
      return { message: tasks === undefined ? 'There is no limit.' : 'The limit is set.' };
    },
    limitGroups: async () => {
      const tasks = numberOf(inputs, 'tasks');
      await own.limitGroups(tasks === undefined ? undefined : { tasks }, inputs.group ?? '');
      return { message: tasks === undefined ? 'There is no limit.' : 'The limit is set.' };
    },
    obliterate: async () => {
      await own.obliterate();
      return { message: 'The queue is deleted.' };
    },
    retry: async () => said(await own.retry(id), 'The task waits again.', 'The task is not dead any more.'),
    promote: async () =>
      said(await own.promote(id), 'The task is due now.', 'The task is not delayed any more.'),
    reorder: () => reorder(own, id, inputs),
    update: () => update(own, id, inputs),
    duplicate: () => duplicate(own, id),
    remove: async () =>
      said(await own.remove(id), 'The task is removed.', 'The task does not exist any more.'),
    reschedule: () => reschedule(core, id, inputs),
    unschedule: async () =>
      said(await own.unschedule(id), 'The schedule has ended.', 'There is no such schedule any more.'),
  };
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (run === undefined) throw new KitError('OPTION', `a queue has no action '${action}'`);
  return run();
}

function said(isDone: boolean, done: string, notDone: string): ActionResult {
  return { message: isDone ? done : notDone };
}

function step(count: number, verb: string): ActionResult {
  return { message: `${verb}: ${count}.`, count, hasMore: count === STEP };
}

async function add(own: TaskQueue, inputs: ActionRequest['inputs']): Promise<ActionResult> {
  const options = (jsonOf(inputs, 'options') ?? {}) as TaskOptions;
  const task = await own.add(defineTask(inputs.kind ?? ''), jsonOf(inputs, 'data'), options);
  return said(task.isNew, `Task ${task.id} is added.`, `Task ${task.id} existed already.`);
}

async function promoteAll(own: TaskQueue): Promise<ActionResult> {
  const tasks = await own.list('delayed', { limit: STEP });
  for (const { id } of tasks) await own.promote(id);
  return step(tasks.length, 'Due now');
}

const CLEANED: readonly string[] = ['completed', 'dead', 'waiting', 'delayed', 'blocked'];

async function clean(own: TaskQueue, inputs: ActionRequest['inputs']): Promise<ActionResult> {
  const { state = '' } = inputs;
  if (!CLEANED.includes(state))
    throw new KitError('OPTION', `the state must be one of ${CLEANED.join(', ')}`);
  const olderThan = numberOf(inputs, 'olderThan') ?? 0;
  const options = olderThan === 0 ? { limit: STEP } : { limit: STEP, olderThan };
  return step(await own.clean(state as CleanState, options), 'Removed');
}

async function reorder(own: TaskQueue, id: string, inputs: ActionRequest['inputs']): Promise<ActionResult> {
  const [priority, delay] = [numberOf(inputs, 'priority'), numberOf(inputs, 'delay')];
  const isDone = await own.reschedule(id, {
    ...(priority === undefined ? {} : { priority }),
    ...(delay === undefined ? {} : { delay }),
  });
  return said(isDone, 'The order is changed.', 'The task is not waiting or delayed any more.');
}

/** What a person sees of a schedule, as the inputs of the action that changes it. */
export function scheduleInputs(specification: Omit<Specification, 'key'>): Readonly<Record<string, string>> {
  const { cron = '', timeZone = '', every, until, record } = specification;
  return {
    ...{ cron, timeZone, every: every === undefined ? '' : String(every) },
    until: until === undefined ? '' : timeText(until),
    data: record.slice(record.indexOf('\n') + 1),
  };
}

/** Empty if it is no time: any program can write into the hash. */
function timeText(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

async function reschedule(
  core: QueueCore,
  name: string,
  inputs: ActionRequest['inputs'],
): Promise<ActionResult> {
  const gone = 'The schedule has ended or was changed meanwhile.';
  const seen = await core.store.send<string | null>('HGET', core.keys.schedules, name);
  if (seen === null) return { message: gone };
  const { cron = '', timeZone = '' } = inputs;
  const [every, until] = [numberOf(inputs, 'every'), dateOf(inputs, 'until')];
  const repetition = {
    ...(cron.trim() === '' ? {} : { cron }),
    ...(timeZone.trim() === '' ? {} : { timeZone: timeZone.trim() }),
    ...(every === undefined ? {} : { every }),
    ...(until === undefined ? {} : { until }),
  } as Repetition;
  const isDone = await changeSchedule(core, name, seen, repetition, jsonOf(inputs, 'data'));
  return said(isDone, 'The schedule is changed.', gone);
}

async function update(own: TaskQueue, id: string, inputs: ActionRequest['inputs']): Promise<ActionResult> {
  const task = await own.get(id);
  const isDone = task !== undefined && (await own.update(id, defineTask(task.name), jsonOf(inputs, 'data')));
  return said(isDone, 'The data is changed.', 'The task is completed, or does not exist any more.');
}

async function duplicate(own: TaskQueue, id: string): Promise<ActionResult> {
  const task = await own.get(id);
  if (task === undefined) return { message: 'The task does not exist any more.' };
  const { name, data, priority, attempts, group } = task;
  const added = await own.add(defineTask(name), data, {
    ...{ priority, attempts },
    ...(group === undefined ? {} : { group }),
  });
  return { message: `Task ${added.id} is added.` };
}

function numberOf(inputs: ActionRequest['inputs'], name: string): number | undefined {
  const text = (inputs[name] ?? '').trim();
  if (text === '') return undefined;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new KitError('OPTION', `${name} must be a number, not '${text}'`);
}

function dateOf(inputs: ActionRequest['inputs'], name: string): Date | undefined {
  const text = (inputs[name] ?? '').trim();
  if (text === '') return undefined;
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date;
  throw new KitError('OPTION', `${name} must be a time such as 2030-12-31T12:00:00Z, not '${text}'`);
}

function jsonOf(inputs: ActionRequest['inputs'], name: string): unknown {
  const text = (inputs[name] ?? '').trim();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KitError('OPTION', `${name} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}
