import { KitError, shown } from '../../foundation/index.js';
import type { TaskHandler } from '../definition.js';
import type { QueueCore } from '../lua/scripts.js';
import type { CompleteWorkerOptions } from '../options.js';
import { fromJson, type Header, parseRecord, publicId, type TaskProblem, toJson } from '../record.js';
import type { Carrier } from '../telemetry.js';
import type { TaskContext } from './context.js';

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
  /** The id by which scripts know the task; `id` is the own one, if the program gave one. */
  readonly key: string;
  readonly id: string;
  readonly token: string;
  readonly attempt: number;
  readonly recoveries: number;
  readonly header: Header;
  readonly data: unknown;
  /** By `time.monotonic`. */
  readonly takenAt: number;
  readonly #core: QueueCore;
  readonly #handler: TaskHandler;
  #ended: AbortController | undefined;
  #reason: KitError | undefined;
  #isReported = false;

  constructor(core: QueueCore, handlerOf: (name: string) => TaskHandler, taken: TakenTask, takenAt: number) {
    this.#core = core;
    this.takenAt = takenAt;
    this.key = taken.id;
    this.id = publicId(taken.id);
    this.token = taken.token;
    this.attempt = taken.failures + 1;
    this.recoveries = taken.recoveries;
    const { header, data } = parseRecord(taken.record);
    this.header = header;
    this.data = data;
    this.#handler = handlerOf(header.n);
  }

  get name(): string {
    return this.header.n;
  }

  get group(): string | undefined {
    return this.header.g;
  }

  /** Context of the trace in which it was added. */
  get carrier(): Carrier | undefined {
    return this.header.c;
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
    const { keyList: keys, scripts, keepEvents: bound } = this.#core;
    const { key: id, token } = this;
    this.#checkHeld(await scripts.progress({ keys, id, token, progress: toJson(value) || 'null', bound }));
  }

  async log(line: string): Promise<void> {
    if (typeof line !== 'string')
      throw new KitError('OPTION', `log: a line must be a string, not ${shown(line)}`);
    const { keyList: keys, scripts, keepLog } = this.#core;
    const { key: id, token } = this;
    this.#checkHeld(await scripts.log({ keys, id, token, line, keepLog }));
  }

  async update(data: unknown): Promise<void> {
    await this.#handler.check(data);
    const { keyList: keys, scripts, keepEvents: bound } = this.#core;
    const { id: given, token } = this;
    this.#checkHeld(await scripts.update({ keys, given, token, kind: '', data: toJson(data), bound }));
  }

  #checkHeld(reply: unknown): void {
    if (reply === 1) return;
    const error = lostTask(this.id);
    this.end(error);
    throw error;
  }

  async inputs<Inputs extends object>(): Promise<Inputs> {
    return Object.fromEntries(await this.#notesOfInputs('input')) as Inputs;
  }

  async deadInputs(): Promise<Readonly<Record<string, TaskProblem>>> {
    const notes = (await this.#notesOfInputs('died')) as [string, TaskProblem | undefined][];
    return Object.fromEntries(notes.filter((note): note is [string, TaskProblem] => note[1] !== undefined));
  }

  /** For each task that this one waited for: its name, and what is noted of it, undefined if nothing. */
  async #notesOfInputs(what: 'input' | 'died'): Promise<[name: string, noted: unknown][]> {
    const { store, keys } = this.#core;
    const { w: local = [], m = [], x: remote = [], y = [] } = this.header;
    if (local.length + remote.length === 0) return [];
    const fields = [...local, ...remote].map((child) => `${what}:${this.key}:${child}`);
    const values = (await store.send('HMGET', keys.notes, ...fields)) as readonly (string | null)[];
    const names = [
      ...local.map((id, index) => m[index] ?? publicId(id)),
      ...remote.map((id, index) => y[index] ?? id),
    ];
    return names.map((name, index) => [name, fromJson(values[index] ?? '')]);
  }
}

export function lostTask(id: string): KitError {
  return new KitError(
    'LOST',
    `task ${id} is not this worker's any more, and what it does is refused: its lease was over before it was renewed ` +
      '(the process was stopped or cut off for too long: ask for a longer `lease`), or the task was removed',
  );
}
