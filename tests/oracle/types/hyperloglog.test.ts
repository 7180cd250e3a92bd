import fc from 'fast-check';
import { type Case, compareCases, compareLive, generated, near, unordered } from '../support/index.js';

/** The string is compared as well as the replies: the same bytes as in Redis, including the estimate in the header. */
function withContent(key: string, ...commands: readonly Case[]): Case[] {
  return commands.flatMap((command) => [command, ['GET', key], ['OBJECT', 'ENCODING', key]]);
}

function words(from: number, count: number, prefix = 'element'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}:${from + i}`);
}

/** A header with this form and estimate, and the bytes after it. */
function craft(form: number, rest: readonly number[], estimate: readonly number[] = []): Buffer {
  const header = Buffer.alloc(16);
  header.write('HYLL');
  header[4] = form;
  Buffer.from(estimate).copy(header, 8);
  return Buffer.concat([header, Buffer.from(rest)]);
}

compareCases('PFADD and PFCOUNT store the same bytes as Redis', [
  ...withContent('h', 'PFADD h', 'PFADD h', 'PFCOUNT h', 'PFADD h a', 'PFADD h a', 'PFCOUNT h', 'PFCOUNT h'),
  ...withContent('h', 'PFADD h b c d e f g', 'PFCOUNT h', 'PFADD h a b c', 'PFCOUNT h'),
  ...withContent('e', ['PFADD', 'e', ''], 'PFCOUNT e', ['PFADD', 'e', Buffer.from([0, 255, 128, 1])]),
  'PFCOUNT h e',
  'PFCOUNT h e absent',
  'PFCOUNT absent',
  'PFCOUNT absent absent2',
  'PFDEBUG DECODE h',
  'PFDEBUG ENCODING h',
  'TYPE h',
  'STRLEN h',
]);

compareCases('elements of every length have the same hash as in Redis', [
  ...Array.from({ length: 70 }, (_, length): Case[] => [
    ['PFADD', 'h', Buffer.from(Array.from({ length }, (_, i) => (i * 37 + length * 101) & 255))],
    ['PFADD', `single:${length}`, Buffer.alloc(length, 0xff)],
    ['PFDEBUG', 'DECODE', `single:${length}`],
  ]).flat(),
  'PFDEBUG DECODE h',
  'PFCOUNT h',
]);

compareCases('a HyperLogLog grows from sparse to dense', [
  ...Array.from({ length: 30 }, (_, i): Case[] => [
    ['PFADD', 'h', ...words(i * 100, 100)],
    ['STRLEN', 'h'],
    ['PFDEBUG', 'ENCODING', 'h'],
    ['GET', 'h'],
    ['PFCOUNT', 'h'],
    ['GET', 'h'],
  ]).flat(),
  ['PFADD', 'h', ...words(0, 3000)],
  'PFDEBUG GETREG h',
]);

compareCases('hll-sparse-max-bytes is the limit of the sparse form', [
  ...['0', '10', '18', '20', '30', '100', '1kb', '20000'].flatMap((limit, i): Case[] => [
    ['CONFIG', 'SET', 'hll-sparse-max-bytes', limit],
    ...Array.from({ length: 12 }, (_, j): Case[] => [
      ['PFADD', `h:${i}`, ...words(j * 30, 30)],
      ['GET', `h:${i}`],
    ]).flat(),
    ['PFDEBUG', 'ENCODING', `h:${i}`],
    ['PFCOUNT', `h:${i}`],
    ['PFMERGE', `m:${i}`, 'h:0', `h:${i}`],
    ['GET', `m:${i}`],
    ['PFMERGE', `n:${i}`, `h:${i}`],
    ['GET', `n:${i}`],
  ]),
  'CONFIG GET hll-sparse-max-bytes',
]);

compareCases('PFMERGE', [
  ['PFADD', 'a', ...words(0, 50)],
  ['PFADD', 'b', ...words(30, 50)],
  ['PFADD', 'large', ...words(0, 5000, 'other')],
  ...withContent('d', 'PFMERGE d', 'PFMERGE d a', 'PFCOUNT d', 'PFMERGE d a b', 'PFCOUNT d', 'PFMERGE d'),
  ...withContent('a', 'PFMERGE a', 'PFMERGE a a', 'PFMERGE a absent', 'PFMERGE a b b b', 'PFCOUNT a'),
  ...withContent('d', 'PFMERGE d large', 'PFCOUNT d'),
  ...withContent('large', 'PFMERGE large a b', 'PFCOUNT large'),
  'PFCOUNT a b large',
  ...withContent('fresh', 'PFMERGE fresh absent absent2', 'PFCOUNT fresh'),
  'SET s text',
  'PFMERGE a s',
  'PFMERGE s a',
  'RPUSH l x',
  'PFMERGE l a',
  'PFMERGE a l',
  'PFMERGE new b l',
  'EXISTS new',
  'PFMERGE',
  'PFADD t x',
  'EXPIRE t 100',
  'PFADD t y',
  near('TTL t', 10),
  'PFMERGE t a',
  near('TTL t', 10),
  'PFCOUNT t',
  near('TTL t', 10),
]);

compareCases('PFDEBUG', [
  'PFADD h a b c',
  'PFDEBUG ENCODING h',
  'pfdebug decode h',
  'PFDEBUG TODENSE h',
  'GET h',
  'PFDEBUG TODENSE h',
  'PFDEBUG ENCODING h',
  'PFDEBUG DECODE h',
  'PFDEBUG GETREG h',
  'PFADD i a b c',
  'PFDEBUG GETREG i',
  'PFDEBUG ENCODING i',
  'PFDEBUG FOO h',
  'PFDEBUG FOO absent',
  'PFDEBUG GETREG absent',
  'SET s x',
  'PFDEBUG FOO s',
  'RPUSH l x',
  'PFDEBUG DECODE l',
  'PFDEBUG DECODE',
  'PFDEBUG DECODE h h',
  'PFSELFTEST x',
]);

compareCases('PFSELFTEST', ['PFSELFTEST'], { protocols: [2] });

const NOT_HYPERLOGLOGS: readonly (string | Buffer)[] = [
  '',
  '12345',
  'HYLL',
  'HYLLxxxxxxxxxxxxx',
  craft(2, [0x7f, 0xff]),
  craft(0, [0x7f, 0xff]),
  craft(
    0,
    Array.from({ length: 12_289 }, () => 0),
  ),
  craft(1, [0x7f, 0xff]).subarray(0, 15),
  Buffer.from('hyll\x01\0\0\0\0\0\0\0\0\0\0\0\x7f\xff', 'latin1'),
];

/** Valid headers, but too many runs, too few or none. */
const CORRUPT: readonly (readonly number[])[] = [
  [],
  [0x7f],
  [0x7f, 0xfe],
  [0x7f, 0xff, 0],
  [0x7f, 0xff, 0x80],
  [0x7f, 0xfe, 0x81],
  [0x40, 0x00, 0x3f],
  [0x80, 0x84, 0x88],
  [0x00, 0x7f],
  [0x7f, 0xff, 0x7f, 0xff],
  [0x40, 0x00, 0x7f, 0xfe],
];

compareCases('strings that are not a HyperLogLog, or a corrupt one', [
  ...NOT_HYPERLOGLOGS.flatMap((value): Case[] => [
    ['SET', 's', value],
    'PFADD s a',
    'PFADD s',
    'PFCOUNT s',
    'PFCOUNT s s',
    'PFMERGE d s',
    'PFMERGE s',
    'PFDEBUG DECODE s',
    'GET s',
    'OBJECT ENCODING s',
  ]),
  ...CORRUPT.flatMap((runs): Case[] =>
    [[], [0, 0, 0, 0, 0, 0, 0, 0x80]].flatMap((estimate): Case[] => {
      const set: Case = ['SET', 's', craft(1, runs, estimate)];
      return [
        set,
        'PFCOUNT s',
        'GET s',
        'PFCOUNT s s',
        'PFMERGE d s',
        'PFMERGE s',
        'GET s',
        'PFDEBUG DECODE s',
        'PFDEBUG TODENSE s',
        'PFDEBUG GETREG s',
        'GET s',
        set,
        'PFADD s a b c d',
        'GET s',
        'PFADD s',
        'OBJECT ENCODING s',
      ];
    }),
  ),
  ['SET', 'c', craft(1, [0x7f, 0xff], [1, 2, 3, 4, 5, 6, 7, 0x7f])],
  'OBJECT ENCODING c',
  'PFCOUNT c',
  'OBJECT ENCODING c',
  'GET c',
  ['SET', 'c', craft(1, [0x7f, 0xff], [1, 2, 3])],
  'PFADD c',
  'PFCOUNT c',
  'PFADD c x',
  'GET c',
  'PFCOUNT c',
  [
    'SET',
    'dense',
    craft(
      0,
      Array.from({ length: 12_288 }, (_, i) => (i * 73) & 255),
    ),
  ],
  'PFDEBUG GETREG dense',
  'PFCOUNT dense',
  'PFCOUNT dense c',
  'PFMERGE c dense',
  'PFCOUNT c',
  'GET c',
  [
    'SET',
    'full',
    craft(
      0,
      Array.from({ length: 12_288 }, () => 255),
      [0, 0, 0, 0, 0, 0, 0, 0x80],
    ),
  ],
  'PFCOUNT full',
  'PFADD full a b c',
  'RPUSH l x',
  'PFADD l a',
  'PFCOUNT l',
  'PFCOUNT absent l',
  'PFADD',
  'PFCOUNT',
]);

/** Splits and joins runs in every way, value by value and register by register. */
const run = fc.oneof(
  fc.nat(63).map((length) => ({ bytes: [length], length: length + 1 })),
  fc.nat(0xfff).map((length) => ({ bytes: [0x40 | (length >> 8), length & 255], length: length + 1 })),
  fc.tuple(fc.nat(4), fc.nat(3)).map(([value, length]) => ({
    bytes: [0x80 | (value << 2) | length],
    length: length + 1,
  })),
);

const craftedValue = fc.array(run, { minLength: 1, maxLength: 40 }).map((runs) => {
  const bytes: number[] = [];
  let registers = 0;
  for (const { bytes: more, length } of runs) {
    if (registers + length > 16_384) break;
    bytes.push(...more);
    registers += length;
  }
  const rest = 16_384 - registers;
  if (rest > 0) bytes.push(0x40 | ((rest - 1) >> 8), (rest - 1) & 255);
  return craft(1, bytes);
});

const key = fc.constantFrom('h1', 'h2', 'h3', 'h4');
const element = fc.oneof(
  fc.nat(300).map(String),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
);

const command = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('PFADD'), key, element, element, element) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('SET'), key, craftedValue) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(key, fc.nat(5000), fc.nat(400))
      .map(([name, from, count]) => ['PFADD', name, ...words(from, count, '')]),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constant('PFCOUNT'), key) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('PFCOUNT'), key, key) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('PFMERGE'), key, key, key) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('GET'), key) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('PFDEBUG'), fc.constant('DECODE'), key) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('DUMP'), key) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('APPEND'), key, fc.constantFrom('\0', 'x')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('DEL'), key) },
);

generated('hyperloglogs', command, { runs: 30, steps: 60 });

compareLive('estimates of many elements are equal', async ({ sendBoth }) => {
  for (let i = 0; i < 100; i++) await sendBoth(['PFADD', `h${i % 5}`, ...words(i * 1000, 1000, '')]);
  for (let i = 0; i < 5; i++) await sendBoth(['PFCOUNT', `h${i}`]);
  await sendBoth(['PFCOUNT', 'h0', 'h1', 'h2', 'h3', 'h4']);
  await sendBoth(['PFMERGE', 'all', 'h0', 'h1', 'h2', 'h3', 'h4']);
  await sendBoth(['PFCOUNT', 'all']);
  await sendBoth(['GET', 'all']);
});

compareCases('PFCOUNT counts as a change only when it stores an estimate', [
  'PFADD h a',
  'WATCH h',
  'PFCOUNT h',
  'MULTI',
  'EXEC',
  'WATCH h',
  'PFCOUNT h',
  'MULTI',
  'EXEC',
  'WATCH h',
  'PFDEBUG TODENSE h',
  'MULTI',
  'EXEC',
  'WATCH h',
  'PFADD h a',
  'MULTI',
  'EXEC',
  unordered('KEYS *'),
]);
