import {
  type Case,
  closed,
  compareCases,
  compareLive,
  on,
  plain,
  type Reply,
  raw,
} from '../support/index.js';
import { SIDES } from '../support/pair.js';
import { SCRIPTS } from './debugged-scripts.js';

let sessions = 0;

/** A debugging session: requests are sent one after the other. Each is answered with lines, the last one also with EVAL's reply. */
function session(
  script: string,
  requests: readonly (string | readonly string[])[],
  { mode = 'SYNC', args = ['0'] }: { mode?: 'YES' | 'SYNC'; args?: readonly string[] } = {},
): Case[] {
  const name = `debugged ${++sessions}`;
  const last = requests.length - 1;
  return [
    on(name, `SCRIPT DEBUG ${mode}`),
    on(name, ['EVAL', script, ...args], { replies: requests.length === 0 ? 2 : 1 }),
    ...requests.map((request, i) =>
      on(name, request, { replies: i === last ? 2 : 1, normalise: withoutAddresses }),
    ),
    closed(name),
  ];
}

/** Redis shows the address of a function, we an artificial one. */
function withoutAddresses(reply: Reply): string {
  return JSON.stringify(plain(reply)).replace(/@0x[0-9a-f]+/g, '@');
}

const ONCE = { protocols: [2] } as const;

const LOOP = `local sum = 0
for i = 1, 2 do
  sum = sum + i
end
local reply = redis.call('set', KEYS[1], sum)
return redis.call('get', KEYS[1])`;

compareCases('a script goes step by step', [
  ...session(LOOP, ['s', 'step', 'p', 'n', 'next', 'S', 's', 'p', 'p sum', 'p nosuch', 's', 'p', 's'], {
    args: ['1', 'k'],
  }),
  'GET k',
  ...session(LOOP, ['b 3', 'b 5', 'b', 'c', 'p KEYS', 'p ARGV', 'c', 'b -3', 'c', 'c'], {
    args: ['1', 'k', 'x', 'a"\\x00b'],
  }),
  ...session("redis.call('set', 'aborted', 1)\nreturn 1", ['s', 'a']),
  'GET aborted',
  ...session('return 1 +', []),
  ...session('return 1', [], { args: ['1'] }),
  ...session('return 1', [], { args: ['x'] }),
  ...session('return 1', ['c']),
  ...session('', ['c']),
  'PING',
]);

compareCases(
  'SCRIPT DEBUG YES works on a copy of the data',
  [
    'SET kept 1',
    'HSET hash f v',
    'SELECT 3',
    'SET other 1',
    'SELECT 0',
    'FUNCTION LOAD "#!lua name=l\\nredis.register_function(\'f\', function() return 5 end)"',
    ...session(
      `redis.call('incr', 'kept')
redis.call('del', 'hash')
redis.call('select', 3)
return {redis.call('get', 'other'), redis.call('dbsize'), KEYS[1], ARGV[1]}`,
      ['s', 'r get kept', 's', 'r fcall f 0', 'c'],
      { mode: 'YES', args: ['1', 'k', 'v'] },
    ),
    'GET kept',
    'HGETALL hash',
  ],
  ONCE,
);

compareCases(
  'the commands of the debugger',
  session(
    `local a = {1, 2, {x = 'y'}}
local b = 'text\\n\\0\\255'
local c = 1.5
local d
local e = true
local f = {}
local long = string.rep('x', 300)
return a`,
    [
      'help',
      'H',
      'nosuch',
      'p x y',
      'l',
      'list 7',
      'l 7 1',
      'l 0 0',
      'l x',
      'w',
      'whole',
      'b 0',
      'b',
      'b 3 5 99 -1 x 3 1.5',
      'b',
      'b -5',
      'b 0',
      'b 8',
      'c',
      'p',
      'p a',
      'p long',
      'm',
      'm 10',
      'm -5',
      'p long',
      'maxlen 0',
      'p long',
      'm 100',
      'm x',
      't',
      'r',
      'r ping',
      'redis set k v',
      'r get k',
      'r lrange k 0 1',
      'r nosuch',
      'r get',
      'r set a b c d e f g h i j k l m n',
      'e 1 + 1',
      'eval local x = 5 return x',
      'e return',
      'e 1 +',
      "e error('x')",
      'e nosuch',
      ['e', 'return', '{1,', '2}'],
      ['eval', "redis.call('get', 'k')"],
      'e redis.breakpoint()',
      'c',
    ],
  ),
  ONCE,
);

compareCases(
  'commands of the script are shown',
  [
    'CONFIG SET set-max-intset-entries 512',
    ...session(
      `redis.call('set', 'k', 'v')
redis.call('rpush', 'l', 'a', 'b', '3')
redis.call('lrange', 'l', 0, -1)
redis.call('get', 'nosuch')
redis.call('hset', 'h', 'f', 'v')
redis.setresp(3)
redis.call('hgetall', 'h')
redis.call('get', 'nosuch')
redis.call('zadd', 'z', '1.5', 'm')
redis.call('zscore', 'z', 'm')
redis.call('zrange', 'z', 0, -1, 'withscores')
redis.call('smembers', 'nosuch')
redis.setresp(2)
redis.call('blpop', 'nosuch', 0)
redis.pcall('lpush', 'k', 1)
redis.pcall('nosuch')
redis.pcall('get')
redis.pcall()
redis.pcall({})
redis.call('set', 'bin', '\\0\\r\\n\\255')
redis.call('get', 'bin')
redis.debug('a', 1, {1, 2}, nil, true)
redis.breakpoint()
local x = redis.error_reply('My error')
local y = redis.status_reply('FINE')
redis.call('eval', 'return 1', 0)
return 1`,
      [...Array.from({ length: 22 }, () => 's'), 'c', 's', 's', 'c'],
    ),
    ...session("return redis.call('lpush', 'k', 'v')", ['s']),
    ...session("return redis.call('lpush', 'k', 'v')", ['c']),
    ...session("redis.breakpoint()\nlocal x = 1\nredis.debug(x)\nerror('failed')", ['c', 'c']),
    ...session("return redis.error_reply('No')", ['s']),
    ...session("#!lua flags=no-writes\nlocal x = 1\nreturn redis.call('set', 'k', x)", ['s', 's']),
  ],
  ONCE,
);

compareCases(
  'functions and their variables',
  [
    ...session(
      `local function inner(a, ...)
  local b = a + 1
  for i, v in ipairs({...}) do
    b = b + v
  end
  return b
end
local t = {}
function t.outer(n)
  local b = 'outer'
  local r = inner(n, 10)
  return r
end
local ok, r = pcall(t.outer, 5)
local s = t.outer(1)
return s`,
      [
        ...[
          'b 2',
          'c',
          't',
          'p',
          'p b',
          'p n',
          'p t',
          'p r',
          's',
          'p',
          's',
          'p',
          's',
          's',
          's',
          't',
          's',
          't',
        ],
        ...['c', 't', 'p n', 'c'],
      ],
    ),
    ...session(
      `local function f(n)
  if n == 0 then
    return n
  end
  return f(n - 1)
end
return f(2)`,
      ['b 3', 'c', 't', 'p n', 'c'],
    ),
    ...session('local x = 1\nlocal x = 2\ndo\n  local x = 3\n  x = 4\nend\nreturn x', [
      ...['s', 'p', 's', 'p', 's', 'p x', 'p', 's', 'p', 's'],
    ]),
    ...session(
      `local t = setmetatable({}, {__index = function(t, k)
  return k
end})
table.sort({2, 1}, function(a, b)
  return a < b
end)
local v = t.x
for i = 1, 2 do
  local y = i
end
return v`,
      ['s', 's', 's', 't', 'p', 's', 's', 't', 's', 'p', 's', 'p', 'c'],
    ),
  ],
  ONCE,
);

compareCases(
  'sessions that cannot begin or end otherwise',
  [
    'SCRIPT DEBUG YES',
    'SCRIPT DEBUG NO',
    'EVAL "return 1" 0',
    'SCRIPT DEBUG',
    'SCRIPT DEBUG x',
    'SCRIPT DEBUG YES',
    'EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0',
    'EVALSHA short 0',
    'SCRIPT DEBUG no',
    'MULTI',
    'SCRIPT DEBUG YES',
    'EXEC',
    "EVAL \"return redis.call('script', 'debug', 'no')\" 0",
    raw('*3\r\n$6\r\nSCRIPT\r\n$5\r\nDEBUG\r\n$3\r\nYES\r\n'.repeat(2), { replies: 2 }),
    'SCRIPT DEBUG NO',
    on('broken', 'SCRIPT DEBUG SYNC'),
    on('broken', 'EVAL "return 1" 0'),
    raw('hello\r\n', { on: 'broken', replies: 2 }),
    closed('broken'),
    on('broken 2', 'SCRIPT DEBUG SYNC'),
    on('broken 2', 'EVAL "return 1" 0'),
    raw('junk*1\r\n$1\r\nb\r\n', { on: 'broken 2' }),
    raw('*1\r\n$1\r\nc\r\n', { on: 'broken 2', replies: 2 }),
    closed('broken 2'),
  ],
  ONCE,
);

compareCases(
  'a script that runs for long stops',
  [
    'CONFIG SET busy-reply-threshold 20',
    on('long', 'SCRIPT DEBUG SYNC'),
    on('long', 'EVAL "while true do end" 0'),
    on('long', 'c'),
    on('long', 'c'),
    on('long', 'a', { replies: 2 }),
    closed('long'),
    'PING',
  ],
  ONCE,
);

compareCases(
  'a session of EVAL_RO',
  [
    on('readonly', 'SCRIPT DEBUG SYNC'),
    on('readonly', ['EVAL_RO', "return redis.call('set', 'k', 1)", '0']),
    on('readonly', 's', { replies: 2 }),
    closed('readonly'),
  ],
  ONCE,
);

compareLive('the debugger stops at the same lines as Lua', async ({ connect, sendBoth }) => {
  for (const script of SCRIPTS.split('====\n')) {
    const connection = await connect();
    await sendBoth('SCRIPT DEBUG SYNC', { on: connection });
    let replies = await sendBoth(['EVAL', script, '0'], { on: connection });
    while (!String(plain(replies.redis)).includes('<endsession>')) {
      replies = await sendBoth('s', { on: connection });
    }
    for (const side of SIDES) connection[side].close();
  }
});
