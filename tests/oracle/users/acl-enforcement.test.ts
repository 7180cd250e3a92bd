import { described, logged } from '../support/acl.js';
import { type Case, compareCases, on, plain, type Reply, receive, silent, start } from '../support/index.js';

/** A restricted user reaches no command, key or channel that its rules do not allow, by any path. */

const user = (...rules: string[]): Case[] => [
  ['ACL', 'SETUSER', 'u', 'reset', 'on', 'nopass', ...rules],
  on('a', 'AUTH u x'),
];
/** Commands of the restricted user. A refused SUBSCRIBE has one reply, however many channels it names. */
const as = (...commands: (string | string[])[]): Case[] =>
  commands.map((command) => on('a', command, { replies: 1 }));

/** Error and command statistics without times. */
function counts(reply: Reply): string {
  return String(plain(reply))
    .replace(/usec(_per_call)?=[\d.]+,/g, '')
    .split('\r\n')
    .filter((line) => /errorstat|_(set|get|exec|eval|publish):/.test(line))
    .sort()
    .join('\n');
}

compareCases('commands, subcommands and first arguments', [
  ...user('+get', '+config|get', '+select|0', '+select|3', '+acl|whoami', '+client', '-client|list', '~*'),
  ...as('GET k', 'SET k v', 'CONFIG GET hz', 'CONFIG SET port 1', 'CONFIG', 'CONFIG NOSUCH', 'NOSUCH'),
  ...as('SELECT 0', 'SELECT 1', 'SELECT 3', 'SELECT', 'select 03', 'ACL WHOAMI', 'ACL LIST', 'ACL'),
  ...as('CLIENT GETNAME', 'CLIENT LIST', 'client setname x', 'PING', 'QUIT X', 'AUTH u x'),
  ...as('COMMAND COUNT', 'MULTI', 'EXEC', 'WATCH k', 'EVAL "return 1" 0', 'INFO', 'SUBSCRIBE c'),
  logged('ACL LOG 100'),
]);

compareCases('keys for reading and writing', [
  'MSET a1 1 r1 1 w1 1 x1 1',
  'RPUSH rl 3 1 2',
  'RPUSH al 3 1 2',
  'ZADD rz 1 a',
  'XADD rs 1-1 f v',
  ...user('+@all', '~a*', '%R~r*', '%W~w*'),
  ...as('GET a1', 'GET r1', 'GET w1', 'GET x1', 'SET a1 2', 'SET r1 2', 'SET w1 2', 'SET x1 2'),
  ...as('SET w1 3 GET', 'SET a1 3 GET', 'GETSET w1 1', 'GETDEL r1', 'GETEX r1', 'APPEND w1 x', 'INCR w1'),
  ...as('MGET a1 r1', 'MGET a1 w1', 'MSET a1 1 w1 2', 'MSET a1 1 r1 2', 'DEL w1', 'DEL r1', 'UNLINK a1 r1'),
  ...as(
    'EXISTS r1',
    'EXISTS w1',
    'TYPE w1',
    'TTL w1',
    'EXPIRE w1 100',
    'EXPIRE r1 100',
    'OBJECT ENCODING x1',
  ),
  ...as('RENAME r1 w2', 'RENAME a1 w2', 'COPY r1 w2', 'COPY w2 a2', 'LMOVE rl w3 LEFT LEFT', 'LPOP rl'),
  ...as('SORT rl', 'SORT rl STORE w4', 'SORT rl STORE r4', 'SORT w4', 'SORT_RO rl', 'ZRANGESTORE w5 rz 0 -1'),
  ...as(
    'SORT al BY x*',
    'SORT al GET x*',
    'SORT al GET #',
    'SORT al BY nosort',
    'SORT_RO al BY nosort GET *',
  ),
  ...as('XREAD STREAMS rs 0', 'XREAD STREAMS rs xs 0 0', 'XADD rs * f v', 'XLEN rs', 'XINFO STREAM xs'),
  ...as(
    'XREADGROUP GROUP g c STREAMS rs >',
    'XGROUP CREATE ws g $ MKSTREAM',
    'XREADGROUP GROUP g c STREAMS ws >',
  ),
  ...as('BITFIELD r1 GET u1 0', 'BITFIELD r1 SET u1 0 1', 'BITFIELD_RO w1 GET u1 0', 'BITOP AND w6 r1 a1'),
  ...as(
    'ZUNIONSTORE w7 1 rz',
    'ZUNIONSTORE r7 1 rz',
    'ZUNION 2 rz xz',
    'GEOSEARCHSTORE r8 a8 FROMMEMBER m BYBOX 1 1 m',
  ),
  ...as('DUMP w1', 'RESTORE r9 0 x', 'MOVE r1 1', 'PFMERGE w9 r9', 'PFCOUNT r9 w9', 'BLMPOP 0 2 a1 x1 LEFT'),
  ...as('MIGRATE 127.0.0.1 1 x1 0 10', ['MIGRATE', '127.0.0.1', '1', '', '0', '10', 'KEYS', 'a1', 'x1']),
  ...as('EVAL "return 1" 1 x1', 'EVAL "return 1" 1 a1', 'FCALL f 1 x1', 'WATCH x1', 'MEMORY USAGE x1'),
  ...as('KEYS nothing', 'TOUCH w1', 'SUBSTR r1 0 1', 'HSET x1 a b', 'PERSIST r1', 'LCS r1 w1'),
  logged('ACL LOG 100'),
]);

compareCases('SORT BY and GET need all keys for reading, in the selector that allows the command', [
  'RPUSH al 2 1',
  'MSET x1 9 x2 8',
  ...user('+@all', '%R~*'),
  ...as('SORT al BY x* GET x*', 'SORT al BY x* STORE w'),
  ...user('+@all', '~a*', '(+sort %R~*)'),
  ...as('SORT al BY x* GET x*', 'SORT_RO al BY x*'),
  ...user('+@all', '~a*', '(+get ~*)'),
  ...as('SORT al BY x*', 'GET x1'),
  ...user('+@all', '~*a*', '%W~*'),
  ...as('SORT al GET x*'),
  ...user('+@all', '~*'),
  ...as('SORT al BY x* GET x* STORE w', "EVAL \"return redis.call('sort','al','get','x*')\" 0"),
  ...user('+@all', '~a*'),
  ...as(
    "EVAL \"return redis.call('sort','al','get','x*')\" 0",
    "EVAL \"return redis.call('sort','al','by','nosort')\" 0",
  ),
]);

compareCases('selectors allow a command only as a whole', [
  ...user('+get', '~a*', '(+set ~b*)', '(+mget +copy %R~c* %W~d*)', '(+publish &e)'),
  ...as(
    'GET a',
    'GET b',
    'SET a 1',
    'SET b 1',
    'MGET c1 c2',
    'MGET c1 a',
    'COPY c1 d1',
    'COPY c1 b',
    'COPY b d',
  ),
  ...as('PUBLISH e 1', 'PUBLISH f 1', 'DEL a', 'MGET d1 c1 x', 'SUBSCRIBE e'),
  logged('ACL LOG 100'),
]);

compareCases('channels', [
  ...user('+@all', '&c*', '&d'),
  ...as(
    'PUBLISH c1 x',
    'PUBLISH x x',
    'SPUBLISH d x',
    'SPUBLISH x x',
    'SSUBSCRIBE d x',
    'SUBSCRIBE c1 x',
    'PSUBSCRIBE x*',
  ),
  ...as('PSUBSCRIBE c1', 'PSUBSCRIBE c', 'UNSUBSCRIBE x', 'PUNSUBSCRIBE x', 'PUBSUB CHANNELS *'),
  on('a', 'PSUBSCRIBE c* d'),
  'PUBLISH c9 hello',
  receive('a'),
  logged('ACL LOG 100'),
]);

compareCases('transactions are checked when commands are queued and at EXEC', [
  ...user('+@all', '~a*', '&c*'),
  ...as('MULTI', 'SET a 1', 'SET b 1', 'EXEC'),
  ...as('MULTI', 'FLUSHALL'),
  'ACL SETUSER u -flushall',
  ...as('FLUSHALL', 'EXEC'),
  ...as('MULTI', 'SET a 1', 'SET a2 1', 'PUBLISH c 1', 'GET a', 'CONFIG GET hz', 'INCR a'),
  'ACL SETUSER u resetkeys ~a2 resetchannels -config|get',
  ...as('EXEC', 'GET a2'),
  'GET a',
  ...as('MULTI', 'SET a2 1', 'ACL SETUSER u -set', 'SET a2 2', 'EXEC', 'GET a2'),
  ...as('MULTI', 'GET a2'),
  'ACL SETUSER u -exec',
  ...as('EXEC', 'DISCARD'),
  logged('ACL LOG 100'),
  { send: 'INFO errorstats', normalise: counts },
  { send: 'INFO commandstats', normalise: counts },
]);

const call = (...words: string[]): string =>
  `EVAL "return redis.call(${words.map((word) => `'${word}'`).join(',')})" 0`;

compareCases('scripts and functions run with the permissions of the client', [
  'SET a 1',
  'FUNCTION LOAD "#!lua name=l\\nredis.register_function(\'f\', function(k, a) return redis.call(a[1], a[2]) end)"',
  ...user('+@all', '-config', '-hget', '~a*', '&c*'),
  ...as(
    call('get', 'a'),
    call('get', 'b'),
    call('hget', 'a', 'f'),
    call('config', 'get', 'hz'),
    call('publish', 'x', '1'),
  ),
  ...as(
    call('publish', 'c', '1'),
    call('set', 'b', '1'),
    'FCALL f 0 get a',
    'FCALL f 0 get b',
    'FCALL f 0 hget b',
  ),
  ...as(
    "EVAL \"return redis.pcall('get', 'b')\" 0",
    "EVAL \"return redis.acl_check_cmd('get', 'a')\" 0",
    "EVAL \"return redis.acl_check_cmd('get', 'b')\" 0",
    "EVAL \"return redis.acl_check_cmd('hget', 'a', 'b')\" 0",
    "EVAL \"return redis.acl_check_cmd('publish', 'x', 'b')\" 0",
    "EVAL \"return redis.acl_check_cmd('config', 'get')\" 0",
    "EVAL \"return redis.acl_check_cmd('set', 'b')\" 0",
    'EVAL "return redis.acl_check_cmd(\'nosuch\')" 0',
    'EVAL "return redis.acl_check_cmd()" 0',
    "EVAL \"redis.setresp(3) return redis.acl_check_cmd('get', 'b')\" 0",
  ),
  "EVAL \"return redis.acl_check_cmd('get', 'b')\" 0",
  ...as('MULTI', call('get', 'b'), 'EXEC'),
  logged('ACL LOG 100'),
  { send: 'INFO errorstats', normalise: counts },
  { send: 'INFO commandstats', normalise: counts },
]);

compareCases('a blocked client is served although its permissions were taken', [
  ...user('+@all', '~a'),
  start('a', 'BLPOP a 0'),
  'ACL SETUSER u resetkeys -blpop',
  'RPUSH a 1 2',
  receive('a'),
  on('a', 'BLPOP a 0'),
  silent('a'),
]);

compareCases('CLIENT LIST shows users, MONITOR and tracking need only the command', [
  ...user('+@all', '-monitor', '~a'),
  on('a', 'MONITOR'),
  {
    send: 'CLIENT INFO',
    on: 'a',
    normalise: (reply) => /user=\w+/.exec(String(plain(reply)))?.[0],
  },
  on('a', 'CLIENT TRACKING ON BCAST PREFIX b'),
]);

compareCases('permissions that change apply to the next command of connected clients', [
  'ACL SETUSER u on nopass +@all ~*',
  on('a', 'AUTH u x'),
  on('a', 'SET k 1'),
  'ACL SETUSER u -set',
  on('a', 'SET k 2'),
  'ACL SETUSER u +set resetkeys',
  on('a', 'SET k 2'),
  'ACL SETUSER u ~*',
  on('a', 'SET k 3'),
  'ACL SETUSER u off',
  on('a', 'SET k 4'),
  on('a', 'AUTH u x'),
  on('a', 'SET k 5'),
  described('ACL LIST'),
]);
