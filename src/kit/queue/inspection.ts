import { fromJson, parseRecord, type TaskProblem } from './record.js';
import type { QueueCore } from './scripts.js';

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
  /** Name of the schedule that added it. */
  readonly schedule: string | undefined;
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

export async function describeTasks(
  { keyList, scripts }: QueueCore,
  state: TaskState | 'setAside' | 'id',
  offset: number,
  limit: number | string,
): Promise<TaskSnapshot[]> {
  const reply = (await scripts.describe({ keys: keyList, state, offset, limit })) as readonly string[];
  const tasks: TaskSnapshot[] = [];
  for (let i = 0; i < reply.length; i += FIELDS) tasks.push(snapshotOf(reply.slice(i, i + FIELDS)));
  return tasks;
}

const FIELDS = 9;

function snapshotOf(fields: readonly string[]): TaskSnapshot {
  const [id = '', record = '', state, at = '', failures, recoveries, progress = '', error = '', result = ''] =
    fields;
  const { header, data } = parseRecord(record);
  return {
    id,
    name: header.n,
    data,
    state: state as TaskState,
    priority: header.p ?? 0,
    key: header.k,
    failures: Number(failures),
    attempts: header.a ?? 1,
    recoveries: Number(recoveries),
    addedAt: new Date(Math.floor(Number(id) / 1000)),
    at: at === '' ? undefined : new Date(Number(at)),
    progress: fromJson(progress),
    error: fromJson(error) as TaskProblem | undefined,
    result: fromJson(result),
    after: header.w ?? [],
    schedule: header.s,
  };
}
