import { type Case, compareCases, on, type Reply, receive, silent, start } from '../support/index.js';
import { milliseconds } from './stream-support.js';

const group: Case[] = ['XADD s 1-0 n 1', 'XGROUP CREATE s g $'];

compareCases('XREAD waits for entries', [
  start('a', 'XREAD BLOCK 0 STREAMS s $'),
  start('b', 'XREAD BLOCK 0 COUNT 1 STREAMS t s 0 0'),
  start('c', 'XREAD BLOCK 0 STREAMS s 5'),
  'XADD s 1-0 n 1',
  receive('a'),
  receive('b'),
  silent('c'),
  'XADD s 5-0 n 5',
  silent('c'),
  'XADD s 6-0 n 6',
  receive('c'),
  start('a', 'XREAD BLOCK 0 STREAMS s $'),
  'XADD s 7-0 n 7',
  receive('a'),
  start('a', 'XREAD BLOCK 0 STREAMS s $'),
  'XADD s 8-0 n 8',
  receive('a'),
]);

compareCases('a transaction serves readers once, with all added entries', [
  start('a', 'XREAD BLOCK 0 STREAMS s $'),
  start('b', 'XREAD BLOCK 0 COUNT 2 STREAMS s $'),
  'MULTI',
  'XADD s 1-0 n 1',
  'XADD s 2-0 n 2',
  'XADD s 3-0 n 3',
  'EXEC',
  receive('a'),
  receive('b'),
  'MULTI',
  'XREAD BLOCK 0 STREAMS s $',
  'XREAD BLOCK 0 STREAMS s 2',
  'EXEC',
]);

compareCases('waits end in time', [
  'XREAD BLOCK 10 STREAMS s $',
  ...group,
  'XREADGROUP GROUP g c BLOCK 10 STREAMS s >',
  milliseconds('XINFO CONSUMERS s g'),
  'XREADGROUP GROUP g c BLOCK 10 STREAMS s 0',
  'XDEL s 1-0',
  'XREAD BLOCK 10 STREAMS s 0',
]);

compareCases('consumers of a group are served in the order of their arrival', [
  ...group,
  start('a', 'XREADGROUP GROUP g alice BLOCK 0 COUNT 1 STREAMS s >'),
  start('b', 'XREADGROUP GROUP g bob BLOCK 0 STREAMS s >'),
  start('c', 'XREADGROUP GROUP g carol BLOCK 0 NOACK STREAMS s >'),
  start('r', 'XREAD BLOCK 0 STREAMS s $'),
  'XADD s 2-0 n 2',
  receive('a'),
  receive('r'),
  silent('b'),
  'XADD s 3-0 n 3',
  receive('b'),
  'XADD s 4-0 n 4',
  receive('c'),
  'XPENDING s g',
  milliseconds('XINFO STREAM s FULL'),
  start('a', 'XREADGROUP GROUP g alice BLOCK 0 COUNT 1 STREAMS s >'),
  start('b', 'XREADGROUP GROUP g bob BLOCK 0 STREAMS s >'),
  'MULTI',
  'XADD s 5-0 n 5',
  'XADD s 6-0 n 6',
  'XADD s 7-0 n 7',
  'EXEC',
  receive('a'),
  receive('b'),
  milliseconds('XPENDING s g - + 10'),
]);

compareCases('one reader waits for several streams', [
  ...group,
  'XGROUP CREATE t g $ MKSTREAM',
  start('a', 'XREADGROUP GROUP g alice BLOCK 0 STREAMS s t > >'),
  start('b', 'XREAD BLOCK 0 STREAMS s s t $ 1-0 $'),
  start('c', 'XREAD BLOCK 9223372036854775807 STREAMS s t $ $'),
  'XADD t 1-0 n 1',
  receive('a'),
  receive('b'),
  receive('c'),
]);

for (const [what, ...how] of [
  ['deleted', 'DEL s'],
  ['unlinked', 'UNLINK s'],
  ['overwritten by a string', 'SET s v'],
  ['overwritten by a list', 'MULTI', 'DEL s', 'RPUSH s a', 'EXEC'],
  ['overwritten by a result', 'SUNIONSTORE s set'],
  ['renamed', 'RENAME s u'],
  ['moved', 'MOVE s 3'],
  ['flushed', 'FLUSHALL'],
  ['flushed with its database', 'FLUSHDB'],
  ['swapped away', 'SWAPDB 0 3'],
  ['expired', 'PEXPIRE s -1'],
  ['left in another database', 'SELECT 3', 'FLUSHDB', 'DEL s'],
  ['destroyed', 'XGROUP DESTROY s g'],
  ['overwritten by a stream', 'RENAME other s'],
  ['restored', 'COPY other s REPLACE'],
  ['created again with the group', 'MULTI', 'DEL s', 'XGROUP CREATE s g $ MKSTREAM', 'EXEC'],
  ['created again without the group', 'MULTI', 'DEL s', 'XADD s 1-0 a b', 'EXEC'],
  ['swapped for another', 'SELECT 3', 'XADD s 9-0 a b', 'SELECT 0', 'SWAPDB 0 3'],
] as const) {
  compareCases(`a stream that is ${what} while readers wait for it`, [
    ...group,
    'SADD set m',
    'XADD other 1-0 a b',
    'XGROUP CREATE t g $ MKSTREAM',
    start('a', 'XREADGROUP GROUP g alice BLOCK 0 STREAMS s >'),
    start('b', 'XREADGROUP GROUP g bob BLOCK 0 STREAMS t s > >'),
    start('r', 'XREAD BLOCK 0 STREAMS s 1-0'),
    ...how,
    'PING',
    // Clients that still wait are unblocked.
    on('x', 'CLIENT LIST', { ignore: 'addresses and ids' }),
    'SELECT 0',
    'DEL s t',
    'XADD s 100-0 n 100',
    receive('r'),
    receive('a'),
    receive('b'),
  ]);
}

compareCases('streams do not serve clients that wait for other types', [
  start('l', 'BLPOP k 0'),
  start('s', 'XREAD BLOCK 0 STREAMS k 0'),
  'XADD k 1-0 a b',
  receive('s'),
  silent('l'),
  'DEL k',
  silent('l'),
  start('s', 'XREAD BLOCK 0 STREAMS k 0'),
  'RPUSH k v',
  receive('l'),
  silent('s'),
  'XADD k 2-0 a b',
  receive('s'),
]);

compareCases('the position of a group is reset while readers wait', [
  ...group,
  start('a', 'XREADGROUP GROUP g alice BLOCK 0 STREAMS s >'),
  'XGROUP SETID s g 0',
  silent('a'),
  'XADD s 2-0 n 2',
  receive('a'),
  start('a', 'XREADGROUP GROUP g alice BLOCK 0 STREAMS s >'),
  'XADD s 3-0 n 3 ',
  receive('a'),
  start('a', 'XREADGROUP GROUP g alice BLOCK 0 STREAMS s >'),
  'MULTI',
  'XADD s 4-0 n 4',
  'XDEL s 4-0',
  'EXEC',
  receive('a'),
]);

compareCases('clients are unblocked by other clients', [
  on('a', 'CLIENT ID', { ignore: 'differs' }),
  start('a', 'XREAD BLOCK 0 STREAMS s $'),
  'SET s v',
  silent('a'),
  'DEL s',
  'XADD s 1-0 a b',
  receive('a'),
]);

compareCases('scripts can read streams without waiting', [
  'XADD s 1-0 a b',
  'XGROUP CREATE s g 0',
  "EVAL \"return redis.call('xread', 'BLOCK', '0', 'STREAMS', 's', '$')\" 0",
  "EVAL \"return redis.pcall('XREADGROUP', 'GROUP', 'g', 'c', 'block', 'x', 'STREAMS', 's', '>')\" 0",
  "EVAL \"return redis.call('XREAD', 'STREAMS', 's', '0')\" 0",
  "EVAL \"return redis.call('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 's', '>')\" 0",
  start('a', 'XREAD BLOCK 0 STREAMS s $'),
  "EVAL \"redis.call('XADD', 's', '2-0', 'a', 'b') redis.call('XADD', 's', '3-0', 'a', 'b')\" 0",
  receive('a'),
]);

const failures: Case = {
  send: 'INFO commandstats',
  normalise: ({ raw }: Reply) =>
    /cmdstat_xreadgroup:calls=(\d+),.*(rejected_calls.*)/.exec(raw.toString())?.slice(1),
};

compareCases('waits that end with an error count as failed commands', [
  'CONFIG RESETSTAT',
  'XGROUP CREATE s g 0 MKSTREAM',
  start('a', 'XREADGROUP GROUP g c BLOCK 0 STREAMS s >'),
  failures,
  'XGROUP DESTROY s g',
  receive('a'),
  failures,
  'XGROUP CREATE s g 0',
  start('a', 'XREADGROUP GROUP g c BLOCK 0 STREAMS s >'),
  'DEL s',
  receive('a'),
  failures,
  'INFO errorstats',
]);
