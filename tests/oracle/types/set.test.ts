import fc from 'fast-check';
import {
  bytesOf,
  type Case,
  type Command,
  compareCases,
  compareLive,
  generated,
  itemsOf,
  on,
  plain,
  receive,
  typeOnly,
  unordered,
} from '../support/index.js';

const BINARY = Buffer.from([0, 13, 10, 255, 128, 0]);
const RANDOM = 'chosen at random';

/** Every command of sets, with valid arguments. */
function everyCommand(key: string): string[] {
  return [
    `SADD ${key} m`,
    `SREM ${key} m`,
    `SISMEMBER ${key} m`,
    `SMISMEMBER ${key} m n`,
    `SCARD ${key}`,
    `SMEMBERS ${key}`,
    `SPOP ${key}`,
    `SPOP ${key} 2`,
    `SRANDMEMBER ${key}`,
    `SRANDMEMBER ${key} 2`,
    `SRANDMEMBER ${key} -2`,
    `SMOVE ${key} other m`,
    `SMOVE other ${key} m`,
    `SINTER ${key}`,
    `SINTER other ${key}`,
    `SINTERSTORE target ${key}`,
    `SINTERSTORE target other ${key}`,
    `SINTERCARD 1 ${key}`,
    `SINTERCARD 2 other ${key}`,
    `SUNION ${key}`,
    `SUNION other ${key}`,
    `SUNIONSTORE target other ${key}`,
    `SDIFF ${key}`,
    `SDIFF other ${key}`,
    `SDIFFSTORE target other ${key}`,
    `SSCAN ${key} 0`,
  ];
}

function members(count: number, prefix = ''): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

function shown(key: string): Case[] {
  return [`SCARD ${key}`, `OBJECT ENCODING ${key}`, unordered(`SMEMBERS ${key}`)];
}

compareCases('every set command rejects a key of another type', [
  'SET s x',
  ...everyCommand('s'),
  'SADD other m',
  ...everyCommand('s'),
  'GET s',
  unordered('KEYS *'),
]);

compareCases('every set command on a missing key', [
  ...everyCommand('k').flatMap((command) => [command, 'DEL k other target']),
]);

compareCases('every set command checks the number of arguments', [
  ...everyCommand('k').flatMap((command) => {
    const words = command.split(' ');
    return words.slice(1).map((_, i) => words.slice(0, i + 1).join(' '));
  }),
  'SISMEMBER k m n',
  'SCARD k x',
  'SMEMBERS k x',
  'SMOVE a b c d',
  'SPOP k 1 2',
  'SRANDMEMBER k 1 2',
]);

compareCases('members are added, queried and removed', [
  'SADD s a b c a',
  'SADD s a b c',
  'SADD s d',
  ...shown('s'),
  'SISMEMBER s a',
  'SISMEMBER s A',
  'SMISMEMBER s a x b a',
  'SMISMEMBER none a x',
  'SREM s x',
  'SREM s a a x b',
  ...shown('s'),
  'SREM s c d e f',
  'EXISTS s',
  'SREM s c',
]);

compareCases('members are byte strings', [
  ['SADD', 's', BINARY, '', 'x'.repeat(100_000)],
  ['SISMEMBER', 's', BINARY],
  'SISMEMBER s ""',
  ['SISMEMBER', 's', 'x'.repeat(100_000)],
  ['SISMEMBER', 's', 'x'.repeat(99_999)],
  ...shown('s'),
  ['SREM', 's', BINARY, 'x'.repeat(100_000)],
  'SMEMBERS s',
  'SPOP s',
]);

compareCases('a set of integers is an intset until another member is added', [
  'SADD s 3 1 2 -5',
  ...shown('s'),
  'SMEMBERS s',
  'SADD s 2',
  'SADD s 70000 -70000',
  'SADD s 9223372036854775807 -9223372036854775808 4294967296',
  ...shown('s'),
  'SMEMBERS s',
  ...['1', '01', '+1', ' 1', '1.0', '-0', '0', '-5', '9223372036854775807', '9223372036854775808'].map(
    (member): Command => ['SISMEMBER', 's', member],
  ),
  'SREM s 9223372036854775807 01 1',
  ...shown('s'),
  'SADD s 9223372036854775808',
  ...shown('s'),
  'SREM s 9223372036854775808',
  ...shown('s'),
  'SADD t 1 2 x',
  ...shown('t'),
  'SADD u 007',
  ...shown('u'),
  'SADD v ""',
  ...shown('v'),
]);

compareCases('the encoding follows the number of integers', [
  ['SADD', 'a', ...members(512)],
  ...shown('a'),
  'SADD a 512',
  ...shown('a'),
  'SREM a 512',
  'OBJECT ENCODING a',
  ['SADD', 'b', ...members(513)],
  'OBJECT ENCODING b',
  ['SADD', 'c', ...members(40, 'member')],
  ...shown('c'),
  'SISMEMBER c member17',
  'SISMEMBER c member40',
  ['SREM', 'c', ...members(30, 'member')],
  ...shown('c'),
]);

compareCases('the threshold is a setting', [
  'CONFIG SET set-max-intset-entries 3',
  'SADD a 1 2 3',
  ...shown('a'),
  'SADD a 4',
  ...shown('a'),
  'CONFIG SET set-max-intset-entries 0',
  'SADD b 1',
  ...shown('b'),
  'SADD c x 1',
  'SUNIONSTORE d b',
  ...shown('d'),
]);

compareCases('SMOVE', [
  'SADD a 1 2 x',
  'SADD b 1 3',
  'SMOVE a b 2',
  'SMOVE a b absent',
  'SMOVE a a 1',
  'SMOVE a a absent',
  'SMOVE a b 1',
  ...shown('a'),
  ...shown('b'),
  'SMOVE a b x',
  'EXISTS a',
  ...shown('b'),
  'SMOVE b new x',
  ...shown('new'),
  'SMOVE b newer 3',
  ...shown('newer'),
  'SET s v',
  'SMOVE none s x',
  'SMOVE s none x',
  'SMOVE b s 1',
  'SMOVE b s absent',
  'SMOVE none none x',
]);

compareCases('SINTER, SUNION and SDIFF', [
  'SADD a 1 2 3 4 5',
  'SADD b 4 5 6 7',
  'SADD c 5 x y',
  'SADD d x z',
  ...[
    'a',
    'a a',
    'a b',
    'b a',
    'a b c',
    'c a b',
    'c d',
    'd c a',
    'a none',
    'none a',
    'none',
    'c d none b',
  ].flatMap((keys): Case[] => [
    unordered(`SINTER ${keys}`),
    unordered(`SUNION ${keys}`),
    unordered(`SDIFF ${keys}`),
    `SINTERCARD ${keys.split(' ').length} ${keys}`,
  ]),
  ['SADD', 'large', ...members(1000)],
  ['SADD', 'texts', ...members(1000, 't'), '5', '999', '1000'],
  unordered('SINTER large texts'),
  unordered('SINTER a large'),
  unordered('SDIFF a large'),
  unordered('SDIFF large texts'),
  unordered('SUNION large texts a'),
]);

compareCases('the STORE commands store the result as a set', [
  'SADD a 1 2 3',
  'SADD b 2 3 4',
  'SADD c x 2',
  'SINTERSTORE t a b',
  ...shown('t'),
  'SUNIONSTORE t a b',
  ...shown('t'),
  'SUNIONSTORE t a c',
  ...shown('t'),
  'SINTERSTORE t a c',
  ...shown('t'),
  'SDIFFSTORE t c a',
  ...shown('t'),
  'SDIFFSTORE t a c',
  ...shown('t'),
  'SDIFFSTORE a a b',
  ...shown('a'),
  'SUNIONSTORE b b c',
  ...shown('b'),
  'SET t text EX 100',
  'SUNIONSTORE t b',
  'TTL t',
  ...shown('t'),
  'EXPIRE t 100',
  'SINTERSTORE t b b',
  'TTL t',
  'SINTERSTORE t b none',
  'EXISTS t',
  'SINTERSTORE t b none',
  'SET t text',
  'SDIFFSTORE t b b',
  'EXISTS t',
  'SET t text',
  'SUNIONSTORE t none missing',
  'EXISTS t',
  ['SADD', 'large', ...members(513)],
  'SUNIONSTORE t large',
  'OBJECT ENCODING t',
  ['SREM', 'large', ...members(500)],
  'SREM large x',
  'SUNIONSTORE t a large',
  'OBJECT ENCODING t',
]);

compareCases('a failing STORE command does not change its target', [
  'SET s text',
  'SADD a 1',
  'SADD t keep',
  'SUNIONSTORE t a s',
  'SINTERSTORE t a s',
  'SINTERSTORE t none s',
  'SDIFFSTORE t a s',
  'SDIFFSTORE t none s',
  'SMEMBERS t',
]);

compareCases('SINTERCARD checks its arguments', [
  'SADD a 1 2 3 4 5',
  'SADD b 2 3 4 5 6',
  'SET s x',
  'SINTERCARD 2 a b LIMIT 0',
  'SINTERCARD 2 a b LIMIT 3',
  'SINTERCARD 2 a b LIMIT 4',
  'SINTERCARD 2 a b limit 100',
  'SINTERCARD 2 a b LIMIT 1 LIMIT 2',
  'SINTERCARD 2 a b LIMIT 9223372036854775807',
  'SINTERCARD 2 a b LIMIT 9223372036854775808',
  'SINTERCARD 2 a b LIMIT -1',
  'SINTERCARD 2 a b LIMIT x',
  'SINTERCARD 2 a b LIMIT',
  'SINTERCARD 2 a b OTHER 1',
  'SINTERCARD 0 a b',
  'SINTERCARD -1 a b',
  'SINTERCARD x a b',
  'SINTERCARD 3 a b',
  'SINTERCARD 9223372036854775807 a b',
  'SINTERCARD 1 a b',
  'SINTERCARD 1 s LIMIT',
  'SINTERCARD 1 s LIMIT 1',
  'SINTERCARD 2 none s',
]);

compareCases('SPOP', [
  'SADD s only',
  'SPOP s',
  'EXISTS s',
  'SPOP s',
  'SPOP s 0',
  'SPOP s 3',
  'SPOP s x',
  'SPOP s -1',
  'SPOP s 9223372036854775808',
  'SPOP s 1 2',
  'SET t x',
  'SPOP t x',
  'SPOP t 0',
  'SADD s a b c',
  'SPOP s 0',
  unordered('SPOP s 3'),
  'EXISTS s',
  'SADD s 3 1 2',
  unordered('SPOP s 9223372036854775807'),
  'EXISTS s',
  ...['member', ''].flatMap((prefix) =>
    [1, 5, 50, 590, 599].flatMap((count): Case[] => [
      'DEL s',
      ['SADD', 's', ...members(600, prefix)],
      'EXPIRE s 1000',
      typeOnly(`SPOP s ${count}`, RANDOM),
      'SCARD s',
      'OBJECT ENCODING s',
      'PERSIST s',
      typeOnly('SPOP s', RANDOM),
      'SCARD s',
    ]),
  ),
]);

compareCases('SRANDMEMBER', [
  'SADD one m',
  'SRANDMEMBER one',
  'SRANDMEMBER one 1',
  'SRANDMEMBER one 5',
  'SRANDMEMBER one -3',
  'SRANDMEMBER one 0',
  'SRANDMEMBER none 0',
  'SRANDMEMBER one x',
  'SRANDMEMBER one -9223372036854775808',
  'SRANDMEMBER one 9223372036854775808',
  'SRANDMEMBER none -9223372036854775807',
  'SRANDMEMBER one 9223372036854775807',
  'SADD i 1 2 3',
  unordered('SRANDMEMBER i 3'),
  unordered('SRANDMEMBER i 100'),
  ['SADD', 'large', ...members(600, 'm')],
  unordered('SRANDMEMBER large 600'),
  unordered('SRANDMEMBER large 601'),
  ...['i', 'large'].flatMap((key) =>
    [1, 2, 150, 300, 599, -1, -700].map((count) => typeOnly(`SRANDMEMBER ${key} ${count}`, RANDOM)),
  ),
  'SCARD large',
]);

compareLive(
  'random members are members of the set, and distinct for a positive count',
  async ({ sendBoth }) => {
    for (const [size, prefix] of [
      [10, 'm'],
      [300, ''],
      [600, 'm'],
    ] as const) {
      await sendBoth(['SADD', `s${size}`, ...members(size, prefix)]);
      const rest = new Set(members(size, prefix));
      for (const count of [2, 9, 100, 280, 599]) {
        const chosen = await sendBoth(['SRANDMEMBER', `s${size}`, count], { typeOnly: RANDOM });
        const strings = itemsOf(chosen.sorrel).map((item) => bytesOf(item).toString());
        if (new Set(strings).size !== Math.min(count, size)) throw new Error(`twice the same: ${strings}`);
        for (const member of strings) if (!rest.has(member)) throw new Error(`no member: ${member}`);
      }
      for (const count of [1, 3, 5, 100, 150, 300]) {
        const popped = await sendBoth(['SPOP', `s${size}`, count], { typeOnly: RANDOM });
        for (const item of itemsOf(popped.sorrel)) {
          const member = bytesOf(item).toString();
          if (!rest.delete(member)) throw new Error(`not there any more: ${member}`);
        }
        const left = await sendBoth(['SMEMBERS', `s${size}`], { typeOnly: RANDOM });
        const leftStrings = itemsOf(left.sorrel).map((item) => bytesOf(item).toString());
        if (leftStrings.sort().join(' ') !== [...rest].sort().join(' '))
          throw new Error(`left: ${leftStrings}`);
      }
    }
  },
);

compareCases('SSCAN returns all members of an intset at once', [
  'SADD s 1 2 3 10 11 100',
  'SSCAN s 0',
  'SSCAN s 7',
  'SSCAN s 0 COUNT 1',
  'SSCAN s 0 MATCH 1*',
  'SSCAN s 0 MATCH 1? COUNT 2',
  'SSCAN s 0 MATCH x',
  'SADD t a b ab ""',
  unordered('SSCAN t 0 COUNT 100', 'nested'),
  unordered('SSCAN t 0 COUNT 100 MATCH a*', 'nested'),
  unordered('SSCAN t 0 COUNT 100 MATCH *', 'nested'),
  unordered('SSCAN t 0 COUNT 100 MATCH **', 'nested'),
  'SSCAN none 0 WRONG',
]);

compareCases('SSCAN checks the cursor, the key and the options, in this order', [
  'SET s x',
  'SADD k 1',
  'SSCAN s x',
  'SSCAN s 0 WRONG',
  'SSCAN k x WRONG',
  'SSCAN k -1',
  'SSCAN k 18446744073709551616',
  'SSCAN k 0 WRONG',
  'SSCAN k 0 COUNT',
  'SSCAN k 0 COUNT x',
  'SSCAN k 0 COUNT 0',
  'SSCAN k 0 MATCH',
  'SSCAN k 0 TYPE set',
]);

compareLive('SSCAN of a large set visits every member, even while it shrinks', async ({ sendBoth }) => {
  const all = members(900, 'm');
  await sendBoth(['SADD', 's', ...all]);
  const stay = all.filter((_, i) => i % 5 === 0);
  const seen = new Set<string>();
  let cursor = '0';
  let step = 0;
  do {
    const { sorrel } = await sendBoth(['SSCAN', 's', cursor, 'COUNT', 10], {
      ignore: 'each server’s own cursor',
    });
    const [next, items] = itemsOf(sorrel);
    cursor = String(plain(next!));
    for (const item of itemsOf(items!)) seen.add(String(plain(item)));
    const leaving = all.slice(step * 20, step * 20 + 20).filter((member) => !stay.includes(member));
    if (leaving.length > 0) await sendBoth(['SREM', 's', ...leaving]);
    step++;
  } while (cursor !== '0');
  const missed = stay.filter((member) => !seen.has(member));
  if (missed.length > 0) throw new Error(`never seen: ${missed}`);
});

compareCases(
  'set commands publish keyspace events',
  [
    'CONFIG SET notify-keyspace-events KEA',
    on('listener', 'PSUBSCRIBE __key*__:*'),
    'SADD s a b c',
    receive('listener', 2),
    'SADD s a',
    'SREM s x',
    'SREM s a',
    receive('listener', 2),
    'SMOVE s t b',
    receive('listener', 4),
    'SMOVE s t c',
    receive('listener', 6),
    'SMOVE t t c',
    'SADD u b',
    receive('listener', 2),
    'SMOVE t u b',
    receive('listener', 2),
    'SUNIONSTORE r t u',
    receive('listener', 2),
    'SINTERSTORE r u u',
    receive('listener', 2),
    'SDIFFSTORE r u none',
    receive('listener', 2),
    'SDIFFSTORE r u u',
    receive('listener', 2),
    'SDIFFSTORE r u u',
    'SREM t c',
    receive('listener', 4),
    typeOnly('SPOP u', RANDOM),
    receive('listener', 4),
    'SADD s 1 2 3 4',
    receive('listener', 2),
    typeOnly('SPOP s 2', RANDOM),
    receive('listener', 2),
    typeOnly('SPOP s 2', RANDOM),
    receive('listener', 4),
    'SPOP s',
    'SPOP s 1',
  ],
  { protocols: [2] },
);

compareCases('a change of a watched set aborts the transaction', [
  'SADD s a',
  'WATCH s',
  on('other', 'SADD s b'),
  'MULTI',
  'SCARD s',
  'EXEC',
  'WATCH s',
  on('other', 'SADD s a'),
  on('other', 'SREM s x'),
  on('other', 'SMOVE s s a'),
  'MULTI',
  'SCARD s',
  'EXEC',
  'WATCH target',
  on('other', 'SINTERSTORE target none s'),
  'MULTI',
  'SCARD s',
  'EXEC',
]);

const key = fc.constantFrom('a', 'b', 'c', 'd');
const keys = fc.array(key, { minLength: 1, maxLength: 4 });
const member = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -3, max: 12 }).map(String) },
  { weight: 2, arbitrary: fc.constantFrom('70000', '-70000', '5000000000', '-9223372036854775808') },
  { weight: 1, arbitrary: fc.constantFrom('x', 'y', '', '01', '9223372036854775808', 'long '.repeat(30)) },
);
const someMembers = fc.array(member, { minLength: 1, maxLength: 6 });
const manyMembers = fc
  .tuple(fc.constantFrom('', 't'), fc.integer({ min: 505, max: 520 }))
  .map(([prefix, count]) => members(count, prefix));

const setCommands = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom('SADD', 'SREM', 'SMISMEMBER'), key, someMembers).map(flat),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('SADD', 'SREM'), key, manyMembers).map(flat) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('SISMEMBER'), key, member) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('SCARD', 'SMEMBERS'), key) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('SMOVE'), key, key, member) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('SINTER', 'SUNION', 'SDIFF'), keys).map(flat) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom('SINTERSTORE', 'SUNIONSTORE', 'SDIFFSTORE'), key, keys).map(flat),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(keys, fc.integer({ min: 0, max: 4 }))
      .map(([list, limit]) => ['SINTERCARD', `${list.length}`, ...list, 'LIMIT', `${limit}`]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constant('SPOP'), key, fc.constant('10000'))
      .map((send) => ({ send, unordered: true as const })),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('DEL'), key) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('SET'), key, member) },
);

generated('sets', setCommands);
generated('sets with a low threshold', setCommands, {
  setup: ['CONFIG SET set-max-intset-entries 4'],
  protocol: 3,
});

function flat(words: readonly (string | readonly string[])[]): string[] {
  return words.flat();
}
