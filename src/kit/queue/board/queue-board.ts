import type { Store } from '../../../store/index.js';
import {
  type ActionRequest,
  type ActionResult,
  type Board,
  type BoardPlace,
  type BoardView,
  type Cell,
  type Chart,
  type Column,
  cellOf,
  type Detail,
  type Figure,
  KitError,
  nextOffset,
  offsetOf,
  type Row,
  type Rows,
  type RowsRequest,
  type Table,
} from '../../foundation/index.js';
import type { ListedState, QueueCounts, TaskSnapshot } from '../inspection.js';
import { coreOf } from '../internals.js';
import { type QueueCore, serverTime } from '../lua/scripts.js';
import { type MinuteMetrics, readMetrics } from '../metrics.js';
import { queue, type TaskQueue } from '../queue.js';
import { addedAt } from '../record.js';
import type { Specification } from '../schedules/schedule.js';
import { ACTIONS, actOnQueue, rowActions, scheduleInputs } from './actions.js';
import { taskDetail } from './task-detail.js';

const CHART_MINUTES = 60;

const STATES: readonly (readonly [ListedState, string])[] = [
  ['active', 'Active'],
  ['waiting', 'Waiting'],
  ['delayed', 'Delayed'],
  ['blocked', 'Blocked'],
  ['completed', 'Completed'],
  ['dead', 'Dead'],
  ['setAside', 'Set aside'],
];

interface TaskColumn extends Column {
  cell(task: TaskSnapshot): Cell;
}

const at = ({ at: time }: TaskSnapshot): Cell => time?.getTime() ?? null;
const json = (value: unknown): Cell => (value === undefined ? null : cellOf(JSON.stringify(value)));

const TASK: TaskColumn = { title: 'Task', cell: ({ id }) => id };
const KIND: TaskColumn = { title: 'Kind', cell: ({ name }) => name };
const ADDED: TaskColumn = { title: 'Added', format: 'time', cell: ({ addedAt: time }) => time.getTime() };
const DUE: TaskColumn = { title: 'Due', format: 'time', cell: at };
const LEASE_ENDS: TaskColumn = { title: 'Lease ends', format: 'time', cell: at };
const ENDED: TaskColumn = { title: 'Ended', format: 'time', cell: at };
const FAILURES: TaskColumn = {
  title: 'Failures',
  cell: ({ failures, attempts }) => `${failures} of ${attempts}`,
};
const PRIORITY: TaskColumn = { title: 'Priority', format: 'number', cell: ({ priority }) => priority };
const GROUP: TaskColumn = { title: 'Group', cell: ({ group }) => group ?? null };
const PROGRESS: TaskColumn = { title: 'Progress', cell: ({ progress }) => json(progress) };
const RESULT: TaskColumn = { title: 'Result', cell: ({ result }) => json(result) };
const ERROR: TaskColumn = {
  title: 'Error',
  cell: ({ error }) => (error === undefined ? null : cellOf(error.message)),
};

/** What tasks of a state have to show. */
const TASK_COLUMNS: Readonly<Record<ListedState, readonly TaskColumn[]>> = {
  active: [TASK, KIND, ADDED, LEASE_ENDS, FAILURES, PRIORITY, GROUP, PROGRESS],
  waiting: [TASK, KIND, ADDED, FAILURES, PRIORITY, GROUP],
  delayed: [TASK, KIND, ADDED, DUE, FAILURES, PRIORITY, GROUP],
  blocked: [TASK, KIND, ADDED, PRIORITY, GROUP],
  completed: [TASK, KIND, ADDED, ENDED, FAILURES, RESULT],
  dead: [TASK, KIND, ADDED, ENDED, FAILURES, ERROR],
  setAside: [TASK, KIND, ADDED, FAILURES, PRIORITY, GROUP],
};

const GROUP_COLUMNS: readonly Column[] = [
  { title: 'Group' },
  { title: 'Kind' },
  { title: 'Waiting', format: 'number' },
  { title: 'Active', format: 'number' },
  { title: 'Limit', format: 'number' },
];

const SCHEDULE_COLUMNS: readonly Column[] = [
  { title: 'Schedule' },
  { title: 'Repeats' },
  { title: 'Next', format: 'time' },
  { title: 'Until', format: 'time' },
  { title: 'Task' },
];

const WORKER_COLUMNS: readonly Column[] = [
  { title: 'Worker' },
  { title: 'Step', format: 'number' },
  { title: 'Lease ends', format: 'time' },
];

const EVENT_COLUMNS: readonly Column[] = [
  { title: 'Time', format: 'time' },
  { title: 'Event' },
  { title: 'Task' },
  { title: 'Detail' },
];

/** What the store says of a queue besides the number of tasks. */
interface Facts {
  readonly limit: string | null;
  readonly per: string | null;
  readonly concurrency: string | null;
  readonly groupLimit: string | null;
  readonly oldest: string | null;
  readonly leases: number;
  readonly events: number;
  readonly grouped: number;
  readonly hasMetrics: boolean;
}

/** The board of one queue. */
export class QueueBoard implements Board {
  readonly #store: Store;
  readonly #queue: TaskQueue;
  readonly #core: QueueCore;

  constructor(store: Store, { prefix, name }: BoardPlace) {
    this.#store = store;
    this.#queue = queue(store, name, { prefix, onWarning: () => {} });
    this.#core = coreOf(this.#queue) as QueueCore;
  }

  async view(): Promise<BoardView> {
    const [counts, facts, now] = await Promise.all([
      this.#queue.counts(),
      this.#facts(),
      serverTime(this.#core),
    ]);
    const minutes = facts.hasMetrics ? await readMetrics(this.#core, CHART_MINUTES) : [];
    return {
      figures: figuresOf(counts, facts, now),
      charts: facts.hasMetrics ? chartsOf(minutes) : [],
      tables: tablesOf(counts, facts),
      actions: ACTIONS.filter(({ id }) => id !== (counts.isPaused ? 'pause' : 'resume')),
      notes: facts.hasMetrics
        ? []
        : ['There are no charts: the programs of this queue keep no metrics (option `keepMetrics: 60`).'],
    };
  }

  async rows(table: string, request: RowsRequest): Promise<Rows> {
    if (STATES.some(([state]) => state === table)) return this.#tasks(table as ListedState, request);
    if (table === 'groups') return this.#groups(request);
    if (table === 'schedules') return this.#schedules(request);
    if (table === 'workers') return this.#workers(request);
    if (table === 'events') return this.#events(request);
    throw new KitError('OPTION', `a queue has no table '${table}'`);
  }

  detail(_table: string, id: string): Promise<Detail | undefined> {
    return taskDetail(this.#queue, this.#core, id);
  }

  async act(action: string, request: ActionRequest): Promise<ActionResult> {
    return actOnQueue(this.#store, this.#core, action, request);
  }

  async #facts(): Promise<Facts> {
    const { keys } = this.#core;
    const [state, oldest, leases, events, grouped, metrics] = await this.#store.pipeline((pipe) => [
      pipe.send('HMGET', keys.meta, 'limit', 'per', 'concurrency', 'groupLimit'),
      pipe.send('LINDEX', keys.waiting, 0),
      pipe.send('ZCARD', keys.active),
      pipe.send('XLEN', keys.events),
      pipe.send('ZCARD', `${keys.waiting}:groups`),
      pipe.send('EXISTS', `${keys.meta}:metrics`),
    ]);
    const [limit = null, per = null, concurrency = null, groupLimit = null] = state as (string | null)[];
    return {
      ...{ limit, per, concurrency, groupLimit },
      oldest: oldest as string | null,
      leases: Number(leases),
      events: Number(events),
      grouped: Number(grouped),
      hasMetrics: metrics === 1,
    };
  }

  async #tasks(state: ListedState, { cursor, limit, search = '' }: RowsRequest): Promise<Rows> {
    if (search !== '') {
      const found = await this.#queue.get(search);
      return { rows: found === undefined ? [] : [rowOf(found, state)] };
    }
    const offset = offsetOf(cursor);
    const tasks = await this.#queue.list(state, { offset, limit });
    return { rows: tasks.map((task) => rowOf(task, state)), ...nextOffset(offset, tasks.length, limit) };
  }

  async #groups({ cursor = '', limit }: RowsRequest): Promise<Rows> {
    const { scripts, keyList: keys } = this.#core;
    const found = (await scripts.listGroups({ keys, after: cursor, limit })) as (string | number)[];
    const rows: Row[] = [];
    for (let i = 0; i < found.length; i += 5) {
      const [kind = '', group = '', waiting = 0, active = 0, max = ''] = found.slice(i, i + 5);
      const cells = [cellOf(group), cellOf(kind), waiting, active, max === '' ? null : Number(max)];
      rows.push({ id: `${kind}\0${group}`, cells });
    }
    const last = rows.at(-1);
    return rows.length < limit || last === undefined ? { rows } : { rows, next: last.id };
  }

  async #schedules({ cursor, limit }: RowsRequest): Promise<Rows> {
    const { keys } = this.#core;
    const offset = offsetOf(cursor);
    const range = [keys.occurrences, offset, offset + limit - 1, 'WITHSCORES'] as const;
    const due = await this.#store.send<string[]>('ZRANGE', ...range);
    const names = due.filter((_, i) => i % 2 === 0);
    const texts =
      names.length === 0 ? [] : await this.#store.send<string[]>('HMGET', keys.schedules, ...names);
    const rows = names.map((name, i) => scheduleRow(name, texts[i] ?? '{}', Number(due[2 * i + 1])));
    return { rows, ...nextOffset(offset, rows.length, limit) };
  }

  async #workers({ cursor, limit }: RowsRequest): Promise<Rows> {
    const offset = offsetOf(cursor);
    const range = [this.#core.keys.active, offset, offset + limit - 1, 'WITHSCORES'] as const;
    const leases = await this.#store.send<string[]>('ZRANGE', ...range);
    const rows: Row[] = [];
    for (let i = 0; i < leases.length; i += 2) {
      const token = leases[i] ?? '';
      const at = token.lastIndexOf(':');
      const cells = [token.slice(0, at), Number(token.slice(at + 1)), Number(leases[i + 1])];
      rows.push({ id: token, cells });
    }
    return { rows, ...nextOffset(offset, rows.length, limit) };
  }

  /** An entry of the stream has a line for each event of one step, up to a thousand. The cursor is an entry and the first line of it. */
  async #events({ cursor, limit }: RowsRequest): Promise<Rows> {
    const [, id = '+', line = '0'] = /^(\d+-\d+) (\d+)$/.exec(cursor ?? '') ?? [];
    const range = [this.#core.keys.events, id, '-', 'COUNT', MAX_ENTRIES] as const;
    const entries = (await this.#store.send('XREVRANGE', ...range)) as unknown as readonly [
      string,
      readonly string[],
    ][];
    const rows: Row[] = [];
    for (const [at, fields] of entries) {
      const lines = (fields[1] ?? '').split('\n');
      for (let i = at === id ? Number(line) : 0; i < lines.length; i++) {
        if (rows.length === limit) return { rows, next: `${at} ${i}` };
        rows.push(eventRow(`${at} ${i}`, lines[i] ?? ''));
      }
    }
    const last = entries.at(-1)?.[0];
    // The last entry is read again, from behind its last line.
    return entries.length < MAX_ENTRIES || last === undefined ? { rows } : { rows, next: `${last} ${END}` };
  }
}

/** Entries of the stream that one page reads. */
const MAX_ENTRIES = 20;
/** No entry has as many lines. */
const END = 1_000_000;

function eventRow(id: string, line: string): Row {
  const [event = '', task = '', ...detail] = line.split(' ');
  const at = Number(id.split('-', 1)[0]);
  return { id, cells: [at, event, task === '-' ? null : task, cellOf(detail.join(' '))] };
}

/** A task in the table of a state, which need not be its own if it was searched for. */
function rowOf(task: TaskSnapshot, table: ListedState): Row {
  return {
    id: task.id,
    cells: TASK_COLUMNS[table].map(({ cell }) => cell(task)),
    actions: rowActions(task.state),
  };
}

/** Longer data is not sent with each page, and cannot be changed there. */
const MAX_INPUT = 4_096;

function scheduleRow(name: string, text: string, next: number): Row {
  const specification = specificationIn(text);
  if (specification === undefined) {
    return { id: name, cells: [name, '?', next, null, cellOf(text)], actions: ['unschedule'] };
  }
  const { cron, timeZone, every, until, record = '' } = specification;
  const repeats = cron === undefined ? `every ${every ?? '?'} ms` : `${cron} (${timeZone ?? 'UTC'})`;
  const inputs = scheduleInputs({ ...specification, record });
  return {
    ...{ id: name, cells: [name, repeats, next, until ?? null, taskIn(record)] },
    actions: ['reschedule', 'unschedule'],
    ...(record.length > MAX_INPUT ? {} : { inputs }),
  };
}

/** The kind and the data of the tasks that a schedule adds. */
function taskIn(record: string): string {
  const [header = '', data = ''] = record.split('\n', 2);
  const kind = specificationIn(header) as { readonly n?: unknown } | undefined;
  return cellOf(`${kind?.n ?? header} ${data}`);
}

/** Undefined if it is not one: any program can write into the hash. */
function specificationIn(text: string): Partial<Specification> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function figuresOf(counts: QueueCounts, facts: Facts, now: number): Figure[] {
  const { limit, per, concurrency, groupLimit, oldest, leases } = facts;
  return [
    {
      label: 'State',
      value: counts.isPaused ? 'paused' : 'running',
      format: 'state',
      tone: counts.isPaused ? 'warning' : 'good',
    },
    { label: 'Waiting', value: counts.waiting, format: 'number' },
    { label: 'Active', value: counts.active, format: 'number' },
    { label: 'Delayed', value: counts.delayed, format: 'number' },
    { label: 'Blocked', value: counts.blocked, format: 'number' },
    { label: 'Completed', value: counts.completed, format: 'number' },
    { label: 'Dead', value: counts.dead, format: 'number', tone: counts.dead > 0 ? 'bad' : 'plain' },
    {
      label: 'Oldest waiting',
      value: oldest === null ? null : Math.max(0, now - addedAt(oldest).getTime()),
      format: 'milliseconds',
    },
    { label: 'Leases', value: leases, format: 'number' },
    ...(limit === null ? [] : [{ label: 'Rate limit', value: `${limit} per ${per ?? '?'} ms` }]),
    ...(concurrency === null ? [] : [{ label: 'Max active', value: Number(concurrency) }]),
    ...(groupLimit === null ? [] : [{ label: 'Max active of a group', value: Number(groupLimit) }]),
  ];
}

function chartsOf(minutes: readonly MinuteMetrics[]): Chart[] {
  const times = minutes.map(({ at }) => at.getTime());
  const each = (read: (minute: MinuteMetrics) => number | null): (number | null)[] => minutes.map(read);
  return [
    {
      ...{ title: 'Tasks per minute', format: 'number', times },
      series: [
        { label: 'completed', values: each(({ completed }) => completed) },
        { label: 'retried', values: each(({ retried }) => retried) },
        { label: 'dead', values: each(({ dead }) => dead) },
      ],
    },
    {
      ...{ title: 'Waiting and running time, mean', format: 'milliseconds', times },
      series: [
        {
          label: 'from adding to the start',
          values: each(({ started, waitedMs }) => (started === 0 ? null : waitedMs / started)),
        },
        {
          label: 'in the handler',
          values: each(({ completed, retried, dead, busyMs }) =>
            completed + retried + dead === 0 ? null : busyMs / (completed + retried + dead),
          ),
        },
      ],
    },
  ];
}

function tablesOf(counts: QueueCounts, { leases, events, grouped }: Facts): Table[] {
  const tasks = STATES.filter(([state]) => state !== 'setAside' || counts.setAside > 0).map(
    ([id, title]): Table => ({
      ...{ id, title, total: counts[id], search: 'id of a task', hasDetail: true },
      columns: TASK_COLUMNS[id].map(({ title: name, format }) =>
        format === undefined ? { title: name } : { title: name, format },
      ),
    }),
  );
  return [
    ...tasks,
    ...(grouped === 0 ? [] : [{ id: 'groups', title: 'Groups', columns: GROUP_COLUMNS }]),
    { id: 'schedules', title: 'Schedules', columns: SCHEDULE_COLUMNS, total: counts.schedules },
    { id: 'workers', title: 'Leases', columns: WORKER_COLUMNS, total: leases },
    { id: 'events', title: 'Events', columns: EVENT_COLUMNS, total: events },
  ];
}
