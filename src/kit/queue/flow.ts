import type { TaskDefinition } from './definition.js';
import type { AnyDefinition } from './entries.js';
import type { TaskOptions } from './options.js';

/** Options of a task in a flow. It starts when its children are completed. */
export type FlowOptions = Omit<TaskOptions, 'after'>;

/** A task with its children, which must be completed first. Made by `flow`. */
export interface FlowNode {
  readonly definition: AnyDefinition;
  readonly data: unknown;
  readonly options: FlowOptions;
  readonly children: readonly FlowNode[];
}

/**
 * A task that runs after others, for `queue.addFlow`. The handler gets the children's results from
 * `task.inputs()`.
 *
 * @example
 * await reports.addFlow(flow(summary, { month: 5 }, [flow(sales, { month: 5 }), flow(costs, { month: 5 })]));
 */
export function flow<Input, Output, Result>(
  definition: TaskDefinition<Input, Output, Result>,
  data: NoInfer<Input>,
  children: readonly FlowNode[] = [],
  options: FlowOptions = {},
): FlowNode {
  return { definition, data, options, children };
}
