import type { QueueCore } from './lua/scripts.js';
import type { IfDead } from './options.js';
import { addedAt, fromJson, givenKey, parseRecord, publicId, type TaskProblem } from './record.js';

export type TaskState = 'waiting' | 'delayed' | 'blocked' | 'active' | 'completed' | 'dead';

/** The number of tasks in each state. */
export interface QueueCounts extends Readonly<Record<TaskState, number>> {
  /**
   * Waiting tasks that a worker set aside, because it has no handler for their kind. They wait for a
   * worker that has one. If the number does not fall, no worker does.
   */
  readonly setAside: number;
  readonly schedules: number;
  readonly isPaused: boolean;
}

/** A task and its current state. */
export interface TaskSnapshot {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
  readonly state: TaskState;
  readonly priority: number;
  readonly key: string | undefined;
  readonly group: string | undefined;
  /** Failed attempts, and max attempts. */
  readonly failures: number;
  readonly attempts: number;
  /** How often it was taken over from a dead worker. */
  readonly recoveries: number;
  readonly addedAt: Date;
  /** Due time (delayed), end of the lease (active) or end of the task (completed, dead). */
  readonly at: Date | undefined;
  readonly progress: unknown;
  /** Why the last attempt failed. */
  readonly error: TaskProblem | undefined;
  readonly result: unknown;
  /** Ids of the tasks that it waits or waited for. */
  readonly after: readonly string[];
  /** What becomes of tasks that wait for it if it is dead. */
  readonly ifDead: IfDead;
  /** Name of the schedule that added it. */
  readonly schedule: string | undefined;
  /** Context of the trace in which it was added, as OpenTelemetry propagates it (`traceparent`). */
  readonly trace: Readonly<Record<string, string>> | undefined;
}

export async function countTasks({ keyList, scripts }: QueueCore): Promise<QueueCounts> {
  const reply = (await scripts.counts({ keys: keyList })) as readonly number[];
  const [waiting = 0, delayed = 0, active = 0, blocked = 0, completed = 0, dead = 0] = reply;
  const [schedules = 0, paused, setAside = 0] = reply.slice(6);
  return {
    ...{ waiting, setAside, delayed, active, blocked, completed, dead },
    ...{ schedules, isPaused: paused === 1 },
  };
}

export type ListedState = TaskState | 'setAside';

/** A page of tasks, and what to ask for the next one. */
interface Page {
  readonly tasks: readonly TaskSnapshot[];
  readonly offset: number;
  /** Their ids as scripts know them. */
  readonly ids: readonly string[];
}

/** Tasks per call. */
const MAX_DESCRIBED = 200;
/** How many tasks of the last page are sent to find the next one: tasks move while others are read. */
const MAX_KNOWN = 10;

async function describePage(
  { keyList: keys, scripts }: QueueCore,
  state: ListedState | 'id',
  offset: number,
  limit: number | string,
  known: readonly string[],
): Promise<Page> {
  const reply = await scripts.describe({ keys, state, offset, limit, known });
  const [next, ...values] = reply as readonly [number, ...string[]];
  const tasks: TaskSnapshot[] = [];
  const ids: string[] = [];
  for (let i = 0; i < values.length; i += FIELDS) {
    const fields = values.slice(i, i + FIELDS);
    ids.push(fields[0] ?? '');
    tasks.push(snapshotOf(fields));
  }
  return { tasks, offset: next, ids };
}

export async function describeTask(core: QueueCore, id: string): Promise<TaskSnapshot | undefined> {
  const { tasks } = await describePage(core, 'id', 0, id, []);
  return tasks[0];
}

/**
 * Tasks of a state, page by page. A page begins after the last task of the page before that is still in the state. If none of
 * these is, it begins at the start. No task is returned twice.
 */
export async function* describeTasks(
  core: QueueCore,
  state: ListedState,
  from = 0,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<TaskSnapshot> {
  let left = limit;
  let offset = from;
  let known: readonly string[] = [];
  const seen = new Set<string>();
  while (left > 0) {
    const page = await describePage(core, state, offset, Math.min(left, MAX_DESCRIBED), known);
    const news = page.tasks.filter(({ id }) => !seen.has(id));
    for (const { id } of news) seen.add(id);
    yield* news;
    if (page.tasks.length === 0 && page.offset === offset) return;
    left -= news.length;
    offset = Math.max(page.offset, 0);
    known = page.ids.slice(-MAX_KNOWN).reverse();
  }
}

const FIELDS = 9;

/** The last moment of a `Date`. */
const MAX_DATE_MS = 8_640_000_000_000_000;

function snapshotOf(fields: readonly string[]): TaskSnapshot {
  const [id = '', record = '', state, at = '', failures, recoveries, progress = '', error = '', result = ''] =
    fields;
  const { header, data } = parseRecord(record);
  return {
    id: publicId(id),
    name: header.n,
    data,
    state: state as TaskState,
    priority: header.p ?? 0,
    key: givenKey(header.k),
    group: header.g,
    failures: Number(failures),
    attempts: header.a ?? 1,
    recoveries: Number(recoveries),
    addedAt: addedAt(id),
    at: at === '' ? undefined : new Date(Math.min(Number(at), MAX_DATE_MS)),
    progress: fromJson(progress),
    error: fromJson(error) as TaskProblem | undefined,
    result: fromJson(result),
    after: [...(header.w ?? []).map(publicId), ...(header.x ?? [])],
    ifDead: header.f ?? 'block',
    schedule: header.s,
    trace: header.c,
  };
}
