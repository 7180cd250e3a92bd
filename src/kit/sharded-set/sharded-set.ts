import type { Store } from '../../store/index.js';
import {
  checkedList,
  checkStore,
  EvictionGuard,
  type ExactId,
  groupBy,
  idText,
  layoutFor,
  portions,
  readLua,
  resolveOptions,
  type ShardedOptions,
  Shards,
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
  const { prefix, expiry = 0, requireNoEviction, onWarning } = resolved;
  const shards = new Shards(store, { owner: OWNER, prefix, name, layout: layoutFor(resolved), expiry });
  const guard = new EvictionGuard(store, OWNER, { requireNoEviction, onWarning });
  const add = guard.before(store.script(ADD));

  async function addMany(members: Iterable<ExactId>): Promise<number> {
    const texts = Array.from(checkedList('addMany', members), (member) => idText(OWNER, member));
    const layout = await shards.opened();
    const groups = groupBy(texts, (text) => shards.numberOf(layout, text));
    await shards.index(layout, [...groups.keys()]);
    let added = 0;
    for (const portion of portions([...groups])) {
      const counts = portion.map(([number, group]) =>
        add({ shard: shards.key(number), expiry, members: group }),
      );
      for (const count of await Promise.all(counts)) added += count;
    }
    return added;
  }

  async function hasMany(members: Iterable<ExactId>): Promise<boolean[]> {
    const texts = Array.from(checkedList('hasMany', members), (member) => idText(OWNER, member));
    const layout = await shards.known();
    const found = new Array<boolean>(texts.length).fill(false);
    if (layout === undefined) return found;
    const groups = groupBy([...texts.keys()], (i) => shards.numberOf(layout, texts[i] as string));
    for (const portion of portions([...groups])) {
      const replies = await store.pipeline((queue) =>
        portion.map(([number, indexes]) =>
          queue.smismember(
            shards.key(number),
            indexes.map((i) => texts[i] as string),
          ),
        ),
      );
      replies.forEach((reply, p) => {
        (portion[p] as (typeof portion)[number])[1].forEach((index, i) => {
          found[index] = reply[i] === true;
        });
      });
    }
    return found;
  }

  async function* iterate(): AsyncGenerator<string, void, undefined> {
    for await (const keys of shards.all()) {
      for (const portion of portions(keys)) {
        const found = await store.pipeline((queue) => portion.map((key) => queue.smembers(key)));
        for (const members of found) yield* members;
      }
    }
  }

  return {
    name,
    addMany,
    hasMany,
    add: async (member) => (await addMany([member])) === 1,
    has: async (member) => (await hasMany([member]))[0] === true,
    delete: async (member) => {
      const text = idText(OWNER, member);
      const layout = await shards.known();
      if (layout === undefined) return false;
      return (await store.srem(shards.key(shards.numberOf(layout, text)), text)) === 1;
    },
    size: () => shards.sum('SCARD'),
    [Symbol.asyncIterator]: iterate,
    clear: async () => {
      await shards.sum('UNLINK');
    },
    remove: () => shards.forAll('UNLINK'),
  };
}
