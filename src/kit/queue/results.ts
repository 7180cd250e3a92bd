import {
  abortedBy,
  abortSignal,
  KitError,
  milliseconds,
  optional,
  resolveOptions,
  shown,
  throwIfAborted,
} from '../foundation/index.js';
import { lastPosition, readEntries, type StreamEntry } from './events.js';
import type { QueueCore } from './lua/scripts.js';
import { fromJson, publicId, type TaskProblem } from './record.js';
import { isStoreClosed } from './store-closed.js';

interface Waiter {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface ResultOptions {
  /** Ends the wait with `TIMEOUT` after this time in ms. Default: no limit. */
  readonly wait?: number;
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

const RULES = {
  wait: milliseconds(Number.POSITIVE_INFINITY, { infinite: true }),
  signal: optional(abortSignal()),
};

export function checkId(owner: string, id: unknown): void {
  if (typeof id === 'string') return;
  throw new KitError('OPTION', `${owner}: a task id must be a string, not ${shown(id)}`);
}

/** Retry delay after an error of the store, in ms. */
const RETRY_MS = 200;

/**
 * Waits for the results of tasks; all waiters share one reader of the stream of events. A new waiter checks its task
 * after the reader has found the end of the stream, so it misses no event. After an error of the store, and
 * when the stream may have been trimmed before it was read, all waiters check again.
 */
export class Results {
  readonly #core: QueueCore;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #stop: AbortController | undefined;
  #ready: Promise<string> | undefined;

  constructor(core: QueueCore) {
    this.#core = core;
  }

  /** The task's result. Rejects with `DEAD` if it died, with `GONE` if the result is unknown or no longer kept. */
  async wait(id: string, given: ResultOptions = {}): Promise<unknown> {
    const { signal, wait } = resolveOptions('result', given, RULES);
    checkId('result', id);
    throwIfAborted(signal);
    if (this.#core.keepEvents === 0) {
      throw new KitError('OPTION', 'results cannot be awaited in a queue with `keepEvents: 0`');
    }
    const { promise, waiter } = waiting();
    const waiters = this.#waiters.get(id) ?? new Set();
    this.#waiters.set(id, waiters.add(waiter));
    const onAbort = (): void => waiter.reject(abortedBy(signal as AbortSignal));
    const cancel =
      wait === Number.POSITIVE_INFINITY
        ? undefined
        : this.#core.store.time.after(wait, () => waiter.reject(timedOut(id, wait)));
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#look(id, waiter).catch(waiter.reject);
    try {
      return await promise;
    } finally {
      cancel?.();
      signal?.removeEventListener('abort', onAbort);
      waiters.delete(waiter);
      if (waiters.size === 0 && this.#waiters.get(id) === waiters) this.#waiters.delete(id);
      if (this.#waiters.size === 0) this.#end();
    }
  }

  async #look(id: string, waiter: Waiter): Promise<void> {
    this.#ready ??= this.#begin();
    await this.#ready;
    const [outcome] = await this.#outcomes([id]);
    if (outcome !== '') settle(waiter, id, outcome ?? null);
  }

  async #outcomes(ids: readonly string[]): Promise<readonly (string | null)[]> {
    const { keyList, scripts } = this.#core;
    return (await scripts.outcome({ keys: keyList, ids })) as readonly (string | null)[];
  }

  #begin(): Promise<string> {
    const stop = new AbortController();
    this.#stop = stop;
    const position = lastPosition(this.#core);
    position.then(
      (at) => void this.#read(at, stop.signal),
      () => this.#end(),
    );
    return position;
  }

  #end(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#ready = undefined;
  }

  async #read(from: string, signal: AbortSignal): Promise<void> {
    let position = from;
    while (!signal.aborted) {
      try {
        const entries = await readEntries(this.#core, position, { signal, waitMs: 0 });
        position = entries.at(-1)?.position ?? position;
        const mayHaveMissed = entries.length >= this.#core.keepEvents / 2;
        await this.#resolve(mayHaveMissed ? [...this.#waiters.keys()] : this.#finished(entries));
      } catch (error) {
        if (signal.aborted) return;
        if (await isStoreClosed(this.#core, error)) {
          for (const waiter of [...this.#waiters.values()].flatMap((set) => [...set])) waiter.reject(error);
          return;
        }
        await this.#core.store.time.sleep(RETRY_MS, { signal }).catch(() => {});
        position = await this.#lookAgain(position);
      }
    }
  }

  /** The end of the stream. After a failover it may be before the last position read. */
  async #lookAgain(position: string): Promise<string> {
    try {
      const found = await lastPosition(this.#core);
      await this.#resolve([...this.#waiters.keys()]);
      return found;
    } catch {
      return position;
    }
  }

  /** The ended tasks in these entries that have a waiter. */
  #finished(entries: readonly StreamEntry[]): string[] {
    const ids: string[] = [];
    for (const { lines } of entries) {
      for (const line of lines) {
        const [type, told = ''] = line.split(' ', 2);
        const isOver = type === 'completed' || type === 'dead' || type === 'removed';
        const id = publicId(told);
        if (isOver && this.#waiters.has(id)) ids.push(id);
      }
    }
    return ids;
  }

  async #resolve(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += MAX_ASKED) {
      const part = ids.slice(from, from + MAX_ASKED);
      const outcomes = await this.#outcomes(part);
      for (const [index, id] of part.entries()) {
        const outcome = outcomes[index];
        if (outcome === '') continue;
        for (const waiter of this.#waiters.get(id) ?? []) settle(waiter, id, outcome ?? null);
      }
    }
  }
}

const MAX_ASKED = 1_000;

function waiting(): { readonly promise: Promise<unknown>; readonly waiter: Waiter } {
  let waiter: Waiter | undefined;
  const promise = new Promise<unknown>((resolve, reject) => {
    waiter = { resolve, reject };
  });
  return { promise, waiter: waiter as Waiter };
}

function settle(waiter: Waiter, id: string, outcome: string | null): void {
  const [, word, detail = ''] = /^(\w+) \d+ (.*)$/s.exec(outcome ?? '') ?? [];
  if (word === 'completed') waiter.resolve(fromJson(detail));
  else if (word === 'dead') waiter.reject(deadTask(id, detail));
  else {
    waiter.reject(
      new KitError(
        'GONE',
        `the result of task ${id} is not known: the task was removed, or more tasks were completed since than ` +
          '`keepCompleted` keeps',
      ),
    );
  }
}

function deadTask(id: string, detail: string): KitError {
  const problem = fromJson(detail) as TaskProblem;
  return new KitError('DEAD', `task ${id} is dead: ${problem.message}`, { cause: problem });
}

function timedOut(id: string, wait: number): KitError {
  return new KitError(
    'TIMEOUT',
    `task ${id} has no result after ${wait} ms: wait longer, or ask \`get\` for its state`,
  );
}
