/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { AnyCase, AtMostOne, Given, OneOrMore, Without } from '../options.js';
import type { PoppedMembers, ScoredMember } from '../replies.js';

export type BzmpopOptions = { readonly count?: number | bigint | undefined };
export type ZaddOptions = {
  readonly ch?: boolean | undefined;
  readonly incr?: boolean | undefined;
} & AtMostOne<{ nx: boolean; xx: boolean }> &
  AtMostOne<{ gt: boolean; lt: boolean }>;
export type ZdiffOptions = { readonly withScores?: boolean | undefined };
export type ZinterOptions = {
  readonly weights?: OneOrMore<number> | undefined;
  readonly aggregate?: AnyCase<'sum' | 'min' | 'max'> | undefined;
  readonly withScores?: boolean | undefined;
};
export type ZintercardOptions = { readonly limit?: number | bigint | undefined };
export type ZinterstoreOptions = {
  readonly weights?: OneOrMore<number> | undefined;
  readonly aggregate?: AnyCase<'sum' | 'min' | 'max'> | undefined;
};
export type ZmpopOptions = { readonly count?: number | bigint | undefined };
export type ZrandmemberOptions = { readonly withScores?: boolean | undefined };
export type ZrangeOptions = {
  readonly rev?: boolean | undefined;
  readonly limit?: { readonly offset: number | bigint; readonly count: number | bigint } | undefined;
  readonly withScores?: boolean | undefined;
} & AtMostOne<{ byScore: boolean; byLex: boolean }>;
export type ZrangebylexOptions = {
  readonly limit?: { readonly offset: number | bigint; readonly count: number | bigint } | undefined;
};
export type ZrangebyscoreOptions = {
  readonly withScores?: boolean | undefined;
  readonly limit?: { readonly offset: number | bigint; readonly count: number | bigint } | undefined;
};
export type ZrangestoreOptions = {
  readonly rev?: boolean | undefined;
  readonly limit?: { readonly offset: number | bigint; readonly count: number | bigint } | undefined;
} & AtMostOne<{ byScore: boolean; byLex: boolean }>;
export type ZrevrangeOptions = { readonly withScores?: boolean | undefined };
export type ZrevrangebylexOptions = {
  readonly limit?: { readonly offset: number | bigint; readonly count: number | bigint } | undefined;
};
export type ZrevrangebyscoreOptions = {
  readonly withScores?: boolean | undefined;
  readonly limit?: { readonly offset: number | bigint; readonly count: number | bigint } | undefined;
};
export type ZunionOptions = {
  readonly weights?: OneOrMore<number> | undefined;
  readonly aggregate?: AnyCase<'sum' | 'min' | 'max'> | undefined;
  readonly withScores?: boolean | undefined;
};
export type ZunionstoreOptions = {
  readonly weights?: OneOrMore<number> | undefined;
  readonly aggregate?: AnyCase<'sum' | 'min' | 'max'> | undefined;
};

/** Commands of the group sorted-set. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface SortedSetCommands<S extends Shape> {
  /**
   * Remove and return members with scores in a sorted set or block until one is available.
   *
   * Sends BZMPOP. O(K) + O(M*log(N)) where K is the number of provided keys, N being the number of elements in the sorted set, and M being the number of elements popped.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.bzmpop(1, ['ranking'], 'min'); // { key: 'ranking', members: [{ member: 'ann', score: 1 }] }
   */
  bzmpop(
    timeout: number,
    keys: OneOrMore<Argument>,
    where: AnyCase<'min' | 'max'>,
    options?: BzmpopOptions,
  ): Outcome<S, PoppedMembers<S> | null>;

  /**
   * Remove and return the member with the highest score from one or more sorted sets, or block until one is available.
   *
   * Sends BZPOPMAX. O(log(N)) with N being the number of elements in the sorted set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.bzpopmax('ranking', 1); // { key: 'ranking', member: 'bob', score: 2 }
   */
  bzpopmax(
    keys: OneOrMore<Argument>,
    timeout: number,
  ): Outcome<S, (ScoredMember<S> & { key: S['text'] }) | null>;

  /**
   * Remove and return the member with the lowest score from one or more sorted sets, or block until one is available.
   *
   * Sends BZPOPMIN. O(log(N)) with N being the number of elements in the sorted set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.bzpopmin('ranking', 1); // { key: 'ranking', member: 'ann', score: 1 }
   */
  bzpopmin(
    keys: OneOrMore<Argument>,
    timeout: number,
  ): Outcome<S, (ScoredMember<S> & { key: S['text'] }) | null>;

  /**
   * Add one or more members to a sorted set, or update its score if it already exists.
   *
   * Sends ZADD. O(log(N)) for each item added, where N is the number of elements in the sorted set.
   *
   * @example
   * await store.zadd('ranking', 1, 'ann', { gt: true }); // 1
   */
  zadd(
    key: Argument,
    score: number | string,
    member: Argument,
    options: Given<ZaddOptions, 'incr'>,
  ): Outcome<S, number | null>;
  /** Add one or more members to a sorted set, or update its score if it already exists. */
  zadd(
    key: Argument,
    score: number | string,
    member: Argument,
    options?: Without<ZaddOptions, 'incr'>,
  ): Outcome<S, S['integer']>;
  /** Add one or more members to a sorted set, or update its score if it already exists. */
  zadd(
    key: Argument,
    score: number | string,
    member: Argument,
    options?: ZaddOptions,
  ): Outcome<S, S['integer'] | number | null>;
  /** Add one or more members to a sorted set, or update its score if it already exists. */
  zadd(
    key: Argument,
    members: OneOrMore<{ readonly score: number | string; readonly member: Argument }>,
    options: Given<ZaddOptions, 'incr'>,
  ): Outcome<S, number | null>;
  /** Add one or more members to a sorted set, or update its score if it already exists. */
  zadd(
    key: Argument,
    members: OneOrMore<{ readonly score: number | string; readonly member: Argument }>,
    options?: Without<ZaddOptions, 'incr'>,
  ): Outcome<S, S['integer']>;
  /** Add one or more members to a sorted set, or update its score if it already exists. */
  zadd(
    key: Argument,
    members: OneOrMore<{ readonly score: number | string; readonly member: Argument }>,
    options?: ZaddOptions,
  ): Outcome<S, S['integer'] | number | null>;

  /**
   * Get the number of members in a sorted set.
   *
   * Sends ZCARD. O(1).
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zcard('ranking'); // 2
   */
  zcard(key: Argument): Outcome<S, S['integer']>;

  /**
   * Count the members in a sorted set with scores within the given values.
   *
   * Sends ZCOUNT. O(log(N)) with N being the number of elements in the sorted set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zcount('ranking', '(1', '+inf'); // 1
   */
  zcount(key: Argument, min: Argument, max: Argument): Outcome<S, S['integer']>;

  /**
   * Subtract multiple sorted sets.
   *
   * Sends ZDIFF. O(L + (N-K)log(N)) worst case where L is the total number of elements in all the sets, N is the size of the first set, and K is the size of the result set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zdiff(['ranking', 'none']); // ['ann', 'bob']
   */
  zdiff(keys: OneOrMore<Argument>, options: Given<ZdiffOptions, 'withScores'>): Outcome<S, ScoredMember<S>[]>;
  /** Subtract multiple sorted sets. */
  zdiff(keys: OneOrMore<Argument>, options?: Without<ZdiffOptions, 'withScores'>): Outcome<S, S['text'][]>;
  /** Subtract multiple sorted sets. */
  zdiff(keys: OneOrMore<Argument>, options?: ZdiffOptions): Outcome<S, S['text'][] | ScoredMember<S>[]>;

  /**
   * Subtract multiple sorted sets and store the resulting sorted set in a new key.
   *
   * Sends ZDIFFSTORE. O(L + (N-K)log(N)) worst case where L is the total number of elements in all the sets, N is the size of the first set, and K is the size of the result set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zdiffstore('copy', ['ranking', 'none']); // 2
   */
  zdiffstore(destination: Argument, keys: OneOrMore<Argument>): Outcome<S, S['integer']>;

  /**
   * Increment the score of a member in a sorted set.
   *
   * Sends ZINCRBY. O(log(N)) where N is the number of elements in the sorted set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zincrby('ranking', 1.5, 'ann'); // 2.5
   */
  zincrby(key: Argument, increment: number | string, member: Argument): Outcome<S, number>;

  /**
   * Intersect multiple sorted sets.
   *
   * Sends ZINTER. O(N*K)+O(M*log(M)) worst case with N being the smallest input sorted set, K being the number of input sorted sets and M being the number of elements in the resulting sorted set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zinter(['ranking', 'ranking'], { withScores: true }); // [{ member: 'ann', score: 2 }, { member: 'bob', score: 4 }]
   */
  zinter(
    keys: OneOrMore<Argument>,
    options: Given<ZinterOptions, 'withScores'>,
  ): Outcome<S, ScoredMember<S>[]>;
  /** Intersect multiple sorted sets. */
  zinter(keys: OneOrMore<Argument>, options?: Without<ZinterOptions, 'withScores'>): Outcome<S, S['text'][]>;
  /** Intersect multiple sorted sets. */
  zinter(keys: OneOrMore<Argument>, options?: ZinterOptions): Outcome<S, S['text'][] | ScoredMember<S>[]>;

  /**
   * Intersect multiple sorted sets and return the cardinality of the result.
   *
   * Sends ZINTERCARD. O(N*K) worst case with N being the smallest input sorted set, K being the number of input sorted sets.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zintercard(['ranking', 'ranking']); // 2
   */
  zintercard(keys: OneOrMore<Argument>, options?: ZintercardOptions): Outcome<S, S['integer']>;

  /**
   * Intersect multiple sorted sets and store the resulting sorted set in a new key.
   *
   * Sends ZINTERSTORE. O(N*K)+O(M*log(M)) worst case with N being the smallest input sorted set, K being the number of input sorted sets and M being the number of elements in the resulting sorted set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zinterstore('sum', ['ranking', 'ranking'], { weights: [1, 0.5] }); // 2
   */
  zinterstore(
    destination: Argument,
    keys: OneOrMore<Argument>,
    options?: ZinterstoreOptions,
  ): Outcome<S, S['integer']>;

  /**
   * Count the number of members in a sorted set between a given lexicographical range.
   *
   * Sends ZLEXCOUNT. O(log(N)) with N being the number of elements in the sorted set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zlexcount('ranking', '-', '+'); // 2
   */
  zlexcount(key: Argument, min: Argument, max: Argument): Outcome<S, S['integer']>;

  /**
   * Remove and return members with scores in a sorted set.
   *
   * Sends ZMPOP. O(K) + O(M*log(N)) where K is the number of provided keys, N being the number of elements in the sorted set, and M being the number of elements popped.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zmpop('ranking', 'max'); // { key: 'ranking', members: [{ member: 'bob', score: 2 }] }
   */
  zmpop(
    keys: OneOrMore<Argument>,
    where: AnyCase<'min' | 'max'>,
    options?: ZmpopOptions,
  ): Outcome<S, PoppedMembers<S> | null>;

  /**
   * Get the score associated with the given members in a sorted set.
   *
   * Sends ZMSCORE. O(N) where N is the number of members being requested.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zmscore('ranking', 'ann', 'none'); // [1, null]
   */
  zmscore(key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, (number | null)[]>;

  /**
   * Remove and return members with the highest scores in a sorted set.
   *
   * Sends ZPOPMAX. O(log(N)*M) with N being the number of elements in the sorted set, and M being the number of elements popped.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zpopmax('ranking'); // { member: 'bob', score: 2 }
   */
  zpopmax(key: Argument, count: number | bigint): Outcome<S, ScoredMember<S>[]>;
  /** Remove and return members with the highest scores in a sorted set. */
  zpopmax(key: Argument): Outcome<S, ScoredMember<S> | null>;
  /** Remove and return members with the highest scores in a sorted set. */
  zpopmax(key: Argument, count?: number | bigint): Outcome<S, ScoredMember<S> | null | ScoredMember<S>[]>;

  /**
   * Remove and return members with the lowest scores in a sorted set.
   *
   * Sends ZPOPMIN. O(log(N)*M) with N being the number of elements in the sorted set, and M being the number of elements popped.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zpopmin('ranking', 2); // [{ member: 'ann', score: 1 }, { member: 'bob', score: 2 }]
   */
  zpopmin(key: Argument, count: number | bigint): Outcome<S, ScoredMember<S>[]>;
  /** Remove and return members with the lowest scores in a sorted set. */
  zpopmin(key: Argument): Outcome<S, ScoredMember<S> | null>;
  /** Remove and return members with the lowest scores in a sorted set. */
  zpopmin(key: Argument, count?: number | bigint): Outcome<S, ScoredMember<S> | null | ScoredMember<S>[]>;

  /**
   * Get one or multiple random elements from a sorted set.
   *
   * Sends ZRANDMEMBER. O(N) where N is the number of elements returned.
   *
   * @example
   * await store.zadd('one', 1, 'ann');
   * await store.zrandmember('one', 1, { withScores: true }); // [{ member: 'ann', score: 1 }]
   */
  zrandmember(
    key: Argument,
    count: number | bigint,
    options: Given<ZrandmemberOptions, 'withScores'>,
  ): Outcome<S, ScoredMember<S>[]>;
  /** Get one or multiple random elements from a sorted set. */
  zrandmember(
    key: Argument,
    count: number | bigint,
    options?: Without<ZrandmemberOptions, 'withScores'>,
  ): Outcome<S, S['text'][]>;
  /** Get one or multiple random elements from a sorted set. */
  zrandmember(key: Argument): Outcome<S, S['text'] | null>;
  /** Get one or multiple random elements from a sorted set. */
  zrandmember(
    key: Argument,
    count?: number | bigint,
    options?: ZrandmemberOptions,
  ): Outcome<S, S['text'] | null | ScoredMember<S>[] | S['text'][]>;

  /**
   * Return a range of members in a sorted set.
   *
   * Sends ZRANGE. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements returned.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrange('ranking', 0, -1, { rev: true, withScores: true }); // [{ member: 'bob', score: 2 }, { member: 'ann', score: 1 }]
   */
  zrange(
    key: Argument,
    start: Argument,
    stop: Argument,
    options: Given<ZrangeOptions, 'withScores'>,
  ): Outcome<S, ScoredMember<S>[]>;
  /** Return a range of members in a sorted set. */
  zrange(
    key: Argument,
    start: Argument,
    stop: Argument,
    options?: Without<ZrangeOptions, 'withScores'>,
  ): Outcome<S, S['text'][]>;
  /** Return a range of members in a sorted set. */
  zrange(
    key: Argument,
    start: Argument,
    stop: Argument,
    options?: ZrangeOptions,
  ): Outcome<S, S['text'][] | ScoredMember<S>[]>;

  /**
   * Return a range of members in a sorted set, by lexicographical range.
   *
   * Sends ZRANGEBYLEX. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), you can consider it O(log(N)).
   *
   * @deprecated `ZRANGE` with the `BYLEX` argument.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrangebylex('ranking', '-', '(b'); // ['ann']
   */
  zrangebylex(
    key: Argument,
    min: Argument,
    max: Argument,
    options?: ZrangebylexOptions,
  ): Outcome<S, S['text'][]>;

  /**
   * Return a range of members in a sorted set, by score.
   *
   * Sends ZRANGEBYSCORE. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), you can consider it O(log(N)).
   *
   * @deprecated `ZRANGE` with the `BYSCORE` argument.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrangebyscore('ranking', 0, '(2'); // ['ann']
   */
  zrangebyscore(
    key: Argument,
    min: Argument,
    max: Argument,
    options: Given<ZrangebyscoreOptions, 'withScores'>,
  ): Outcome<S, ScoredMember<S>[]>;
  /** Return a range of members in a sorted set, by score. */
  zrangebyscore(
    key: Argument,
    min: Argument,
    max: Argument,
    options?: Without<ZrangebyscoreOptions, 'withScores'>,
  ): Outcome<S, S['text'][]>;
  /** Return a range of members in a sorted set, by score. */
  zrangebyscore(
    key: Argument,
    min: Argument,
    max: Argument,
    options?: ZrangebyscoreOptions,
  ): Outcome<S, S['text'][] | ScoredMember<S>[]>;

  /**
   * Store a range of members from sorted set into another key.
   *
   * Sends ZRANGESTORE. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements stored into the destination key.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrangestore('top', 'ranking', 0, 0, { rev: true }); // 1
   */
  zrangestore(
    dst: Argument,
    src: Argument,
    min: Argument,
    max: Argument,
    options?: ZrangestoreOptions,
  ): Outcome<S, S['integer']>;

  /**
   * Determine the index of a member in a sorted set.
   *
   * Sends ZRANK. O(log(N)).
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrank('ranking', 'bob'); // 1
   */
  zrank(key: Argument, member: Argument): Outcome<S, S['integer'] | null>;

  /**
   * Remove one or more members from a sorted set.
   *
   * Sends ZREM. O(M*log(N)) with N being the number of elements in the sorted set and M the number of elements to be removed.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrem('ranking', 'ann'); // 1
   */
  zrem(key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, S['integer']>;

  /**
   * Remove all members in a sorted set between the given lexicographical range.
   *
   * Sends ZREMRANGEBYLEX. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements removed by the operation.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zremrangebylex('ranking', '-', '(b'); // 1
   */
  zremrangebylex(key: Argument, min: Argument, max: Argument): Outcome<S, S['integer']>;

  /**
   * Remove all members in a sorted set within the given indexes.
   *
   * Sends ZREMRANGEBYRANK. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements removed by the operation.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zremrangebyrank('ranking', 0, 0); // 1
   */
  zremrangebyrank(key: Argument, start: number | bigint, stop: number | bigint): Outcome<S, S['integer']>;

  /**
   * Remove all members in a sorted set within the given scores.
   *
   * Sends ZREMRANGEBYSCORE. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements removed by the operation.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zremrangebyscore('ranking', '-inf', 1); // 1
   */
  zremrangebyscore(key: Argument, min: Argument, max: Argument): Outcome<S, S['integer']>;

  /**
   * Return a range of members in a sorted set, by index, with scores ordered from high to low.
   *
   * Sends ZREVRANGE. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements returned.
   *
   * @deprecated `ZRANGE` with the `REV` argument.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrevrange('ranking', 0, 0); // ['bob']
   */
  zrevrange(
    key: Argument,
    start: number | bigint,
    stop: number | bigint,
    options: Given<ZrevrangeOptions, 'withScores'>,
  ): Outcome<S, ScoredMember<S>[]>;
  /** Return a range of members in a sorted set, by index, with scores ordered from high to low. */
  zrevrange(
    key: Argument,
    start: number | bigint,
    stop: number | bigint,
    options?: Without<ZrevrangeOptions, 'withScores'>,
  ): Outcome<S, S['text'][]>;
  /** Return a range of members in a sorted set, by index, with scores ordered from high to low. */
  zrevrange(
    key: Argument,
    start: number | bigint,
    stop: number | bigint,
    options?: ZrevrangeOptions,
  ): Outcome<S, S['text'][] | ScoredMember<S>[]>;

  /**
   * Return a range of members in a sorted set, by lexicographical range, ordered from higher to lower strings.
   *
   * Sends ZREVRANGEBYLEX. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), you can consider it O(log(N)).
   *
   * @deprecated `ZRANGE` with the `REV` and `BYLEX` arguments.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrevrangebylex('ranking', '+', '-'); // ['bob', 'ann']
   */
  zrevrangebylex(
    key: Argument,
    max: Argument,
    min: Argument,
    options?: ZrevrangebylexOptions,
  ): Outcome<S, S['text'][]>;

  /**
   * Return a range of members in a sorted set, by score, with scores ordered from high to low.
   *
   * Sends ZREVRANGEBYSCORE. O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), you can consider it O(log(N)).
   *
   * @deprecated `ZRANGE` with the `REV` and `BYSCORE` arguments.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrevrangebyscore('ranking', '+inf', 2, { withScores: true }); // [{ member: 'bob', score: 2 }]
   */
  zrevrangebyscore(
    key: Argument,
    max: Argument,
    min: Argument,
    options: Given<ZrevrangebyscoreOptions, 'withScores'>,
  ): Outcome<S, ScoredMember<S>[]>;
  /** Return a range of members in a sorted set, by score, with scores ordered from high to low. */
  zrevrangebyscore(
    key: Argument,
    max: Argument,
    min: Argument,
    options?: Without<ZrevrangebyscoreOptions, 'withScores'>,
  ): Outcome<S, S['text'][]>;
  /** Return a range of members in a sorted set, by score, with scores ordered from high to low. */
  zrevrangebyscore(
    key: Argument,
    max: Argument,
    min: Argument,
    options?: ZrevrangebyscoreOptions,
  ): Outcome<S, S['text'][] | ScoredMember<S>[]>;

  /**
   * Determine the index of a member in a sorted set, with scores ordered from high to low.
   *
   * Sends ZREVRANK. O(log(N)).
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zrevrank('ranking', 'bob'); // 0
   */
  zrevrank(key: Argument, member: Argument): Outcome<S, S['integer'] | null>;

  /**
   * Get the score associated with the given member in a sorted set.
   *
   * Sends ZSCORE. O(1).
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zscore('ranking', 'ann'); // 1
   */
  zscore(key: Argument, member: Argument): Outcome<S, number | null>;

  /**
   * Add multiple sorted sets.
   *
   * Sends ZUNION. O(N)+O(M*log(M)) with N being the sum of the sizes of the input sorted sets, and M being the number of elements in the resulting sorted set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zunion(['ranking', 'none'], { aggregate: 'max' }); // ['ann', 'bob']
   */
  zunion(
    keys: OneOrMore<Argument>,
    options: Given<ZunionOptions, 'withScores'>,
  ): Outcome<S, ScoredMember<S>[]>;
  /** Add multiple sorted sets. */
  zunion(keys: OneOrMore<Argument>, options?: Without<ZunionOptions, 'withScores'>): Outcome<S, S['text'][]>;
  /** Add multiple sorted sets. */
  zunion(keys: OneOrMore<Argument>, options?: ZunionOptions): Outcome<S, S['text'][] | ScoredMember<S>[]>;

  /**
   * Add multiple sorted sets and store the resulting sorted set in a new key.
   *
   * Sends ZUNIONSTORE. O(N)+O(M log(M)) with N being the sum of the sizes of the input sorted sets, and M being the number of elements in the resulting sorted set.
   *
   * @example
   * await store.zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }]);
   * await store.zunionstore('all', ['ranking', 'none']); // 2
   */
  zunionstore(
    destination: Argument,
    keys: OneOrMore<Argument>,
    options?: ZunionstoreOptions,
  ): Outcome<S, S['integer']>;
}
