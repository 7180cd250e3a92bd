import { HALF_CHARACTERS, hasHalfCharacters, KitError, newId, shown } from '../../foundation/index.js';
import { coreOf } from '../internals.js';
import type { QueueCore } from '../lua/scripts.js';
import { type CompleteTaskOptions, taskOptions } from '../options.js';
import { headerOf, recordOf } from '../record.js';
import type { Carrier } from '../telemetry.js';
import type { Entry } from './adder.js';
import { checkData, checkDefinition, specialOf } from './entries.js';
import type { FlowNode } from './flow.js';

/** Max tasks of a flow. */
const MAX_TOGETHER = 2_000;
/** How often a flow can go on in another queue, level by level: each time, a message is in a message, and a script reads them all. */
const MAX_CROSSINGS = 200;

/** A queue as messages name it: prefix and name of its keys, max number of its events and of its dead tasks. */
export interface QueueAddress {
  readonly p: string;
  readonly n: string;
  readonly b: number;
  readonly d?: number;
}

export function addressOf({ prefix, name, keepEvents, keepDead }: QueueCore): QueueAddress {
  return { p: prefix, n: name, b: keepEvents, d: keepDead.count };
}

/** Tasks of a flow that are in one queue and added in one step. */
interface Fragment {
  readonly core: QueueCore;
  readonly entries: Entry[];
  readonly places: Map<FlowNode, number>;
}

/** The entries of a flow, and the tasks in them. */
export interface FlowEntries {
  readonly entries: readonly Entry[];
  /** Index of the tasks in the entries. Those in other queues are added later, and have an own id. */
  readonly places: ReadonlyMap<FlowNode, number>;
  readonly ids: ReadonlyMap<FlowNode, string>;
  readonly hasRemote: boolean;
}

/**
 * The entries of a flow. A child in the same queue comes before its parent, which refers to it by how many entries before it
 * the child is. The subtree of a child in another queue is a message in the special options of its parent: add.lua puts it
 * into the outbox. Its tasks have own ids, so that delivering it twice adds them once.
 */
export async function flowEntries(
  root: FlowNode,
  home: QueueCore,
  carrier: Carrier | undefined,
): Promise<FlowEntries> {
  return new FlowWriter(home, carrier).write(root);
}

class FlowWriter {
  readonly #home: QueueCore;
  /** Context of the trace. */
  readonly #carrier: Carrier | undefined;
  readonly #ids = new Map<FlowNode, string>();
  readonly #path = new Set<FlowNode>();
  /** The queues in which a task was checked: a task can have several parents. */
  readonly #checked = new Map<FlowNode, Set<QueueCore>>();
  #hasRemote = false;
  #count = 0;

  constructor(home: QueueCore, carrier: Carrier | undefined) {
    this.#home = home;
    this.#carrier = carrier;
  }

  async write(root: FlowNode): Promise<FlowEntries> {
    this.#check(root, this.#home, 0);
    if (this.#coreOf(root, this.#home).keys.meta !== this.#home.keys.meta) {
      throw new KitError('OPTION', "addFlow: call it on the queue of the flow's first task");
    }
    const fragment: Fragment = { core: this.#home, entries: [], places: new Map() };
    await this.#add(root, fragment);
    return { ...fragment, ids: this.#ids, hasRemote: this.#hasRemote };
  }

  /** Checks the shape of the flow, and finds out whether it spans several queues. */
  #check(node: FlowNode, parent: QueueCore, crossings: number): void {
    if (typeof node !== 'object' || node === null || !Array.isArray(node.children)) {
      throw new KitError(
        'OPTION',
        `addFlow: a task of a flow must be made by \`flow(…)\`, not ${shown(node)}`,
      );
    }
    checkDefinition('addFlow', node.definition);
    if (this.#path.has(node)) throw new KitError('OPTION', 'addFlow: a task cannot be its own child');
    const core = this.#coreOf(node, parent);
    const isRemote = core.keys.meta !== parent.keys.meta;
    if (isRemote) this.#hasRemote = true;
    const level = crossings + (isRemote ? 1 : 0);
    if (level > MAX_CROSSINGS) {
      throw new KitError(
        'OPTION',
        `addFlow: a flow can go into another queue ${MAX_CROSSINGS} times, one after the other`,
      );
    }
    if (this.#isChecked(node, core)) return;
    if (++this.#count > MAX_TOGETHER) {
      throw new KitError('OPTION', `addFlow: a flow can have ${MAX_TOGETHER} tasks, and this one has more`);
    }
    if (node.names.some((name) => name !== undefined && hasHalfCharacters(name))) {
      throw new KitError('OPTION', `addFlow: the name of a child ${HALF_CHARACTERS}`);
    }
    this.#path.add(node);
    for (const child of node.children) this.#check(child, core, level);
    this.#path.delete(node);
  }

  #isChecked(node: FlowNode, core: QueueCore): boolean {
    const cores = this.#checked.get(node) ?? new Set();
    if (cores.has(core)) return true;
    this.#checked.set(node, cores.add(core));
    return false;
  }

  #coreOf(node: FlowNode, parent: QueueCore): QueueCore {
    const { queue } = node.options ?? {};
    if (queue === undefined) return parent;
    const core = coreOf(queue);
    if (core === undefined) {
      throw new KitError('OPTION', `addFlow: \`queue\` must be a queue, not ${shown(queue)}`);
    }
    if (core.store !== this.#home.store) {
      throw new KitError('OPTION', 'addFlow: the queues of a flow must be on the same store');
    }
    return core;
  }

  async #add(node: FlowNode, fragment: Fragment): Promise<void> {
    const { entries, places, core } = fragment;
    const { definition, data, children, names } = node;
    const local: [FlowNode, string | null][] = [];
    const remote: [FlowNode, string | null][] = [];
    for (const [index, child] of children.entries()) {
      const isLocal = this.#coreOf(child, core).keys.meta === core.keys.meta;
      (isLocal ? local : remote).push([child, names[index] ?? null]);
    }
    for (const [child] of local) if (!places.has(child)) await this.#add(child, fragment);
    await checkData(definition, data);
    const options = this.#options(node);
    const after = local.map(([child]) => entries.length - (places.get(child) ?? 0));
    const messages = [];
    for (const [child] of remote) messages.push(await this.#message(child, core));
    const outgoing = messages.length === 0 ? {} : { o: messages, from: addressOf(core) };
    const header = headerOf(definition.name, options, {
      ...(local.some(([, name]) => name !== null) ? { m: local.map(([, name]) => name) } : {}),
      ...(remote.length === 0
        ? {}
        : { x: messages.map(({ child }) => child), y: remote.map(([, name]) => name) }),
      ...(this.#carrier && { c: this.#carrier }),
    });
    places.set(node, entries.length);
    entries.push({
      record: recordOf(JSON.stringify(header), data),
      special: specialOf(definition.name, options, after, outgoing),
    });
  }

  #options(node: FlowNode): CompleteTaskOptions {
    const { definition, options, children } = node;
    const { queue: _queue, ...given } = options;
    const id = this.#hasRemote ? { id: this.#idOf(node) } : {};
    const complete = taskOptions({ ...given, ...id }, definition.defaults);
    const { delay, at, debounce } = complete;
    if (children.length > 0 && (delay > 0 || at !== undefined || debounce !== undefined)) {
      throw new KitError('OPTION', 'addFlow: a task with children cannot have `delay`, `at` or `debounce`');
    }
    return complete;
  }

  async #message(
    child: FlowNode,
    parent: QueueCore,
  ): Promise<{ to: QueueAddress; child: string; add: unknown[] }> {
    const core = this.#coreOf(child, parent);
    const fragment: Fragment = { core, entries: [], places: new Map() };
    await this.#add(child, fragment);
    return {
      to: addressOf(core),
      child: this.#idOf(child),
      // Not as text: a flow through many queues would be text in text in text, each level twice as long.
      add: fragment.entries.flatMap(({ record, special }) => [record, special && JSON.parse(special)]),
    };
  }

  #idOf(node: FlowNode): string {
    const known = this.#ids.get(node) ?? node.options.id ?? newId();
    this.#ids.set(node, known);
    return known;
  }
}
