/** A task as its handler sees it. */
export interface TaskContext {
  readonly id: string;
  readonly name: string;
  /** 1 the first time, one more after each failure. */
  readonly attempt: number;
  /** How often the task was taken from a worker that died or was cut off while it ran. */
  readonly recoveries: number;
  /**
   * Aborts when the task is not this worker's any more, with a `LOST` error as reason: the lease ended because the process
   * was stopped or cut off for too long, or the task was removed. Whatever the handler returns then is refused. Also
   * aborts, with `CLOSED`, when the worker was stopped and its time to finish is over.
   */
  readonly signal: AbortSignal;
  /** Tells how far the task has come; any JSON value. Rejects with `LOST` if it is not this worker's any more. */
  progress(value: unknown): Promise<void>;
  /** The results of the tasks that this one waited for (`after`, or the children of a flow), by their ids. */
  inputs(): Promise<ReadonlyMap<string, unknown>>;
}
