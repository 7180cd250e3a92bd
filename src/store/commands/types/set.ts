/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { OneOrMore } from '../options.js';

export type SintercardOptions = { readonly limit?: number | bigint | undefined };

/** Commands of the group set. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface SetCommands<S extends Shape> {
  /**
   * Add one or more members to a set.
   *
   * Sends SADD. O(1) for each element added, so O(N) to add N elements when the command is called with multiple arguments.
   *
   * @example
   * await store.sadd('tags', 'red', 'green'); // 2
   */
  sadd(key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Get the number of members in a set.
   *
   * Sends SCARD. O(1).
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.scard('tags'); // 2
   */
  scard(key: Argument): Outcome<S, S['integer']>;

  /**
   * Subtract multiple sets.
   *
   * Sends SDIFF. O(N) where N is the total number of elements in all given sets.
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.sdiff('tags', 'mine'); // ['green']
   */
  sdiff(keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['text'][]>;

  /**
   * Subtract multiple sets and store the resulting set in a key.
   *
   * Sends SDIFFSTORE. O(N) where N is the total number of elements in all given sets.
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.sdiffstore('rest', 'tags', 'mine'); // 1
   */
  sdiffstore(destination: Argument, keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Intersect multiple sets.
   *
   * Sends SINTER. O(N*M) worst case where N is the cardinality of the smallest set and M is the number of sets.
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.sinter('tags', 'mine'); // ['red']
   */
  sinter(keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['text'][]>;

  /**
   * Intersect multiple sets and return the cardinality of the result.
   *
   * Sends SINTERCARD. O(N*M) worst case where N is the cardinality of the smallest set and M is the number of sets.
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.sintercard(['tags', 'mine'], { limit: 10 }); // 1
   */
  sintercard(keys: OneOrMore<Argument>, options?: SintercardOptions): Outcome<S, S['integer']>;

  /**
   * Intersect multiple sets and store the resulting set in a key.
   *
   * Sends SINTERSTORE. O(N*M) worst case where N is the cardinality of the smallest set and M is the number of sets.
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.sinterstore('both', 'tags', 'mine'); // 1
   */
  sinterstore(
    destination: Argument,
    keys: OneOrMore<Argument>,
    ...more: Argument[]
  ): Outcome<S, S['integer']>;

  /**
   * Determine if a given value is a member of a set.
   *
   * Sends SISMEMBER. O(1).
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.sismember('tags', 'red'); // true
   */
  sismember(key: Argument, member: Argument): Outcome<S, boolean>;

  /**
   * Get all the members in a set.
   *
   * Sends SMEMBERS. O(N) where N is the set cardinality.
   *
   * @example
   * await store.sadd('one', 'red');
   * await store.smembers('one'); // ['red']
   */
  smembers(key: Argument): Outcome<S, S['text'][]>;

  /**
   * Returns the membership associated with the given elements for a set.
   *
   * Sends SMISMEMBER. O(N) where N is the number of elements being checked for membership.
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.smismember('tags', 'red', 'blue'); // [true, false]
   */
  smismember(key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, boolean[]>;

  /**
   * Move a member from one set to another.
   *
   * Sends SMOVE. O(1).
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.smove('tags', 'mine', 'green'); // true
   */
  smove(source: Argument, destination: Argument, member: Argument): Outcome<S, boolean>;

  /**
   * Remove and return one or multiple random members from a set.
   *
   * Sends SPOP. Without the count argument O(1), otherwise O(N) where N is the value of the passed count.
   *
   * @example
   * await store.sadd('one', 'red');
   * await store.spop('one'); // 'red'
   */
  spop(key: Argument, count: number | bigint): Outcome<S, S['text'][]>;
  /** Remove and return one or multiple random members from a set. */
  spop(key: Argument): Outcome<S, S['text'] | null>;
  /** Remove and return one or multiple random members from a set. */
  spop(key: Argument, count?: number | bigint): Outcome<S, S['text'] | null | S['text'][]>;

  /**
   * Get one or multiple random members from a set.
   *
   * Sends SRANDMEMBER. Without the count argument O(1), otherwise O(N) where N is the absolute value of the passed count.
   *
   * @example
   * await store.sadd('one', 'red');
   * await store.srandmember('one', -2); // ['red', 'red']
   */
  srandmember(key: Argument, count: number | bigint): Outcome<S, S['text'][]>;
  /** Get one or multiple random members from a set. */
  srandmember(key: Argument): Outcome<S, S['text'] | null>;
  /** Get one or multiple random members from a set. */
  srandmember(key: Argument, count?: number | bigint): Outcome<S, S['text'] | null | S['text'][]>;

  /**
   * Remove one or more members from a set.
   *
   * Sends SREM. O(N) where N is the number of members to be removed.
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.srem('tags', 'red', 'none'); // 1
   */
  srem(key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Add multiple sets.
   *
   * Sends SUNION. O(N) where N is the total number of elements in all given sets.
   *
   * @example
   * await store.sadd('one', 'red');
   * await store.sunion('one', 'none'); // ['red']
   */
  sunion(keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['text'][]>;

  /**
   * Add multiple sets and store the resulting set in a key.
   *
   * Sends SUNIONSTORE. O(N) where N is the total number of elements in all given sets.
   *
   * @example
   * await store.sadd('tags', 'red', 'green');
   * await store.sadd('mine', 'red', 'blue');
   * await store.sunionstore('all', 'tags', 'mine'); // 3
   */
  sunionstore(
    destination: Argument,
    keys: OneOrMore<Argument>,
    ...more: Argument[]
  ): Outcome<S, S['integer']>;
}
