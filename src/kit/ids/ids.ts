import type { Store, StoreTime } from '../../store/index.js';
import {
  CLOCK,
  checkStore,
  integer,
  KitError,
  keyNaming,
  milliseconds,
  readLua,
  resolveOptions,
  ruled,
  text,
} from '../foundation/index.js';

export interface IdOptions {
  /**
   * `time`: ids begin at the server's time in µs, so they stay unique even if a failover lost the last ones taken. A number: ids
   * begin there, and are short; ids of which a failover lost the count are given out again. Default `time`.
   */
  readonly start?: 'time' | number;
  /**
   * Max ids that this process takes from the store at once. Blocks begin with one id and grow as ids are used. With 1, ids are in
   * order across all processes, and each takes a round trip. Default 1,000.
   */
  readonly block?: number;
  /**
   * How long a block is used, in ms; the rest of it is dropped. So an id is greater than all that any process returned this long
   * before. Default 1,000.
   */
  readonly maxAge?: number;
  /** Prefix of all keys. Default `ids`. */
  readonly prefix?: string;
}

/** Unique ids, in increasing order within this process. Made by `ids`. */
export interface Ids {
  readonly name: string;
  /**
   * The next id: a whole number up to 2^53 - 1.
   *
   * @example
   * await ids(store, 'orders').next(); // 1700000000000000
   */
  next(): Promise<number>;
  /**
   * Several ids, in order.
   *
   * @example
   * await ids(store, 'orders', { start: 1 }).take(3); // [1, 2, 3]
   */
  take(count: number): Promise<number[]>;
}

/**
 * Gives out numbers that no other process gets. Most calls need no round trip.
 *
 * @example
 * const orders = ids(store, 'orders');
 * const [one, other] = [await orders.next(), await orders.next()]; // one < other
 */
export function ids(store: Store, name: string, options: IdOptions = {}): Ids {
  checkStore('ids', store);
  const { prefix, start, block, maxAge } = resolveOptions('ids', options, RULES);
  const { last } = keyNaming('ids', prefix, ['last'])(name);
  const takeBlock = store.script(TAKE_BLOCK);
  const fetch = async (size: number): Promise<number> => {
    const first = await takeBlock({ last, size, start });
    if (first === undefined) {
      throw new KitError('EXHAUSTED', `the ids '${name}' have reached 2^53 - 1: use another name`);
    }
    return first;
  };
  const blocks = new Blocks(store.time, fetch, block, maxAge);
  return {
    name,
    next: async () => (await blocks.take(1))[0] as number,
    take: async (count) => blocks.take(resolveOptions('take', { count }, TAKE_RULES).count),
  };
}

/** The block that this process is using. */
class Blocks {
  readonly #time: StoreTime;
  readonly #fetch: (size: number) => Promise<number>;
  readonly #maxSize: number;
  readonly #maxAge: number;
  #next = 0;
  /** The id after the last one of the block. */
  #end = 0;
  #takenAt = 0;
  #size = 1;
  /** Ids that callers are waiting for. */
  #wanted = 0;
  #fetching: Promise<void> | undefined;

  constructor(time: StoreTime, fetch: (size: number) => Promise<number>, maxSize: number, maxAge: number) {
    this.#time = time;
    this.#fetch = fetch;
    this.#maxSize = maxSize;
    this.#maxAge = maxAge;
  }

  async take(count: number): Promise<number[]> {
    const taken: number[] = [];
    if (this.#time.monotonic() - this.#takenAt < this.#maxAge) this.#takeFromBlock(taken, count);
    if (taken.length === count) return taken;
    this.#wanted += count - taken.length;
    try {
      while (taken.length < count) {
        // A block that was taken after the call began is never too old for it.
        this.#fetching ??= this.#refill();
        await this.#fetching;
        this.#wanted -= this.#takeFromBlock(taken, count);
      }
    } finally {
      this.#wanted -= count - taken.length;
    }
    return taken;
  }

  /** Moves ids of the block to `taken` until it has `count`. Returns how many. */
  #takeFromBlock(taken: number[], count: number): number {
    const number = Math.min(count - taken.length, this.#end - this.#next);
    for (let i = 0; i < number; i++) taken.push(this.#next++);
    return number;
  }

  /** Takes a block: twice as large as the last one if that was used up, as large as its used part if it was too old. */
  async #refill(): Promise<void> {
    try {
      const left = this.#end - this.#next;
      this.#size = left === 0 ? this.#size * 2 : Math.max(1, this.#size - left);
      this.#size = Math.min(this.#maxSize, Math.max(this.#size, 1));
      const size = Math.max(this.#size, Math.min(this.#wanted, MAX_BLOCK));
      const takenAt = this.#time.monotonic();
      const first = await this.#fetch(size);
      this.#takenAt = takenAt;
      this.#next = first;
      this.#end = first + size;
      this.#size = size;
    } finally {
      this.#fetching = undefined;
    }
  }
}

/** Callers that wait for many ids may get a block larger than `block`, up to this. */
const MAX_BLOCK = 1_000_000;

const TAKE_BLOCK = {
  keys: ['last'],
  args: ['size', 'start'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'take-block.lua'),
  reply: (first: unknown) => (first === null ? undefined : Number(first)),
} as const;

const RULES = {
  start: ruled<'time' | number>(
    (value) =>
      value === 'time' || (Number.isSafeInteger(value) && (value as number) >= 0)
        ? undefined
        : "must be 'time' or a whole number of at least 0",
    'time',
  ),
  block: integer(1_000, { min: 1, max: MAX_BLOCK }),
  maxAge: milliseconds(1_000, { min: 1, infinite: true }),
  prefix: text('ids'),
};
const TAKE_RULES = { count: integer(undefined, { min: 1, max: MAX_BLOCK }) };
