import fc from 'fast-check';
import {
  bytesOf,
  closed,
  compareCases,
  compareLive,
  generated,
  ignore,
  near,
  on,
  raw,
  receive,
  silent,
  start,
  unordered,
} from './support/index.js';

/** An example of every feature of the support folder; the README explains them. */

compareCases('a string can be set, read and counted', [
  'SET greeting "hello world"',
  'GET greeting',
  ['SET', Buffer.from([0, 255]), 'binary key'],
  ['GET', Buffer.from([0, 255])],
  'INCR greeting',
  'SET n 10',
  'INCRBY n 32',
  'GET absent',
  'GET',
]);

compareCases('collections without order are compared as multisets', [
  'SADD s a b c 1 2 3',
  unordered('SMEMBERS s'),
  'HSET h f1 v1 f2 v2',
  unordered('HGETALL h', 'pairs'),
  unordered('SCAN 0 COUNT 100', 'nested'),
]);

compareCases('a time to live may differ by some seconds', [
  'SET k v EX 100',
  near('TTL k', 10),
  'PERSIST k',
  'TTL k',
]);

compareCases('a reply can be the input of the next command', [
  'SET source value',
  'DUMP source',
  { send: (dump) => ['RESTORE', 'target', 0, bytesOf(dump)] },
  'GET target',
]);

compareCases('a blocked client is served by another connection', [
  start('waiting', 'BLPOP queue 0'),
  silent('waiting'),
  'RPUSH queue job',
  receive('waiting'),
  'EXISTS queue',
]);

compareCases('subscribers receive what is published', [
  on('subscriber', 'SUBSCRIBE news weather'),
  on('publisher', 'PUBLISH news hello'),
  receive('subscriber'),
  on('publisher', 'PUBLISH unheard hello'),
  silent('subscriber'),
]);

compareCases('settings are restored after the group', [
  'CONFIG GET hash-max-listpack-entries',
  'CONFIG SET hash-max-listpack-entries 2',
  'HSET h a 1 b 2 c 3',
  'OBJECT ENCODING h',
]);

compareCases('the next group sees the old settings and no keys', [
  'CONFIG GET hash-max-listpack-entries',
  'DBSIZE',
  ignore('INFO server', 'describes the machine'),
]);

compareCases('a malformed request gets an error, and the connection is closed', [
  raw('PING\r\n'),
  { raw: '*1\r\n$4\r\nPI', replies: 0 },
  raw('NG\r\n'),
  raw('*x\r\n'),
  closed('main'),
]);

compareCases(
  'one case can use another protocol version than its group',
  ['HSET h f v', 'HGETALL h', { send: 'HGETALL h', resp: 3 }],
  { protocols: [2] },
);

compareLive('a program can control both servers', async ({ sendBoth, connect }) => {
  const other = await connect(3);
  for (let i = 0; i < 20; i++) await sendBoth(['RPUSH', 'list', i]);
  await sendBoth('LRANGE list 0 -1', { on: other });
});

const key = fc.constantFrom('a', 'b', 'c');
const value = fc.oneof(fc.constantFrom('', '1', '-5', 'text'), fc.integer().map(String));

generated(
  'strings and counters',
  fc.oneof(
    fc.tuple(fc.constant('SET'), key, value),
    fc.tuple(fc.constant('APPEND'), key, value),
    fc.tuple(fc.constant('INCRBY'), key, value),
    fc.tuple(fc.constantFrom('GET', 'INCR', 'DECR', 'STRLEN', 'DEL'), key),
  ),
);
