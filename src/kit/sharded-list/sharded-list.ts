import type { Argument, Store } from '../../store/index.js';
import {
  abortSignal,
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  flag,
  integer,
  KitError,
  keyNaming,
  milliseconds,
  newId,
  obtain,
  optional,
  resolveOptions,
  shown,
  text,
  WAITER_ALIVE,
  Wakeups,
} from '../foundation/index.js';
import { CLAIM, CLEAR, POP, PUSH, RANGE, WALK, WITHDRAW } from './list-scripts.js';

export interface ShardedListOptions extends EvictionOptions {
  /** Prefix of all keys. Default `sharded-list`. */
  readonly prefix?: string;
  /**
   * Elements per shard. Short shards stay in Redis's packed encoding, and their middle is reached quickly. All clients
   * of a list should use the same value; different values lose nothing. Default 128.
   */
  readonly shardSize?: number;
  /** Return elements as `Buffer` instead of strings. Default false. */
  readonly bytes?: boolean;
}

export interface TakeOptions {
  /** How long to wait for an element, in ms. Default `Infinity`. */
  readonly wait?: number;
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/**
 * An unlimited list, made of short lists. The cost of pushing and popping does not depend on its length. Every call is
 * atomic. All shards of a list are in one slot of a Cluster.
 */
export interface ShardedList<Text extends string | Buffer = string> extends AsyncIterable<Text> {
  readonly name: string;
  /** Adds elements at the left, one after the other, so the last one becomes the leftmost. Returns the new length. */
  pushLeft(...values: readonly Argument[]): Promise<number>;
  /** Adds elements at the right. Returns the new length. */
  pushRight(...values: readonly Argument[]): Promise<number>;
  /** Takes the leftmost element; undefined if there is none. */
  popLeft(): Promise<Text | undefined>;
  /** Takes up to `count` elements from the left. */
  popLeft(count: number): Promise<Text[]>;
  /** Takes the rightmost element; undefined if there is none. */
  popRight(): Promise<Text | undefined>;
  popRight(count: number): Promise<Text[]>;
  /**
   * Takes the leftmost element, and waits for one if there is none. The client that has waited longest is served
   * first. As with BLPOP, an element is lost if the connection breaks before its reply arrives.
   */
  takeLeft(options?: TakeOptions): Promise<Text>;
  takeRight(options?: TakeOptions): Promise<Text>;
  length(): Promise<number>;
  /**
   * The element at this index, from 0 at the left, or from -1 at the right; undefined if there is none. Takes as long anywhere in
   * the list, unless its clients use different `shardSize`s.
   */
  get(index: number): Promise<Text | undefined>;
  /**
   * The elements from one index to another, both included, as LRANGE returns them: `range(0, 9)` are the first ten, `range(-10, -1)`
   * the last ten. Atomic, so a long range delays other clients; for all elements, iterate.
   */
  range(first: number, last: number): Promise<Text[]>;
  /**
   * Iterates from left to right, about a thousand elements per request. Elements that are in the list all the time are returned
   * exactly once; those that are pushed or taken meanwhile may be returned or not.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<Text>;
  /** Deletes all elements, shard by shard. Elements that are pushed meanwhile may be deleted or stay. */
  clear(): Promise<void>;
}

/**
 * Opens a list of any length, made of short shards.
 *
 * @example
 * const events = shardedList(store, 'events');
 * await events.pushRight('a', 'b', 'c'); // 3
 * await events.popLeft(); // 'a'
 * await events.takeRight({ wait: 1000 }); // 'c'
 * await events.length(); // 1
 * await events.get(-1); // 'b'
 * for await (const event of events) console.log(event); // b
 */
export function shardedList(
  store: Store,
  name: string,
  options: ShardedListOptions & { readonly bytes: true },
): ShardedList<Buffer>;
export function shardedList(
  store: Store,
  name: string,
  options?: ShardedListOptions & { readonly bytes?: false },
): ShardedList;
export function shardedList(
  store: Store,
  name: string,
  options: ShardedListOptions = {},
): ShardedList<string | Buffer> {
  checkStore('shardedList', store);
  const { prefix, shardSize, bytes, ...eviction } = resolveOptions('shardedList', options, LIST_RULES);
  const guard = new EvictionGuard(store, 'shardedList', eviction);
  const { meta, shard, queue, waiters } = keyNaming('shardedList', prefix, PARTS)(name);
  const listKeys = { meta, shard: `${shard}:` };
  const allKeys = { ...listKeys, queue, waiters };
  const wakeups = new Wakeups(store, prefix);
  const push = guard.before(store.script(PUSH));
  const withdraw = store.script(WITHDRAW);
  const clear = store.script(CLEAR);
  const reading = (bytes ? store.bytes : store) as Store;
  const [pop, claim] = [reading.script(POP), reading.script(CLAIM)];
  const [rangeOf, walk] = [reading.script(RANGE), reading.script(WALK)];

  async function pushAt(side: Side, values: readonly Argument[]): Promise<number> {
    if (values.length === 0) return length();
    if (values.some((value) => value === undefined || value === null)) {
      throw new KitError(
        'OPTION',
        'shardedList: an element must be a string, a number or bytes, not null or undefined',
      );
    }
    return Number(await push({ ...allKeys, side, size: shardSize, values }));
  }

  async function popAt(side: Side, count: number | undefined): Promise<never> {
    if (count !== undefined && (!Number.isSafeInteger(count) || count < 0)) {
      throw new KitError('OPTION', 'shardedList: `count` must be a whole number, 0 or more');
    }
    const taken = (await pop({ ...listKeys, side, count: count ?? 1 })) as (string | Buffer)[];
    return (count === undefined ? taken[0] : taken) as never;
  }

  async function takeAt(side: Side, given: TakeOptions): Promise<string | Buffer> {
    const { wait, signal } = resolveOptions('shardedList', given, TAKE_RULES);
    const id = newId();
    const obtained = await obtain<string | Buffer>({
      what: `an element of the list '${name}'`,
      time: store.time,
      wakeups,
      id,
      wait,
      signal,
      claim: async ({ channel }) => {
        const reply = await claim({ ...allKeys, side, id, channel, alive: WAITER_ALIVE });
        const [element] = reply as (string | Buffer)[];
        if (element === undefined) return { isGranted: false, retryIn: WAITER_ALIVE };
        return { isGranted: true, grant: element };
      },
      withdraw: () => withdraw({ ...allKeys, id }),
      putBack: (element) => pushAt(side, [element]),
    });
    if (obtained === undefined) {
      throw new KitError('TIMEOUT', `the list '${name}' had no element for ${wait} ms: raise \`wait\``);
    }
    return obtained.grant;
  }

  async function range(from: number, to: number): Promise<never[]> {
    return (await rangeOf({ ...listKeys, from: checkIndex(from), to: checkIndex(to) })) as never[];
  }

  async function* iterate(): AsyncGenerator<never, void, undefined> {
    for (let after: number | '' = ''; ; ) {
      const [last, ...elements] = (await walk({ ...listKeys, after, count: ELEMENTS_AT_ONCE })) as [number?];
      if (last === undefined) return;
      yield* elements as never[];
      after = last;
    }
  }

  async function length(): Promise<number> {
    return Number(await store.send('HGET', meta, 'length'));
  }

  return {
    name,
    pushLeft: (...values) => pushAt('left', values),
    pushRight: (...values) => pushAt('right', values),
    popLeft: (count?: number) => popAt('left', count),
    popRight: (count?: number) => popAt('right', count),
    takeLeft: (take = {}) => takeAt('left', take),
    takeRight: (take = {}) => takeAt('right', take),
    length,
    get: async (index) => (await range(index, index))[0],
    range,
    [Symbol.asyncIterator]: iterate,
    clear: async () => {
      while (Number(await clear({ ...listKeys, max: SHARDS_AT_ONCE })) > 0);
    },
  };
}

type Side = 'left' | 'right';

const PARTS = ['meta', 'shard', 'queue', 'waiters'] as const;

/** An iteration reads whole shards until it has this many elements. */
const ELEMENTS_AT_ONCE = 1_000;

function checkIndex(index: number): number {
  if (Number.isSafeInteger(index)) return index;
  throw new KitError('OPTION', `shardedList: an index must be a whole number, not ${shown(index)}`);
}

/** Shards deleted per script, so that other clients wait for a few hundred commands at most. */
const SHARDS_AT_ONCE = 256;

const LIST_RULES = {
  prefix: text('sharded-list'),
  shardSize: integer(128, { min: 1 }),
  bytes: flag(false),
  ...EVICTION_RULES,
};

const TAKE_RULES = {
  wait: milliseconds(Number.POSITIVE_INFINITY, { infinite: true }),
  signal: optional(abortSignal()),
};
