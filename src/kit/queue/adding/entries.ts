import { KitError, shown } from '../../foundation/index.js';
import { type StandardSchema, TaskDefinition, validate } from '../definition.js';
import { type CompleteTaskOptions, type HeaderOptions, type TaskOptions, taskOptions } from '../options.js';
import { headerOf, recordOf, uniqueKey } from '../record.js';
import type { Carrier } from '../telemetry.js';
import type { Entry } from './adder.js';

/** The parts of a definition that adding needs, without its types. */
export interface AnyDefinition {
  readonly name: string;
  readonly schema: StandardSchema | undefined;
  readonly defaults: HeaderOptions;
}

/** Throws if the value is not a definition: programs in plain JavaScript may pass the name of a task. */
export function checkDefinition(owner: string, definition: unknown): void {
  if (definition instanceof TaskDefinition) return;
  const name = typeof definition === 'string' ? definition : 'email';
  throw new KitError(
    'OPTION',
    `${owner}: what to do is said by a task definition, not ${shown(definition)}: make one with defineTask('${name}')`,
  );
}

export async function checkData({ schema, name }: AnyDefinition, data: unknown): Promise<void> {
  if (schema !== undefined) await validate(schema, data, `data of task '${name}'`);
}

export function entryOf(
  definition: AnyDefinition,
  data: unknown,
  options: TaskOptions | undefined,
  carrier?: Carrier,
): Entry {
  if (options === undefined && carrier === undefined) {
    const { priority, lifo } = definition.defaults;
    if (priority === 0 && !lifo) return { record: recordOf(plainHeader(definition), data), special: '' };
  }
  const complete = taskOptions(options ?? {}, definition.defaults);
  const header = JSON.stringify(headerOf(definition.name, complete, carrier && { c: carrier }));
  return { record: recordOf(header, data), special: specialOf(definition.name, complete, complete.after) };
}

const plainHeaders = new WeakMap<object, string>();

/** The header of tasks without options, which most tasks are. */
function plainHeader(definition: AnyDefinition): string {
  const known = plainHeaders.get(definition);
  if (known !== undefined) return known;
  const header = JSON.stringify(headerOf(definition.name, definition.defaults));
  plainHeaders.set(definition, header);
  return header;
}

/** The special options for add.lua, as JSON; '' if there are none. */
export function specialOf(
  name: string,
  options: CompleteTaskOptions,
  after: readonly (string | number)[],
  more: object = {},
): string {
  const { priority, delay, at, id, lifo, group, throttle, debounce } = options;
  const key = uniqueKey(name, options);
  const later = debounce === undefined ? delay : debounce.wait;
  const parts = {
    ...(priority === 0 ? {} : { p: priority }),
    ...(lifo ? { h: 1 } : {}),
    ...(group === undefined ? {} : { g: group, n: name }),
    ...(id === undefined ? {} : { i: id }),
    ...(later === 0 ? {} : { d: later }),
    ...(at === undefined ? {} : { t: at.getTime() }),
    ...(key === undefined ? {} : { k: key }),
    ...(throttle === undefined ? {} : { u: { k: throttle.key, ms: throttle.per } }),
    ...(debounce === undefined ? {} : { b: { ms: debounce.wait, max: debounce.max } }),
    ...(after.length === 0 ? {} : { w: after }),
    ...more,
  };
  const text = JSON.stringify(parts);
  return text === '{}' ? '' : text;
}
