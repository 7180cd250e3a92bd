import fc from 'fast-check';
import { type Command, generated } from '../support/index.js';

/** Sequences of commands on small and on large sorted sets. */

const key = fc.constantFrom('a', 'b', 'c');
const member = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((n) => `m${n}`),
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.constantFrom('', 'long'.repeat(20), '\u00e9', 'm', 'M5'),
);
const score = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map(String),
  fc.constantFrom('0', '-0', '1.5', 'inf', '-inf', '1e17', '1e300', '0.1', '3.3333333333333335', '1e18'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const bound = fc.oneof(
  score,
  score.map((s) => `(${s}`),
);
const lexBound = fc.oneof(
  fc.constantFrom('-', '+'),
  member.map((m) => `[${m}`),
  member.map((m) => `(${m}`),
);
const rank = fc.integer({ min: -12, max: 12 }).map(String);
const limit = fc.oneof(
  fc.constant([] as string[]),
  fc.tuple(rank, rank).map(([offset, count]) => ['LIMIT', offset, count]),
);
const word = (...words: string[]) => fc.constantFrom(...words);
const withScores: fc.Arbitrary<Word> = fc.constantFrom<string[][]>([], ['WITHSCORES']);

type Word = string | string[];
function command(...parts: fc.Arbitrary<Word>[]): fc.Arbitrary<Command> {
  return fc.tuple(...parts).map((words) => words.flat());
}

const pairs = fc.array(fc.tuple(score, member), { minLength: 1, maxLength: 8 }).map((found) => found.flat());
const addOption = fc.subarray(['NX', 'XX', 'GT', 'LT', 'CH', 'INCR'], { maxLength: 2 });
const combination = fc
  .tuple(
    fc.array(key, { minLength: 1, maxLength: 3 }),
    fc.array(score, { minLength: 3, maxLength: 3 }),
    fc.boolean(),
    fc.constantFrom([], ['AGGREGATE', 'SUM'], ['AGGREGATE', 'MIN'], ['AGGREGATE', 'MAX']),
  )
  .map(([keys, weights, isWeighted, aggregate]) => [
    String(keys.length),
    ...keys,
    ...(isWeighted ? ['WEIGHTS', ...weights.slice(0, keys.length)] : []),
    ...aggregate,
  ]);

const any: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: command(word('ZADD'), key, pairs) },
  { weight: 2, arbitrary: command(word('ZADD'), key, addOption, pairs) },
  { weight: 2, arbitrary: command(word('ZADD'), key, addOption, score, member) },
  { weight: 2, arbitrary: command(word('ZINCRBY'), key, score, member) },
  { weight: 3, arbitrary: command(word('ZREM', 'ZSCORE', 'ZRANK', 'ZREVRANK', 'ZMSCORE'), key, member) },
  { weight: 1, arbitrary: command(word('ZPOPMIN', 'ZPOPMAX', 'ZCARD', 'DEL'), key) },
  { weight: 1, arbitrary: command(word('ZPOPMIN', 'ZPOPMAX'), key, rank) },
  { weight: 1, arbitrary: command(word('ZREMRANGEBYRANK', 'ZRANGE', 'ZREVRANGE'), key, rank, rank) },
  { weight: 1, arbitrary: command(word('ZREMRANGEBYSCORE', 'ZCOUNT'), key, bound, bound) },
  {
    weight: 2,
    arbitrary: command(word('ZRANGEBYSCORE', 'ZREVRANGEBYSCORE'), key, bound, bound, withScores, limit),
  },
  { weight: 1, arbitrary: command(word('ZRANGESTORE'), key, key, bound, bound, word('BYSCORE'), limit) },
  { weight: 1, arbitrary: command(word('ZUNION', 'ZINTER'), combination, withScores) },
  { weight: 1, arbitrary: command(word('ZUNIONSTORE', 'ZINTERSTORE', 'ZDIFFSTORE'), key, combination) },
  { weight: 1, arbitrary: command(word('ZSCAN'), key, word('0'), word('COUNT'), word('1000')) },
);

generated('sorted sets as listpacks', any);
generated('sorted sets as listpacks in RESP3', any, { protocol: 3 });
generated('sorted sets as skip lists', any, { setup: ['CONFIG SET zset-max-listpack-entries 0'] });
generated('sorted sets that change their encoding', any, {
  setup: ['CONFIG SET zset-max-listpack-entries 6 zset-max-listpack-value 10'],
});

/** All scores are equal: otherwise ranges by member are undefined for skip lists in Redis. */
const byMember: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(key, fc.array(member, { minLength: 1, maxLength: 12 }))
      .map(([at, members]) => ['ZADD', at, ...members.flatMap((m) => ['0', m])]),
  },
  { weight: 2, arbitrary: command(word('ZRANGEBYLEX', 'ZREVRANGEBYLEX'), key, lexBound, lexBound, limit) },
  { weight: 1, arbitrary: command(word('ZLEXCOUNT', 'ZREMRANGEBYLEX'), key, lexBound, lexBound) },
  { weight: 1, arbitrary: command(word('ZRANGESTORE'), key, key, lexBound, lexBound, word('BYLEX'), limit) },
);

generated('ranges of members in listpacks', byMember);
generated('ranges of members in skip lists', byMember, { setup: ['CONFIG SET zset-max-listpack-entries 0'] });

const manyMember = fc.integer({ min: 0, max: 2000 }).map((n) => `member:${n}`);
const many: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        key,
        fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }).map(String), manyMember), {
          minLength: 80,
          maxLength: 250,
          size: 'max',
        }),
      )
      .map(([at, found]) => ['ZADD', at, ...found.flat()]),
  },
  { weight: 2, arbitrary: command(word('ZRANK', 'ZREVRANK', 'ZREM', 'ZSCORE'), key, manyMember) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        word('ZREMRANGEBYRANK', 'ZRANGE', 'ZREVRANGE'),
        key,
        fc.integer({ min: 0, max: 900 }),
        fc.nat(200),
      )
      .map(([name, at, first, size]) => [name, at, first, first + size]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(word('ZREMRANGEBYSCORE', 'ZCOUNT', 'ZRANGEBYSCORE'), key, fc.nat(300), fc.nat(60))
      .map(([name, at, first, size]) => [name, at, `(${first}`, first + size]),
  },
  { weight: 1, arbitrary: command(word('ZPOPMIN', 'ZPOPMAX'), key, fc.nat(150).map(String)) },
  { weight: 1, arbitrary: command(word('ZUNIONSTORE', 'ZINTERSTORE', 'ZDIFFSTORE'), key, combination) },
);

generated('sorted sets of many members', many, { runs: 12, steps: 60 });
