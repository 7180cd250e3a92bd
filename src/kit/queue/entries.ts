import { KitError, shown } from '../foundation/index.js';
import type { Entry } from './adder.js';
import { type StandardSchema, TaskDefinition, validate } from './definition.js';
import type { FlowNode } from './flow.js';
import { type CompleteTaskOptions, type HeaderOptions, type TaskOptions, taskOptions } from './options.js';
import { headerOf, recordOf } from './record.js';

/** The parts of a definition that adding needs, without its types. */
export interface AnyDefinition {
  readonly name: string;
  readonly schema: StandardSchema | undefined;
  readonly defaults: HeaderOptions;
}

/** Max tasks that one script can add. */
const MAX_TOGETHER = 2_000;

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

export function checkNumber(count: number): void {
  if (count <= MAX_TOGETHER) return;
  throw new KitError(
    'OPTION',
    `${count} tasks cannot be added in one step: add at most ${MAX_TOGETHER} in each of several calls`,
  );
}

export function entryOf(definition: AnyDefinition, data: unknown, options: TaskOptions | undefined): Entry {
  if (options === undefined && definition.defaults.priority === 0) {
    return { record: recordOf(plainHeader(definition), data), special: '' };
  }
  const complete = taskOptions(options ?? {}, definition.defaults);
  const header = JSON.stringify(headerOf(definition.name, complete));
  return { record: recordOf(header, data), special: special(complete, complete.after) };
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

/** The entries of a flow, and the index of each task in them. */
export interface FlowEntries {
  readonly entries: Entry[];
  readonly places: Map<FlowNode, number>;
}

export async function flowEntries(root: FlowNode): Promise<FlowEntries> {
  const flow: FlowEntries = { entries: [], places: new Map() };
  await addNode(root, flow);
  checkNumber(flow.entries.length);
  return flow;
}

/** Children come first; a parent refers to them by how many entries before it they are. */
async function addNode(node: FlowNode, flow: FlowEntries): Promise<void> {
  const { entries, places } = flow;
  if (typeof node !== 'object' || node === null || !Array.isArray(node.children)) {
    throw new KitError('OPTION', `addFlow: a task of a flow must be made by \`flow(…)\`, not ${shown(node)}`);
  }
  const { definition, data, options, children } = node;
  checkDefinition('addFlow', definition);
  for (const child of children) if (!places.has(child)) await addNode(child, flow);
  await checkData(definition, data);
  const complete = taskOptions(options, definition.defaults);
  if (children.length > 0 && (complete.delay > 0 || complete.at !== undefined)) {
    throw new KitError('OPTION', 'addFlow: a task with children cannot have `delay` or `at`');
  }
  const after = children.map((child) => entries.length - (places.get(child) ?? 0));
  const record = recordOf(JSON.stringify(headerOf(definition.name, complete)), data);
  places.set(node, entries.length);
  entries.push({ record, special: special(complete, after) });
}

/** The special options for add.lua, as JSON; '' if there are none. */
function special(options: CompleteTaskOptions, after: readonly (string | number)[]): string {
  const { priority, delay, at, key } = options;
  const parts = {
    ...(priority === 0 ? {} : { p: priority }),
    ...(delay === 0 ? {} : { d: delay }),
    ...(at === undefined ? {} : { t: at.getTime() }),
    ...(key === undefined ? {} : { k: key }),
    ...(after.length === 0 ? {} : { w: after }),
  };
  const text = JSON.stringify(parts);
  return text === '{}' ? '' : text;
}
