/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { AnyCase, AtMostOne, Given, OneOrMore, Without } from '../options.js';

export type CopyOptions = {
  readonly db?: number | bigint | undefined;
  readonly replace?: boolean | undefined;
};
export type ExpireOptions = AtMostOne<{ nx: boolean; xx: boolean; gt: boolean; lt: boolean }>;
export type ExpireatOptions = AtMostOne<{ nx: boolean; xx: boolean; gt: boolean; lt: boolean }>;
export type PexpireOptions = AtMostOne<{ nx: boolean; xx: boolean; gt: boolean; lt: boolean }>;
export type PexpireatOptions = AtMostOne<{ nx: boolean; xx: boolean; gt: boolean; lt: boolean }>;
export type RestoreOptions = {
  readonly replace?: boolean | undefined;
  readonly absTtl?: boolean | undefined;
  readonly idleTime?: number | bigint | undefined;
  readonly freq?: number | bigint | undefined;
};
export type SortOptions = {
  readonly by?: Argument | undefined;
  readonly limit?: { readonly offset: number | bigint; readonly count: number | bigint } | undefined;
  readonly get?: OneOrMore<Argument> | undefined;
  readonly order?: AnyCase<'asc' | 'desc'> | undefined;
  readonly alpha?: boolean | undefined;
  readonly store?: Argument | undefined;
};
export type SortRoOptions = {
  readonly by?: Argument | undefined;
  readonly limit?: { readonly offset: number | bigint; readonly count: number | bigint } | undefined;
  readonly get?: OneOrMore<Argument> | undefined;
  readonly order?: AnyCase<'asc' | 'desc'> | undefined;
  readonly alpha?: boolean | undefined;
};

/** Commands of the group generic. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface GenericCommands<S extends Shape> {
  /**
   * Copy a key.
   *
   * Sends COPY. O(N) worst case for collections, where N is the number of nested items. O(1) for string values.
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.copy('greeting', 'copy', { replace: true }); // true
   */
  copy(source: Argument, destination: Argument, options?: CopyOptions): Outcome<S, boolean>;

  /**
   * Delete a key.
   *
   * Sends DEL. O(N) where N is the number of keys that will be removed. When a key to remove holds a value other than a string, the individual complexity for this key is O(M) where M is the number of elements in the list, set, sorted set or hash. Removing a single key that holds a string value is O(1).
   *
   * @example
   * await store.mset({ a: 1, b: 2 });
   * await store.del('a', 'b', 'none'); // 2
   */
  del(keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Return a serialized version of the value stored at the specified key.
   *
   * Sends DUMP. O(1) to access the key and additional O(N*M) to serialize it, where N is the number of Redis objects composing the value and M their average size. For small string values the time complexity is thus O(1)+O(1*M) where M is small, so simply O(1).
   *
   * @example
   * await store.dump('none'); // null
   */
  dump(key: Argument): Outcome<S, S['text'] | null>;

  /**
   * Determine if a key exists.
   *
   * Sends EXISTS. O(N) where N is the number of keys to check.
   *
   * @example
   * await store.set('a', 1);
   * await store.exists('a', 'none'); // 1
   */
  exists(keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Set a key's time to live in seconds.
   *
   * Sends EXPIRE. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.expire('greeting', 60, { nx: true }); // true
   */
  expire(key: Argument, seconds: number | bigint, options?: ExpireOptions): Outcome<S, boolean>;

  /**
   * Set the expiration for a key as a UNIX timestamp.
   *
   * Sends EXPIREAT. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.expireat('greeting', 9999999999); // true
   */
  expireat(key: Argument, unixTimeSeconds: number | bigint, options?: ExpireatOptions): Outcome<S, boolean>;

  /**
   * Get the expiration Unix timestamp for a key.
   *
   * Sends EXPIRETIME. O(1).
   *
   * @example
   * await store.set('session', 'x');
   * await store.pexpireat('session', 9999999999000);
   * await store.expiretime('session'); // 9999999999
   */
  expiretime(key: Argument): Outcome<S, S['integer']>;

  /**
   * Find all keys matching the given pattern.
   *
   * Sends KEYS. O(N) with N being the number of keys in the database, under the assumption that the key names in the database and the given pattern have limited length.
   *
   * @example
   * await store.mset({ 'user:1': 'Ann', other: 1 });
   * await store.keys('user:*'); // ['user:1']
   */
  keys(pattern: Argument): Outcome<S, S['text'][]>;

  /**
   * Move a key to another database.
   *
   * Sends MOVE. O(1).
   *
   * @example
   * await store.flushall();
   * await store.set('greeting', 'hello');
   * await store.move('greeting', 1); // true
   */
  move(key: Argument, db: number | bigint): Outcome<S, boolean>;

  /**
   * Inspect the internal encoding of a Redis object.
   *
   * Sends OBJECT ENCODING. O(1).
   *
   * @example
   * await store.set('n', 42);
   * await store.objectEncoding('n'); // 'int'
   */
  objectEncoding(key: Argument): Outcome<S, string | null>;

  /**
   * Get the logarithmic access frequency counter of a Redis object.
   *
   * Sends OBJECT FREQ. O(1).
   *
   * @example
   * await store.configSet('maxmemory-policy', 'allkeys-lfu');
   * await store.rpush('l', 'x');
   * await store.objectFreq('l');
   */
  objectFreq(key: Argument): Outcome<S, S['integer'] | null>;

  /**
   * Get the time since a Redis object was last accessed.
   *
   * Sends OBJECT IDLETIME. O(1).
   *
   * @example
   * await store.set('n', 42);
   * await store.objectIdletime('n'); // 0
   */
  objectIdletime(key: Argument): Outcome<S, S['integer'] | null>;

  /**
   * Get the number of references to the value of the key.
   *
   * Sends OBJECT REFCOUNT. O(1).
   *
   * @example
   * await store.rpush('l', 'x');
   * await store.objectRefcount('l'); // 1
   */
  objectRefcount(key: Argument): Outcome<S, S['integer'] | null>;

  /**
   * Remove the expiration from a key.
   *
   * Sends PERSIST. O(1).
   *
   * @example
   * await store.set('session', 'x');
   * await store.pexpireat('session', 9999999999000);
   * await store.persist('session'); // true
   */
  persist(key: Argument): Outcome<S, boolean>;

  /**
   * Set a key's time to live in milliseconds.
   *
   * Sends PEXPIRE. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.pexpire('greeting', 60_000); // true
   */
  pexpire(key: Argument, milliseconds: number | bigint, options?: PexpireOptions): Outcome<S, boolean>;

  /**
   * Set the expiration for a key as a UNIX timestamp specified in milliseconds.
   *
   * Sends PEXPIREAT. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.pexpireat('greeting', 9999999999000, { gt: true }); // false
   */
  pexpireat(
    key: Argument,
    unixTimeMilliseconds: number | bigint,
    options?: PexpireatOptions,
  ): Outcome<S, boolean>;

  /**
   * Get the expiration Unix timestamp for a key in milliseconds.
   *
   * Sends PEXPIRETIME. O(1).
   *
   * @example
   * await store.set('session', 'x');
   * await store.pexpireat('session', 9999999999000);
   * await store.pexpiretime('session'); // 9999999999000
   */
  pexpiretime(key: Argument): Outcome<S, S['integer']>;

  /**
   * Get the time to live for a key in milliseconds.
   *
   * Sends PTTL. O(1).
   *
   * @example
   * await store.psetex('session', 60_000, 'x');
   * await store.pttl('session'); // 60000
   */
  pttl(key: Argument): Outcome<S, S['integer']>;

  /**
   * Return a random key from the keyspace.
   *
   * Sends RANDOMKEY. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.randomkey(); // 'greeting'
   */
  randomkey(): Outcome<S, S['text'] | null>;

  /**
   * Rename a key.
   *
   * Sends RENAME. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.rename('greeting', 'welcome'); // 'OK'
   */
  rename(key: Argument, newkey: Argument): Outcome<S, 'OK'>;

  /**
   * Rename a key, only if the new key does not exist.
   *
   * Sends RENAMENX. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.renamenx('greeting', 'welcome'); // true
   */
  renamenx(key: Argument, newkey: Argument): Outcome<S, boolean>;

  /**
   * Create a key using the provided serialized value, previously obtained using DUMP.
   *
   * Sends RESTORE. O(1) to create the new key and additional O(N*M) to reconstruct the serialized value, where N is the number of Redis objects composing the value and M their average size. For small string values the time complexity is thus O(1)+O(1*M) where M is small, so simply O(1). However for sorted set values the complexity is O(N*M*log(N)) because inserting values into sorted sets is O(log(N)).
   *
   * @example
   * await store.restore('copy', 0, Buffer.from('000568656c6c6f0a006372df766534200a', 'hex'), { replace: true }); // 'OK'
   */
  restore(
    key: Argument,
    ttl: number | bigint,
    serializedValue: Argument,
    options?: RestoreOptions,
  ): Outcome<S, 'OK'>;

  /**
   * Sort the elements in a list, set or sorted set.
   *
   * Sends SORT. O(N+M*log(M)) where N is the number of elements in the list or set to sort, and M the number of returned elements. When the elements are not sorted, complexity is O(N).
   *
   * @example
   * await store.rpush('numbers', 2, 10, 9);
   * await store.sort('numbers', { order: 'desc', limit: { offset: 0, count: 2 } }); // ['10', '9']
   */
  sort(key: Argument, options: Given<SortOptions, 'store'>): Outcome<S, S['integer']>;
  /** Sort the elements in a list, set or sorted set. */
  sort(key: Argument, options: Given<Without<SortOptions, 'store'>, 'get'>): Outcome<S, (S['text'] | null)[]>;
  /** Sort the elements in a list, set or sorted set. */
  sort(key: Argument, options?: Without<SortOptions, 'store' | 'get'>): Outcome<S, S['text'][]>;
  /** Sort the elements in a list, set or sorted set. */
  sort(key: Argument, options?: SortOptions): Outcome<S, S['text'][] | S['integer'] | (S['text'] | null)[]>;

  /**
   * Sort the elements in a list, set or sorted set. Read-only variant of SORT.
   *
   * Sends SORT_RO. O(N+M*log(M)) where N is the number of elements in the list or set to sort, and M the number of returned elements. When the elements are not sorted, complexity is O(N).
   *
   * @example
   * await store.rpush('words', 'b', 'a');
   * await store.sortRo('words', { alpha: true }); // ['a', 'b']
   */
  sortRo(key: Argument, options: Given<SortRoOptions, 'get'>): Outcome<S, (S['text'] | null)[]>;
  /** Sort the elements in a list, set or sorted set. Read-only variant of SORT. */
  sortRo(key: Argument, options?: Without<SortRoOptions, 'get'>): Outcome<S, S['text'][]>;
  /** Sort the elements in a list, set or sorted set. Read-only variant of SORT. */
  sortRo(key: Argument, options?: SortRoOptions): Outcome<S, S['text'][] | (S['text'] | null)[]>;

  /**
   * Alters the last access time of a key(s). Returns the number of existing keys specified.
   *
   * Sends TOUCH. O(N) where N is the number of keys that will be touched.
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.touch('greeting', 'none'); // 1
   */
  touch(keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Get the time to live for a key in seconds.
   *
   * Sends TTL. O(1).
   *
   * @example
   * await store.setex('session', 60, 'x');
   * await store.ttl('session'); // 60
   */
  ttl(key: Argument): Outcome<S, S['integer']>;

  /**
   * Determine the type stored at key.
   *
   * Sends TYPE. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.type('greeting'); // 'string'
   */
  type(key: Argument): Outcome<S, string>;

  /**
   * Delete a key asynchronously in another thread. Otherwise it is just as DEL, but non blocking.
   *
   * Sends UNLINK. O(1) for each key removed regardless of its size. Then the command does O(N) work in a different thread in order to reclaim memory, where N is the number of allocations the deleted objects where composed of.
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.unlink('greeting'); // 1
   */
  unlink(keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Wait for the synchronous replication of all the write commands sent in the context of the current connection.
   *
   * Sends WAIT. O(1).
   *
   * @example
   * await store.wait(0, 100); // 0
   */
  wait(numreplicas: number | bigint, timeout: number | bigint): Outcome<S, S['integer']>;
}
