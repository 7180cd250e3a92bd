import fc from 'fast-check';
import { Crc64 } from '../../src/bytes/crc64.js';
import {
  bytesOf,
  type Case,
  compareCases,
  compareLive,
  generated,
  near,
  unordered,
} from './support/index.js';

/** Commands that create one value each, whose payload does not depend on the order of a hash table. */
const ORDERED_VALUES: readonly (readonly string[])[] = [
  ['SET', 'k', ''],
  ['SET', 'k', '0'],
  ['SET', 'k', '-128'],
  ['SET', 'k', '127'],
  ['SET', 'k', '128'],
  ['SET', 'k', '-32768'],
  ['SET', 'k', '32768'],
  ['SET', 'k', '2147483647'],
  ['SET', 'k', '-2147483648'],
  ['SET', 'k', '2147483648'],
  ['SET', 'k', '-9223372036854775808'],
  ['SET', 'k', '007'],
  ['SET', 'k', '-0'],
  ['SET', 'k', '1.5'],
  ['SET', 'k', 'hello'],
  ['SET', 'k', 'a'.repeat(20)],
  ['SET', 'k', 'a'.repeat(21)],
  ['SET', 'k', 'a'.repeat(63)],
  ['SET', 'k', 'abc'.repeat(100)],
  ['SET', 'k', Array.from({ length: 300 }, (_, i) => String.fromCharCode(33 + ((i * i * 7) % 90))).join('')],
  ['SET', 'k', Array.from({ length: 5000 }, (_, i) => `${(i * 7919) % 1009},`).join('')],
  ['RPUSH', 'k', 'a'],
  ['RPUSH', 'k', 'a', '', '1', '-70000', '9223372036854775807', 'x'.repeat(100)],
  ['RPUSH', 'k', ...Array.from({ length: 3000 }, (_, i) => `element ${i}`)],
  ['RPUSH', 'k', ...Array.from({ length: 100 }, (_, i) => 'y'.repeat(i * 10))],
  ['LPUSH', 'k', ...Array.from({ length: 2000 }, (_, i) => `${i}`)],
  ['RPUSH', 'k', 'small', 'z'.repeat(10_000), 'small'],
  ['SADD', 'k', '1'],
  ['SADD', 'k', '1', '2', '-3', '40000'],
  ['SADD', 'k', '1', '9223372036854775807', '-9223372036854775808'],
  ['SADD', 'k', ...Array.from({ length: 500 }, (_, i) => `${i * 3}`)],
  ['SADD', 'k', 'one'],
  ['ZADD', 'k', '1', 'a'],
  ['ZADD', 'k', '1', 'a', '2.5', 'b', '-inf', 'c', '+inf', 'd', '1e300', '7', '0.1', 'e'],
  ['ZADD', 'k', ...Array.from({ length: 200 }, (_, i) => [`${i / 4}`, `member ${i}`]).flat()],
  ['ZADD', 'k', '1', 'x'.repeat(65), '-0', 'zero', '3', '12345'],
  ['HSET', 'k', 'f', 'v'],
  ['HSET', 'k', 'f', 'v', 'g', '12', '7', 'x'.repeat(60), '', ''],
  ['HSET', 'k', 'f', 'x'.repeat(65)],
];

compareCases(
  'DUMP returns the same bytes, and RESTORE accepts them',
  ORDERED_VALUES.flatMap((command): Case[] => [
    command,
    'DUMP k',
    { send: (dump) => ['RESTORE', 'copy', 0, bytesOf(dump), 'REPLACE'] },
    'OBJECT ENCODING copy',
    'DEBUG DIGEST-VALUE copy',
    'DUMP copy',
    'DEL k',
  ]),
);

compareCases('values without an order survive DUMP and RESTORE', [
  ['SADD', 's', ...Array.from({ length: 700 }, (_, i) => `${i}`)],
  'SADD t a b c 1 2 3',
  ['HSET', 'h', ...Array.from({ length: 600 }, (_, i) => [`field ${i}`, `${i}`]).flat()],
  ['HSET', 'g', 'f', 'x'.repeat(65), 'n', '1'],
  ...['s', 't', 'h', 'g'].flatMap((key): Case[] => [
    { send: `DUMP ${key}`, normalise: (dump) => bytesOf(dump)[0] },
    { send: (dump) => ['RESTORE', 'copy', 0, bytesOf(dump), 'REPLACE'] },
    'OBJECT ENCODING copy',
    'DEBUG DIGEST-VALUE copy',
  ]),
]);

compareCases('DUMP of large plain elements', [
  'DEBUG QUICKLIST-PACKED-THRESHOLD 100b',
  ['RPUSH', 'l', 'small', 'x'.repeat(200), 'small', 'small', 'y'.repeat(100)],
  'DUMP l',
  { send: (dump) => ['RESTORE', 'copy', 0, bytesOf(dump)] },
  'LRANGE copy 0 -1',
  'DUMP copy',
  'DEBUG QUICKLIST-PACKED-THRESHOLD 1gb',
]);

compareCases('DUMP follows rdbcompression', [
  ['SET', 'k', 'abc'.repeat(100)],
  ['RPUSH', 'l', 'abc'.repeat(100)],
  'CONFIG SET rdbcompression no',
  'DUMP k',
  'DUMP l',
  'CONFIG SET rdbcompression yes',
  'DUMP k',
  'DUMP l',
]);

compareCases('RESTORE follows the limits of its own server', [
  ['SADD', 's', ...Array.from({ length: 20 }, (_, i) => `${i}`)],
  ['ZADD', 'z', ...Array.from({ length: 20 }, (_, i) => [`${i}`, `m${i}`]).flat()],
  ['HSET', 'h', ...Array.from({ length: 20 }, (_, i) => [`f${i}`, `${i}`]).flat()],
  'CONFIG SET set-max-intset-entries 10 zset-max-listpack-entries 10 hash-max-listpack-entries 10',
  ...['s', 'z', 'h'].flatMap((key): Case[] => [
    `DUMP ${key}`,
    { send: (dump) => ['RESTORE', `small:${key}`, 0, bytesOf(dump)] },
    `OBJECT ENCODING small:${key}`,
    `DEBUG DIGEST-VALUE small:${key}`,
  ]),
  'CONFIG SET set-max-intset-entries 512 zset-max-listpack-entries 128 hash-max-listpack-entries 128',
  ...['small:s', 'small:z', 'small:h'].flatMap((key): Case[] => [
    { send: `DUMP ${key}`, normalise: (dump) => bytesOf(dump).length },
    { send: (dump) => ['RESTORE', `again:${key}`, 0, bytesOf(dump)] },
    `OBJECT ENCODING again:${key}`,
  ]),
]);

const HELLO = payload([0, 5, ...Buffer.from('hello')]);

compareCases('RESTORE checks its options in order', [
  ['RESTORE', 'k', 0, HELLO],
  'GET k',
  ['RESTORE', 'k', 0, HELLO],
  ['RESTORE', 'k', 'x', HELLO],
  ['RESTORE', 'k', 0, 'rubbish', 'NOSUCH'],
  ['RESTORE', 'new', 'x', 'rubbish'],
  ['RESTORE', 'new', -1, 'rubbish'],
  ['RESTORE', 'new', 0, 'rubbish'],
  ['RESTORE', 'new', 0, ''],
  ['RESTORE', 'new', 0, 'long enough to have a footer'],
  ['RESTORE', 'new', 0, HELLO, 'IDLETIME'],
  ['RESTORE', 'new', 0, HELLO, 'IDLETIME', 'x'],
  ['RESTORE', 'new', 0, HELLO, 'IDLETIME', -1],
  ['RESTORE', 'new', 0, HELLO, 'FREQ'],
  ['RESTORE', 'new', 0, HELLO, 'FREQ', 'x'],
  ['RESTORE', 'new', 0, HELLO, 'FREQ', -1],
  ['RESTORE', 'new', 0, HELLO, 'FREQ', 256],
  ['RESTORE', 'new', 0, HELLO, 'FREQ', 1, 'IDLETIME', 1],
  ['RESTORE', 'new', 0, HELLO, 'IDLETIME', 1, 'FREQ', 1],
  ['RESTORE', 'k', -1, HELLO, 'REPLACE'],
  'RESTORE k 0',
  'DUMP absent',
  'DUMP',
  'EXISTS new',
]);

compareCases('RESTORE sets times and usage', [
  ['RESTORE', 'a', 100_000, HELLO],
  near('TTL a', 10),
  ['RESTORE', 'b', 99_999_999_999_999, HELLO, 'ABSTTL'],
  'PEXPIRETIME b',
  ['RESTORE', 'c', 1, HELLO, 'ABSTTL'],
  'EXISTS c',
  ['RESTORE', 'a', 0, HELLO, 'REPLACE'],
  'TTL a',
  ['RESTORE', 'a', 1, HELLO, 'REPLACE', 'ABSTTL'],
  'EXISTS a',
  ['RESTORE', 'idle', 0, HELLO, 'IDLETIME', 1000],
  near('OBJECT IDLETIME idle', 10),
  'CONFIG SET maxmemory-policy allkeys-lfu lfu-decay-time 0',
  ['RESTORE', 'often', 0, HELLO, 'FREQ', 100],
  'OBJECT FREQ often',
  ['RESTORE', 'often', 0, HELLO, 'IDLETIME', 100, 'REPLACE'],
  ['RPUSH', 'b', 'x'],
  ['RESTORE', 'b', 0, HELLO, 'replace', 'absttl'],
  'GET b',
]);

/** Values in formats that only older versions of Redis wrote. */
const OLD_FORMS: Record<string, Buffer> = {
  'a list element by element': payload([1, 3, 1, 97, 0xc0, 5, 0]),
  'scores as text': payload([3, 3, 1, 97, 3, ...Buffer.from('1.5'), 1, 98, 255, 1, 99, 254]),
  'binary scores': payload([5, 1, 1, 97, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]),
  'a hash field by field': payload([4, 2, 1, 97, 1, 49, 1, 98, 0xc0, 7]),
  'a set of integers, member by member': payload([2, 3, 0xc0, 1, 0xc0, 2, 1, 51]),
  'a zipmap': payload([9, ...string([2, 1, 97, 1, 0, 49, 1, 98, 2, 1, 50, 51, 0, 0xff])]),
  'a zipmap with a long value': payload([9, ...string([1, 1, 97, 70, 0, ...Buffer.alloc(70, 'v'), 0xff])]),
  'a list as a ziplist': payload([10, ...string(ziplist('a', 5, -70_000, 'x'.repeat(70), 300, 2 ** 40))]),
  'a sorted set as a ziplist': payload([12, ...string(ziplist('a', 1, 'b', '2.5', 'c', 3))]),
  'a hash as a ziplist': payload([13, ...string(ziplist('f', 'v', 'g', 12))]),
  'a quicklist of ziplists': payload([14, 2, ...string(ziplist('a', 'b')), ...string(ziplist(1, 'c'))]),
  'a quicklist with an empty node': payload([14, 2, ...string(ziplist()), ...string(ziplist('c'))]),
};

compareCases(
  'values in old formats are restored',
  Object.values(OLD_FORMS).flatMap((form): Case[] => [
    ['RESTORE', 'k', 0, form, 'REPLACE'],
    'TYPE k',
    'OBJECT ENCODING k',
    'DEBUG DIGEST-VALUE k',
    { send: 'DUMP k', normalise: (dump) => [...bytesOf(dump)].sort() },
  ]),
);

/** Payloads that redis-server also rejects with full checks (`sanitize-dump-payload`). */
const DAMAGED: readonly Buffer[] = [
  payload([]),
  payload([0]),
  payload([0, 5, 1]),
  payload([8, 0]),
  payload([20, 0]),
  payload([99, 0]),
  payload([0, 0xc4, 0]),
  payload([0, 0xc3, 1, 5, 0]),
  payload([0, 0xc3, 2, 5, 0, 65]),
  payload([0, 0x81, 255, 255, 255, 255, 255, 255, 255, 255]),
  payload([1, 0]),
  payload([1, 2, 1, 97]),
  payload([2, 0]),
  payload([2, 2, 1, 97, 1, 97]),
  payload([2, 2, 0xc0, 1, 0xc0, 1]),
  payload([3, 0]),
  payload([3, 1, 1, 97, 253]),
  payload([4, 0]),
  payload([4, 2, 1, 97, 1, 49, 1, 97, 1, 49]),
  payload([5, 0]),
  payload([5, 1, 1, 97, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f]),
  payload([5, 2, 1, 97, 0, 0, 0, 0, 0, 0, 0, 0, 1, 97, 0, 0, 0, 0, 0, 0, 0, 0]),
  payload([9, ...string([0, 0xff])]),
  payload([9, ...string([1, 1, 97, 0xff])]),
  payload([9, ...string([1, 0xfe, 1, 0, 0, 0, 97, 1, 0, 49, 0xff])]),
  payload([9, ...string([1, 1, 97, 0xfe, 1, 0, 0, 0, 0, 49, 0xff])]),
  payload([10, ...string(ziplist())]),
  payload([10, ...string([11, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0xff])]),
  payload([11, ...string([2, 0, 0, 0, 0, 0, 0, 0])]),
  payload([11, ...string([3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0])]),
  payload([11, ...string([2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0])]),
  payload([12, ...string(ziplist('a'))]),
  payload([13, ...string(ziplist('a', 1, 'a', 2))]),
  payload([14, 0]),
  payload([14, 1, ...string(ziplist())]),
  payload([16, ...string([7, 0, 0, 0, 0, 0, 0xff])]),
  payload([16, ...string([9, 0, 0, 0, 1, 0, 5, 1, 0xff])]),
  payload([16, ...string([15, 0, 0, 0, 4, 0, 5, 1, 5, 1, 5, 1, 5, 1, 0xff])]),
  payload([17, ...string([7, 0, 0, 0, 0, 0, 0xff])]),
  payload([17, ...string([9, 0, 0, 0, 1, 0, 5, 1, 0xff])]),
  payload([18, 0]),
  payload([18, 1, 3, ...string([9, 0, 0, 0, 1, 0, 5, 1, 0xff])]),
  payload([18, 1, 2, ...string([9, 0, 0, 0, 1, 0, 5, 2, 0xff])]),
  payload([18, 1, 2, ...string([9, 0, 0, 0, 2, 0, 5, 1, 0xff])]),
  payload([18, 1, 2, ...string([7, 0, 0, 0, 0, 0, 0xff])]),
  payload([18, 1, 1, 0]),
];

compareCases('damaged payloads are rejected', [
  'CONFIG SET sanitize-dump-payload yes',
  'SET k old',
  ...DAMAGED.map((damaged): Case => ['RESTORE', 'k', 0, damaged, 'REPLACE']),
  'GET k',
  unordered('KEYS *'),
]);

compareLive('each server restores payloads of the other', async ({ connect }) => {
  const connection = await connect();
  for (const [from, to] of [
    ['redis', 'sorrel'],
    ['sorrel', 'redis'],
  ] as const) {
    for (const command of ORDERED_VALUES) {
      await connection[from].call('DEL k');
      await connection[from].call(command);
      const dump = bytesOf(await connection[from].call('DUMP k'));
      await connection[to].call(['RESTORE', 'k', 0, dump, 'REPLACE']);
      const [before, after] = await Promise.all(
        [from, to].map((side) => connection[side].call('DEBUG DIGEST-VALUE k')),
      );
      if (!before!.raw.equals(after!.raw))
        throw new Error(`${from} to ${to}: ${command.slice(0, 4).join(' ')}`);
    }
  }
});

const key = fc.constantFrom('a', 'b');
const element = fc.oneof(
  fc.constantFrom('', '1', 'x', 'long'.repeat(30)),
  fc.integer().map(String),
  fc.string(),
);

generated(
  'payloads of lists and packed collections',
  fc.oneof(
    fc.tuple(fc.constantFrom('RPUSH', 'LPUSH'), key, element, element, element),
    fc.tuple(fc.constantFrom('LPOP', 'RPOP', 'DUMP'), key),
    fc.tuple(fc.constant('LSET'), key, fc.constantFrom('0', '1', '-1'), element),
    fc.tuple(fc.constant('LINSERT'), key, fc.constantFrom('BEFORE', 'AFTER'), element, element),
    fc.tuple(fc.constant('LREM'), key, fc.constantFrom('0', '1', '-1'), element),
    fc.tuple(fc.constant('SADD'), fc.constant('ints'), fc.integer().map(String)),
    fc.tuple(fc.constant('HSET'), fc.constant('h'), fc.constantFrom('f', 'g', '1'), fc.integer().map(String)),
    fc.tuple(fc.constant('ZADD'), fc.constant('z'), fc.double({ noNaN: true }).map(String), element),
    fc.constantFrom(['DUMP', 'ints'], ['DUMP', 'h']),
  ),
  { runs: 60, setup: ['CONFIG SET list-max-listpack-size 4'] },
);

/** A payload of any bytes with a valid version and checksum. */
function payload(value: readonly number[]): Buffer {
  const bytes = Buffer.from([...value, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const end = bytes.length - 8;
  new Crc64().update(bytes, 0, end).writeTo(bytes, end);
  return bytes;
}

/** A string with its length. */
function string(bytes: readonly number[]): number[] {
  return bytes.length < 64
    ? [bytes.length, ...bytes]
    : [0x40 | (bytes.length >> 8), bytes.length & 255, ...bytes];
}

function ziplist(...elements: (string | number)[]): number[] {
  const entries: number[] = [];
  let previous = 0;
  let last = 10;
  for (const each of elements) {
    last = 10 + entries.length;
    const entry = [previous, ...ziplistData(each)];
    entries.push(...entry);
    previous = entry.length;
  }
  const header = Buffer.alloc(10);
  header.writeUInt32LE(11 + entries.length, 0);
  header.writeUInt32LE(last, 4);
  header.writeUInt16LE(elements.length, 8);
  return [...header, ...entries, 0xff];
}

function ziplistData(value: string | number): number[] {
  if (typeof value === 'string') {
    const bytes = [...Buffer.from(value)];
    return bytes.length < 64 ? [bytes.length, ...bytes] : [0x40, bytes.length, ...bytes];
  }
  if (value >= 0 && value <= 12) return [0xf1 + value];
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  if (value >= -128 && value < 128) return [0xfe, ...bytes.subarray(0, 1)];
  if (value >= -32_768 && value < 32_768) return [0xc0, ...bytes.subarray(0, 2)];
  if (value >= -8_388_608 && value < 8_388_608) return [0xf0, ...bytes.subarray(0, 3)];
  if (value >= -2_147_483_648 && value < 2_147_483_648) return [0xd0, ...bytes.subarray(0, 4)];
  return [0xe0, ...bytes];
}

const WRONG_CHECKSUM = Buffer.from('\0\x01v\x0a\0badcheck', 'latin1');

compareCases('checksums can be ignored', [
  { send: ['RESTORE', 'k', '0', WRONG_CHECKSUM] },
  'DEBUG SET-SKIP-CHECKSUM-VALIDATION 1',
  { send: ['RESTORE', 'k', '0', WRONG_CHECKSUM] },
  'GET k',
  'DEBUG SET-SKIP-CHECKSUM-VALIDATION 0',
  { send: ['RESTORE', 'k', '0', WRONG_CHECKSUM, 'REPLACE'] },
]);
