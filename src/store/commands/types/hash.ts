/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { Given, OneOrMore, Pairs, Without } from '../options.js';

export type HrandfieldOptions = { readonly withValues?: boolean | undefined };

/** Commands of the group hash. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface HashCommands<S extends Shape> {
  /**
   * Delete one or more hash fields.
   *
   * Sends HDEL. O(N) where N is the number of fields to be removed.
   *
   * @example
   * await store.hset('user', { name: 'Ann', age: 30 });
   * await store.hdel('user', 'age', 'none'); // 1
   */
  hdel(key: Argument, fields: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Determine if a hash field exists.
   *
   * Sends HEXISTS. O(1).
   *
   * @example
   * await store.hset('user', 'name', 'Ann');
   * await store.hexists('user', 'name'); // true
   */
  hexists(key: Argument, field: Argument): Outcome<S, boolean>;

  /**
   * Get the value of a hash field.
   *
   * Sends HGET. O(1).
   *
   * @example
   * await store.hset('user', 'name', 'Ann');
   * await store.hget('user', 'name'); // 'Ann'
   */
  hget(key: Argument, field: Argument): Outcome<S, S['text'] | null>;

  /**
   * Get all the fields and values in a hash.
   *
   * Sends HGETALL. O(N) where N is the size of the hash.
   *
   * @example
   * await store.hset('user', { name: 'Ann', age: 30 });
   * await store.hgetall('user'); // { name: 'Ann', age: '30' }
   */
  hgetall(key: Argument): Outcome<S, Record<string, S['text']>>;

  /**
   * Increment the integer value of a hash field by the given number.
   *
   * Sends HINCRBY. O(1).
   *
   * @example
   * await store.hincrby('user', 'visits', 1); // 1
   */
  hincrby(key: Argument, field: Argument, increment: number | bigint): Outcome<S, S['integer']>;

  /**
   * Increment the float value of a hash field by the given amount.
   *
   * Sends HINCRBYFLOAT. O(1).
   *
   * @example
   * await store.hincrbyfloat('user', 'balance', 0.1); // '0.1'
   */
  hincrbyfloat(key: Argument, field: Argument, increment: number | string): Outcome<S, S['text']>;

  /**
   * Get all the fields in a hash.
   *
   * Sends HKEYS. O(N) where N is the size of the hash.
   *
   * @example
   * await store.hset('user', { name: 'Ann', age: 30 });
   * await store.hkeys('user'); // ['name', 'age']
   */
  hkeys(key: Argument): Outcome<S, S['text'][]>;

  /**
   * Get the number of fields in a hash.
   *
   * Sends HLEN. O(1).
   *
   * @example
   * await store.hset('user', { name: 'Ann', age: 30 });
   * await store.hlen('user'); // 2
   */
  hlen(key: Argument): Outcome<S, S['integer']>;

  /**
   * Get the values of all the given hash fields.
   *
   * Sends HMGET. O(N) where N is the number of fields being requested.
   *
   * @example
   * await store.hset('user', 'name', 'Ann');
   * await store.hmget('user', 'name', 'none'); // ['Ann', null]
   */
  hmget(key: Argument, fields: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, (S['text'] | null)[]>;

  /**
   * Set multiple hash fields to multiple values.
   *
   * Sends HMSET. O(N) where N is the number of fields being set.
   *
   * @deprecated `HSET` with multiple field-value pairs.
   *
   * @example
   * await store.hmset('user', { name: 'Ann' }); // 'OK'
   */
  hmset(key: Argument, field: Argument, value: Argument): Outcome<S, 'OK'>;
  /** Set multiple hash fields to multiple values. */
  hmset(key: Argument, fields: Pairs): Outcome<S, 'OK'>;

  /**
   * Get one or multiple random fields from a hash.
   *
   * Sends HRANDFIELD. O(N) where N is the number of fields returned.
   *
   * @example
   * await store.hset('user', 'name', 'Ann');
   * await store.hrandfield('user', 1, { withValues: true }); // [['name', 'Ann']]
   */
  hrandfield(
    key: Argument,
    count: number | bigint,
    options: Given<HrandfieldOptions, 'withValues'>,
  ): Outcome<S, [field: S['text'], value: S['text']][]>;
  /** Get one or multiple random fields from a hash. */
  hrandfield(
    key: Argument,
    count: number | bigint,
    options?: Without<HrandfieldOptions, 'withValues'>,
  ): Outcome<S, S['text'][]>;
  /** Get one or multiple random fields from a hash. */
  hrandfield(key: Argument): Outcome<S, S['text'] | null>;
  /** Get one or multiple random fields from a hash. */
  hrandfield(
    key: Argument,
    count?: number | bigint,
    options?: HrandfieldOptions,
  ): Outcome<S, S['text'] | null | [field: S['text'], value: S['text']][] | S['text'][]>;

  /**
   * Set the string value of a hash field.
   *
   * Sends HSET. O(1) for each field/value pair added, so O(N) to add N field/value pairs when the command is called with multiple field/value pairs.
   *
   * @example
   * await store.hset('user', { name: 'Ann', age: 30 }); // 2
   */
  hset(key: Argument, field: Argument, value: Argument): Outcome<S, S['integer']>;
  /** Set the string value of a hash field. */
  hset(key: Argument, fields: Pairs): Outcome<S, S['integer']>;

  /**
   * Set the value of a hash field, only if the field does not exist.
   *
   * Sends HSETNX. O(1).
   *
   * @example
   * await store.hset('user', 'name', 'Ann');
   * await store.hsetnx('user', 'name', 'Bob'); // false
   */
  hsetnx(key: Argument, field: Argument, value: Argument): Outcome<S, boolean>;

  /**
   * Get the length of the value of a hash field.
   *
   * Sends HSTRLEN. O(1).
   *
   * @example
   * await store.hset('user', 'name', 'Ann');
   * await store.hstrlen('user', 'name'); // 3
   */
  hstrlen(key: Argument, field: Argument): Outcome<S, S['integer']>;

  /**
   * Get all the values in a hash.
   *
   * Sends HVALS. O(N) where N is the size of the hash.
   *
   * @example
   * await store.hset('user', { name: 'Ann', age: 30 });
   * await store.hvals('user'); // ['Ann', '30']
   */
  hvals(key: Argument): Outcome<S, S['text'][]>;
}
