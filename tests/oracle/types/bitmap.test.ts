import fc from 'fast-check';
import { type Case, compareCases, compareLive, generated, near } from '../support/index.js';

const INT64_MAX = '9223372036854775807';
const INT64_MIN = '-9223372036854775808';

function each(values: readonly string[], steps: (value: string) => readonly Case[]): Case[] {
  return values.flatMap(steps);
}

compareCases('SETBIT and GETBIT', [
  'SETBIT k 7 1',
  'GET k',
  'OBJECT ENCODING k',
  'SETBIT k 7 0',
  'SETBIT k 7 0',
  'GETBIT k 7',
  'SETBIT k 100 1',
  'STRLEN k',
  'GET k',
  'GETBIT k 100',
  'GETBIT k 101',
  'GETBIT k 100000',
  'GETBIT absent 5',
  'SETBIT zero 20 0',
  'STRLEN zero',
  'SET n 1234',
  'GETBIT n 2',
  'GETBIT n 31',
  'GETBIT n 32',
  'OBJECT ENCODING n',
  'SETBIT n 7 0',
  'OBJECT ENCODING n',
  'GET n',
  ['SET', 'max', INT64_MAX],
  'SETBIT max 0 1',
  'GET max',
  'SET e abc EX 100',
  'SETBIT e 0 1',
  near('TTL e', 10),
  ...each(
    ['-1', 'abc', '', '1.5', '4294967296', '4294967295x', '#1', INT64_MAX, '9223372036854775808', ' 1'],
    (offset) => [
      ['SETBIT', 'k', offset, '1'],
      ['GETBIT', 'k', offset],
      ['SETBIT', 'k', offset, '2'],
    ],
  ),
  ...each(['2', '-1', 'abc', '', '10', INT64_MAX], (bit) => [['SETBIT', 'k', '0', bit]]),
  'GETBIT k 4294967295',
  'RPUSH list a',
  'SETBIT list 0 1',
  'GETBIT list 0',
  'SETBIT list -1 1',
  'SETBIT list 0 2',
  'SETBIT k 1',
  'GETBIT k',
]);

const POSITIONS = ['0', '1', '5', '6', '7', '8', '30', '-1', '-2', '-6', '-7', '-30', INT64_MAX, INT64_MIN];

compareCases('BITCOUNT', [
  'SET k foobar',
  'SET n 12345',
  'SET e ""',
  ...each(['k', 'n', 'e', 'absent'], (key) => [
    ['BITCOUNT', key],
    ...each(POSITIONS, (from) =>
      each(POSITIONS, (to) => [
        ['BITCOUNT', key, from, to],
        ['BITCOUNT', key, from, to, 'BIT'],
        ['BITCOUNT', key, from, to, 'byte'],
      ]),
    ),
  ]),
  'BITCOUNT k 0',
  'BITCOUNT k 0 1 FOO',
  'BITCOUNT k -1 -2 FOO',
  'BITCOUNT k 0 1 BIT BIT',
  'BITCOUNT k a 1',
  'BITCOUNT k 0 b',
  'BITCOUNT k a 1 FOO',
  'BITCOUNT absent 0',
  'BITCOUNT absent a b',
  'BITCOUNT absent 0 1 FOO',
  'RPUSH list a',
  'BITCOUNT list',
  'BITCOUNT list a b',
  'BITCOUNT',
]);

compareCases('BITPOS', [
  ['SET', 'k', Buffer.from([0xff, 0xf0, 0x00, 0x0f])],
  ['SET', 'ones', Buffer.from([0xff, 0xff, 0xff])],
  ['SET', 'zeros', Buffer.from([0, 0, 0])],
  'SET n 12345',
  'SET e ""',
  ...each(['k', 'ones', 'zeros', 'n', 'e', 'absent'], (key) =>
    each(['0', '1'], (bit) => [
      ['BITPOS', key, bit],
      ...each(POSITIONS, (from) => [
        ['BITPOS', key, bit, from],
        ...each(POSITIONS, (to) => [
          ['BITPOS', key, bit, from, to],
          ['BITPOS', key, bit, from, to, 'BIT'],
          ['BITPOS', key, bit, from, to, 'BYTE'],
        ]),
      ]),
    ]),
  ),
  ...each(['2', '-1', 'abc', ''], (bit) => [
    ['BITPOS', 'k', bit],
    ['BITPOS', 'absent', bit],
  ]),
  'BITPOS k 1 a',
  'BITPOS k 1 0 b',
  'BITPOS k 1 0 b FOO',
  'BITPOS k 1 a b FOO',
  'BITPOS k 1 0 1 FOO',
  'BITPOS k 1 0 1 BIT 3',
  'BITPOS absent 1 a b c d',
  'BITPOS absent 1 a b',
  'RPUSH list a',
  'BITPOS list 1',
  'BITPOS list 2',
  'BITPOS list 1 a',
  'BITPOS k',
]);

compareCases('BITOP', [
  ['SET', 'a', Buffer.from([0xf0, 0x0f, 0xaa])],
  ['SET', 'b', Buffer.from([0xff, 0x00, 0x55, 0x77, 0x01])],
  'SET n 12345',
  'SET m 777',
  'SET e ""',
  ...each(['AND', 'or', 'XOR'], (operation) => [
    ['BITOP', operation, 'd', 'a', 'b'],
    ['GET', 'd'],
    ['BITOP', operation, 'd', 'b', 'a'],
    ['GET', 'd'],
    ['BITOP', operation, 'd', 'a', 'b', 'n', 'm'],
    ['GET', 'd'],
    ['BITOP', operation, 'd', 'n', 'm'],
    ['GET', 'd'],
    ['OBJECT', 'ENCODING', 'd'],
    ['BITOP', operation, 'd', 'a', 'absent'],
    ['GET', 'd'],
    ['BITOP', operation, 'd', 'absent', 'a'],
    ['GET', 'd'],
    ['BITOP', operation, 'd', 'a'],
    ['GET', 'd'],
    ['BITOP', operation, 'd', 'e', 'absent'],
    ['EXISTS', 'd'],
    ['BITOP', operation, 'd', 'd', 'a', 'd', 'a'],
    ['GET', 'd'],
  ]),
  'BITOP NOT d a',
  'GET d',
  'BITOP not d d',
  'GET d',
  'BITOP NOT d n',
  'GET d',
  'BITOP NOT d absent',
  'EXISTS d',
  'BITOP NOT d e',
  'BITOP NOT d a b',
  'BITOP FOO d a',
  'BITOP NOT d',
  'BITOP',
  'SET ttl v EX 100',
  'BITOP OR ttl a',
  'TTL ttl',
  'RPUSH list x',
  'BITOP AND d a list',
  'BITOP NOT d list',
  'BITOP FOO d list',
  'BITOP AND list a b',
  'TYPE list',
  'RPUSH list2 x',
  'BITOP AND list2 absent',
  'EXISTS list2',
]);

compareLive('BITOP and BITCOUNT on long strings', async ({ sendBoth }) => {
  const pattern = (seed: number, length: number) =>
    Buffer.from(Uint8Array.from({ length }, (_, i) => (i * seed + (i >> 7)) & 255));
  await sendBoth(['SET', 'a', pattern(31, 100_003)]);
  await sendBoth(['SET', 'b', pattern(17, 77_777)]);
  await sendBoth(['SET', 'c', pattern(7, 65)]);
  for (const operation of ['AND', 'OR', 'XOR']) {
    for (const sources of [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'a', 'b'],
      ['a', 'c'],
      ['c', 'c'],
      ['a', 'a', 'a'],
    ]) {
      await sendBoth(['BITOP', operation, 'd', ...sources]);
      await sendBoth(['GET', 'd']);
      await sendBoth(['BITCOUNT', 'd']);
      await sendBoth(['BITCOUNT', 'd', '3', '-5']);
      await sendBoth(['BITCOUNT', 'd', '13', '-11', 'BIT']);
      await sendBoth(['BITPOS', 'd', '1', '11']);
      await sendBoth(['BITPOS', 'd', '0', '1000', '-1', 'BIT']);
    }
  }
  for (const source of ['a', 'b', 'c']) {
    await sendBoth(['BITOP', 'NOT', 'd', source]);
    await sendBoth(['GET', 'd']);
  }
  await sendBoth(['SETBIT', 'sparse', '80000001', '1']);
  await sendBoth(['BITPOS', 'sparse', '1']);
  await sendBoth(['BITCOUNT', 'sparse']);
  await sendBoth(['BITOP', 'NOT', 'sparse', 'sparse']);
  await sendBoth(['BITPOS', 'sparse', '0']);
  await sendBoth(['BITPOS', 'sparse', '1', '10000000']);
  await sendBoth(['BITCOUNT', 'sparse', '1', '-2', 'BIT']);
});

const TYPES = ['u1', 'i1', 'u8', 'i8', 'u31', 'i32', 'i45', 'u45', 'i46', 'u46', 'u53', 'i63', 'u63', 'i64'];
const OPERANDS = [
  '0',
  '1',
  '-1',
  '127',
  '-128',
  '128',
  '255',
  '256',
  '-129',
  '4294967296',
  '-4294967297',
  '9007199254740993',
  '4611686018427387904',
  INT64_MAX,
  INT64_MIN,
  '-9223372036854775807',
];

compareCases('BITFIELD reads and writes every width', [
  ...each(TYPES, (type) => [
    ...each(OPERANDS, (operand) =>
      each(['WRAP', 'SAT', 'FAIL'], (overflow) => [
        ['BITFIELD', 'k', 'OVERFLOW', overflow, 'SET', type, '3', operand, 'GET', type, '3'],
        ['BITFIELD', 'k', 'OVERFLOW', overflow, 'INCRBY', type, '3', operand, 'GET', type, '3'],
        ['BITFIELD', 'k', 'OVERFLOW', overflow, 'INCRBY', type, '#1', operand],
        ['GET', 'k'],
      ]),
    ),
    'DEL k',
  ]),
]);

compareCases('BITFIELD syntax', [
  'BITFIELD k',
  'EXISTS k',
  'BITFIELD k GET u8 0',
  'EXISTS k',
  'BITFIELD k SET u8 0 255 GET i8 0 GET u4 4 GET i4 2 INCRBY u2 6 1',
  'GET k',
  'OBJECT ENCODING k',
  'BITFIELD k OVERFLOW FAIL INCRBY u2 6 3 INCRBY u2 6 3',
  'BITFIELD k overflow sat INCRBY u2 6 3 OVERFLOW wrap INCRBY u2 6 3',
  'BITFIELD k GET u8 #1 GET u8 #0 SET u16 #2 65535 GET u8 100',
  'STRLEN k',
  'BITFIELD fresh OVERFLOW FAIL SET u8 20 256',
  'EXISTS fresh',
  'STRLEN fresh',
  'SET n 12345',
  'BITFIELD n GET u8 0 GET i64 0 GET u8 36',
  'OBJECT ENCODING n',
  'BITFIELD n SET u8 0 65',
  'OBJECT ENCODING n',
  'GET n',
  'SET e v EX 100',
  'BITFIELD e SET u8 0 65',
  near('TTL e', 10),
  ...each(['u0', 'u64', 'i65', 'i0', 'x8', 'U8', 'I8', '8', 'u', '', 'u8x', 'u-1', 'i 8'], (type) => [
    ['BITFIELD', 'k', 'GET', type, '0'],
  ]),
  ...each(
    [
      '-1',
      'abc',
      '',
      '#',
      '#-1',
      '#abc',
      '#+1',
      '4294967295',
      '4294967296',
      '#536870911',
      '#536870912',
      '#2305843009213693952',
      `#${INT64_MAX}`,
      INT64_MAX,
    ],
    (offset) => [
      ['BITFIELD', 'k', 'GET', 'u8', offset],
      ['BITFIELD', 'k', 'GET', 'i64', offset],
    ],
  ),
  'BITFIELD k FOO',
  'BITFIELD k GET',
  'BITFIELD k GET u8',
  'BITFIELD k SET u8 0',
  'BITFIELD k SET u8 0 abc',
  'BITFIELD k SET u8 0 9223372036854775808',
  'BITFIELD k SET u8 -1 abc',
  'BITFIELD k INCRBY u8 0',
  'BITFIELD k OVERFLOW',
  'BITFIELD k OVERFLOW FOO',
  'BITFIELD k OVERFLOW FAIL',
  'BITFIELD k SET u8 0 1 FOO',
  'BITFIELD k GET u8 0 GET u9',
  'GET k',
  'RPUSH list a',
  'BITFIELD list',
  'BITFIELD list GET u8 0',
  'BITFIELD list SET u8 0 1',
  'BITFIELD list SET u8 0 abc',
  'BITFIELD',
]);

compareCases('BITFIELD_RO', [
  'SET k foobar',
  'BITFIELD_RO k GET u8 0 GET i16 #1',
  'BITFIELD_RO k',
  'BITFIELD_RO k SET u8 0 1',
  'BITFIELD_RO k GET u8 0 INCRBY u8 0 1',
  'BITFIELD_RO k OVERFLOW SAT GET u8 0',
  'BITFIELD_RO k OVERFLOW FOO GET u8 0',
  'BITFIELD_RO k SET u8 0 abc',
  'BITFIELD_RO absent GET u8 0',
  'EXISTS absent',
  'RPUSH list a',
  'BITFIELD_RO list GET u8 0',
  'BITFIELD_RO list SET u8 0 1',
  'GET k',
]);

const key = fc.constantFrom('a', 'b', 'c');
const bit = fc.constantFrom('0', '1');
const bitOffset = fc.oneof(
  fc.nat(300).map(String),
  fc.nat(5000).map(String),
  fc.constantFrom('-1', '4294967296', 'x'),
);
const position = fc.integer({ min: -700, max: 700 }).map(String);
const unit = fc.constantFrom('BIT', 'BYTE');
const content = fc.oneof(
  fc.uint8Array({ maxLength: 90 }).map((bytes) => Buffer.from(bytes)),
  fc.integer().map((integer) => Buffer.from(String(integer))),
  fc.tuple(fc.constantFrom(0, 255), fc.nat(90)).map(([byte, length]) => Buffer.alloc(length, byte)),
);
const fieldType = fc.oneof(
  fc.integer({ min: 1, max: 64 }).map((width) => `i${width}`),
  fc.integer({ min: 1, max: 64 }).map((width) => `u${width}`),
);
const fieldOffset = fc.oneof(
  fc.nat(200).map(String),
  fc.nat(10).map((n) => `#${n}`),
);
const operand = fc.oneof(
  fc.integer({ min: -300, max: 300 }).map(String),
  fc.integer().map(String),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
  fc.constantFrom(INT64_MAX, INT64_MIN),
);
const fieldOperation = fc.oneof(
  fc.tuple(fc.constant('GET'), fieldType, fieldOffset),
  fc.tuple(fc.constantFrom('SET', 'INCRBY'), fieldType, fieldOffset, operand),
  fc.tuple(fc.constant('OVERFLOW'), fc.constantFrom('WRAP', 'SAT', 'FAIL')),
);

const anyBitmapCommand = fc.oneof(
  fc.tuple(fc.constant('SETBIT'), key, bitOffset, bit),
  fc.tuple(fc.constant('GETBIT'), key, bitOffset),
  fc.tuple(fc.constant('BITCOUNT'), key),
  fc.tuple(fc.constant('BITCOUNT'), key, position, position, unit),
  fc.tuple(fc.constant('BITPOS'), key, bit),
  fc.tuple(fc.constant('BITPOS'), key, bit, position),
  fc.tuple(fc.constant('BITPOS'), key, bit, position, position, unit),
  fc.tuple(fc.constantFrom('AND', 'OR', 'XOR', 'NOT'), key, key).map((args) => ['BITOP', ...args]),
  fc.tuple(fc.constantFrom('AND', 'OR', 'XOR'), key, key, key, key).map((args) => ['BITOP', ...args]),
  fc
    .tuple(key, fc.array(fieldOperation, { minLength: 1, maxLength: 4 }))
    .map(([k, operations]) => ['BITFIELD', k, ...operations.flat()]),
  fc.tuple(fc.constant('SET'), key, content),
  fc.tuple(fc.constant('APPEND'), key, content),
  fc.tuple(fc.constantFrom('GET', 'STRLEN', 'DEL', 'INCR'), key),
);

generated('bitmaps', anyBitmapCommand, { runs: 80 });
generated('bitmaps', anyBitmapCommand, { runs: 20, protocol: 3 });
