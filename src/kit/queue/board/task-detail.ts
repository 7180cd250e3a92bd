import type { Detail, Figure, Graph, Section } from '../../foundation/index.js';
import type { TaskSnapshot } from '../inspection.js';
import type { QueueCore } from '../lua/scripts.js';
import type { TaskQueue } from '../queue.js';
import { type Header, parseRecord, publicId } from '../record.js';
import { rowActions } from './actions.js';

const MAX_LINES = 500;
const MAX_NODES = 60;
/** Levels to go up from a task to the root of its flow. */
const MAX_LEVELS = 20;

/** One task: data, progress, log, attempts, trace, and its flow. */
export async function taskDetail(queue: TaskQueue, core: QueueCore, id: string): Promise<Detail | undefined> {
  const task = await queue.get(id);
  if (task === undefined) return undefined;
  const inner = await innerId(core, id);
  const record = await core.store.send<string | null>('HGET', core.keys.tasks, inner);
  const header = record === null ? undefined : parseRecord(record).header;
  const [log, graph] = await Promise.all([lastLines(core, inner), flowOf(core, queue, inner)]);
  return {
    title: `${task.name} ${task.id}`,
    figures: figuresOf(task, header),
    sections: sectionsOf(task, log, graph),
    actions: rowActions(task.state),
  };
}

/** The id as scripts know it. */
async function innerId({ store, keys }: QueueCore, id: string): Promise<string> {
  if (/^\d{16}$/.test(id)) return id;
  return (await store.send<string | null>('HGET', `${keys.tasks}:names`, id)) ?? id;
}

function figuresOf(task: TaskSnapshot, header: Header | undefined): Figure[] {
  const { state, at, failures, attempts, recoveries, priority, key, group, schedule } = task;
  const when = state === 'delayed' ? 'Due' : state === 'active' ? 'Lease ends' : 'Ended';
  const texts: readonly [string, string | undefined][] = [
    ['Unique key', key],
    ['Group', group],
    ['Schedule', schedule],
  ];
  return [
    { label: 'State', value: state, format: 'state' },
    { label: 'Added', value: task.addedAt.getTime(), format: 'time' },
    ...(at === undefined ? [] : [{ label: when, value: at.getTime(), format: 'time' } as const]),
    {
      label: 'Failed attempts',
      value: `${failures} of ${attempts}`,
      tone: failures > 0 ? 'warning' : 'plain',
    },
    { label: 'Recoveries', value: recoveries, format: 'number' },
    { label: 'Priority', value: priority, format: 'number' },
    ...(header?.l === undefined
      ? []
      : [{ label: 'Time limit', value: header.l, format: 'milliseconds' } as const]),
    ...(header?.b === undefined ? [] : [{ label: 'Back-off', value: JSON.stringify(header.b) }]),
    ...texts.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }])),
  ];
}

function sectionsOf(task: TaskSnapshot, log: readonly string[], graph: Graph): Section[] {
  const { data, progress, result, error, trace } = task;
  const texts: readonly [string, unknown][] = [
    ['Data', data === undefined ? null : data],
    ['Progress', progress],
    ['Result', result],
    ['Trace', trace],
  ];
  const sections: Section[] = texts.flatMap(([title, value]) =>
    value === undefined ? [] : [{ kind: 'json', title, text: JSON.stringify(value, undefined, 2) } as const],
  );
  if (error !== undefined) {
    const lines = (error.stack ?? `${error.name}: ${error.message}`).split('\n');
    sections.push({ kind: 'lines', title: 'Last error', lines });
  }
  if (graph.nodes.length > 1) sections.push({ kind: 'graph', title: 'Flow', graph });
  if (log.length > 0) sections.push({ kind: 'lines', title: 'Log', lines: log });
  return sections;
}

/** The last lines of its log. */
async function lastLines({ store, keys }: QueueCore, id: string): Promise<readonly string[]> {
  const logs = `${keys.tasks}:logs`;
  const bounds = await store.send<string | null>('HGET', logs, id);
  if (bounds === null) return [];
  const [first = 0, last = 0] = bounds.split(' ').map(Number);
  const from = Math.max(first, last - MAX_LINES + 1);
  const fields = Array.from({ length: last - from + 1 }, (_, i) => `${id} ${from + i}`);
  const lines = await store.send<(string | null)[]>('HMGET', logs, ...fields);
  return lines.map((line) => line ?? '');
}

/** The flow that the task belongs to, as far as its tasks are kept; tasks of other queues are leaves. */
async function flowOf(core: QueueCore, queue: TaskQueue, id: string): Promise<Graph> {
  const nodes = new Map<string, Graph['nodes'][number]>();
  const edges: Graph['edges'][number][] = [];
  let level = [await rootOf(core, id)];
  while (level.length > 0 && nodes.size < MAX_NODES) {
    const found = await Promise.all(level.map((one) => queue.get(publicId(one))));
    const records = await core.store.send<(string | null)[]>('HMGET', core.keys.tasks, ...level);
    const next: string[] = [];
    for (const [i, one] of level.entries()) {
      const task = found[i];
      const state = task?.state ?? 'gone';
      nodes.set(one, { id: publicId(one), label: task?.name ?? publicId(one), state });
      const record = records[i] ?? null;
      if (record === null) continue;
      const { header } = parseRecord(record);
      for (const [at, child] of (header.w ?? []).entries()) {
        edges.push(edge(publicId(child), publicId(one), header.m?.[at]));
        if (!nodes.has(child) && !next.includes(child)) next.push(child);
      }
      await addRemote(core, one, header, nodes, edges);
    }
    level = next.slice(0, MAX_NODES - nodes.size);
  }
  return { nodes: [...nodes.values()], edges: edges.filter((one) => hasBoth(nodes, one)) };
}

function hasBoth(
  nodes: ReadonlyMap<string, Graph['nodes'][number]>,
  { from, to }: Graph['edges'][number],
): boolean {
  const ids = new Set([...nodes.values()].map(({ id }) => id));
  return ids.has(from) && ids.has(to);
}

function edge(from: string, to: string, label: string | null | undefined): Graph['edges'][number] {
  return label === undefined || label === null ? { from, to } : { from, to, label };
}

async function addRemote(
  { store, keys }: QueueCore,
  parent: string,
  header: Header,
  nodes: Map<string, Graph['nodes'][number]>,
  edges: Graph['edges'][number][],
): Promise<void> {
  const children = header.x ?? [];
  if (children.length === 0) return;
  const fields = children.map((child) => `remote:${parent}:${child}`);
  const pending = await store.send<(string | null)[]>('HMGET', keys.notes, ...fields);
  for (const [at, child] of children.entries()) {
    const state = pending[at] === null ? 'completed' : 'pending';
    nodes.set(child, { id: child, label: `${header.y?.[at] ?? child} (other queue)`, state });
    edges.push(edge(child, publicId(parent), header.y?.[at]));
  }
}

/** The task that waits for this one, and so on. */
async function rootOf({ store, keys }: QueueCore, id: string): Promise<string> {
  let root = id;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const dependents = await store.send<string | null>('HGET', keys.notes, `dependents:${root}`);
    const parent = (dependents ?? '').split('\n').find((one) => one !== '' && !one.startsWith('{'));
    if (parent === undefined) return root;
    root = parent;
  }
  return root;
}
