import type { Store } from '../../store/index.js';
import {
  checkedList,
  checkStore,
  type ExactId,
  idText,
  readLua,
  resolveOptions,
  ShardedMembers,
  type ShardedOptions,
  shardedRules,
} from '../foundation/index.js';

/** Options of `shardedSet`. `prefix` is `sharded-set` and `shardSize` 256 by default. */
export interface ShardedSetOptions extends ShardedOptions {}

/**
 * A set of any size, made of short sets. Redis stores a set of at most 512 whole numbers as a sorted array: eight bytes or less for
 * each. `id64` makes such a number of a text. Each shard is in a slot of its own in a Cluster.
 */
export interface ShardedSet extends AsyncIterable<string> {
  readonly name: string;
  /** Adds a member. True if it is new. */
  add(member: ExactId): Promise<boolean>;
  /** Adds several members; those of one shard in one atomic step. Returns how many are new. */
  addMany(members: Iterable<ExactId>): Promise<number>;
  has(member: ExactId): Promise<boolean>;
  /** Whether each of the members is in the set, in their order. */
  hasMany(members: Iterable<ExactId>): Promise<boolean[]>;
  /** Removes a member. False if it is not in the set. */
  delete(member: ExactId): Promise<boolean>;
  /** The number of members. Asks all shards. */
  size(): Promise<number>;
  /** All members, shard by shard. One that is in the set all the time is returned exactly once. */
  [Symbol.asyncIterator](): AsyncIterableIterator<string>;
  /** Removes all members. The layout stays, so that other processes can go on adding. */
  clear(): Promise<void>;
  /** Removes the members and the layout. No process may add members meanwhile, or later with this object. */
  remove(): Promise<void>;
}

const ADD = {
  keys: ['shard'],
  args: ['expiry', '...members'],
  lua: readLua(import.meta.url, 'add.lua'),
  reply: Number,
} as const;

const OWNER = 'shardedSet';
const RULES = shardedRules('sharded-set', 256);

/**
 * Opens a set that is divided into short shards.
 *
 * @example
 * import { open } from 'sorrel';
 * import { id64, shardedSet } from 'sorrel/kit/sharded-set';
 *
 * await using store = await open();
 * const seen = shardedSet(store, 'seen', { expected: 5_000_000 });
 * await seen.add(9223372036854775807n); // true
 * await seen.add('9223372036854775807'); // false: the same number, exactly
 * await seen.add(id64('f47ac10b-58cc-4372-a567-0e02b2c3d479')); // true
 * await seen.size(); // 2
 */
export function shardedSet(store: Store, name: string, options: ShardedSetOptions = {}): ShardedSet {
  checkStore(OWNER, store);
  const resolved = resolveOptions(OWNER, options, RULES);
  const elements = new ShardedMembers(store, OWNER, name, resolved);
  const { shards, guard, expiry } = elements;
  const add = guard.before(store.script(ADD));

  async function addMany(members: Iterable<ExactId>): Promise<number> {
    const texts = Array.from(checkedList('addMany', members), (member) => idText(OWNER, member));
    return elements.write(
      texts,
      (text) => text,
      (shard, group) => add({ shard, expiry, members: group }),
    );
  }

  async function hasMany(members: Iterable<ExactId>): Promise<boolean[]> {
    const texts = Array.from(checkedList('hasMany', members), (member) => idText(OWNER, member));
    return elements.read(texts, false, (queue, shard, ids) => queue.smismember(shard, ids));
  }

  async function* iterate(): AsyncGenerator<string, void, undefined> {
    for await (const members of elements.scan((queue, shard) => queue.smembers(shard))) yield* members;
  }

  return {
    name,
    addMany,
    hasMany,
    add: async (member) => (await addMany([member])) === 1,
    has: async (member) => (await hasMany([member]))[0] === true,
    delete: async (member) => {
      const text = idText(OWNER, member);
      const shard = await elements.keyOf(text);
      return shard !== undefined && (await store.srem(shard, text)) === 1;
    },
    size: () => shards.sum('SCARD'),
    [Symbol.asyncIterator]: iterate,
    clear: async () => {
      await shards.sum('UNLINK');
    },
    remove: () => shards.forAll('UNLINK'),
  };
}
