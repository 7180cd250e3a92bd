import type { Loader, Words } from './load.js';

/** Keys, members and fields are drawn from this many names. */
export const RANGE = 100_000;

/**
 * One row of the server benchmark: the command that redis-benchmark repeats, the data it works on, and the proof that
 * it did the work its name promises.
 */
export interface ServerTest {
  readonly name: string;
  /** The command; `__rand_int__` becomes a number of 12 digits below `RANGE`. */
  readonly words: readonly string[];
  /** How many times fewer requests than usual: commands that do much more work. */
  readonly fewer?: number;
  /** Writes the data once, before the first round. */
  readonly fill?: (client: Loader) => Promise<void>;
  /** Writes the data that `requests` requests remove, before each round. */
  readonly refill?: (client: Loader, requests: number) => Promise<void>;
  /** Every request finds its key. */
  readonly hits?: true;
  /** Every request removes one element: the command that counts what is left. */
  readonly removesFrom?: Words;
  /** The smallest reply, in bytes, that has all the elements asked for. */
  readonly replyBytes?: number;
}

const digits = (i: number): string => String(i).padStart(12, '0');
const VALUE = 'xxx';
/** `$3\r\nxxx\r\n` */
const BULK_BYTES = 9;
const PER_COMMAND = 100;
const WIDE = 10;

/** Sends `count` elements, many in one command. */
async function fillWith(
  client: Loader,
  head: Words,
  count: number,
  element: (i: number) => Words,
): Promise<void> {
  await client.send(Math.ceil(count / PER_COMMAND), (n) => [
    ...head,
    ...Array.from({ length: PER_COMMAND }, (_, i) => element(n * PER_COMMAND + i)).flat(),
  ]);
}

const fillKeys = (client: Loader): Promise<void> =>
  fillWith(client, ['MSET'], RANGE, (i) => [`key:${digits(i)}`, VALUE]);
const fillList = (client: Loader): Promise<void> => fillWith(client, ['RPUSH', 'list'], 1_000, () => [VALUE]);
const fillRanking = (client: Loader): Promise<void> =>
  fillWith(client, ['ZADD', 'ranking'], RANGE, (i) => [i, `element:${digits(i)}`]);

/** redis-benchmark may send a few more requests than asked for. */
const withReserve = (requests: number): number => requests + 10_000;

export const SERVER_TESTS: readonly ServerTest[] = [
  { name: 'SET', words: ['SET', 'key:__rand_int__', VALUE], fill: fillKeys },
  { name: 'GET', words: ['GET', 'key:__rand_int__'], fill: fillKeys, hits: true },
  { name: 'INCR', words: ['INCR', 'counter:__rand_int__'] },
  { name: 'LPUSH', words: ['LPUSH', 'list', VALUE] },
  { name: 'RPUSH', words: ['RPUSH', 'list', VALUE] },
  {
    name: 'LPOP',
    words: ['LPOP', 'list'],
    refill: (client, requests) => fillWith(client, ['RPUSH', 'list'], withReserve(requests), () => [VALUE]),
    removesFrom: ['LLEN', 'list'],
  },
  { name: 'SADD', words: ['SADD', 'set', 'element:__rand_int__'] },
  {
    name: 'SPOP',
    words: ['SPOP', 'set'],
    refill: (client, requests) =>
      fillWith(client, ['SADD', 'set'], withReserve(requests), (i) => [`element:${digits(i)}`]),
    removesFrom: ['SCARD', 'set'],
  },
  { name: 'HSET', words: ['HSET', 'hash', 'element:__rand_int__', VALUE] },
  {
    name: 'HGET',
    words: ['HGET', 'hash', 'element:__rand_int__'],
    fill: (client) => fillWith(client, ['HSET', 'hash'], RANGE, (i) => [`element:${digits(i)}`, VALUE]),
    hits: true,
    replyBytes: BULK_BYTES,
  },
  { name: 'ZADD', words: ['ZADD', 'ranking', '__rand_int__', 'element:__rand_int__'] },
  {
    name: 'ZSCORE',
    words: ['ZSCORE', 'ranking', 'element:__rand_int__'],
    fill: fillRanking,
    hits: true,
    // The shortest score is one digit.
    replyBytes: BULK_BYTES - 2,
  },
  {
    name: 'ZRANGE, 10 members',
    words: ['ZRANGE', 'ranking', '1000', '1009'],
    fewer: 2,
    fill: fillRanking,
    hits: true,
    replyBytes: WIDE * BULK_BYTES,
  },
  {
    name: 'ZPOPMIN',
    words: ['ZPOPMIN', 'ranking'],
    refill: (client, requests) =>
      fillWith(client, ['ZADD', 'ranking'], withReserve(requests), (i) => [i, `element:${digits(i)}`]),
    removesFrom: ['ZCARD', 'ranking'],
  },
  {
    name: 'LRANGE, 100 elements',
    words: ['LRANGE', 'list', '0', '99'],
    fewer: 10,
    fill: fillList,
    hits: true,
    replyBytes: 100 * BULK_BYTES,
  },
  {
    name: 'LRANGE, 600 elements',
    words: ['LRANGE', 'list', '0', '599'],
    fewer: 40,
    fill: fillList,
    hits: true,
    replyBytes: 600 * BULK_BYTES,
  },
  {
    name: 'MSET, 10 keys',
    words: ['MSET', ...Array.from({ length: WIDE }, () => ['key:__rand_int__', VALUE]).flat()],
    fewer: 4,
    fill: fillKeys,
  },
  {
    name: 'MGET, 10 keys',
    words: ['MGET', ...Array.from({ length: WIDE }, () => 'key:__rand_int__')],
    fewer: 4,
    fill: fillKeys,
    hits: true,
    replyBytes: WIDE * BULK_BYTES,
  },
];
