import { abortedBy, abortSignal, optional, resolveOptions, ruled } from '../foundation/index.js';
import type { QueueCore } from './lua/scripts.js';
import { publicId } from './record.js';

export type QueueEventType =
  | 'added'
  | 'blocked'
  | 'released'
  | 'setAside'
  | 'started'
  | 'progress'
  | 'updated'
  | 'completed'
  | 'retrying'
  | 'recovered'
  | 'dead'
  | 'replayed'
  | 'promoted'
  | 'rescheduled'
  | 'removed'
  | 'paused'
  | 'resumed';

/** An event of a queue. */
export interface QueueEvent {
  readonly type: QueueEventType;
  /** The task; undefined for `paused` and `resumed`. */
  readonly id: string | undefined;
  /** By the server's clock. */
  readonly at: Date;
  /** The progress of `progress`; the error of `retrying` and `dead`; the kind of the task of `setAside`. */
  readonly detail: unknown;
  /** Its position in the stream, to continue from there later. */
  readonly position: string;
}

export interface EventOptions {
  /** Where to begin: `now`, `start` (the oldest event in the stream), or the `position` of an event. Default `now`. */
  readonly from?: 'now' | 'start' | (string & {});
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

/** An entry of the stream: its position and the lines in it. */
export interface StreamEntry {
  readonly position: string;
  readonly lines: readonly string[];
}

type XReadReply = readonly (readonly [string, readonly (readonly [string, readonly string[]])[]])[] | null;

/** The current end of the stream. */
export async function lastPosition({ store, keys }: QueueCore, signal?: AbortSignal): Promise<string> {
  const view = signal === undefined ? store : store.with({ signal });
  const reply = await view.send('XREVRANGE', keys.events, '+', '-', 'COUNT', 1);
  const [entry] = reply as readonly (readonly [string, unknown])[];
  return entry?.[0] ?? '0-0';
}

/** The entries after a position. Waits for `waitMs` if there are none (0: forever). */
export async function readEntries(
  { store, keys }: QueueCore,
  position: string,
  options: { readonly signal: AbortSignal; readonly waitMs: number },
): Promise<StreamEntry[]> {
  const reply = await store
    .with({ signal: options.signal })
    .send('XREAD', 'BLOCK', options.waitMs, 'STREAMS', keys.events, position);
  const [stream] = (reply as XReadReply) ?? [];
  return (stream?.[1] ?? []).map(([id, fields]) => ({ position: id, lines: (fields[1] ?? '').split('\n') }));
}

/** Parses a line: `type id detail`. */
export function eventOf(line: string, position: string): QueueEvent {
  const [type = '', id = ''] = line.split(' ', 2);
  const detail = line.slice(type.length + id.length + 2);
  return {
    type: type as QueueEventType,
    id: id === '-' ? undefined : publicId(id),
    at: new Date(Number(position.slice(0, position.indexOf('-')))),
    detail: detail === '' ? undefined : JSON.parse(detail),
    position,
  };
}

const RULES = {
  from: ruled<string>(
    (value) =>
      typeof value === 'string' && /^(now|start|\d+-\d+)$/.test(value)
        ? undefined
        : "must be 'now', 'start' or the `position` of an event",
    'now',
  ),
  signal: optional(abortSignal()),
};

/** Events as they happen, read with `for await`. The iteration begins at the end of the stream at the time of the call. */
export class QueueEvents implements AsyncIterableIterator<QueueEvent>, AsyncDisposable {
  readonly #core: QueueCore;
  readonly #closed = new AbortController();
  readonly #stopListening: () => void;
  #position: Promise<string>;
  #ready: QueueEvent[] = [];
  /** Each call waits for the calls before it. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(core: QueueCore, given: EventOptions) {
    const { from, signal } = resolveOptions('events', given, RULES);
    this.#core = core;
    const { signal: closed } = this.#closed;
    this.#position =
      from === 'now' ? lastPosition(core, closed) : Promise.resolve(from === 'start' ? '0-0' : from);
    // The first call of `next` gets the error.
    this.#position.catch(() => {});
    const onAbort = (): void => this.#closed.abort(signal === undefined ? undefined : abortedBy(signal));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    this.#stopListening = () => signal?.removeEventListener('abort', onAbort);
  }

  next(): Promise<IteratorResult<QueueEvent>> {
    const event = this.#before.then(() => this.#next());
    this.#before = event.catch(() => {});
    return event;
  }

  async #next(): Promise<IteratorResult<QueueEvent>> {
    while (this.#ready.length === 0) {
      if (this.#closed.signal.aborted) return { done: true, value: undefined };
      await this.#read();
    }
    return { done: false, value: this.#ready.shift() as QueueEvent };
  }

  async #read(): Promise<void> {
    const { signal } = this.#closed;
    try {
      const position = await this.#position;
      const entries = await readEntries(this.#core, position, { signal, waitMs: 0 });
      this.#position = Promise.resolve(entries.at(-1)?.position ?? position);
      this.#ready = entries.flatMap((entry) => entry.lines.map((line) => eventOf(line, entry.position)));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async return(): Promise<IteratorResult<QueueEvent>> {
    this.#stopListening();
    this.#closed.abort();
    this.#ready = [];
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
