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
  text,
  WAITER_ALIVE,
  Wakeups,
} from '../foundation/index.js';
import { CLAIM, CLEAR, POP, PUSH, WITHDRAW } from './list-scripts.js';

export interface ShardedListOptions extends EvictionOptions {
  /** What the keys begin with. Default `sharded-list`. */
  readonly prefix?: string;
  /**
   * How many elements a shard holds. Short shards stay in Redis's packed encoding, and an element in the middle of
   * nowhere is never far away. All who use a list should say the same; if they do not, nothing is lost. Default 128.
   */
  readonly shardSize?: number;
  /** Elements are given as `Buffer` instead of strings. Default false. */
  readonly bytes?: boolean;
}

export interface TakeOptions {
  /** How long to wait for an element, in ms. Default `Infinity`. */
  readonly wait?: number;
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/**
 * A list without end, made of short lists. Pushing and popping cost the same however long it is; every call is one atomic
 * step. All shards of a list are in one slot of a cluster.
 */
export interface ShardedList<Text extends string | Buffer = string> {
  readonly name: string;
  /** Adds elements at the left, one after the other, so that the last given is the leftmost. Gives the new length. */
  pushLeft(...values: readonly Argument[]): Promise<number>;
  /** Adds elements at the right. Gives the new length. */
  pushRight(...values: readonly Argument[]): Promise<number>;
  /** Takes the leftmost element; undefined if there is none. */
  popLeft(): Promise<Text | undefined>;
  /** Takes up to `count` elements from the left. */
  popLeft(count: number): Promise<Text[]>;
  /** Takes the rightmost element; undefined if there is none. */
  popRight(): Promise<Text | undefined>;
  popRight(count: number): Promise<Text[]>;
  /**
   * Takes the leftmost element, and waits for one if there is none. Who waits longest is served first. Like BLPOP: an
   * element whose reply is lost on the way is gone.
   */
  takeLeft(options?: TakeOptions): Promise<Text>;
  takeRight(options?: TakeOptions): Promise<Text>;
  length(): Promise<number>;
  /** Drops all elements, shard by shard: what others push meanwhile goes too, or stays. */
  clear(): Promise<void>;
}

/**
 * A list of any length over short shards.
 *
 * @example
 * const events = shardedList(store, 'events');
 * await events.pushRight('a', 'b', 'c'); // 3
 * await events.popLeft(); // 'a'
 * await events.takeRight({ wait: 1000 }); // 'c'
 * await events.length(); // 1
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
  const [pop, claim] = bytes
    ? [store.bytes.script(POP), store.bytes.script(CLAIM)]
    : [store.script(POP), store.script(CLAIM)];

  async function pushAt(side: Side, values: readonly Argument[]): Promise<number> {
    if (values.length === 0) return length();
    if (values.some((value) => value === undefined || value === null)) {
      throw new KitError(
        'OPTION',
        'shardedList: an element is text, a number or bytes, not null or undefined',
      );
    }
    return Number(await push({ ...allKeys, side, size: shardSize, values }));
  }

  async function popAt(side: Side, count: number | undefined): Promise<never> {
    if (count !== undefined && (!Number.isSafeInteger(count) || count < 0)) {
      throw new KitError('OPTION', 'shardedList: a count is a whole number of elements, 0 or more');
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
      throw new KitError(
        'TIMEOUT',
        `no element came to the list '${name}' within ${wait} ms: raise \`wait\``,
      );
    }
    return obtained.grant;
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
    clear: async () => {
      while (Number(await clear({ ...listKeys, max: SHARDS_AT_ONCE })) > 0);
    },
  };
}

type Side = 'left' | 'right';

const PARTS = ['meta', 'shard', 'queue', 'waiters'] as const;

/** Dropped in one step: others wait no longer than for a few hundred commands. */
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
