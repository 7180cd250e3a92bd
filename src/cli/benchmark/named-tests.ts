import { TAG } from './slot-tags.js';

/** What a benchmark sends. */
export interface LoadTest {
  /** As the results show it. */
  readonly title: string;
  /** latin1, with `__rand_int__` and `__data__`. */
  readonly args: readonly string[];
  /** Sent as a line of text. */
  readonly inline?: boolean;
}

interface NamedTest extends LoadTest {
  /** The names by which `-t` selects it. */
  readonly names: readonly string[];
}

const KEY = 'key:__rand_int__';

/** The keys of the tests, which get the tag of a slot in a cluster. */
const KEYS = /^(key|counter|mylist|myset|myhash|myzset|mystream)(?=:|$)/;

function named(names: string, title: string, ...args: string[]): NamedTest {
  return { names: names.split(' '), title, args };
}

/** The tests of redis-benchmark, in its order. */
const TESTS: readonly NamedTest[] = [
  { ...named('ping_inline ping', 'PING_INLINE', 'PING'), inline: true },
  named('ping_mbulk ping', 'PING_MBULK', 'PING'),
  named('set', 'SET', 'SET', KEY, '__data__'),
  named('get', 'GET', 'GET', KEY),
  named('incr', 'INCR', 'INCR', 'counter:__rand_int__'),
  named('lpush', 'LPUSH', 'LPUSH', 'mylist', '__data__'),
  named('rpush', 'RPUSH', 'RPUSH', 'mylist', '__data__'),
  named('lpop', 'LPOP', 'LPOP', 'mylist'),
  named('rpop', 'RPOP', 'RPOP', 'mylist'),
  named('sadd', 'SADD', 'SADD', 'myset', 'element:__rand_int__'),
  named('hset', 'HSET', 'HSET', 'myhash', 'element:__rand_int__', '__data__'),
  named('spop', 'SPOP', 'SPOP', 'myset'),
  named('zadd', 'ZADD', 'ZADD', 'myzset', '0', 'element:__rand_int__'),
  named('zpopmin', 'ZPOPMIN', 'ZPOPMIN', 'myzset'),
  named(
    'lrange lrange_100 lrange_300 lrange_500 lrange_600',
    'LPUSH (needed to benchmark LRANGE)',
    'LPUSH',
    'mylist',
    '__data__',
  ),
  ...[100, 300, 500, 600].map((count) =>
    named(
      `lrange lrange_${count}`,
      `LRANGE_${count} (first ${count} elements)`,
      'LRANGE',
      'mylist',
      '0',
      String(count - 1),
    ),
  ),
  named('mset', 'MSET (10 keys)', 'MSET', ...Array.from({ length: 10 }, () => [KEY, '__data__']).flat()),
  named('xadd', 'XADD', 'XADD', 'mystream', '*', 'myfield', '__data__'),
];

/** The tests that `-t` names, all but XADD if it names none. An unknown name is returned instead. */
export function selectTests(names: readonly string[]): readonly LoadTest[] | { readonly unknown: string } {
  const unknown = names.find((name) => !TESTS.some((each) => each.names.includes(name)));
  if (unknown !== undefined) return { unknown };
  if (names.length === 0) return TESTS.filter((each) => !each.names.includes('xadd'));
  return TESTS.filter((each) => each.names.some((name) => names.includes(name)));
}

/** The tests for a cluster: `key:__rand_int__` becomes `key:{tag}:__rand_int__`. */
export function withTags(tests: readonly LoadTest[]): LoadTest[] {
  return tests.map((each) => ({
    ...each,
    args: each.args.map((argument, index) => (index === 0 ? argument : argument.replace(KEYS, `$1:${TAG}`))),
  }));
}

/** Every name that `-t` takes. */
export const TEST_NAMES: readonly string[] = [...new Set(TESTS.flatMap(({ names }) => names))];
