import {
  type Case,
  closed,
  compareCases,
  ignore,
  on,
  plain,
  type Reply,
  receive,
  silent,
  start,
} from './support/index.js';

/** CLIENT: names, lists, killing, pausing, unblocking, replies. */

const textOf = (reply: Reply): string => String(plain(reply));

/** A line of CLIENT LIST without the values that differ between two servers, and the names of all fields. */
function line(reply: Reply): string {
  return textOf(reply)
    .replace(/\b(id|age|idle|fd|qbuf-free|rbs|rbp|tot-mem)=\d+/g, '$1=?')
    .replace(/:\d+ /g, ':? ');
}

const info = (name: string): Case => ({ send: 'CLIENT INFO', on: name, normalise: line });

/** Gets the ID of a connection for the next step. */
const id = (name: string): Case => ({ send: 'CLIENT ID', on: name, ignore: 'ids count connections' });

const withId =
  (...before: string[]) =>
  (reply: Reply, ...after: string[]): string[] => [...before, textOf(reply), ...after];

compareCases('CLIENT INFO has the fields of Redis, in order', [
  info('a'),
  on('a', 'CLIENT SETNAME alice'),
  on('a', 'SELECT 5'),
  on('a', 'CLIENT NO-EVICT ON'),
  info('a'),
  on('a', 'MULTI'),
  on('a', 'CLIENT INFO'.replace('INFO', 'GETNAME')),
  on('a', 'DISCARD'),
  on('a', 'CLIENT NO-EVICT OFF'),
  on('a', 'CLIENT TRACKING ON'),
  info('a'),
  on('a', 'CLIENT TRACKING OFF'),
  on('a', 'RESET'),
]);

compareCases(
  'CLIENT LIST filters by ID and type',
  [
    id('a'),
    { send: (reply) => withId('CLIENT', 'LIST', 'ID')(reply), normalise: line },
    'CLIENT LIST ID 123456789',
    on('sub', 'SUBSCRIBE news'),
    { send: 'CLIENT LIST TYPE pubsub', normalise: line },
    'CLIENT LIST TYPE replica',
    'CLIENT LIST TYPE slave',
    'CLIENT LIST TYPE master',
    'CLIENT LIST TYPE other',
    'CLIENT LIST TYPE',
    'CLIENT LIST TYPE normal x',
    'CLIENT LIST ID',
    'CLIENT LIST ID x',
    'CLIENT LIST ID 1 x',
    'CLIENT LIST FOO',
    ignore('CLIENT LIST', 'the harness has connections too'),
  ],
  { protocols: [2] },
);

compareCases('the flags of a blocked client, and of one in a transaction', [
  on('x', 'CLIENT SETNAME waiting'),
  id('x'),
  start('x', 'BLPOP q 0'),
  { send: (reply) => withId('CLIENT', 'LIST', 'ID')(reply), normalise: line },
  'RPUSH q 1',
  receive('x'),
  on('x', 'MULTI'),
  on('x', 'SET a b'),
  id('main'),
  'DEL q',
]);

compareCases('names', [
  'CLIENT GETNAME',
  'CLIENT SETNAME bob',
  'CLIENT GETNAME',
  'CLIENT SETNAME "a b"',
  ['CLIENT', 'SETNAME', 'a\n'],
  ['CLIENT', 'SETNAME', Buffer.from([0xc3, 0xa4])],
  'CLIENT GETNAME',
  'CLIENT SETNAME ""',
  'CLIENT GETNAME',
  'CLIENT SETNAME a b',
]);

compareCases('invalid arguments', [
  'CLIENT',
  'CLIENT FOO',
  'CLIENT ID x',
  'CLIENT HELP',
  'CLIENT HELP x',
  'CLIENT NO-EVICT maybe',
  'CLIENT REPLY maybe',
  'CLIENT UNBLOCK',
  'CLIENT UNBLOCK x',
  'CLIENT UNBLOCK 99999999',
  'CLIENT UNBLOCK 99999999 ERROR',
  'CLIENT UNBLOCK 1 FOO',
  'CLIENT UNBLOCK 1 ERROR x',
  'CLIENT KILL',
  'CLIENT KILL 1.2.3.4:5',
  'CLIENT KILL ID',
  'CLIENT KILL ID x',
  'CLIENT KILL ID 0',
  'CLIENT KILL ID -1',
  'CLIENT KILL ID 99999999',
  'CLIENT KILL TYPE x',
  'CLIENT KILL TYPE master',
  'CLIENT KILL USER stranger',
  'CLIENT KILL SKIPME maybe',
  'CLIENT KILL FOO bar',
  'CLIENT KILL ID 1 ADDR',
  'CLIENT KILL ADDR 1.2.3.4:5 LADDR 1.2.3.4:5 TYPE normal USER default SKIPME no',
  'CLIENT PAUSE',
  'CLIENT PAUSE x',
  'CLIENT PAUSE 1.5',
  'CLIENT PAUSE -1',
  'CLIENT PAUSE 1 x',
  'CLIENT PAUSE 1 WRITE x',
  'CLIENT PAUSE x y',
  'CLIENT UNPAUSE x',
]);

compareCases('CLIENT KILL by ID, by type, and of the caller itself', [
  id('a'),
  { send: (reply) => withId('CLIENT', 'KILL', 'ID')(reply) },
  closed('a'),
  on('s', 'SUBSCRIBE x'),
  'CLIENT KILL TYPE pubsub',
  closed('s'),
  'PUBSUB NUMSUB x',
  id('b'),
  { send: (reply) => withId('CLIENT', 'KILL', 'ID')(reply), on: 'b' },
  id('b'),
  { send: (reply) => withId('CLIENT', 'KILL', 'ID')(reply, 'SKIPME', 'no'), on: 'b' },
  closed('b'),
]);

compareCases('CLIENT KILL by address', [
  { send: 'CLIENT INFO', on: 'a', ignore: 'addresses differ' },
  { send: (reply) => ['CLIENT', 'KILL', / addr=(\S+)/.exec(textOf(reply))![1]!] },
  closed('a'),
  { send: 'CLIENT INFO', on: 'b', ignore: 'addresses differ' },
  { send: (reply) => ['CLIENT', 'KILL', 'ADDR', / addr=(\S+)/.exec(textOf(reply))![1]!] },
  closed('b'),
  { send: 'CLIENT INFO', on: 'c', ignore: 'addresses differ' },
  { send: (reply) => ['CLIENT', 'KILL', / addr=(\S+)/.exec(textOf(reply))![1]!], on: 'c' },
  closed('c'),
]);

compareCases('CLIENT UNBLOCK ends a wait with a timeout or with an error', [
  id('a'),
  start('a', 'BLPOP q 0'),
  { send: (reply) => withId('CLIENT', 'UNBLOCK')(reply) },
  receive('a'),
  id('a'),
  start('a', 'BLPOP q 0'),
  { send: (reply) => withId('CLIENT', 'UNBLOCK')(reply, 'TIMEOUT') },
  receive('a'),
  id('a'),
  start('a', 'BLPOP q 0'),
  { send: (reply) => withId('CLIENT', 'UNBLOCK')(reply, 'ERROR') },
  receive('a'),
  id('a'),
  { send: (reply) => withId('CLIENT', 'UNBLOCK')(reply) },
  on('a', 'PING'),
]);

compareCases('CLIENT REPLY', [
  on('a', 'CLIENT REPLY ON'),
  start('a', 'CLIENT REPLY OFF'),
  start('a', 'SET k 1'),
  start('a', 'NOSUCH'),
  start('a', 'CLIENT REPLY SKIP'),
  start('a', 'GET k'),
  silent('a'),
  on('a', 'CLIENT REPLY ON'),
  start('a', 'CLIENT REPLY SKIP'),
  start('a', 'GET k'),
  on('a', 'GET k'),
  start('a', 'CLIENT REPLY SKIP'),
  start('a', 'CLIENT REPLY SKIP'),
  start('a', 'GET k'),
  on('a', 'PING'),
  start('a', 'CLIENT REPLY SKIP'),
  on('a', 'CLIENT REPLY ON'),
  start('a', 'CLIENT REPLY SKIP'),
  start('a', 'CLIENT REPLY OFF'),
  start('a', 'PING'),
  silent('a'),
  on('a', 'CLIENT REPLY ON'),
]);

compareCases('CLIENT PAUSE WRITE delays writes, in order, but not reads', [
  'SET k 0',
  'CLIENT PAUSE 100000 WRITE',
  'GET k',
  start('a', 'APPEND k a'),
  start('b', 'APPEND k b'),
  start('c', 'PUBLISH x y'),
  silent('a'),
  silent('c'),
  on('d', 'GET k'),
  'CLIENT UNPAUSE',
  receive('a'),
  receive('b'),
  receive('c'),
  'GET k',
]);

compareCases('a transaction that writes waits at its EXEC or its first write', [
  on('a', 'MULTI'),
  on('a', 'SET k 1'),
  on('b', 'MULTI'),
  on('b', 'GET k'),
  'CLIENT PAUSE 100000 WRITE',
  start('a', 'EXEC'),
  on('b', 'EXEC'),
  silent('a'),
  'CLIENT UNPAUSE',
  receive('a'),
]);

compareCases('expired keys are not deleted while writes are paused, but are not visible either', [
  'DEBUG SET-ACTIVE-EXPIRE 0',
  'SET k v PX 1',
  'CLIENT PAUSE 100000 WRITE',
  'DEBUG SLEEP 0.01',
  'GET k',
  'DBSIZE',
  'CLIENT UNPAUSE',
  'GET k',
  'DBSIZE',
  'DEBUG SET-ACTIVE-EXPIRE 1',
]);

compareCases('CLIENT PAUSE ALL delays all clients until its timeout', [
  'CLIENT PAUSE 60',
  { send: 'PING', on: 'a' },
  { raw: 'SET k 1\r\nGET k\r\nCLIENT PAUSE 30\r\nGET k\r\nINCR k\r\n', on: 'b', replies: 5 },
  'CLIENT PAUSE 9223372036854775807',
  'PING',
  'CLIENT PAUSE 0',
  'PING',
]);

compareCases('CLIENT PAUSE WRITE does not delay scripts with the flag no-writes', [
  [
    'FUNCTION',
    'LOAD',
    "#!lua name=l\nredis.register_function{function_name='f', callback=function() return 1 end, flags={'no-writes'}}",
  ],
  'CLIENT PAUSE 100000 WRITE',
  ['EVAL', '#!lua flags=no-writes\nreturn 1', '0'],
  ['EVAL_RO', 'return 2', '0'],
  'FCALL f 0',
  'MULTI',
  ['EVAL', '#!lua flags=no-writes\nreturn 3', '0'],
  'EXEC',
  start('a', ['EVAL', 'return 4', '0']),
  start('b', ['EVAL', '#!lua\nreturn 5', '0']),
  silent('a'),
  silent('b'),
  'CLIENT UNPAUSE',
  receive('a'),
  receive('b'),
  'FUNCTION FLUSH',
]);
