import { KitError } from '../foundation/index.js';
import type { TaskContext } from './context.js';
import { type HeaderOptions, type TaskDefaults, taskDefaults } from './options.js';

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

/** A handler with the definition of its tasks, for `queue.work`. */
export interface TaskHandler {
  readonly name: string;
  /** Checks the data and does the work. */
  run(data: unknown, task: TaskContext): Promise<unknown>;
}

/** Options of a definition: the defaults for its tasks, and the schema of its results. */
export interface DefinitionOptions<Result = unknown> extends TaskDefaults {
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

  constructor(
    name: string,
    schema: StandardSchema<Input, Output> | undefined,
    options: DefinitionOptions<Result>,
  ) {
    if (typeof name !== 'string' || name === '' || name.includes('\0')) {
      throw new KitError('OPTION', 'defineTask: a task needs a name that is not empty and has no NUL in it');
    }
    const { result, ...defaults } = options;
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
    this.defaults = taskDefaults(defaults);
    this.#resultSchema = result;
  }

  /**
   * Defines the handler for tasks of this kind; pass the result to `queue.work`.
   *
   * @example
   * const worker = mail.work(email.handle(async ({ to }) => console.log(`sending to ${to}`)));
   */
  handle(handler: Handler<Output, Result>): TaskHandler {
    if (typeof handler !== 'function') {
      throw new KitError('OPTION', `the handler of task '${this.name}' must be a function`);
    }
    const { schema, name } = this;
    const resultSchema = this.#resultSchema;
    return {
      name,
      async run(data, task) {
        const checked =
          schema === undefined ? (data as Output) : await validate(schema, data, `data of task '${name}'`);
        const result = await handler(checked, task);
        if (resultSchema === undefined) return result;
        return validate(resultSchema, result, `result of task '${name}'`);
      },
    };
  }
}

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
