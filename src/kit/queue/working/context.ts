import type { TaskProblem } from '../record.js';

/** A task as its handler sees it. */
export interface TaskContext {
  readonly id: string;
  readonly name: string;
  readonly group: string | undefined;
  /** 1 the first time, one more after each failure. */
  readonly attempt: number;
  /** How often the task was taken over from a worker that died or was disconnected while it ran. */
  readonly recoveries: number;
  /**
   * Aborts when this worker no longer holds the task, with a `LOST` error as reason: the lease ended because the process
   * was paused or disconnected for too long, or the task was removed. The result of the handler is then refused. Also
   * aborts, with `TIMEOUT`, when the attempt has reached its `timeLimit`, and with `CLOSED` when the worker was stopped
   * and its time to finish is over.
   */
  readonly signal: AbortSignal;
  /** Reports progress; any JSON value. Rejects with `LOST` if this worker no longer holds the task. */
  progress(value: unknown): Promise<void>;
  /** Adds a line to the log of the task, see `queue.log`. Rejects with `LOST` if this worker no longer holds the task. */
  log(line: string): Promise<void>;
  /**
   * Replaces the task's data, for its next attempt: what is done already need not be done again. Rejects with `LOST` if
   * this worker no longer holds the task.
   */
  update(data: unknown): Promise<void>;
  /**
   * The results of the tasks that this one waited for: the children of a flow by their names, other tasks by their
   * ids.
   */
  inputs<Inputs extends object = Readonly<Record<string, unknown>>>(): Promise<Inputs>;
  /**
   * The errors of those that are dead and were added with `ifDead: 'continue'`, by the same names. In `inputs` they are
   * undefined.
   */
  deadInputs(): Promise<Readonly<Record<string, TaskProblem>>>;
}
