import { KitError, LATE, withinTime } from '../../foundation/index.js';
import type { TaskHandler } from '../definition.js';
import type { QueueCore } from '../lua/scripts.js';
import type { CompleteWorkerOptions } from '../options.js';
import { problemOf, toJson } from '../record.js';
import { SandboxCrash } from '../sandbox/sandbox-crash.js';
import { beginProcessing, type Processing } from '../telemetry.js';
import { backoffDelay } from './backoff.js';
import { NoRetryError } from './no-retry-error.js';
import { PostponeError } from './postpone-error.js';
import type { RunningTask } from './running-task.js';
import type { Settlement } from './steps.js';

/** Runs handlers, and decides what becomes of their tasks. */
export class Attempts {
  readonly #core: QueueCore;
  readonly #handlers: ReadonlyMap<string, TaskHandler>;
  readonly #options: CompleteWorkerOptions;

  constructor(core: QueueCore, handlers: ReadonlyMap<string, TaskHandler>, options: CompleteWorkerOptions) {
    this.#core = core;
    this.#handlers = handlers;
    this.#options = options;
  }

  /** The server returns only tasks of kinds that the worker handles. */
  handlerOf({ name }: RunningTask): TaskHandler {
    return this.#handlers.get(name) as TaskHandler;
  }

  /** Max tasks that one handler gets at once. */
  get largestBatch(): number {
    return Math.max(...[...this.#handlers.values()].map(({ batch = 1 }) => batch));
  }

  /** Handles one task, or a batch of one kind. Never rejects. */
  run(tasks: readonly RunningTask[]): Promise<readonly Settlement[]> {
    const [first] = tasks as readonly [RunningTask];
    const handler = this.handlerOf(first);
    const processing = beginProcessing(this.#core.name, tasks);
    const isPlain = handler.runBatch === undefined && first.header.l === undefined;
    if (isPlain && processing === undefined) return this.#runPlain(handler, first);
    return this.#runAll(handler, tasks, processing);
  }

  /** Most tasks are handled one by one, without a time limit. This path has no promise but that of the handler. */
  async #runPlain(handler: TaskHandler, task: RunningTask): Promise<readonly Settlement[]> {
    const { time } = this.#core.store;
    const begun = time.monotonic();
    let outcome: unknown;
    try {
      outcome = await handler.run(task.data, task);
    } catch (error) {
      outcome = new Failed(error);
    }
    return [this.#settlement(handler, task, outcome, time.monotonic() - begun)];
  }

  async #runAll(
    handler: TaskHandler,
    tasks: readonly RunningTask[],
    processing: Processing | undefined,
  ): Promise<readonly Settlement[]> {
    const { time } = this.#core.store;
    const begun = time.monotonic();
    const work = (): Promise<readonly unknown[]> => this.#withinLimit(handler, tasks);
    const outcomes = await (processing === undefined ? work() : processing.run(work));
    const ms = time.monotonic() - begun;
    const settlements = tasks.map((task, index) =>
      this.#settlement(handler, task, outcomes[index], ms / tasks.length),
    );
    const failure = outcomes.find(
      (outcome) => outcome instanceof Failed && !(outcome.error instanceof PostponeError),
    );
    processing?.end(
      settlements.map(({ kind }) => kind),
      ms,
      failure instanceof Failed ? failure.error : undefined,
    );
    return settlements;
  }

  /** The results of tasks, and `Failed` in place of those that failed. */
  async #withinLimit(handler: TaskHandler, tasks: readonly RunningTask[]): Promise<readonly unknown[]> {
    let limit = Number.POSITIVE_INFINITY;
    for (const { header } of tasks) limit = Math.min(limit, header.l ?? limit);
    const work = outcomesOf(handler, tasks);
    if (limit === Number.POSITIVE_INFINITY) return work;
    const { time } = this.#core.store;
    const outcomes = await withinTime(work, { time, until: time.monotonic() + limit, signal: undefined });
    if (outcomes !== LATE) return outcomes;
    const error = new KitError('TIMEOUT', `the attempt took longer than its \`timeLimit\` of ${limit} ms`);
    for (const task of tasks) task.end(error);
    return tasks.map(() => new Failed(error));
  }

  #settlement(handler: TaskHandler, task: RunningTask, outcome: unknown, ms: number): Settlement {
    if (outcome instanceof Failed) return this.#failure(handler, task, outcome.error, ms);
    try {
      return { task, kind: 'completed', payload: toJson(outcome), delay: 0, ms };
    } catch (error) {
      return this.#failure(handler, task, error, ms);
    }
  }

  #failure(handler: TaskHandler, task: RunningTask, error: unknown, ms: number): Settlement {
    if (error instanceof SandboxCrash) return { task, kind: 'crashed', payload: '', delay: 0, ms };
    if (error instanceof PostponeError) {
      return { task, kind: 'release', payload: '', delay: error.delay, ms };
    }
    const { a: attempts = 1 } = task.header;
    const isHopeless =
      error instanceof NoRetryError || (error instanceof KitError && error.code === 'INVALID');
    const delay = isHopeless || task.attempt >= attempts ? undefined : this.#delay(handler, task, error);
    if (delay instanceof Failed) return { task, kind: 'dead', payload: problemOf(delay.error), delay: 0, ms };
    const payload = problemOf(error);
    if (delay === undefined) return { task, kind: 'dead', payload, delay: 0, ms };
    return { task, kind: 'retry', payload, delay, ms };
  }

  /** The delay before the next attempt; undefined for none. A function that fails makes the task dead, with its error. */
  #delay({ backoff }: TaskHandler, task: RunningTask, error: unknown): number | undefined | Failed {
    const { header, attempt, id, data } = task;
    try {
      if (header.b !== undefined || backoff === undefined) {
        return backoffDelay(header.b, attempt, this.#options.random);
      }
      const delay = backoff({ failures: attempt, error, id, data });
      if (delay === undefined || (Number.isFinite(delay) && delay >= 0)) {
        return delay === undefined ? undefined : Math.round(delay);
      }
      return new Failed(
        new KitError('OPTION', `the function \`backoff\` of task '${task.name}' returned ${String(delay)}`),
      );
    } catch (thrown) {
      return new Failed(thrown);
    }
  }
}

/** In place of a result: the attempt failed. */
class Failed {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Never rejects. */
async function outcomesOf(handler: TaskHandler, tasks: readonly RunningTask[]): Promise<readonly unknown[]> {
  try {
    if (handler.runBatch === undefined) {
      const [task] = tasks as readonly [RunningTask];
      return [await handler.run(task.data, task)];
    }
    const outcomes = await handler.runBatch(tasks.map((task) => ({ data: task.data, task })));
    return outcomes.map((outcome) => (outcome instanceof Error ? new Failed(outcome) : outcome));
  } catch (error) {
    return tasks.map(() => new Failed(error));
  }
}
