import fc from 'fast-check';
import {
  bytesOf,
  type Case,
  compareCases,
  compareLive,
  generated,
  itemsOf,
  on,
  type Plain,
  plain,
  type Reply,
  receive,
  typeOnly,
  unordered,
} from '../support/index.js';

const BINARY = Buffer.from([0, 13, 10, 255, 128, 0]);
const MAX_PACKED = 'v'.repeat(64);
const TOO_LONG = 'v'.repeat(65);

/** Every command of hashes, with valid arguments. */
function everyCommand(key: string): string[] {
  return [
    `HSET ${key} f v`,
    `HSETNX ${key} f v`,
    `HMSET ${key} f v`,
    `HGET ${key} f`,
    `HMGET ${key} f g`,
    `HGETALL ${key}`,
    `HKEYS ${key}`,
    `HVALS ${key}`,
    `HLEN ${key}`,
    `HSTRLEN ${key} f`,
    `HEXISTS ${key} f`,
    `HDEL ${key} f`,
    `HINCRBY ${key} n 1`,
    `HINCRBYFLOAT ${key} n 1.5`,
    `HRANDFIELD ${key}`,
    `HRANDFIELD ${key} 2`,
    `HRANDFIELD ${key} 2 WITHVALUES`,
    `HSCAN ${key} 0`,
  ];
}

/** HSET of fields `f0` … with values `v0` …, then commands that show the hash. */
function manyFields(key: string, count: number): Case[] {
  const pairs = Array.from({ length: count }, (_, i) => [`f${i}`, `v${i}`]).flat();
  return [
    ['HSET', key, ...pairs],
    `HLEN ${key}`,
    `OBJECT ENCODING ${key}`,
    unordered(`HGETALL ${key}`, 'pairs'),
  ];
}

compareCases('every hash command rejects a key of another type', ['SET s x', ...everyCommand('s'), 'GET s']);

compareCases('every hash command on a missing key', [
  ...everyCommand('h').flatMap((command) => [command, 'DEL h']),
]);

compareCases('every hash command checks the number of arguments', [
  ...everyCommand('h').flatMap((command) => {
    const words = command.split(' ');
    return words.slice(1).map((_, i) => words.slice(0, i + 1).join(' '));
  }),
  'HSET h f v g',
  'HMSET h f v g',
  'hMsEt h f',
  'HGET h f g',
  'HSETNX h f v g',
  'HINCRBY h f 1 2',
  'HGETALL h x',
  'HLEN h x',
  'HRANDFIELD h 1 WITHVALUES x',
  'EXISTS h',
]);

compareCases('fields are set, read and deleted', [
  'HSET h a 1 b 2 c three',
  'HSET h a 1',
  'HSET h a 10 d 4 d 5',
  'HGETALL h',
  'HKEYS h',
  'HVALS h',
  'HLEN h',
  'HGET h a',
  'HGET h A',
  'HGET h absent',
  'HMGET h a absent d a',
  'HMGET none a b',
  'HSTRLEN h c',
  'HSTRLEN h a',
  'HSTRLEN h absent',
  'HEXISTS h a',
  'HEXISTS h absent',
  'HDEL h absent',
  'HDEL h a a absent b',
  'HGETALL h',
  'HMSET h x y z w',
  'HGETALL h',
  'HSETNX h x other',
  'HSETNX h new value',
  'HGET h x',
  'HDEL h x z new c d',
  'EXISTS h',
  'HDEL h x',
]);

compareCases('fields and values are byte strings', [
  ['HSET', 'h', BINARY, BINARY],
  ['HGET', 'h', BINARY],
  'HSET h "" empty empty ""',
  'HGET h ""',
  'HGET h empty',
  'HSTRLEN h empty',
  'HGETALL h',
  'HSET h 007 -0 7 +5 " 1" 1 -1 9223372036854775807 -9223372036854775808 18446744073709551616',
  'HGETALL h',
  'HGET h 7',
  'HGET h 07',
  'HGET h 007',
  'HSTRLEN h -1',
  'HSTRLEN h -9223372036854775808',
  ['HSET', 'h', 'huge', 'x'.repeat(300_000)],
  'HSTRLEN h huge',
  'HGET h huge',
  ['HSET', 'h', 'y'.repeat(200_000), 'short'],
  unordered('HKEYS h'),
  ['HDEL', 'h', 'y'.repeat(200_000)],
  ['HSET', 'h', 'huge', 'small'],
  unordered('HGETALL h', 'pairs'),
]);

compareCases('the encoding follows the length of fields and values', [
  ['HSET', 'h', MAX_PACKED, MAX_PACKED],
  'OBJECT ENCODING h',
  ['HSET', 'h', 'f', TOO_LONG],
  'OBJECT ENCODING h',
  'HDEL h f',
  'OBJECT ENCODING h',
  'DEL h',
  ['HSET', 'h', TOO_LONG, 'v'],
  'OBJECT ENCODING h',
  'DEL h',
  ['HSET', 'h', 'f', TOO_LONG, 'f', 'short'],
  'OBJECT ENCODING h',
  'HGETALL h',
  'DEL h',
  'HSET h f v',
  ['HSETNX', 'h', 'f', TOO_LONG],
  'OBJECT ENCODING h',
  ['HSETNX', 'h', 'g', TOO_LONG],
  'OBJECT ENCODING h',
  'DEL h',
  ['HINCRBY', 'h', TOO_LONG, 1],
  'OBJECT ENCODING h',
  'DEL h',
  'HINCRBYFLOAT h f 1e60',
  'OBJECT ENCODING h',
  'HINCRBYFLOAT h f 1e70',
  'OBJECT ENCODING h',
]);

compareCases('the encoding follows the number of fields', [
  ...manyFields('a', 512),
  ...manyFields('b', 513),
  ...manyFields('c', 1000),
  'HSET a one more',
  'OBJECT ENCODING a',
  'HDEL a one',
  'OBJECT ENCODING a',
  ['HSET', 'same', ...Array.from({ length: 1100 }, (_, i) => (i % 2 === 0 ? 'f' : `${i}`))],
  'OBJECT ENCODING same',
  'HGETALL same',
]);

compareCases('the thresholds are settings', [
  'CONFIG SET hash-max-listpack-entries 3 hash-max-listpack-value 5',
  ...manyFields('a', 3),
  ...manyFields('b', 4),
  'HSET c f 12345',
  'OBJECT ENCODING c',
  'HSET c f 123456',
  'OBJECT ENCODING c',
  'CONFIG SET hash-max-listpack-entries 0',
  'HSET d f v',
  'OBJECT ENCODING d',
  'OBJECT ENCODING a',
  'HSET a f0 again',
  'OBJECT ENCODING a',
  'HSET a new field',
  'OBJECT ENCODING a',
]);

compareCases('HINCRBY counts with 64 bits', [
  'HINCRBY h n 5',
  'HINCRBY h n -7',
  'HINCRBY h n 0',
  'HGET h n',
  'HSET h n 9007199254740991',
  'HINCRBY h n 1',
  'HINCRBY h n 1',
  'HINCRBY h n -9007199254740993',
  'HSET h n 9223372036854775806',
  'HINCRBY h n 1',
  'HINCRBY h n 1',
  'HINCRBY h n -9223372036854775808',
  'HINCRBY h n -9223372036854775807',
  'HINCRBY h n -1',
  'HGET h n',
  'HINCRBY h new 9223372036854775807',
  'HINCRBY h other -9223372036854775808',
  'HINCRBY h n 9223372036854775808',
  'HINCRBY h n 1.5',
  'HINCRBY h n ""',
  'HINCRBY h n " 1"',
  'HSET h text abc float 1.5 blank "" space " 1" plus +1 zero 00 wide 9223372036854775808',
  ...['text', 'float', 'blank', 'space', 'plus', 'zero', 'wide'].map((field) => `HINCRBY h ${field} 1`),
  'HINCRBY h text x',
  ['HSET', 'h', 'long', TOO_LONG, 'in-a-table', '41'],
  'HINCRBY h in-a-table 1',
  'HINCRBY h n 1',
  'HINCRBY none f x',
  'EXISTS none',
]);

compareCases('HINCRBYFLOAT adds long doubles', [
  'HINCRBYFLOAT h n 0.1',
  'HINCRBYFLOAT h n 0.2',
  'HINCRBYFLOAT h n -0.3',
  'HINCRBYFLOAT h n 1e3',
  'HINCRBYFLOAT h n 5.0e-2',
  'HGET h n',
  'HSET h n 1234.56',
  'HINCRBYFLOAT h n 0.01',
  'HSET h big 17179869184',
  'HINCRBYFLOAT h big 1',
  'HINCRBYFLOAT h big 0.5',
  'HSET h max 1.7e4932',
  'HINCRBYFLOAT h max 1.7e4932',
  'HINCRBYFLOAT h n inf',
  'HINCRBYFLOAT h n -inf',
  'HINCRBYFLOAT h n nan',
  'HINCRBYFLOAT h n abc',
  'HINCRBYFLOAT h n ""',
  'HINCRBYFLOAT h n " 1"',
  'HINCRBYFLOAT h n "1 "',
  'HINCRBYFLOAT h n 0x10',
  'HSET h text abc blank "" space " 1" endless inf hex 0x1p3',
  ...['text', 'blank', 'space', 'endless', 'hex'].map((field) => `HINCRBYFLOAT h ${field} 1`),
  'HINCRBYFLOAT none f x',
  'HINCRBYFLOAT none f inf',
  'EXISTS none',
]);

compareCases('HRANDFIELD checks its arguments', [
  'SET s x',
  'HRANDFIELD s x',
  'HRANDFIELD s 1 x',
  'HRANDFIELD s 1.5',
  'HRANDFIELD none 0',
  'HRANDFIELD s 0',
  'HSET h a 1 b 2 c 3',
  'HRANDFIELD h 0',
  'HRANDFIELD h 0 WITHVALUES',
  'HRANDFIELD h 1 withvalue',
  'HRANDFIELD h 1 WITHVALUES x',
  'HRANDFIELD h -9223372036854775808',
  'HRANDFIELD h 9223372036854775808',
  'HRANDFIELD h 4611686018427387905 WITHVALUES',
  'HRANDFIELD h -4611686018427387905 WITHVALUES',
  'HRANDFIELD none 9223372036854775807',
  'HRANDFIELD none 3 WITHVALUES',
]);

/** The pairs in order, and whether they are nested, as in RESP3, or flat. */
function fieldsWithValues(reply: Reply): Plain {
  const items = itemsOf(reply).map(plain);
  if (items.every(Array.isArray)) return ['nested', ...items.map(String).sort()];
  const pairs = items.filter((_, i) => i % 2 === 0).map((field, i) => `${field},${items[2 * i + 1]}`);
  return ['flat', ...pairs.sort()];
}

compareCases('HRANDFIELD of all fields, and of a hash with one field', [
  'HSET one f 7',
  'HRANDFIELD one',
  'HRANDFIELD one 1',
  'HRANDFIELD one 1 WITHVALUES',
  'HRANDFIELD one 5 WITHVALUES',
  'HRANDFIELD one -3',
  'HRANDFIELD one -3 wItHvAlUeS',
  'HSET h a 1 b 2 c 3',
  unordered('HRANDFIELD h 3'),
  unordered('HRANDFIELD h 9223372036854775807'),
  { send: 'HRANDFIELD h 3 WITHVALUES', normalise: fieldsWithValues },
  typeOnly('HRANDFIELD h 2', 'chosen at random'),
  typeOnly('HRANDFIELD h 2 WITHVALUES', 'chosen at random'),
  typeOnly('HRANDFIELD h -10', 'chosen at random'),
  typeOnly('HRANDFIELD h -10 WITHVALUES', 'chosen at random'),
  typeOnly('HRANDFIELD h', 'chosen at random'),
  ...manyFields('large', 600),
  unordered('HRANDFIELD large 600'),
  { send: 'HRANDFIELD large 1000 WITHVALUES', normalise: fieldsWithValues },
  ...[1, 2, 100, 400, -1, -600].flatMap((count) => [
    typeOnly(`HRANDFIELD large ${count}`, 'chosen at random'),
    typeOnly(`HRANDFIELD large ${count} WITHVALUES`, 'chosen at random'),
  ]),
]);

compareLive('HRANDFIELD returns distinct fields for a positive count', async ({ sendBoth }) => {
  for (const size of [20, 600]) {
    const pairs = Array.from({ length: size }, (_, i) => [`f${i}`, `v${i}`]).flat();
    await sendBoth(['DEL', 'h']);
    await sendBoth(['HSET', 'h', ...pairs]);
    for (const count of [2, 10, 19, 150, 300, 499]) {
      const { sorrel } = await sendBoth(['HRANDFIELD', 'h', count], { typeOnly: 'chosen at random' });
      const fields = itemsOf(sorrel).map((item) => bytesOf(item).toString());
      const distinct = new Set(fields);
      if (distinct.size !== Math.min(count, size)) throw new Error(`${count} fields of ${size}: ${fields}`);
      for (const field of fields) if (!/^f\d+$/.test(field)) throw new Error(`no such field: ${field}`);
    }
  }
});

compareCases('HSCAN returns all fields of a packed hash at once', [
  'HSET h a 1 b 2 ab 3 11 4',
  'HSCAN h 0',
  'HSCAN h 5',
  'HSCAN h 0 COUNT 1',
  'HSCAN h 0 MATCH a*',
  'HSCAN h 0 MATCH 1? COUNT 5',
  'HSCAN h 0 MATCH nothing',
  'HSCAN h 0 MATCH *',
  'HSCAN h 0 match a count 1 match b',
  'HSCAN none 0',
  'HSCAN none 0 WRONG',
]);

compareCases('HSCAN checks the cursor, the key and the options, in this order', [
  'SET s x',
  'HSET h f v',
  'HSCAN s x',
  'HSCAN none x',
  'HSCAN s 0 WRONG',
  'HSCAN h x WRONG',
  ...['-1', ' 1', '1 ', '1.5', '""', '18446744073709551615', '18446744073709551616', '+0', '007'].map(
    (cursor) => `HSCAN h "${cursor.replaceAll('"', '')}"`,
  ),
  'HSCAN h 0 WRONG',
  'HSCAN h 0 COUNT',
  'HSCAN h 0 COUNT x',
  'HSCAN h 0 COUNT 0',
  'HSCAN h 0 COUNT -1',
  'HSCAN h 0 COUNT 9223372036854775808',
  'HSCAN h 0 MATCH',
  'HSCAN h 0 TYPE hash',
  'HSCAN h 0 COUNT 5 COUNT',
]);

compareLive('HSCAN of a large hash visits every field', async ({ sendBoth }) => {
  const pairs = Array.from({ length: 700 }, (_, i) => [`f${i}`, `v${i}`]).flat();
  await sendBoth(['HSET', 'h', ...pairs]);
  for (const match of ['*', 'f1*', 'v*']) {
    const seen = { redis: new Map<string, string>(), sorrel: new Map<string, string>() };
    for (const side of ['redis', 'sorrel'] as const) {
      let cursor = '0';
      do {
        const replies = await sendBoth(['HSCAN', 'h', cursor, 'MATCH', match, 'COUNT', 20], {
          ignore: 'cursors are each server’s own',
        });
        const [next, items] = itemsOf(replies[side]);
        cursor = bytesOf(next!).toString();
        const strings = itemsOf(items!).map((item) => String(plain(item)));
        for (let i = 0; i < strings.length; i += 2) seen[side].set(strings[i]!, strings[i + 1]!);
      } while (cursor !== '0');
    }
    const [redis, sorrel] = [seen.redis, seen.sorrel].map((map) => [...map].sort().join(' '));
    if (redis !== sorrel) throw new Error(`MATCH ${match}: redis saw ${redis}, sorrel ${sorrel}`);
  }
});

compareCases(
  'hash commands publish keyspace events',
  [
    'CONFIG SET notify-keyspace-events KEA',
    'SET s x',
    on('listener', 'PSUBSCRIBE __key*__:*'),
    'HSET h a 1 b 2',
    receive('listener', 2),
    'HSET h a 1',
    receive('listener', 2),
    'HMSET h a 1',
    receive('listener', 2),
    'HSETNX h a 1',
    'HSETNX h c 1',
    receive('listener', 2),
    'HINCRBY h n 1',
    receive('listener', 2),
    'HINCRBYFLOAT h n 1',
    receive('listener', 2),
    'HDEL h absent',
    'HDEL h a b',
    receive('listener', 2),
    'HDEL h c n',
    receive('listener', 4),
    'HGET h a',
    'HGETALL h',
  ],
  { protocols: [2] },
);

compareCases('a change of a watched hash aborts the transaction', [
  'HSET h f v',
  'WATCH h',
  on('other', 'HSET h f v'),
  'MULTI',
  'HGETALL h',
  'EXEC',
  'WATCH h',
  on('other', 'HSETNX h f v'),
  on('other', 'HDEL h absent'),
  'MULTI',
  'HGETALL h',
  'HINCRBYFLOAT h x 1',
  'HINCRBY h f 1',
  'EXEC',
]);

const key = fc.constantFrom('a', 'b', 'c');
const field = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 9 }).map((i) => `f${i}`) },
  { weight: 2, arbitrary: fc.constantFrom('', '7', '-1', '007', 'F1', TOO_LONG) },
);
const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer().map(String) },
  { weight: 3, arbitrary: fc.constantFrom('', 'text', '1.5', '9223372036854775807', 'long '.repeat(12)) },
  { weight: 1, arbitrary: fc.constantFrom(TOO_LONG, 'x'.repeat(20_000)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
);
const pairs = fc.array(fc.tuple(field, value), { minLength: 1, maxLength: 4 }).map((list) => list.flat());
const manyPairs = fc
  .integer({ min: 500, max: 520 })
  .map((count) => Array.from({ length: count }, (_, i) => [`f${i}`, `${i * i}`]).flat());

generated(
  'hashes',
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constantFrom('HSET', 'HMSET'), key, pairs).map(flat) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('HSET'), key, manyPairs).map(flat) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('HSETNX'), key, field, value) },
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom('HGET', 'HEXISTS', 'HSTRLEN', 'HDEL'), key, field) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('HDEL', 'HMGET'), key, fc.array(field, { minLength: 1, maxLength: 12 }))
        .map(flat),
    },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom('HGETALL', 'HKEYS', 'HVALS', 'HLEN'), key) },
    {
      weight: 3,
      arbitrary: fc.tuple(
        fc.constant('HINCRBY'),
        key,
        field,
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
      ),
    },
    { weight: 3, arbitrary: fc.tuple(fc.constant('HINCRBY'), key, field, fc.integer().map(String)) },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.constant('HINCRBYFLOAT'),
        key,
        field,
        fc.constantFrom('0.1', '-2.5', '1e10', '3', 'x'),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('DEL', 'TYPE'), key) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('SET'), key, value) },
  ),
);

generated(
  'hashes with low thresholds',
  fc.oneof(
    fc.tuple(fc.constant('HSET'), key, pairs).map(flat),
    fc.tuple(fc.constantFrom('HGET', 'HDEL'), key, field),
    fc
      .tuple(fc.constantFrom('HGETALL', 'HLEN', 'OBJECT ENCODING'), key)
      .map(([name, k]) => [...name.split(' '), k]),
  ),
  { setup: ['CONFIG SET hash-max-listpack-entries 4 hash-max-listpack-value 8'], protocol: 3 },
);

type Argument = string | Buffer;

function flat(words: readonly (Argument | readonly Argument[])[]): Argument[] {
  return words.flat() as Argument[];
}
