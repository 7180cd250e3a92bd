import { runsHere } from '../../foundation/index.js';
import { keyList, type QueueCore, receiptKey } from '../lua/scripts.js';
import type { CompleteWorkerOptions, Retention } from '../options.js';
import { nextOccurrence, type Specification } from '../schedules/schedule.js';
import { isStoreClosed } from '../store-closed.js';
import type { RunningTask, TakenTask } from './running-task.js';

/** The outcome of a task. */
export interface Settlement {
  readonly task: RunningTask;
  readonly kind: 'completed' | 'retry' | 'dead' | 'release' | 'crashed';
  /** Result or error as JSON. */
  readonly payload: string;
  /** Delay before the next attempt, in ms. */
  readonly delay: number;
  /** Time that the handler took. */
  readonly ms: number;
}

export interface StepPlan {
  readonly settlements: readonly Settlement[];
  /** Max tasks to take. */
  readonly count: number;
  /** The worker was woken, or had a timer for the next due task. */
  readonly watched: boolean;
}

interface StepRequest extends StepPlan {
  readonly ended: string;
}

export interface StepOutcome {
  /** For each settlement, whether the worker still held the task. */
  readonly accepted: readonly boolean[];
  readonly tasks: readonly TakenTask[];
  /** Ms until the next task or schedule is due; undefined if there is none. */
  readonly waitMs: number | undefined;
  /** A schedule was due, and a worker has added its task. */
  readonly occurred: boolean;
  /** There are messages to other queues. */
  readonly mustDeliver: boolean;
  /** The queue limits how many tasks are active. */
  readonly isLimited: boolean;
}

type AdvanceReply = readonly [
  flags: string,
  waitMs: number,
  now: number,
  taken: readonly string[],
  due: readonly string[],
  troubles: readonly string[],
  hints: number,
];

/** Retry delay after an error of the store, in ms; it doubles with each attempt. */
const MIN_RETRY_MS = 20;
const MAX_RETRY_MS = 1_000;

/**
 * A worker's steps (advance.lua). Each has a number, and the server keeps the outcome of the last one: after an error the
 * same step is sent again, and runs only once.
 */
export class Steps {
  readonly #core: QueueCore;
  readonly #worker: string;
  readonly #keys: readonly string[];
  readonly #options: CompleteWorkerOptions;
  readonly #keepMs: number;
  readonly #kinds: string;
  #number = 0;
  #hasGivenUp = false;
  /** Number of unsettled tasks per lease. A lost task is never settled: its lease ends by itself. */
  readonly #leases = new Map<string, number>();

  constructor(core: QueueCore, worker: string, kinds: readonly string[], options: CompleteWorkerOptions) {
    this.#core = core;
    this.#worker = worker;
    this.#kinds = kinds.map((kind) => JSON.stringify(kind)).join('\n');
    this.#keys = keyList(core.keys, receiptKey(core.keys, worker));
    this.#options = options;
    this.#keepMs = runsHere(core.store) ? 0 : options.lease * 2;
  }

  /** Takes a step without retries. */
  giveUp(): void {
    this.#hasGivenUp = true;
  }

  /** Takes a step, with retries; 'closed' if the store is closed, or if there is no time left to retry. */
  async take(plan: StepPlan): Promise<StepOutcome | 'closed'> {
    this.#number++;
    const request = { ...plan, ended: this.#endedBy(plan.settlements) };
    for (let wait = MIN_RETRY_MS; ; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
      try {
        return await this.#outcomeOf(await this.#try(request));
      } catch (error) {
        if (this.#hasGivenUp || (await isStoreClosed(this.#core, error))) return 'closed';
        this.#options.onError(error);
        await this.#core.store.time.sleep(wait);
      }
    }
  }

  /** This task of a lease is settled. */
  forget({ token }: RunningTask): void {
    const left = (this.#leases.get(token) ?? 0) - 1;
    if (left > 0) this.#leases.set(token, left);
    else this.#leases.delete(token);
  }

  /** The leases without tasks after these are settled. */
  #endedBy(settlements: readonly Settlement[]): string {
    const ended: string[] = [];
    for (const { task } of settlements) {
      const left = (this.#leases.get(task.token) ?? 0) - 1;
      this.#leases.set(task.token, left);
      if (left > 0) continue;
      this.#leases.delete(task.token);
      if (left === 0) ended.push(task.token);
    }
    return ended.join(' ');
  }

  async #try(request: StepRequest): Promise<AdvanceReply> {
    const { scripts, keepCompleted, keepDead, keepEvents, keepMetrics, recoveries, eventRenewal } =
      this.#core;
    const reply = await scripts.advance({
      keys: this.#keys,
      worker: this.#worker,
      step: this.#number,
      keepMs: this.#keepMs,
      lease: this.#options.lease,
      keep: keepCompleted.count,
      keepAge: ageOf(keepCompleted),
      keepDead: keepDead.count,
      keepDeadAge: ageOf(keepDead),
      keepMetrics,
      bound: keepEvents,
      renews: eventRenewal.next(),
      recoveries,
      kinds: this.#kinds,
      count: request.count,
      watched: request.watched ? '1' : '0',
      ended: request.ended,
      spent: keepMetrics === 0 ? 0 : spentOn(request.settlements),
      settlements: wordsOf(request.settlements),
    });
    return reply as AdvanceReply;
  }

  async #outcomeOf([flags, waitMs, now, taken, due, troubles, hints]: AdvanceReply): Promise<StepOutcome> {
    const token = `${this.#worker}:${this.#number}`;
    const tasks = tasksOf(taken, troubles, token);
    if (tasks.length > 0) this.#leases.set(token, tasks.length);
    const occurred = due.length > 0 && (await this.#occur(due, now));
    return {
      accepted: Array.from(flags, (flag) => flag === '1'),
      tasks,
      waitMs: due.length > 0 && !occurred ? MAX_RETRY_MS : waitMs < 0 ? undefined : waitMs,
      occurred,
      mustDeliver: (hints & 1) === 1,
      isLimited: (hints & 2) === 2,
    };
  }

  /**
   * Adds the tasks of schedules that are due. Several workers may try; the first one succeeds. False if it must be
   * retried. The step itself is done in any case.
   */
  async #occur(due: readonly string[], now: number): Promise<boolean> {
    const { scripts, keepEvents: bound } = this.#core;
    const keys = this.#core.keyList;
    try {
      for (let i = 0; i < due.length; i += 3) {
        const [name = '', text = '', at = ''] = due.slice(i, i + 3);
        const specification = JSON.parse(text) as Specification;
        const following = nextOccurrence(specification, Number(at), now) ?? '';
        const { record, key } = specification;
        await scripts.occur({ keys, name, due: at, following, record, key, bound });
      }
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }
}

function wordsOf(settlements: readonly Settlement[]): (string | number)[] {
  const words: (string | number)[] = [];
  for (const { task, kind, payload, delay } of settlements) {
    words.push(task.key, task.token, kind, payload, delay, extrasOf(task));
  }
  return words;
}

/** What else advance.lua must know of a task: its unique key and its group. */
function extrasOf({ header: { k, g } }: RunningTask): string {
  return k === undefined && g === undefined ? '' : JSON.stringify({ k, g });
}

/** The max age of ended tasks, as an argument. */
function ageOf({ age }: Retention): number | '' {
  return age === Number.POSITIVE_INFINITY ? '' : age;
}

function spentOn(settlements: readonly Settlement[]): number {
  return Math.round(settlements.reduce((sum, { ms }) => sum + ms, 0));
}

function tasksOf(taken: readonly string[], troubles: readonly string[], token: string): TakenTask[] {
  const tasks: TakenTask[] = [];
  for (let i = 0; i < taken.length; i += 2) {
    const record = taken[i + 1] ?? '';
    if (record === '') continue;
    const failures = Number(troubles[i] ?? 0);
    const recoveries = Number(troubles[i + 1] ?? 0);
    tasks.push({ id: taken[i] ?? '', record, failures, recoveries, token });
  }
  return tasks;
}
