/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { AtMostOne, Given, OneOrMore, Pairs, Without } from '../options.js';
import type { CommonSubsequence } from '../replies.js';

export type GetexOptions = AtMostOne<{
  ex: number | bigint;
  px: number | bigint;
  exAt: number | bigint;
  pxAt: number | bigint;
  persist: boolean;
}>;
export type LcsOptions = {
  readonly len?: boolean | undefined;
  readonly idx?: boolean | undefined;
  readonly minMatchLen?: number | bigint | undefined;
  readonly withMatchLen?: boolean | undefined;
};
export type SetOptions = { readonly get?: boolean | undefined } & AtMostOne<{ nx: boolean; xx: boolean }> &
  AtMostOne<{
    ex: number | bigint;
    px: number | bigint;
    exAt: number | bigint;
    pxAt: number | bigint;
    keepTtl: boolean;
  }>;

/** Commands of the group string. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface StringCommands<S extends Shape> {
  /**
   * Append a value to a key.
   *
   * Sends APPEND. O(1). The amortized time complexity is O(1) assuming the appended value is small and the already present value is of any size, since the dynamic string library used by Redis will double the free space available on every reallocation.
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.append('greeting', ' world'); // 11
   */
  append(key: Argument, value: Argument): Outcome<S, S['integer']>;

  /**
   * Decrement the integer value of a key by one.
   *
   * Sends DECR. O(1).
   *
   * @example
   * await store.set('stock', 10);
   * await store.decr('stock'); // 9
   */
  decr(key: Argument): Outcome<S, S['integer']>;

  /**
   * Decrement the integer value of a key by the given number.
   *
   * Sends DECRBY. O(1).
   *
   * @example
   * await store.set('stock', 10);
   * await store.decrby('stock', 3); // 7
   */
  decrby(key: Argument, decrement: number | bigint): Outcome<S, S['integer']>;

  /**
   * Get the value of a key.
   *
   * Sends GET. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.get('greeting'); // 'hello'
   */
  get(key: Argument): Outcome<S, S['text'] | null>;

  /**
   * Get the value of a key and delete the key.
   *
   * Sends GETDEL. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.getdel('greeting'); // 'hello'
   */
  getdel(key: Argument): Outcome<S, S['text'] | null>;

  /**
   * Get the value of a key and optionally set its expiration.
   *
   * Sends GETEX. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.getex('greeting', { ex: 60 }); // 'hello'
   */
  getex(key: Argument, options?: GetexOptions): Outcome<S, S['text'] | null>;

  /**
   * Get a substring of the string stored at a key.
   *
   * Sends GETRANGE. O(N) where N is the length of the returned string. The complexity is ultimately determined by the returned length, but because creating a substring from an existing string is very cheap, it can be considered O(1) for small strings.
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.getrange('greeting', 0, 1); // 'he'
   */
  getrange(key: Argument, start: number | bigint, end: number | bigint): Outcome<S, S['text']>;

  /**
   * Set the string value of a key and return its old value.
   *
   * Sends GETSET. O(1).
   *
   * @deprecated `SET` with the `!GET` argument.
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.getset('greeting', 'good day'); // 'hello'
   */
  getset(key: Argument, value: Argument): Outcome<S, S['text'] | null>;

  /**
   * Increment the integer value of a key by one.
   *
   * Sends INCR. O(1).
   *
   * @example
   * await store.incr('visits'); // 1
   */
  incr(key: Argument): Outcome<S, S['integer']>;

  /**
   * Increment the integer value of a key by the given amount.
   *
   * Sends INCRBY. O(1).
   *
   * @example
   * await store.incrby('visits', 5); // 5
   */
  incrby(key: Argument, increment: number | bigint): Outcome<S, S['integer']>;

  /**
   * Increment the float value of a key by the given amount.
   *
   * Sends INCRBYFLOAT. O(1).
   *
   * @example
   * await store.set('sum', '0.1');
   * await store.incrbyfloat('sum', 0.2); // '0.3'
   */
  incrbyfloat(key: Argument, increment: number | string): Outcome<S, S['text']>;

  /**
   * Find longest common substring.
   *
   * Sends LCS. O(N*M) where N and M are the lengths of s1 and s2, respectively.
   *
   * @example
   * await store.mset({ a: 'ohmytext', b: 'mynewtext' });
   * await store.lcs('a', 'b'); // 'mytext'
   */
  lcs(key1: Argument, key2: Argument, options: Given<LcsOptions, 'len'>): Outcome<S, S['integer']>;
  /** Find longest common substring. */
  lcs(
    key1: Argument,
    key2: Argument,
    options: Given<Without<LcsOptions, 'len'>, 'idx'>,
  ): Outcome<S, CommonSubsequence<S>>;
  /** Find longest common substring. */
  lcs(key1: Argument, key2: Argument, options?: Without<LcsOptions, 'len' | 'idx'>): Outcome<S, S['text']>;
  /** Find longest common substring. */
  lcs(
    key1: Argument,
    key2: Argument,
    options?: LcsOptions,
  ): Outcome<S, S['text'] | S['integer'] | CommonSubsequence<S>>;

  /**
   * Get the values of all the given keys.
   *
   * Sends MGET. O(N) where N is the number of keys to retrieve.
   *
   * @example
   * await store.mset({ a: 1, b: 2 });
   * await store.mget('a', 'b', 'none'); // ['1', '2', null]
   */
  mget(keys: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, (S['text'] | null)[]>;

  /**
   * Set multiple keys to multiple values.
   *
   * Sends MSET. O(N) where N is the number of keys to set.
   *
   * @example
   * await store.mset({ a: 1, b: 'two' }); // 'OK'
   */
  mset(key: Argument, value: Argument): Outcome<S, 'OK'>;
  /** Set multiple keys to multiple values. */
  mset(values: Pairs): Outcome<S, 'OK'>;

  /**
   * Set multiple keys to multiple values, only if none of the keys exist.
   *
   * Sends MSETNX. O(N) where N is the number of keys to set.
   *
   * @example
   * await store.set('b', 0);
   * await store.msetnx({ a: 1, b: 2 }); // false
   */
  msetnx(key: Argument, value: Argument): Outcome<S, boolean>;
  /** Set multiple keys to multiple values, only if none of the keys exist. */
  msetnx(values: Pairs): Outcome<S, boolean>;

  /**
   * Set the value and expiration in milliseconds of a key.
   *
   * Sends PSETEX. O(1).
   *
   * @example
   * await store.psetex('code', 60_000, '1234'); // 'OK'
   */
  psetex(key: Argument, milliseconds: number | bigint, value: Argument): Outcome<S, 'OK'>;

  /**
   * Set the string value of a key.
   *
   * Sends SET. O(1).
   *
   * @example
   * await store.set('greeting', 'hello', { ex: 60 }); // 'OK'
   */
  set(key: Argument, value: Argument, options: Given<SetOptions, 'get'>): Outcome<S, S['text'] | null>;
  /** Set the string value of a key. */
  set(
    key: Argument,
    value: Argument,
    options: Given<Without<SetOptions, 'get'>, 'nx'>,
  ): Outcome<S, 'OK' | null>;
  /** Set the string value of a key. */
  set(
    key: Argument,
    value: Argument,
    options: Given<Without<SetOptions, 'get'>, 'xx'>,
  ): Outcome<S, 'OK' | null>;
  /** Set the string value of a key. */
  set(key: Argument, value: Argument, options?: Without<SetOptions, 'get' | 'nx' | 'xx'>): Outcome<S, 'OK'>;
  /** Set the string value of a key. */
  set(key: Argument, value: Argument, options?: SetOptions): Outcome<S, 'OK' | S['text'] | null>;

  /**
   * Set the value and expiration of a key.
   *
   * Sends SETEX. O(1).
   *
   * @example
   * await store.setex('code', 60, '1234'); // 'OK'
   */
  setex(key: Argument, seconds: number | bigint, value: Argument): Outcome<S, 'OK'>;

  /**
   * Set the value of a key, only if the key does not exist.
   *
   * Sends SETNX. O(1).
   *
   * @example
   * await store.setnx('leader', 'a'); // true
   */
  setnx(key: Argument, value: Argument): Outcome<S, boolean>;

  /**
   * Overwrite part of a string at key starting at the specified offset.
   *
   * Sends SETRANGE. O(1), not counting the time taken to copy the new string in place. Usually, this string is very small so the amortized complexity is O(1). Otherwise, complexity is O(M) with M being the length of the value argument.
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.setrange('greeting', 1, 'u'); // 5
   */
  setrange(key: Argument, offset: number | bigint, value: Argument): Outcome<S, S['integer']>;

  /**
   * Get the length of the value stored in a key.
   *
   * Sends STRLEN. O(1).
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.strlen('greeting'); // 5
   */
  strlen(key: Argument): Outcome<S, S['integer']>;

  /**
   * Get a substring of the string stored at a key.
   *
   * Sends SUBSTR. O(N) where N is the length of the returned string. The complexity is ultimately determined by the returned length, but because creating a substring from an existing string is very cheap, it can be considered O(1) for small strings.
   *
   * @deprecated `GETRANGE`.
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.substr('greeting', 0, 1); // 'he'
   */
  substr(key: Argument, start: number | bigint, end: number | bigint): Outcome<S, S['text']>;
}
