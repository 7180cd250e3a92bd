import { StoreError, type StoreTime } from '../../store/index.js';
import { SharedSubscription } from '../foundation/index.js';
import type { Entries } from './entries.js';

/** How often it is checked that no message was missed, in ms. */
const CHECK = 1_000;
/** For how long values are used after a check that succeeded, in ms. */
const VALID = 2 * CHECK;
/** How long a message may take, in ms: after that it counts as missed. */
const GRACE = 100;
/** Without use for this long, in ms, it stops listening. */
const IDLE = 5_000;

interface Kept<Value> {
  readonly value: Value;
  /** By `time.monotonic()`. */
  readonly until: number;
  readonly tags: readonly string[];
}

/**
 * Values in the memory of this process. Messages of invalidations remove them. A message can be lost while a connection is
 * made again, so messages are numbered: each one names its predecessor, and the last number is read once a second. When a
 * message is missing, everything is dropped; while the number cannot be read, nothing is used.
 */
export class FirstLevel<Value> {
  readonly #entries: Entries;
  readonly #max: number;
  readonly #time: StoreTime;
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #subscription: SharedSubscription;
  /** Changes when it stops listening. */
  #period = 0;
  /** Number of the last message; undefined until it was read. */
  #last: number | undefined;
  #validUntil = Number.NEGATIVE_INFINITY;
  #usedAt = 0;
  #version = 0;
  #isClosed = false;

  constructor(entries: Entries, max: number) {
    this.#entries = entries;
    this.#max = max;
    this.#time = entries.store.time;
    this.#subscription = new SharedSubscription(entries.store, entries.news, {
      confirmed: () => void this.#check(this.#period),
      received: (message) => this.#receive(message),
      stopped: () => this.#forget(),
    });
  }

  /**
   * Changes with every invalidation: a value that was read before the change must not be kept after it.
   */
  get version(): number {
    return this.#version;
  }

  get(name: string): Value | undefined {
    const now = this.#time.monotonic();
    this.#usedAt = now;
    this.#listen();
    if (now >= this.#validUntil) return undefined;
    const found = this.#kept.get(name);
    if (found === undefined) return undefined;
    this.#kept.delete(name);
    if (now >= found.until) return undefined;
    // The least recently used value is dropped first.
    this.#kept.set(name, found);
    return found.value;
  }

  /** Keeps a value that was read at this version. */
  keep(name: string, value: Value, freshFor: number, tags: readonly string[], version: number): void {
    const now = this.#time.monotonic();
    if (now >= this.#validUntil || version !== this.#version) return;
    this.#kept.delete(name);
    this.#kept.set(name, { value, until: now + freshFor, tags });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#max) break;
      this.#kept.delete(oldest);
    }
  }

  drop(name: string): void {
    this.#version++;
    this.#kept.delete(name);
  }

  dropTag(tag: string): void {
    this.#version++;
    for (const [name, { tags }] of this.#kept) if (tags.includes(tag)) this.#kept.delete(name);
  }

  clear(): void {
    this.#version++;
    this.#kept.clear();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#subscription.close();
  }

  // ---- listening ----

  #listen(): void {
    if (this.#subscription.isWanted || this.#isClosed) return;
    // If it fails, nothing is kept, and the next use tries again.
    this.#subscription.open().catch(() => {});
  }

  /** A message: the number of the message before it, its own, what is invalid. */
  #receive(message: string): void {
    const [, before, number, kind, what = ''] = /^(\d+) (\d+) (\w+) (.*)$/s.exec(message) ?? [];
    if (Number(before) !== this.#last) this.clear();
    this.#last = Number(number);
    if (kind === 'entry') this.drop(what);
    else if (kind === 'tag') this.dropTag(what);
    else this.clear();
  }

  /** Reads the last number repeatedly: values are used only for a while after that. */
  async #check(period: number): Promise<void> {
    while (this.#period === period) {
      const since = this.#time.monotonic();
      if (since - this.#usedAt > IDLE) {
        await this.#subscription.close();
        return;
      }
      try {
        const { store, news } = this.#entries;
        const number = Number((await store.send('HGET', news, 'told')) ?? 0);
        // The first number that is read is where it begins.
        this.#last ??= number;
        if (this.#last < number) await this.#pause(GRACE);
        if (this.#last < number) {
          this.clear();
          this.#last = number;
        }
        if (this.#period === period) this.#validUntil = since + VALID;
      } catch (error) {
        if (error instanceof StoreError && error.code === 'CLOSED' && this.#period === period) {
          return this.#subscription.close();
        }
      }
      await this.#pause(CHECK);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#time.after(ms, resolve, { background: true }));
  }

  #forget(): void {
    this.#period++;
    this.#last = undefined;
    this.#validUntil = Number.NEGATIVE_INFINITY;
    this.clear();
  }
}
