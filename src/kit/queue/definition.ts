import type { StoreTime } from '../../store/index.js';
import { hasHalfCharacters, integer, KitError, resolveOptions } from '../foundation/index.js';
import { type BackoffFunction, type HeaderOptions, type TaskDefaults, taskDefaults } from './options.js';
import { Sandbox, type SandboxOptions, sandboxPlan } from './sandbox/sandbox.js';
import type { TaskContext } from './working/context.js';

/** The interface of a Standard Schema validator (Zod, Valibot, ArkType …). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type Handler<Output, Result> = (data: Output, task: TaskContext) => Result | Promise<Result>;

/** One task of a batch. */
export interface BatchTask<Output = unknown> {
  readonly data: Output;
  readonly task: TaskContext;
}

/** Returns the result of each task, in order; an `Error` in place of a result fails this task only. */
export type BatchHandler<Output, Result> = (
  tasks: readonly BatchTask<Output>[],
) => readonly (Result | Error)[] | undefined | Promise<readonly (Result | Error)[] | undefined>;

export interface BatchOptions {
  /** Max tasks of a batch. A batch is what is waiting: nothing waits until it is full. */
  readonly size: number;
}

/** A handler with the definition of its tasks, for `queue.work`. */
export interface TaskHandler {
  readonly name: string;
  /** Decides the delay before the next attempt. */
  readonly backoff?: BackoffFunction | undefined;
  /** Max tasks that are handled together. */
  readonly batch?: number;
  /** Checks data that replaces that of a task. */
  check(data: unknown): Promise<unknown>;
  /** Checks the data and does the work of one task. */
  run(data: unknown, task: TaskContext): Promise<unknown>;
  /** The same for several tasks, if they are handled together: returns their results, or errors in their places. */
  runBatch?(tasks: readonly BatchTask[]): Promise<readonly unknown[]>;
  /** For handlers that hold something: the handler of one worker, … */
  open?(time: StoreTime): TaskHandler;
  /** … which is closed when the worker has ended. */
  close?(): Promise<void>;
}

/** Options of a definition: the defaults for its tasks, and the schema of its results. */
export interface DefinitionOptions<Result = unknown> extends Omit<TaskDefaults, 'backoff'> {
  /** The delay before the next attempt, or a function that returns it. Default: none. */
  readonly backoff?: TaskDefaults['backoff'] | BackoffFunction;
  /** Validates the results of the handler, and defines their type. */
  readonly result?: StandardSchema<unknown, Result>;
}

/**
 * A kind of task: its name, its data, its result. `Input` is what `add` takes, `Output` what the
 * handler gets (they differ if the schema converts), `Result` what the handler returns.
 */
export class TaskDefinition<Input = unknown, Output = Input, Result = unknown> {
  readonly name: string;
  readonly schema: StandardSchema<Input, Output> | undefined;
  readonly defaults: HeaderOptions;
  readonly #resultSchema: StandardSchema<unknown, Result> | undefined;
  readonly #backoff: BackoffFunction | undefined;

  constructor(
    name: string,
    schema: StandardSchema<Input, Output> | undefined,
    options: DefinitionOptions<Result>,
  ) {
    if (typeof name !== 'string' || name === '' || name.includes('\0') || hasHalfCharacters(name)) {
      throw new KitError(
        'OPTION',
        'defineTask: a task needs a name that is not empty and has no NUL and no half character in it',
      );
    }
    const { result, backoff, ...defaults } = options;
    for (const [what, given] of [
      ['schema', schema],
      ['result', result],
    ] as const) {
      if (given !== undefined && typeof given['~standard']?.validate !== 'function') {
        throw new KitError(
          'OPTION',
          `defineTask: \`${what}\` must be a Standard Schema validator (Zod, Valibot, ArkType …)`,
        );
      }
    }
    this.name = name;
    this.schema = schema;
    const isFunction = typeof backoff === 'function';
    this.#backoff = isFunction ? backoff : undefined;
    this.defaults = taskDefaults(backoff === undefined || isFunction ? defaults : { ...defaults, backoff });
    this.#resultSchema = result;
  }

  /**
   * Defines the handler for tasks of this kind; pass the result to `queue.work`.
   *
   * @example
   * const worker = mail.work(email.handle(async ({ to }) => console.log(`sending to ${to}`)));
   */
  handle(handler: Handler<Output, Result>): TaskHandler {
    this.#checkHandler(handler);
    return {
      ...this.#parts(),
      run: async (data, task) => {
        const checked = this.schema === undefined ? (data as Output) : await this.#check(data);
        const result = await handler(checked, task);
        return this.#resultSchema === undefined ? result : this.#checkResult(this.#resultSchema, result);
      },
    };
  }

  /**
   * Defines a handler that gets several tasks at once, such as for one insert of many rows. A batch counts as one task for
   * the worker's `concurrency`. If the handler throws, all tasks of the batch have failed.
   *
   * @example
   * const worker = mail.work(
   *   email.handleBatch(async (tasks) => tasks.map(({ data }) => `sent to ${data.to}`), { size: 100 }),
   * );
   */
  handleBatch(handler: BatchHandler<Output, Result>, options: BatchOptions): TaskHandler {
    this.#checkHandler(handler);
    const { size } = resolveOptions('handleBatch', options, BATCH_RULES);
    const runBatch = async (tasks: readonly BatchTask[]): Promise<readonly unknown[]> => {
      const outcomes: unknown[] = [];
      const valid: BatchTask<Output>[] = [];
      const places: number[] = [];
      for (const [index, { data, task }] of tasks.entries()) {
        try {
          valid.push({ data: (await this.#check(data)) as Output, task });
          places.push(index);
        } catch (error) {
          outcomes[index] = error;
        }
      }
      const results = valid.length === 0 ? [] : await handler(valid);
      this.#checkCount(results, valid.length);
      for (const [index, place] of places.entries()) {
        outcomes[place] = await this.#checkOutcome(results?.[index]);
      }
      return outcomes;
    };
    return {
      ...this.#parts(),
      batch: size,
      runBatch,
      run: async (data, task) => {
        const [outcome] = await runBatch([{ data, task }]);
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
    };
  }

  /**
   * Defines a handler that runs in a process or thread of its own: a function that a module exports. It can be killed: if its
   * attempt reaches its `timeLimit`, if its worker no longer holds the task, or if the worker is stopped. A task whose process
   * or thread died runs again, as often as `recoveries` says.
   *
   * @example
   * const worker = films.work(render.sandbox(new URL('./render.js', import.meta.url)), { concurrency: 2 });
   */
  sandbox(module: string | URL, options: SandboxOptions = {}): TaskHandler {
    const plan = sandboxPlan(module, options);
    const open = (time: StoreTime): TaskHandler => {
      const sandbox = new Sandbox(plan, time);
      const run = (data: Output, task: TaskContext): Promise<Result> =>
        sandbox.run(data, task) as Promise<Result>;
      return { ...this.handle(run), close: () => sandbox.close() };
    };
    return { ...this.#parts(), open, run: () => Promise.reject(new KitError('OPTION', 'pass it to `work`')) };
  }

  #parts(): Pick<TaskHandler, 'name' | 'backoff' | 'check'> {
    return { name: this.name, backoff: this.#backoff, check: (data) => this.#check(data) };
  }

  #checkHandler(handler: unknown): void {
    if (typeof handler === 'function') return;
    throw new KitError('OPTION', `the handler of task '${this.name}' must be a function`);
  }

  async #check(data: unknown): Promise<Output> {
    const { schema, name } = this;
    return schema === undefined ? (data as Output) : validate(schema, data, `data of task '${name}'`);
  }

  #checkResult(schema: StandardSchema<unknown, Result>, result: unknown): Promise<Result> {
    return validate(schema, result, `result of task '${this.name}'`);
  }

  #checkCount(results: readonly unknown[] | undefined, count: number): void {
    if (results === undefined || (Array.isArray(results) && results.length === count)) return;
    throw new KitError(
      'RESULT',
      `the handler of task '${this.name}' must return a list with one result for each of its ${count} tasks`,
    );
  }

  async #checkOutcome(result: unknown): Promise<unknown> {
    if (result instanceof Error || this.#resultSchema === undefined) return result;
    return this.#checkResult(this.#resultSchema, result).catch((error: unknown) => error);
  }
}

const BATCH_RULES = { size: integer(undefined, { min: 1, max: 1_000 }) };

/**
 * Defines a kind of task. With a schema, data is checked when a task is added and again before it is handled; the handler
 * gets the output of the schema. Data and results are stored as JSON.
 *
 * @example
 * import { z } from 'zod';
 *
 * const email = defineTask('email', z.object({ to: z.string(), text: z.string() }), { attempts: 5 });
 * const resize = defineTask<{ path: string }, { bytes: number }>('resize'); // types only, nothing is checked
 */
export function defineTask<Data = unknown, Result = unknown>(
  name: string,
  schema?: undefined,
  options?: DefinitionOptions<Result>,
): TaskDefinition<Data, Data, Result>;
export function defineTask<Input, Output, Result = unknown>(
  name: string,
  schema: StandardSchema<Input, Output>,
  options?: DefinitionOptions<Result>,
): TaskDefinition<Input, Output, Result>;
export function defineTask<Input, Output, Result>(
  name: string,
  schema?: StandardSchema<Input, Output>,
  options: DefinitionOptions<Result> = {},
): TaskDefinition<Input, Output, Result> {
  return new TaskDefinition(name, schema, options);
}

/** Returns the output of the schema, or throws an `INVALID` error that lists what is wrong. */
export async function validate<Output>(
  schema: StandardSchema<never, Output> | StandardSchema<unknown, Output>,
  value: unknown,
  what: string,
): Promise<Output> {
  const given = schema['~standard'].validate(value);
  const result = given instanceof Promise ? await given : given;
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ message, path = [] }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  throw new KitError('INVALID', `the ${what} is not valid: ${issues.join('; ')}`);
}
