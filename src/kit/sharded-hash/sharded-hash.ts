import type { Argument, Store } from '../../store/index.js';
import {
  checkedList,
  checkStore,
  type ExactId,
  idText,
  KitError,
  readLua,
  resolveOptions,
  ShardedMembers,
  type ShardedOptions,
  shardedRules,
  shown,
} from '../foundation/index.js';

/** Options of `shardedHash`. `prefix` is `sharded-hash` and `shardSize` 128 by default. */
export interface ShardedHashOptions extends ShardedOptions {}

/**
 * A hash of any size, made of short hashes. Redis stores a short hash of short values without pointers and table, in a quarter of the
 * memory of separate keys. Each shard is in a slot of its own in a Cluster.
 */
export interface ShardedHash extends AsyncIterable<readonly [field: string, value: string]> {
  readonly name: string;
  /** Writes a field. True if it is new. */
  set(field: ExactId, value: Argument): Promise<boolean>;
  /** Writes several fields; those of one shard in one atomic step. Returns how many are new. */
  setMany(entries: Iterable<readonly [field: ExactId, value: Argument]>): Promise<number>;
  /** The value of a field; undefined if it does not exist. */
  get(field: ExactId): Promise<string | undefined>;
  /** The values of several fields, in their order. */
  getMany(fields: Iterable<ExactId>): Promise<(string | undefined)[]>;
  has(field: ExactId): Promise<boolean>;
  /** Removes a field. False if it does not exist. */
  delete(field: ExactId): Promise<boolean>;
  /** Adds to a counter, which begins at 0, and returns its new value, exact in 64 bits. */
  increment(field: ExactId, by?: number | bigint): Promise<bigint>;
  /** The number of fields. Asks all shards. */
  size(): Promise<number>;
  /** All fields and values, shard by shard. A field that exists all the time is returned exactly once. */
  [Symbol.asyncIterator](): AsyncIterableIterator<readonly [field: string, value: string]>;
  /** Removes everything after this many ms, unless `persist` is called before. No process may write meanwhile. */
  expire(ms: number): Promise<void>;
  /** Lets everything stay that would expire. */
  persist(): Promise<void>;
  /** Removes all fields. The layout stays, so that other processes can go on writing. */
  clear(): Promise<void>;
  /** Removes the fields and the layout. No process may write meanwhile, or later with this object. */
  remove(): Promise<void>;
}

const WRITE = {
  keys: ['shard'],
  args: ['expiry', '...fields'],
  lua: readLua(import.meta.url, 'write.lua'),
  reply: Number,
} as const;

const INCREMENT = {
  keys: ['shard'],
  args: ['expiry', 'field', 'by'],
  lua: readLua(import.meta.url, 'increment.lua'),
  reply: (reply: unknown) => BigInt(String(reply)),
} as const;

const OWNER = 'shardedHash';
const RULES = shardedRules('sharded-hash', 128);

/**
 * Opens a hash that is divided into short shards.
 *
 * @example
 * import { open } from 'sorrel';
 * import { shardedHash } from 'sorrel/kit/sharded-hash';
 *
 * await using store = await open();
 * const cities = shardedHash(store, 'cities', { expected: 300_000 });
 * await cities.set('5128581', 'New York'); // true
 * await cities.get('5128581'); // 'New York'
 * await cities.increment('visits:5128581'); // 1n
 */
export function shardedHash(store: Store, name: string, options: ShardedHashOptions = {}): ShardedHash {
  checkStore(OWNER, store);
  const resolved = resolveOptions(OWNER, options, RULES);
  const members = new ShardedMembers(store, OWNER, name, resolved);
  const { shards, guard, expiry } = members;
  const write = guard.before(store.script(WRITE));
  const add = guard.before(store.script(INCREMENT));

  async function setMany(entries: Iterable<readonly [ExactId, Argument]>): Promise<number> {
    const pairs = Array.from(checkedList('setMany', entries), ([field, value]) => {
      checkValue(value);
      return [idText(OWNER, field), value] as const;
    });
    return members.write(
      pairs,
      ([field]) => field,
      (shard, fields) => write({ shard, expiry, fields: fields.flat() }),
    );
  }

  async function getMany(fields: Iterable<ExactId>): Promise<(string | undefined)[]> {
    const texts = Array.from(checkedList('getMany', fields), (field) => idText(OWNER, field));
    const values = await members.read<string | null>(texts, null, (queue, shard, ids) =>
      queue.hmget(shard, ids),
    );
    return values.map((value) => value ?? undefined);
  }

  async function* iterate(): AsyncGenerator<readonly [string, string], void, undefined> {
    for await (const fields of members.scan((queue, shard) => queue.send<string[]>('HGETALL', shard))) {
      for (let i = 0; i < fields.length; i += 2) yield [fields[i] as string, fields[i + 1] as string];
    }
  }

  return {
    name,
    setMany,
    getMany,
    set: async (field, value) => (await setMany([[field, value]])) === 1,
    get: async (field) => {
      const text = idText(OWNER, field);
      const shard = members.rememberedKeyOf(text) ?? (await members.keyOf(text));
      return shard === undefined ? undefined : ((await store.hget(shard, text)) ?? undefined);
    },
    has: async (field) => {
      const text = idText(OWNER, field);
      const shard = await members.keyOf(text);
      return shard !== undefined && (await store.hexists(shard, text));
    },
    delete: async (field) => {
      const text = idText(OWNER, field);
      const shard = await members.keyOf(text);
      return shard !== undefined && (await store.hdel(shard, text)) === 1;
    },
    increment: async (field, by = 1) => {
      if (typeof by !== 'bigint' && !Number.isSafeInteger(by)) {
        throw new KitError(
          'OPTION',
          `increment: \`by\` must be a whole number or a bigint, not ${shown(by)}`,
        );
      }
      const text = idText(OWNER, field);
      return add({ shard: await members.keyToWrite(text), expiry, field: text, by });
    },
    size: () => shards.sum('HLEN'),
    [Symbol.asyncIterator]: iterate,
    expire: async (ms) => {
      if (!Number.isSafeInteger(ms) || ms < 1) {
        throw new KitError('OPTION', `expire: pass a number of whole milliseconds above 0, not ${shown(ms)}`);
      }
      await shards.forAll('PEXPIRE', ms);
    },
    persist: () => shards.forAll('PERSIST'),
    clear: async () => {
      await shards.sum('UNLINK');
    },
    remove: () => shards.forAll('UNLINK'),
  };
}

function checkValue(value: unknown): void {
  if (value === undefined || value === null) {
    throw new KitError(
      'OPTION',
      `${OWNER}: a value must be a string, a number or bytes, not ${shown(value)}`,
    );
  }
}
