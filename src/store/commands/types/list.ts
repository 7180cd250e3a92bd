/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { AnyCase, Given, OneOrMore, Without } from '../options.js';
import type { Popped } from '../replies.js';

export type BlmpopOptions = { readonly count?: number | bigint | undefined };
export type LmpopOptions = { readonly count?: number | bigint | undefined };
export type LposOptions = {
  readonly rank?: number | bigint | undefined;
  readonly count?: number | bigint | undefined;
  readonly maxLen?: number | bigint | undefined;
};

/** Commands of the group list. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface ListCommands<S extends Shape> {
  /**
   * Pop an element from a list, push it to another list and return it; or block until one is available.
   *
   * Sends BLMOVE. O(1).
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.blmove('jobs', 'running', 'left', 'right', 1); // 'a'
   */
  blmove(
    source: Argument,
    destination: Argument,
    wherefrom: AnyCase<'left' | 'right'>,
    whereto: AnyCase<'left' | 'right'>,
    timeout: number,
  ): Outcome<S, S['text'] | null>;

  /**
   * Pop elements from a list, or block until one is available.
   *
   * Sends BLMPOP. O(N+M) where N is the number of provided keys and M is the number of elements returned.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.blmpop(1, 'jobs', 'left', { count: 2 }); // { key: 'jobs', elements: ['a', 'b'] }
   */
  blmpop(
    timeout: number,
    keys: OneOrMore<Argument>,
    where: AnyCase<'left' | 'right'>,
    options?: BlmpopOptions,
  ): Outcome<S, Popped<S> | null>;

  /**
   * Remove and get the first element in a list, or block until one is available.
   *
   * Sends BLPOP. O(N) where N is the number of provided keys.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.blpop('jobs', 1); // { key: 'jobs', element: 'a' }
   */
  blpop(
    keys: OneOrMore<Argument>,
    timeout: number,
  ): Outcome<S, { key: S['text']; element: S['text'] } | null>;

  /**
   * Remove and get the last element in a list, or block until one is available.
   *
   * Sends BRPOP. O(N) where N is the number of provided keys.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.brpop(['urgent', 'jobs'], 1); // { key: 'jobs', element: 'c' }
   */
  brpop(
    keys: OneOrMore<Argument>,
    timeout: number,
  ): Outcome<S, { key: S['text']; element: S['text'] } | null>;

  /**
   * Pop an element from a list, push it to another list and return it; or block until one is available.
   *
   * Sends BRPOPLPUSH. O(1).
   *
   * @deprecated `BLMOVE` with the `RIGHT` and `LEFT` arguments.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.brpoplpush('jobs', 'running', 1); // 'c'
   */
  brpoplpush(source: Argument, destination: Argument, timeout: number): Outcome<S, S['text'] | null>;

  /**
   * Get an element from a list by its index.
   *
   * Sends LINDEX. O(N) where N is the number of elements to traverse to get to the element at index. This makes asking for the first or the last element of the list O(1).
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.lindex('jobs', -1); // 'c'
   */
  lindex(key: Argument, index: number | bigint): Outcome<S, S['text'] | null>;

  /**
   * Insert an element before or after another element in a list.
   *
   * Sends LINSERT. O(N) where N is the number of elements to traverse before seeing the value pivot. This means that inserting somewhere on the left end on the list (head) can be considered O(1) and inserting somewhere on the right end (tail) is O(N).
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.linsert('jobs', 'before', 'b', 'x'); // 4
   */
  linsert(
    key: Argument,
    where: AnyCase<'before' | 'after'>,
    pivot: Argument,
    element: Argument,
  ): Outcome<S, S['integer']>;

  /**
   * Get the length of a list.
   *
   * Sends LLEN. O(1).
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.llen('jobs'); // 3
   */
  llen(key: Argument): Outcome<S, S['integer']>;

  /**
   * Pop an element from a list, push it to another list and return it.
   *
   * Sends LMOVE. O(1).
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.lmove('jobs', 'running', 'left', 'right'); // 'a'
   */
  lmove(
    source: Argument,
    destination: Argument,
    wherefrom: AnyCase<'left' | 'right'>,
    whereto: AnyCase<'left' | 'right'>,
  ): Outcome<S, S['text'] | null>;

  /**
   * Pop elements from a list.
   *
   * Sends LMPOP. O(N+M) where N is the number of provided keys and M is the number of elements returned.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.lmpop(['urgent', 'jobs'], 'left'); // { key: 'jobs', elements: ['a'] }
   */
  lmpop(
    keys: OneOrMore<Argument>,
    where: AnyCase<'left' | 'right'>,
    options?: LmpopOptions,
  ): Outcome<S, Popped<S> | null>;

  /**
   * Remove and get the first elements in a list.
   *
   * Sends LPOP. O(N) where N is the number of elements returned.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.lpop('jobs', 2); // ['a', 'b']
   */
  lpop(key: Argument, count: number | bigint): Outcome<S, S['text'][] | null>;
  /** Remove and get the first elements in a list. */
  lpop(key: Argument): Outcome<S, S['text'] | null>;
  /** Remove and get the first elements in a list. */
  lpop(key: Argument, count?: number | bigint): Outcome<S, S['text'] | null | S['text'][]>;

  /**
   * Return the index of matching elements on a list.
   *
   * Sends LPOS. O(N) where N is the number of elements in the list, for the average case. When searching for elements near the head or the tail of the list, or when the MAXLEN option is provided, the command may run in constant time.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.lpos('jobs', 'b'); // 1
   */
  lpos(key: Argument, element: Argument, options: Given<LposOptions, 'count'>): Outcome<S, S['integer'][]>;
  /** Return the index of matching elements on a list. */
  lpos(
    key: Argument,
    element: Argument,
    options?: Without<LposOptions, 'count'>,
  ): Outcome<S, S['integer'] | null>;
  /** Return the index of matching elements on a list. */
  lpos(
    key: Argument,
    element: Argument,
    options?: LposOptions,
  ): Outcome<S, S['integer'] | null | S['integer'][]>;

  /**
   * Prepend one or multiple elements to a list.
   *
   * Sends LPUSH. O(1) for each element added, so O(N) to add N elements when the command is called with multiple arguments.
   *
   * @example
   * await store.lpush('jobs', 'a', 'b'); // 2
   */
  lpush(key: Argument, elements: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Prepend an element to a list, only if the list exists.
   *
   * Sends LPUSHX. O(1) for each element added, so O(N) to add N elements when the command is called with multiple arguments.
   *
   * @example
   * await store.lpushx('jobs', 'a'); // 0
   */
  lpushx(key: Argument, elements: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Get a range of elements from a list.
   *
   * Sends LRANGE. O(S+N) where S is the distance of start offset from HEAD for small lists, from nearest end (HEAD or TAIL) for large lists; and N is the number of elements in the specified range.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.lrange('jobs', 0, -1); // ['a', 'b', 'c']
   */
  lrange(key: Argument, start: number | bigint, stop: number | bigint): Outcome<S, S['text'][]>;

  /**
   * Remove elements from a list.
   *
   * Sends LREM. O(N+M) where N is the length of the list and M is the number of elements removed.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.lrem('jobs', 0, 'b'); // 1
   */
  lrem(key: Argument, count: number | bigint, element: Argument): Outcome<S, S['integer']>;

  /**
   * Set the value of an element in a list by its index.
   *
   * Sends LSET. O(N) where N is the length of the list. Setting either the first or the last element of the list is O(1).
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.lset('jobs', 0, 'x'); // 'OK'
   */
  lset(key: Argument, index: number | bigint, element: Argument): Outcome<S, 'OK'>;

  /**
   * Trim a list to the specified range.
   *
   * Sends LTRIM. O(N) where N is the number of elements to be removed by the operation.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.ltrim('jobs', 0, 1); // 'OK'
   */
  ltrim(key: Argument, start: number | bigint, stop: number | bigint): Outcome<S, 'OK'>;

  /**
   * Remove and get the last elements in a list.
   *
   * Sends RPOP. O(N) where N is the number of elements returned.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.rpop('jobs'); // 'c'
   */
  rpop(key: Argument, count: number | bigint): Outcome<S, S['text'][] | null>;
  /** Remove and get the last elements in a list. */
  rpop(key: Argument): Outcome<S, S['text'] | null>;
  /** Remove and get the last elements in a list. */
  rpop(key: Argument, count?: number | bigint): Outcome<S, S['text'] | null | S['text'][]>;

  /**
   * Remove the last element in a list, prepend it to another list and return it.
   *
   * Sends RPOPLPUSH. O(1).
   *
   * @deprecated `LMOVE` with the `RIGHT` and `LEFT` arguments.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.rpoplpush('jobs', 'running'); // 'c'
   */
  rpoplpush(source: Argument, destination: Argument): Outcome<S, S['text'] | null>;

  /**
   * Append one or multiple elements to a list.
   *
   * Sends RPUSH. O(1) for each element added, so O(N) to add N elements when the command is called with multiple arguments.
   *
   * @example
   * await store.rpush('jobs', ['a', 'b']); // 2
   */
  rpush(key: Argument, elements: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Append an element to a list, only if the list exists.
   *
   * Sends RPUSHX. O(1) for each element added, so O(N) to add N elements when the command is called with multiple arguments.
   *
   * @example
   * await store.rpush('jobs', 'a', 'b', 'c');
   * await store.rpushx('jobs', 'd'); // 4
   */
  rpushx(key: Argument, elements: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;
}
