import type { TaskDefinition } from '../definition.js';
import type { TaskOptions } from '../options.js';
import type { TaskQueue } from '../queue.js';
import type { AnyDefinition } from './entries.js';

/** Options of a task in a flow. It starts when its children are completed. */
export interface FlowOptions extends Omit<TaskOptions, 'after'> {
  /** The queue of the task, on the same store. Default: that of its parent. */
  readonly queue?: TaskQueue;
}

/** A list of children, or an object that gives them names. */
export type FlowChildren = readonly FlowNode[] | Readonly<Record<string, FlowNode>>;

/** A task with its children, which must be completed first. Made by `flow`. */
export interface FlowNode {
  readonly definition: AnyDefinition;
  readonly data: unknown;
  readonly options: FlowOptions;
  readonly children: readonly FlowNode[];
  /** The names of the children, in the same order; undefined for those without one. */
  readonly names: readonly (string | undefined)[];
}

/**
 * A task that runs after others, for `queue.addFlow`. The handler gets the children's results from
 * `task.inputs()`, by their names if they have any. Children can be in other queues of the same store.
 *
 * @example
 * await reports.addFlow(
 *   flow(summary, { month: 5 }, { sales: flow(sales, { month: 5 }), costs: flow(costs, { month: 5 }) }),
 * );
 */
export function flow<Input, Output, Result>(
  definition: TaskDefinition<Input, Output, Result>,
  data: NoInfer<Input>,
  children: FlowChildren = [],
  options: FlowOptions = {},
): FlowNode {
  const isList = Array.isArray(children);
  const entries = isList ? [] : Object.entries(children);
  return {
    definition,
    data,
    options,
    children: isList ? (children as readonly FlowNode[]) : entries.map(([, child]) => child),
    names: isList ? (children as readonly FlowNode[]).map(() => undefined) : entries.map(([name]) => name),
  };
}
