import type { Store } from '../../store/index.js';
import {
  CLOCK,
  type EvictionGuard,
  isOutage,
  jsonOf,
  LATE,
  readLua,
  shown,
  withinTime,
} from '../foundation/index.js';
import { Notices } from './notices.js';

/** What a record held at one moment. The value is frozen, since all callers get the same one. */
export interface RecordState {
  /** Increases with every change. It begins with the server's time in µs. */
  readonly version: number;
  readonly value: unknown;
}

export interface RecordsOptions {
  readonly maxAge: number;
  readonly staleFor: number;
  readonly channel: string;
}

export interface WriteOptions {
  /** The version that the record must have; 0: it must not exist. Default: any. */
  readonly expected?: number;
  /** Time to live in ms. Default: none. */
  readonly expiry?: number;
}

/** A record as this process last saw it. Times are those of `time.monotonic()`. */
interface Copy {
  readonly state: RecordState | undefined;
  readonly seenAt: number;
  /** When the record expires. */
  readonly endsAt: number;
  /** The record has changed since. */
  isOutdated: boolean;
}

const READ = {
  keys: ['record'],
  args: ['known'],
  readOnly: true,
  lua: readLua(import.meta.url, 'read.lua'),
  reply: (reply: unknown) => reply as readonly [] | readonly [version: string, ttl: number, value?: string],
} as const;

const WRITE = {
  keys: ['record'],
  args: ['value', 'expected', 'expiry', 'channel'],
  lua: readLua(import.meta.url, CLOCK, 'write.lua'),
  reply: (reply: unknown) => reply as readonly [isDone: 0 | 1, version: string],
} as const;

/** How long a caller that has an old copy waits for a new one before it uses the old one, in ms. */
const PATIENCE = 250;
/** How often a watcher checks even without a notice, in ms: a notice can be lost with its connection. */
const CHECK = 5_000;
/** Copies that are kept. */
const MAX_COPIES = 10_000;

/** Records with versions, copied into this process for a short time. */
export class Records {
  readonly #store: Store;
  readonly #options: RecordsOptions;
  readonly #read;
  readonly #write;
  readonly #notices: Notices;
  readonly #copies = new Map<string, Copy>();
  readonly #requests = new Map<string, Promise<Copy>>();

  constructor(store: Store, guard: EvictionGuard, options: RecordsOptions) {
    this.#store = store;
    this.#options = options;
    this.#read = store.script(READ);
    this.#write = guard.before(store.script(WRITE));
    this.#notices = new Notices(store, options.channel, (key) => this.#outdate(key));
  }

  /** The record, at most `maxAge` ms old; older while the server is unreachable. Undefined if there is none. */
  async get(key: string): Promise<RecordState | undefined> {
    const copy = this.#copies.get(key);
    const now = this.#store.time.monotonic();
    if (copy === undefined) return (await this.#request(key)).state;
    if (!copy.isOutdated && now < copy.endsAt && now - copy.seenAt < this.#options.maxAge) return copy.state;
    const mayBeOld = now < Math.min(copy.endsAt, copy.seenAt + this.#options.staleFor);
    if (!mayBeOld) return (await this.#request(key)).state;
    try {
      const limit = { time: this.#store.time, until: now + PATIENCE, signal: undefined };
      const fresh = await withinTime(this.#request(key), limit);
      return fresh === LATE ? copy.state : fresh.state;
    } catch (error) {
      if (!isOutage(error)) throw error;
      return copy.state;
    }
  }

  /** The record as the server has it now. */
  async fetch(key: string): Promise<RecordState | undefined> {
    return (await this.#request(key)).state;
  }

  /** The same, by a request of its own: the result is not older than the call. */
  async fetchNow(key: string): Promise<RecordState | undefined> {
    return (await this.#ask(key)).state;
  }

  /** Writes the value, or removes the record if it is undefined. False if it has another version than expected. */
  async write(key: string, value: unknown, { expected, expiry = 0 }: WriteOptions = {}): Promise<boolean> {
    const { channel } = this.#options;
    const version = expected === undefined ? '*' : expected === 0 ? '' : String(expected);
    const inputs = { record: key, value: encoded(value), expected: version, expiry, channel };
    try {
      const [isDone] = await this.#write(inputs);
      return isDone === 1;
    } finally {
      this.#outdate(key);
    }
  }

  /** The record now and after each change; several changes in a row may be one. Ends when the signal aborts. */
  async *watch(
    key: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<RecordState | undefined, void, undefined> {
    const listener = this.#notices.listener(key);
    const { time } = this.#store;
    const unlessAborted = <T>(promise: Promise<T>): Promise<T | typeof LATE> =>
      withinTime(promise, { time, until: Number.POSITIVE_INFINITY, signal });
    const isOver = (): boolean => signal?.aborted === true;
    let last: number | undefined | typeof LATE = LATE;
    try {
      while (!isOver()) {
        let pause = CHECK;
        try {
          await unlessAborted(listener.listen());
          const copy = (await unlessAborted(this.#request(key))) as Copy;
          if (copy.state?.version !== last) {
            last = copy.state?.version;
            yield copy.state;
          }
          pause = Math.min(CHECK, copy.endsAt - time.monotonic());
        } catch (error) {
          if (isOver()) return;
          if (!isOutage(error)) throw error;
        }
        await listener.next(Math.max(1, pause), signal);
      }
    } finally {
      listener.close();
    }
  }

  /** The next call asks the server: it must not use a copy, or a request that was sent before the change. */
  #outdate(key: string): void {
    this.#requests.delete(key);
    const copy = this.#copies.get(key);
    if (copy !== undefined) copy.isOutdated = true;
  }

  /** Asks the server. Calls at the same time share one request. */
  #request(key: string): Promise<Copy> {
    const pending = this.#requests.get(key);
    if (pending !== undefined) return pending;
    const request = this.#ask(key);
    this.#requests.set(key, request);
    const isCurrent = (): boolean => this.#requests.get(key) === request;
    request.then(
      (copy) => {
        if (!isCurrent()) return;
        this.#requests.delete(key);
        if (this.#copies.size >= MAX_COPIES) this.#copies.clear();
        this.#copies.set(key, copy);
      },
      () => isCurrent() && this.#requests.delete(key),
    );
    return request;
  }

  async #ask(key: string): Promise<Copy> {
    const old = this.#copies.get(key)?.state;
    const seenAt = this.#store.time.monotonic();
    const [version, ttl = -1, value] = await this.#read({ record: key, known: old?.version ?? '' });
    return {
      state: version === undefined ? undefined : value === undefined ? old : decoded(version, value),
      seenAt,
      endsAt: ttl < 0 ? Number.POSITIVE_INFINITY : seenAt + ttl,
      isOutdated: false,
    };
  }
}

function encoded(value: unknown): string {
  if (value === undefined) return '';
  return jsonOf(value, `a setting must be a value that JSON can hold, not ${shown(value)}`);
}

function decoded(version: string, value: string): RecordState {
  return { version: Number(version), value: frozen(JSON.parse(value)) };
}

/** The value, frozen in depth. */
function frozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}
