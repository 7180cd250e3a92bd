import { KitError, shown } from '../../foundation/index.js';
import { internalsOf } from '../internals.js';
import type { QueueCore } from '../lua/scripts.js';
import type { TaskOptions } from '../options.js';
import { publicId } from '../record.js';
import type { ResultOptions, Results } from '../results.js';
import { beginSending, type Sending } from '../telemetry.js';
import { Adder } from './adder.js';
import { type AnyDefinition, checkData, checkDefinition, entryOf } from './entries.js';
import type { FlowNode } from './flow.js';
import { flowEntries } from './flow-entries.js';
import { deliver } from './outbox.js';

/** A task that was added, or the existing one in its place (same own id, unique key, throttled or debounced). */
export interface AddedTask<Result = unknown> {
  readonly id: string;
  /** False if this is an existing task. */
  readonly isNew: boolean;
  /** Waits for the task's result. Rejects with `DEAD` if the task is dead, with `GONE` if the result is no longer kept. */
  result(options?: ResultOptions): Promise<Result>;
}

/** A task of a flow that was added. */
export interface AddedFlow extends AddedTask {
  readonly children: readonly AddedFlow[];
}

/** One task of `addAll`. */
export type TaskToAdd<Input> = readonly [data: Input, options?: TaskOptions];

/** Max tasks that `addAll` adds in one step. */
const MAX_TOGETHER = 1_000;

/** Adds tasks to a queue. */
export class Adding {
  readonly #core: QueueCore;
  readonly #adder: Adder;
  readonly #results: Results;

  constructor(core: QueueCore, results: Results) {
    this.#core = core;
    this.#adder = new Adder(core);
    this.#results = results;
  }

  async one<Result>(
    definition: AnyDefinition,
    data: unknown,
    options: TaskOptions | undefined,
  ): Promise<AddedTask<Result>> {
    checkDefinition('add', definition);
    if (definition.schema !== undefined) await checkData(definition, data);
    const sending = beginSending(this.#core.name, 1);
    const adding = this.#adder.add([entryOf(definition, data, options, sending?.carrier)]);
    const [id = ''] = await (sending === undefined ? adding : ended(sending, adding));
    return new Added<Result>(this.#results, id);
  }

  async all<Result>(definition: AnyDefinition, tasks: unknown): Promise<AddedTask<Result>[]> {
    const added: AddedTask<Result>[] = [];
    for await (const chunk of chunksOf(tasks)) {
      if (definition.schema !== undefined) for (const [data] of chunk) await checkData(definition, data);
      const sending = beginSending(this.#core.name, chunk.length);
      const entries = chunk.map(([data, options]) => entryOf(definition, data, options, sending?.carrier));
      const adding = this.#adder.add(entries);
      const ids = await (sending === undefined ? adding : ended(sending, adding));
      for (const id of ids) added.push(new Added<Result>(this.#results, id));
    }
    return added;
  }

  async flow(root: FlowNode): Promise<AddedFlow> {
    const sending = beginSending(this.#core.name, 1);
    const entries = flowEntries(root, this.#core, sending?.carrier);
    const adding = entries.then((found) => this.#adder.add(found.entries));
    const ids = await (sending === undefined ? adding : ended(sending, adding));
    const { places, ids: ownIds, hasRemote } = await entries;
    const { scripts, keyList } = this.#core;
    // The tasks are safe: what cannot be delivered now is delivered by a worker of this queue.
    if (hasRemote) await deliver(scripts, keyList).catch(() => {});
    // A task with several parents is one object.
    const known = new Map<FlowNode, { readonly results: Results; readonly added: AddedFlow }>();
    const addedTo = (node: FlowNode, parent: Results): AddedFlow => {
      const { queue } = node.options;
      const results = queue === undefined ? parent : (internalsOf(queue)?.results ?? parent);
      const before = known.get(node);
      if (before?.results === results) return before.added;
      const place = places.get(node);
      const id = place === undefined ? (ownIds.get(node) ?? '') : (ids[place] ?? '');
      const children = node.children.map((child) => addedTo(child, results));
      const added = Object.assign(new Added(results, id), { children });
      known.set(node, { results, added });
      return added;
    };
    return addedTo(root, this.#results);
  }
}

/** Ends the span when the tasks were added. */
async function ended(sending: Sending, adding: Promise<string[]>): Promise<string[]> {
  try {
    const ids = await adding;
    sending.end(ids.map((id) => publicId(id.replace(/^=/, ''))));
    return ids;
  } catch (error) {
    sending.end([], error);
    throw error;
  }
}

type AnyTaskToAdd = TaskToAdd<unknown>;

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return (
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  );
}

/** The tasks in parts that fit into one step. */
async function* chunksOf(tasks: unknown): AsyncGenerator<AnyTaskToAdd[]> {
  if (!isIterable(tasks)) throw wrongTasks(tasks);
  if (Array.isArray(tasks)) {
    if (!tasks.every((task) => Array.isArray(task))) throw wrongTasks(tasks);
    for (let from = 0; from < tasks.length; from += MAX_TOGETHER) {
      yield tasks.slice(from, from + MAX_TOGETHER) as unknown as AnyTaskToAdd[];
    }
    return;
  }
  let chunk: AnyTaskToAdd[] = [];
  for await (const task of tasks) {
    if (!Array.isArray(task)) throw wrongTasks(task);
    chunk.push(task as unknown as AnyTaskToAdd);
    if (chunk.length < MAX_TOGETHER) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function wrongTasks(given: unknown): KitError {
  return new KitError(
    'OPTION',
    `addAll: tasks must be a list such as [[data], [data, { priority: 1 }]], not ${shown(given)}`,
  );
}

class Added<Result> implements AddedTask<Result> {
  readonly id: string;
  readonly isNew: boolean;
  readonly #results: Results;

  /** The prefix '=' marks the id of an existing task. */
  constructor(results: Results, id: string) {
    this.#results = results;
    this.isNew = !id.startsWith('=');
    this.id = publicId(this.isNew ? id : id.slice(1));
  }

  result(options?: ResultOptions): Promise<Result> {
    return this.#results.wait(this.id, options) as Promise<Result>;
  }
}
