import { closed, compareCases, compareLive, near, on, raw, receive, silent, start } from './support/index.js';

compareCases('a transaction queues and runs its commands', [
  'MULTI',
  'SET a 1',
  'INCR a',
  'GET a',
  'RPUSH list x y z',
  'LRANGE list 0 -1',
  'EXEC',
  'GET a',
  'MULTI',
  'EXEC',
]);

compareCases('other clients see the changes of a transaction only after it ran', [
  'MULTI',
  'SET a 1',
  on('other', 'GET a'),
  'EXEC',
  on('other', 'GET a'),
]);

compareCases('errors while queueing abort the transaction', [
  'SET a before',
  'MULTI',
  'SET a after',
  'NOSUCHCOMMAND x',
  'SET a again',
  'EXEC',
  'GET a',
  'MULTI',
  'GET',
  'EXEC',
  'MULTI',
  'CONFIG NOSUCHSUBCOMMAND',
  'EXEC',
  'MULTI',
  'DISCARD too many',
  'EXEC',
  'MULTI',
  'MULTI too many',
  'EXEC',
]);

compareCases('errors while running do not affect the other commands', [
  'SET text abc',
  'MULTI',
  'INCR text',
  'LPUSH text x',
  'SET other 1',
  'EXPIRE other notanumber',
  'EXEC',
  'GET other',
]);

compareCases('MULTI, EXEC, DISCARD and WATCH are rejected in the wrong state', [
  'EXEC',
  'DISCARD',
  'MULTI',
  'MULTI',
  'SET a 1',
  'WATCH a',
  'EXEC',
  'GET a',
  'EXEC too many',
  'MULTI',
  'SET a 2',
  'EXEC too many',
  'EXEC',
  'GET a',
]);

compareCases('DISCARD discards the queued commands', [
  'MULTI',
  'SET a 1',
  'DISCARD',
  'EXISTS a',
  'EXEC',
  'WATCH a',
  'MULTI',
  'DISCARD',
  on('other', 'SET a 1'),
  'MULTI',
  'PING',
  'EXEC',
]);

compareCases('commands that may not run in a transaction are refused', ['MULTI', 'SHUTDOWN', 'PING', 'EXEC']);

compareCases('blocking commands do not block in a transaction', [
  'MULTI',
  'BLPOP absent 0',
  'BRPOP absent 0',
  'BLMOVE absent to LEFT RIGHT 0',
  'BRPOPLPUSH absent to 0',
  'BLMPOP 0 1 absent LEFT',
  'EXEC',
  'RPUSH list a b',
  'MULTI',
  'BLPOP list 0',
  'BLPOP list 0',
  'BLPOP list 0',
  'EXEC',
]);

compareCases('waiting clients are served when the transaction ends', [
  start('waiting', 'BLPOP list 0'),
  'MULTI',
  'RPUSH list a b',
  'LLEN list',
  'EXEC',
  receive('waiting'),
  'LRANGE list 0 -1',
  start('waiting', 'BLPOP empty 0'),
  'MULTI',
  'RPUSH empty a',
  'DEL empty',
  'EXEC',
  silent('waiting'),
  'RPUSH empty b',
  receive('waiting'),
]);

compareCases('a transaction can be sent in one write', [
  raw('MULTI\r\nSET k v\r\nGET k\r\nEXEC\r\n', { replies: 4 }),
  raw('WATCH k\r\nMULTI\r\nSET k w\r\nEXEC\r\nGET k\r\n', { replies: 5 }),
  raw('MULTI\r\nSET long-argument-one value-one\r\nSET b 2\r\n', { replies: 3 }),
  raw('EXEC\r\nMGET long-argument-one b\r\n', { replies: 2 }),
]);

compareCases('SELECT and RESP changes take effect within a transaction', [
  'MULTI',
  'SET a 0',
  'SELECT 3',
  'SET a 3',
  'EXEC',
  'GET a',
  'SELECT 0',
  'GET a',
  'HSET h f v',
  'MULTI',
  'HGETALL h',
  { send: 'HELLO 2', normalise: () => 'the hello reply has the connection id' },
  'HGETALL h',
  { send: 'EXEC', typeOnly: 'the hello reply has the connection id' },
  'HGETALL h',
]);

compareCases('a watched key that changes makes EXEC reply null', [
  'WATCH a b',
  on('other', 'SET b 1'),
  'MULTI',
  'SET c 1',
  'EXEC',
  'EXISTS c',
  'MULTI',
  'SET c 1',
  'EXEC',
]);

compareCases('a watched key that does not change lets EXEC run', [
  'SET a 1',
  'WATCH a',
  on('other', 'GET a'),
  on('other', 'SET b 1'),
  on('other', 'DEL absent'),
  on('other', 'SETNX a 2'),
  on('other', 'LPUSHX a x'),
  'MULTI',
  'SET c 1',
  'EXEC',
]);

compareCases('every kind of change counts for WATCH', [
  'SET s 1',
  ...[
    'APPEND s x',
    'EXPIRE s 100',
    'PERSIST s',
    'RENAME s t',
    'RENAME t s',
    'COPY s u',
    'DEL s',
    'RPUSH s a b c',
    'LPOP s',
    'LTRIM s 0 0',
    'UNLINK s',
    'HSET s f v',
    'HDEL s f',
    'SADD s a b',
    'SREM s a',
    'SPOP s',
    'ZADD s 1 a',
    'ZADD s 1 a',
    'ZINCRBY s 1 a',
    'ZREM s a',
    'SETBIT s 1 1',
    'PFADD s a',
    'MSET s 1 x 2',
    'GETSET s 3',
    'GETDEL s',
    'XADD s 1-1 f v',
    'XDEL s 1-1',
    'XTRIM s MAXLEN 0',
    'TOUCH s',
    'OBJECT ENCODING s',
    'MOVE s 1',
    'SORT nolist STORE s',
  ].flatMap((command) => [
    'WATCH s u',
    on('other', command, { ignore: 'what matters is whether EXEC succeeds' }),
    'MULTI',
    'PING',
    'EXEC',
  ]),
]);

compareCases('UNWATCH, EXEC and DISCARD unwatch all keys', [
  'WATCH a',
  on('other', 'SET a 1'),
  'UNWATCH',
  'MULTI',
  'PING',
  'EXEC',
  'WATCH a',
  'MULTI',
  'EXEC',
  on('other', 'SET a 2'),
  'MULTI',
  'PING',
  'EXEC',
  'WATCH a',
  on('other', 'SET a 3'),
  'MULTI',
  'UNWATCH',
  'PING',
  'EXEC',
  'WATCH a',
  on('other', 'SET a 4'),
  'WATCH b',
  'MULTI',
  'PING',
  'EXEC',
]);

compareCases("a client's own changes count as well", [
  'WATCH a',
  'SET a 1',
  'MULTI',
  'PING',
  'EXEC',
  'WATCH a',
  'MULTI',
  'SET a 2',
  'SET a 3',
  'EXEC',
]);

compareCases('watched keys belong to their database', [
  'WATCH a',
  on('other', 'SELECT 1'),
  on('other', 'SET a 1'),
  'MULTI',
  'PING',
  'EXEC',
  'WATCH a',
  'SELECT 1',
  'WATCH a',
  on('other', 'SET a 2'),
  'MULTI',
  'PING',
  'EXEC',
]);

compareCases('FLUSHALL and FLUSHDB touch watched keys that exist', [
  'SET a 1',
  'WATCH a',
  on('other', 'FLUSHALL'),
  'MULTI',
  'PING',
  'EXEC',
  'WATCH a',
  on('other', 'FLUSHALL'),
  'MULTI',
  'PING',
  'EXEC',
  'SET a 1',
  'WATCH a',
  on('other', 'FLUSHDB'),
  'MULTI',
  'PING',
  'EXEC',
  'SET a 1',
  'WATCH a',
  on('other', 'SELECT 1'),
  on('other', 'FLUSHDB'),
  'MULTI',
  'PING',
  'EXEC',
]);

compareCases('SWAPDB touches watched keys that are created, deleted or replaced', [
  'SET a 1',
  'WATCH a',
  on('other', 'SWAPDB 0 1'),
  'MULTI',
  'PING',
  'EXEC',
  'WATCH a',
  on('other', 'SWAPDB 0 1'),
  'MULTI',
  'PING',
  'EXEC',
  'SELECT 1',
  'SET a 2',
  'SELECT 0',
  'WATCH a',
  on('other', 'SWAPDB 0 1'),
  'MULTI',
  'PING',
  'EXEC',
  'WATCH absent',
  on('other', 'SWAPDB 0 1'),
  'MULTI',
  'PING',
  'EXEC',
  'WATCH a',
  on('other', 'SWAPDB 2 3'),
  'MULTI',
  'PING',
  'EXEC',
]);

const expired = ['DEBUG SET-ACTIVE-EXPIRE 0', 'SET x 1 PX 1', 'DEBUG SLEEP 0.005'] as const;

compareCases('a key that expires while it is watched makes EXEC reply null', [
  'DEBUG SET-ACTIVE-EXPIRE 0',
  // In one write: the key must not expire before it is watched.
  raw('SET x 1 PX 500\r\nWATCH x\r\n', { replies: 2 }),
  'DEBUG SLEEP 0.6',
  'MULTI',
  'PING',
  'EXEC',
  'DEBUG SET-ACTIVE-EXPIRE 1',
]);

compareCases('a key that expired before WATCH counts as missing', [
  ...expired,
  'WATCH x',
  'MULTI',
  'PING',
  'EXEC',
  ...expired,
  'WATCH x',
  on('other', 'GET x'),
  'MULTI',
  'PING',
  'EXEC',
  ...expired,
  'WATCH x',
  on('other', 'SET x 2'),
  'MULTI',
  'PING',
  'EXEC',
  ...expired,
  'WATCH x',
  on('other', 'FLUSHALL'),
  'MULTI',
  'PING',
  'EXEC',
  ...expired,
  'WATCH x',
  on('other', 'FLUSHALL'),
  on('other', 'SET x 3'),
  'MULTI',
  'PING',
  'EXEC',
  ...expired,
  'WATCH x',
  on('other', 'SWAPDB 0 1'),
  'MULTI',
  'PING',
  'EXEC',
  'FLUSHALL',
  ...expired,
  'SELECT 1',
  'WATCH x',
  on('other', 'SWAPDB 0 1'),
  'MULTI',
  'PING',
  'EXEC',
  'DEBUG SET-ACTIVE-EXPIRE 1',
]);

compareCases('RESET ends a transaction', [
  'WATCH a',
  'MULTI',
  'SET a 1',
  { send: 'RESET', resp: 2 },
  'DISCARD',
  on('resetting', 'MULTI'),
  on('resetting', 'SET a 1'),
  on('resetting', 'RESET'),
  on('resetting', 'EXEC'),
  on('resetting', 'EXISTS a'),
]);

compareCases('QUIT ends the connection inside a transaction', [
  on('leaving', 'MULTI'),
  on('leaving', 'SET a 1'),
  on('leaving', 'QUIT'),
  closed('leaving'),
  'EXISTS a',
]);

compareCases('CLIENT REPLY takes effect within a transaction', [
  // The header of EXEC's reply is written before its first command turns replies off; what follows looks like elements.
  raw('MULTI\r\nCLIENT REPLY OFF\r\nPING\r\nEXEC\r\nPING\r\nCLIENT REPLY ON\r\nPING\r\n', { replies: 4 }),
]);

compareCases('CLIENT REPLY ON within a transaction', [
  raw('CLIENT REPLY OFF\r\nMULTI\r\nCLIENT REPLY ON\r\nPING\r\nEXEC\r\nPING\r\n', { replies: 3 }),
  raw('CLIENT REPLY SKIP\r\nMULTI\r\nPING\r\nEXEC\r\n', { replies: 2 }),
  raw('CLIENT REPLY SKIP\r\nNOSUCHCOMMAND\r\nPING\r\n', { replies: 1 }),
  raw('CLIENT REPLY SKIP\r\nCLIENT REPLY SKIP\r\nPING\r\nPING\r\n', { replies: 1 }),
  raw('CLIENT REPLY SKIP\r\nCLIENT REPLY ON\r\nPING\r\n', { replies: 2 }),
]);

compareCases('CLIENT REPLY SKIP skips a reply even if it is delayed', [
  raw('PING\r\nCLIENT REPLY SKIP\r\nBLPOP list 0\r\n', { on: 'w' }),
  'RPUSH list a',
  on('w', 'ECHO next'),
  'LLEN list',
  raw('PING\r\nCLIENT REPLY OFF\r\nBLPOP list 0\r\n', { on: 'w' }),
  'RPUSH list a',
  raw('PING\r\nCLIENT REPLY ON\r\n', { on: 'w' }),
]);

compareCases('times to live start at EXEC, not when the command is queued', [
  'MULTI',
  'SET a 1 EX 100',
  'PEXPIRE a 200000',
  'EXEC',
  near('TTL a', 10),
]);

compareLive('a transaction of many commands', async ({ sendBoth }) => {
  await sendBoth('MULTI');
  for (let i = 0; i < 500; i++) await sendBoth(['RPUSH', `list${i % 7}`, `${'v'.repeat(i)}${i}`]);
  await sendBoth('EXEC');
  for (let i = 0; i < 7; i++) await sendBoth(['LRANGE', `list${i}`, 0, -1]);
});

compareCases('a subcommand is not a command of the same name', [
  'MULTI',
  'SLOWLOG RESET',
  'LATENCY RESET',
  'EXEC',
  'SUBSCRIBE news',
  'SLOWLOG RESET',
  'UNSUBSCRIBE',
]);
