import { closed, compareCases, on, raw, receive, silent, unordered } from './support/index.js';

compareCases('subscriptions are confirmed with their number', [
  on('s', 'SUBSCRIBE a b'),
  on('s', 'SUBSCRIBE a'),
  on('s', 'PSUBSCRIBE p* q*'),
  on('s', 'SSUBSCRIBE x'),
  on('s', 'UNSUBSCRIBE a'),
  on('s', 'UNSUBSCRIBE nothere'),
  on('s', 'PUNSUBSCRIBE p* nothere'),
  on('s', 'SUNSUBSCRIBE y x'),
  on('s', 'UNSUBSCRIBE'),
  on('s', 'PUNSUBSCRIBE'),
  on('s', 'SUNSUBSCRIBE'),
  on('s', 'UNSUBSCRIBE'),
  on('s', 'PING'),
]);

compareCases('PUNSUBSCRIBE without arguments ends the patterns in the order of subscription', [
  on('s', 'PSUBSCRIBE c* a* b*'),
  on('s', 'PUNSUBSCRIBE', { replies: 3 }),
]);

compareCases('UNSUBSCRIBE without arguments replies once per channel', [
  on('s', 'SUBSCRIBE only'),
  on('s', 'PSUBSCRIBE p*'),
  on('s', 'UNSUBSCRIBE'),
]);

compareCases('messages reach channels, then patterns', [
  on('s', 'SUBSCRIBE news'),
  on('s', 'PSUBSCRIBE n*'),
  on('t', 'SUBSCRIBE news weather'),
  'PUBLISH news hello',
  receive('s', 2),
  receive('t'),
  'PUBLISH new x',
  receive('s'),
  'PUBLISH weather rain',
  receive('t'),
  'PUBLISH other x',
  ['PUBLISH', 'news', Buffer.from([0, 13, 10, 255])],
  receive('s', 2),
  receive('t'),
  ['PUBLISH', 'news', ''],
  receive('s', 2),
  receive('t'),
  ['PUBLISH', 'news', 'x'.repeat(100_000)],
  receive('s', 2),
  receive('t'),
  silent('s'),
  silent('t'),
]);

compareCases('shard channels are separate from other channels', [
  on('s', 'SSUBSCRIBE a'),
  on('t', 'SUBSCRIBE a'),
  on('t', 'PSUBSCRIBE a*'),
  'SPUBLISH a shard',
  receive('s'),
  silent('t'),
  'PUBLISH a all',
  receive('t', 2),
  silent('s'),
  on('s', 'SUNSUBSCRIBE'),
]);

compareCases('PUBSUB lists channels and subscribers', [
  'PUBSUB CHANNELS',
  'PUBSUB NUMPAT',
  on('s', 'SUBSCRIBE a ab b'),
  on('t', 'SUBSCRIBE a'),
  on('s', 'PSUBSCRIBE x* y*'),
  on('t', 'PSUBSCRIBE x*'),
  on('s', 'SSUBSCRIBE sa sb'),
  unordered('PUBSUB CHANNELS'),
  unordered('PUBSUB CHANNELS a*'),
  'PUBSUB CHANNELS nothing*',
  'PUBSUB NUMSUB',
  'PUBSUB NUMSUB a b c a',
  'PUBSUB NUMPAT',
  unordered('PUBSUB SHARDCHANNELS'),
  'PUBSUB SHARDCHANNELS sa',
  'PUBSUB SHARDNUMSUB sa a',
  'PUBSUB SHARDNUMSUB',
  'PUBSUB HELP',
  'PUBSUB',
  'PUBSUB NOTHING',
  'PUBSUB CHANNELS a b',
  'PUBSUB SHARDCHANNELS a b',
  'PUBSUB NUMPAT a',
  'PUBSUB HELP a',
]);

compareCases('malformed commands', [
  'SUBSCRIBE',
  'PSUBSCRIBE',
  'SSUBSCRIBE',
  'PUBLISH',
  'PUBLISH a',
  'PUBLISH a b c',
  'SPUBLISH a',
]);

compareCases(
  'a RESP2 client with subscriptions may only manage them',
  [
    'SUBSCRIBE a',
    'GET x',
    'SET x 1',
    'CONFIG GET maxmemory',
    'CLIENT ID',
    'MULTI',
    'EXEC',
    'HELLO 3',
    'NOSUCHCOMMAND',
    'PING',
    'PING hello',
    'PING a b',
    'PUBLISH a x',
    'PSUBSCRIBE p*',
    'SSUBSCRIBE s',
    'UNSUBSCRIBE a',
    'GET x',
    'PUNSUBSCRIBE p*',
    'GET x',
    'SUNSUBSCRIBE s',
    'GET x',
    'PING',
    'SUBSCRIBE a',
    'RESET',
    'GET x',
    'PUBLISH a x',
    'SUBSCRIBE a',
    'QUIT',
    closed('main'),
  ],
  { protocols: [2] },
);

compareCases(
  'a RESP3 client with subscriptions may run all commands',
  [
    'SUBSCRIBE a',
    'GET x',
    'PING',
    'PING hello',
    { send: 'PUBLISH a self', replies: 2 },
    'PSUBSCRIBE a*',
    { send: 'PUBLISH a self', replies: 3 },
    'RESET',
    'PUBLISH a self',
  ],
  { protocols: [3] },
);

compareCases('messages to the sender itself are in the right place', [
  raw('SUBSCRIBE a\r\n'),
  { send: 'UNSUBSCRIBE a', replies: 1 },
  'MULTI',
  'SUBSCRIBE a',
  'PUBLISH a one',
  'SET k v',
  'PUBLISH a two',
  'UNSUBSCRIBE a',
  'EXEC',
  // The header announces six elements; two messages are sent between them.
  { receive: 'main', replies: 2 },
  'GET k',
]);

compareCases(
  'messages to the sender itself are in the right place among pipelined replies',
  [
    raw(
      'SUBSCRIBE a\r\nPING\r\nPUBLISH a one\r\nPING\r\nPUBLISH a two\r\nNOSUCHCOMMAND\r\nPUBLISH a three\r\n',
      {
        replies: 10,
      },
    ),
  ],
  { protocols: [3] },
);

compareCases('transactions may subscribe, except to shard channels', [
  'MULTI',
  'SSUBSCRIBE x',
  'PSUBSCRIBE p*',
  'PUNSUBSCRIBE',
  'SUNSUBSCRIBE',
  'EXEC',
  'PING',
]);

compareCases('confirmations and messages are sent even if replies are off', [
  raw('CLIENT REPLY OFF\r\nSUBSCRIBE z\r\n', { on: 's' }),
  'PUBLISH z x',
  receive('s'),
  raw('PING\r\nUNSUBSCRIBE\r\nCLIENT REPLY ON\r\nPING\r\n', { on: 's', replies: 3 }),
]);

compareCases('a subscriber that disconnects is removed', [
  on('s', 'SUBSCRIBE a'),
  on('s', 'PSUBSCRIBE a*'),
  on('s', 'SSUBSCRIBE a'),
  on('s', 'QUIT'),
  closed('s'),
  'PUBSUB CHANNELS',
  'PUBSUB NUMPAT',
  'PUBSUB SHARDCHANNELS',
  'PUBLISH a x',
]);

compareCases('each subscriber gets messages in its own protocol', [
  on('two', 'SUBSCRIBE a', { resp: 2 }),
  on('three', 'SUBSCRIBE a', { resp: 3 }),
  'PUBLISH a x',
  { receive: 'two', resp: 2 },
  { receive: 'three', resp: 3 },
]);

compareCases('changing the protocol does not end subscriptions', [
  { send: 'SUBSCRIBE a', on: 's', resp: 3 },
  { send: 'HELLO 2', on: 's', resp: 3, ignore: 'has the connection id' },
  { send: 'GET x', on: 's', resp: 3 },
  'PUBLISH a x',
  { receive: 's', resp: 3 },
  { send: 'PING', on: 's', resp: 3 },
]);

compareCases('patterns match as in KEYS', [
  on('s', 'PSUBSCRIBE h?llo'),
  on('s', 'PSUBSCRIBE h[ae]y'),
  on('s', ['PSUBSCRIBE', '\\*x']),
  'PUBLISH hello 1',
  receive('s'),
  'PUBLISH hllo 1',
  'PUBLISH hay 1',
  receive('s'),
  'PUBLISH hby 1',
  'PUBLISH *x 1',
  receive('s'),
  'PUBLISH HELLO 1',
]);
