import { type Case, compareCases, on, plain, type Reply, raw, receive } from './support/index.js';

/** A line without the time and the port, which differ between two servers. */
const withoutTimeAndPort = (reply: Reply) =>
  String(plain(reply))
    .replace(/^\d+\.\d{6} /, '')
    .replace(/\[(\d+) 127\.0\.0\.1:\d+\]/, '[$1 client]');

/** All connections are opened before, because the monitor would see their commands. */
const begin: readonly Case[] = ['PING', on('w', 'PING'), on('m', 'MONITOR')];

const shown = (count = 1): Case => receive('m', count, { normalise: withoutTimeAndPort });

compareCases('commands are shown as they were sent', [
  ...begin,
  'SET a 1',
  shown(),
  'get a',
  shown(),
  ['SET', Buffer.from([0, 34, 92, 13, 10, 9, 7, 8, 127, 128, 255]), ''],
  shown(),
  'SELECT 3',
  shown(),
  'GET a',
  shown(),
  'INCR a x',
  'NOSUCHCOMMAND',
  'LPUSH a',
  'PING',
  shown(),
  'LPUSH a x',
  shown(),
  'INCR a',
  shown(),
]);

compareCases('administration and passwords are not shown', [
  ...begin,
  'CONFIG GET maxmemory',
  { send: 'CLIENT LIST', ignore: 'differs' },
  'CLIENT GETNAME',
  shown(),
  'AUTH secret',
  shown(),
  'AUTH user secret',
  shown(),
  'AUTH a b c',
  shown(),
  { send: 'HELLO 3 AUTH user secret', ignore: 'differs in protocol' },
  shown(),
  { send: 'HELLO 3 AUTH user', ignore: 'differs in protocol' },
  shown(),
  'SLOWLOG RESET',
  'DEBUG SLEEP 0',
]);

compareCases('commands of a transaction are shown as they run', [
  ...begin,
  'MULTI',
  shown(),
  'SET a 1',
  'GET a',
  'CONFIG GET maxmemory',
  'EXEC',
  shown(3),
  'MULTI',
  shown(),
  'NOSUCHCOMMAND',
  'EXEC',
  shown(),
  'EXEC too many',
  shown(),
  'MULTI',
  shown(),
  'SET a 1',
  'DISCARD',
  shown(),
]);

compareCases('blocked commands are shown once', [
  ...begin,
  raw('PING\r\nBLPOP list 0\r\n', { on: 'w' }),
  shown(2),
  'RPUSH list a',
  shown(),
  receive('w'),
]);

compareCases('a monitoring client may not access keys', [
  ...begin,
  { raw: 'PING\r\nMONITOR\r\nPING\r\n', on: 'm', replies: 4, normalise: withoutTimeAndPort },
  on('m', 'GET a'),
  on('m', 'SET a 1'),
  on('m', 'PUBLISH a x'),
  on('m', 'NOSUCHCOMMAND'),
  { raw: 'MULTI\r\nGET a\r\nEXEC\r\n', on: 'm', replies: 5, normalise: withoutTimeAndPort },
  { raw: 'SUBSCRIBE a\r\n', on: 'm', replies: 2, normalise: withoutTimeAndPort },
  { raw: 'UNSUBSCRIBE\r\n', on: 'm', replies: 2, normalise: withoutTimeAndPort },
  on('m', 'RESET'),
  on('m', 'GET a'),
  'PING',
  raw('PING\r\n'),
]);

compareCases('MONITOR is not allowed in transactions', ['MULTI', 'MONITOR', 'EXEC', 'MONITOR too many']);
