import { KitError } from '../foundation/index.js';
import type { TaskContext } from './context.js';
import type { CompleteWorkerOptions } from './options.js';
import { fromJson, type Header, parseRecord, toJson } from './record.js';
import type { QueueCore } from './scripts.js';

/** A task as the server returned it. */
export interface TakenTask {
  readonly id: string;
  readonly record: string;
  readonly failures: number;
  readonly recoveries: number;
  /** Token of the lease. */
  readonly token: string;
}

/** A task that this worker holds, and the context of its handler. */
export class RunningTask implements TaskContext {
  readonly id: string;
  readonly token: string;
  readonly attempt: number;
  readonly recoveries: number;
  readonly header: Header;
  readonly data: unknown;
  /** By `time.monotonic`. */
  readonly takenAt: number;
  readonly #core: QueueCore;
  #ended: AbortController | undefined;
  #reason: KitError | undefined;
  #isReported = false;

  constructor(core: QueueCore, taken: TakenTask, takenAt: number) {
    this.#core = core;
    this.takenAt = takenAt;
    this.id = taken.id;
    this.token = taken.token;
    this.attempt = taken.failures + 1;
    this.recoveries = taken.recoveries;
    const { header, data } = parseRecord(taken.record);
    this.header = header;
    this.data = data;
  }

  get name(): string {
    return this.header.n;
  }

  /** Created on first use: most handlers do not use it, and it costs more than everything else here. */
  get signal(): AbortSignal {
    if (this.#ended === undefined) {
      this.#ended = new AbortController();
      if (this.#reason !== undefined) this.#ended.abort(this.#reason);
    }
    return this.#ended.signal;
  }

  /** This worker no longer holds the task. */
  end(reason: KitError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#ended?.abort(reason);
  }

  /** The server reports that the task is lost; `onLost` is called once. */
  lose(onLost: CompleteWorkerOptions['onLost']): void {
    const error = lostTask(this.id);
    this.end(error);
    if (this.#isReported) return;
    this.#isReported = true;
    onLost({ id: this.id, name: this.name }, error);
  }

  /** Whether the worker knows that it no longer holds the task. */
  get isOver(): boolean {
    return this.#reason !== undefined;
  }

  async progress(value: unknown): Promise<void> {
    const { keyList, scripts, keepEvents: bound } = this.#core;
    const { id, token } = this;
    const isHeld = await scripts.progress({
      keys: keyList,
      id,
      token,
      progress: toJson(value) || 'null',
      bound,
    });
    if (isHeld === 1) return;
    const error = lostTask(id);
    this.end(error);
    throw error;
  }

  async inputs(): Promise<ReadonlyMap<string, unknown>> {
    const { store, keys } = this.#core;
    const ids = this.header.w ?? [];
    if (ids.length === 0) return new Map();
    const fields = ids.map((id) => `input:${this.id}:${id}`);
    const values = (await store.send('HMGET', keys.notes, ...fields)) as readonly (string | null)[];
    return new Map(ids.map((id, index) => [id, fromJson(values[index] ?? '')]));
  }
}

export function lostTask(id: string): KitError {
  return new KitError(
    'LOST',
    `task ${id} is not this worker's any more, and what it does is refused: its lease was over before it was renewed ` +
      '(the process was stopped or cut off for too long: ask for a longer `lease`), or the task was removed',
  );
}
