import { closed, compareCases, on, plain, type Reply, raw, receive, silent, start } from './support/index.js';

const RESP3 = { protocols: [3] } as const;

compareCases('options are checked', [
  'CLIENT TRACKING',
  'CLIENT TRACKING ON FOO',
  'CLIENT TRACKING FOO',
  'CLIENT TRACKING FOO BCAST',
  'CLIENT TRACKING ON PREFIX a',
  'CLIENT TRACKING ON PREFIX',
  'CLIENT TRACKING ON REDIRECT',
  'CLIENT TRACKING ON REDIRECT x',
  'CLIENT TRACKING ON REDIRECT 0',
  'CLIENT TRACKING ON REDIRECT 999999',
  'CLIENT TRACKING ON OPTIN OPTOUT',
  'CLIENT TRACKING ON BCAST OPTIN',
  'CLIENT TRACKING ON BCAST OPTOUT',
  'CLIENT TRACKING ON BCAST PREFIX foo PREFIX foobar',
  'CLIENT TRACKING OFF',
  'CLIENT CACHING YES',
  'CLIENT CACHING',
  'CLIENT GETREDIR',
  'CLIENT GETREDIR x',
  'CLIENT TRACKINGINFO',
  'CLIENT ID x',
  { send: 'CLIENT ID', ignore: 'differs' },
  { send: (id) => ['CLIENT', 'TRACKING', 'ON', 'REDIRECT', String(plain(id)), 'REDIRECT', '1'] },
]);

compareCases(
  'a client that waited gets the invalidation of its own change after the reply',
  [
    'RPUSH to a',
    'CLIENT TRACKING ON',
    'LRANGE to 0 -1',
    start('main', 'BLMOVE from to LEFT LEFT 0'),
    on('b', 'RPUSH from x'),
    receive('main'),
    receive('main'),
  ],
  RESP3,
);

compareCases(
  'the keys of a script are tracked when one of its commands reads',
  [
    'CLIENT TRACKING ON',
    ['EVAL', "return redis.call('set', 'other', 1)", '1', 'k1'],
    on('b', 'SET k1 1'),
    ['EVAL_RO', "return redis.call('ping')", '1', 'k2'],
    on('b', 'SET k2 1'),
    ['EVAL_RO', "return redis.call('get', 'other')", '1', 'k3'],
    on('b', 'SET k3 1'),
    receive('main'),
    'PING',
  ],
  RESP3,
);

compareCases('modes cannot be switched while tracking', [
  'CLIENT TRACKING ON',
  'CLIENT TRACKINGINFO',
  'CLIENT GETREDIR',
  'CLIENT TRACKING ON BCAST',
  'CLIENT CACHING YES',
  'CLIENT CACHING NO',
  'CLIENT CACHING MAYBE',
  'CLIENT TRACKING ON OPTIN',
  'CLIENT TRACKINGINFO',
  'CLIENT TRACKING ON OPTOUT',
  'CLIENT CACHING YES',
  'CLIENT TRACKINGINFO',
  'PING',
  'CLIENT TRACKINGINFO',
  'CLIENT CACHING NO',
  'CLIENT TRACKING OFF',
  'CLIENT TRACKING ON OPTOUT NOLOOP',
  'CLIENT CACHING NO',
  'CLIENT TRACKINGINFO',
  'CLIENT CACHING YES',
  'CLIENT TRACKING OFF',
  'CLIENT TRACKING ON BCAST PREFIX b PREFIX a',
  'CLIENT TRACKINGINFO',
  'CLIENT TRACKING ON BCAST PREFIX c NOLOOP',
  'CLIENT TRACKINGINFO',
  'CLIENT TRACKING ON BCAST PREFIX cc',
  'CLIENT TRACKING ON BCAST PREFIX x PREFIX xx',
  { send: 'CLIENT TRACKING ON BCAST PREFIX w PREFIX y PREFIX yy', replies: 2 },
  'CLIENT TRACKINGINFO',
  'CLIENT TRACKING ON',
  'CLIENT TRACKING OFF',
  'CLIENT TRACKINGINFO',
  'CLIENT TRACKING ON BCAST',
  'CLIENT TRACKINGINFO',
]);

compareCases(
  'a change of a key that was read is sent once',
  [
    'SET k 1',
    on('t', 'CLIENT TRACKING ON'),
    on('t', 'GET k'),
    'SET k 2',
    receive('t'),
    'SET k 3',
    silent('t'),
    on('t', 'GET k'),
    'DEL k',
    receive('t'),
    on('t', 'GET absent'),
    'SET absent 1',
    receive('t'),
    on('t', 'MGET a b c'),
    'MSET a 1 c 2',
    receive('t', 2),
    on('t', 'CLIENT TRACKING OFF'),
    'SET b 1',
    silent('t'),
  ],
  RESP3,
);

compareCases(
  'keys read by write commands are not tracked',
  [
    on('t', 'CLIENT TRACKING ON'),
    on('t', 'SET k 1'),
    on('t', 'GETSET k 2'),
    on('t', 'INCR k'),
    'SET k 2',
    silent('t'),
    on('t', 'STRLEN k'),
    on('t', 'TTL other'),
    on('t', 'EXISTS third'),
    on('t', 'LRANGE list 0 -1'),
    on('t', 'SCARD set'),
    on('t', 'KEYS *'),
    on('t', 'GET list'),
    'EXPIRE k 100',
    receive('t'),
    'SET other 1',
    receive('t'),
    'SET third 1',
    receive('t'),
    'RPUSH list 1',
    receive('t'),
    'SADD set 1',
    receive('t'),
  ],
  RESP3,
);

compareCases(
  "invalidations of a client's own changes are sent after the reply",
  [
    'CLIENT TRACKING ON',
    'GET k',
    { send: 'SET k 1', replies: 2 },
    'MGET a b',
    raw('MSET a 1 b 2\r\nPING\r\n', { replies: 4 }),
    'MGET a b',
    'MULTI',
    'SET a 1',
    'GET a',
    'SET a 2',
    'SET b 2',
    { send: 'EXEC', replies: 4 },
    'GET a',
    { send: 'FLUSHALL', replies: 2 },
    { send: 'FLUSHDB', replies: 2 },
  ],
  RESP3,
);

compareCases(
  "NOLOOP omits the client's own changes",
  [
    'CLIENT TRACKING ON NOLOOP',
    'GET k',
    'SET k 1',
    on('other', 'SET k 2'),
    'GET k',
    on('other', 'SET k 2'),
    receive('main'),
    { send: 'FLUSHALL', replies: 2 },
  ],
  RESP3,
);

compareCases(
  'OPTIN and OPTOUT with CLIENT CACHING',
  [
    on('t', 'CLIENT TRACKING ON OPTIN'),
    on('t', 'GET a'),
    'SET a 1',
    silent('t'),
    on('t', 'CLIENT CACHING YES'),
    on('t', 'GET a'),
    on('t', 'GET b'),
    'SET a 1',
    'SET b 1',
    receive('t'),
    on('t', 'CLIENT CACHING YES'),
    on('t', 'CLIENT GETNAME'),
    on('t', 'GET a'),
    'SET a 1',
    receive('t'),
    on('t', 'CLIENT CACHING YES'),
    on('t', 'NOSUCHCOMMAND'),
    on('t', 'GET a'),
    'SET a 1',
    on('t', 'CLIENT CACHING YES'),
    on('t', 'MULTI'),
    on('t', 'GET a'),
    on('t', 'GET b'),
    on('t', 'EXEC'),
    'SET a 1',
    'SET b 1',
    receive('t', 2),
    on('t', 'MULTI'),
    on('t', 'GET a'),
    on('t', 'CLIENT CACHING YES'),
    on('t', 'GET b'),
    on('t', 'EXEC'),
    'SET a 1',
    'SET b 1',
    receive('t'),
    on('t', 'CLIENT TRACKING OFF'),
    on('t', 'CLIENT TRACKING ON OPTOUT'),
    on('t', 'GET a'),
    on('t', 'CLIENT CACHING NO'),
    on('t', 'GET b'),
    'SET a 1',
    'SET b 1',
    receive('t'),
    silent('t'),
  ],
  RESP3,
);

compareCases(
  'clients in broadcasting mode get all changed keys with their prefixes, once per turn',
  [
    on('t', 'CLIENT TRACKING ON BCAST PREFIX b PREFIX a'),
    on('all', 'CLIENT TRACKING ON BCAST'),
    on('quiet', 'CLIENT TRACKING ON BCAST NOLOOP'),
    'SET a1 1',
    receive('t'),
    receive('all'),
    receive('quiet'),
    raw('MSET b2 1 a2 1 c 1 b1 1\r\n'),
    receive('t', 2),
    receive('all'),
    receive('quiet'),
    on('quiet', 'SET a1 2'),
    receive('t'),
    receive('all'),
    on('t', 'SET a1 2', { replies: 2 }),
    receive('all'),
    receive('quiet'),
    on('quiet', 'CLIENT TRACKING OFF'),
    'DEL a1 b1',
    receive('t', 2),
    receive('all'),
    'FLUSHALL',
    receive('t'),
    receive('all'),
    silent('quiet'),
  ],
  RESP3,
);

compareCases(
  'expired keys are invalidated',
  [
    'DEBUG SET-ACTIVE-EXPIRE 0',
    'SET k 1 PX 1',
    'SET l 1 PX 1',
    on('t', 'CLIENT TRACKING ON NOLOOP'),
    on('b', 'CLIENT TRACKING ON BCAST NOLOOP'),
    on('t', 'TTL nothing'),
    'DEBUG SLEEP 0.01',
    on('b', 'GET k', { replies: 2 }),
    on('t', 'GET l'),
    receive('b'),
    'DEBUG SET-ACTIVE-EXPIRE 1',
  ],
  RESP3,
);

compareCases(
  'keys are identified only by name, not by database',
  [on('t', 'CLIENT TRACKING ON'), on('t', 'GET k'), 'SELECT 5', 'SET k 1', receive('t')],
  RESP3,
);

compareCases(
  'renamed, moved and copied keys are invalidated',
  [
    on('t', 'CLIENT TRACKING ON'),
    'SET a 1',
    on('t', 'MGET a b c'),
    'RENAME a b',
    receive('t', 2),
    'COPY b c',
    receive('t'),
    on('t', 'MGET a b c'),
    'MOVE b 3',
    receive('t'),
    'SORT nolist STORE c',
    receive('t'),
  ],
  RESP3,
);

compareCases(
  'the table of keys has a limit',
  [
    'CONFIG SET tracking-table-max-keys 2',
    on('t', 'CLIENT TRACKING ON'),
    on('t', 'MGET a b'),
    silent('t'),
    on('t', 'GET c'),
    'PING',
    receive('t', 1, { typeOnly: 'which key is forgotten is chance' }),
    silent('t'),
  ],
  RESP3,
);

/** The ID of the client for the redirection differs between the servers. */
const redirectToPrevious = (options = '') => ({
  on: 't',
  send: (id: Reply) => [
    'CLIENT',
    'TRACKING',
    'ON',
    'REDIRECT',
    String(plain(id)),
    ...options.split(' ').filter(Boolean),
  ],
});

compareCases('redirection to a RESP2 subscriber', [
  { send: 'SUBSCRIBE x', on: 'r', resp: 2 },
  { send: 'UNSUBSCRIBE x', on: 'r', resp: 2 },
  { send: 'CLIENT ID', on: 'r', resp: 2, ignore: 'differs' },
  redirectToPrevious(),
  on('t', 'GET a'),
  'SET a 1',
  { send: 'SUBSCRIBE anything', on: 'r', resp: 2 },
  on('t', 'GET a'),
  'SET a 1',
  { receive: 'r', resp: 2 },
  on('t', 'GET a'),
  on('t', 'SET a 1'),
  { receive: 'r', resp: 2 },
  'FLUSHALL',
  { receive: 'r', resp: 2 },
]);

compareCases('redirection to a RESP3 client, in default and broadcasting mode', [
  { send: 'CLIENT ID', on: 'r', resp: 3, ignore: 'differs' },
  redirectToPrevious(),
  on('t', 'GET a'),
  'SET a 1',
  { receive: 'r', resp: 3 },
  on('t', 'GET a'),
  // It is sent to the client that ran the command, before that command's reply.
  { send: 'SET a 1', on: 'r', resp: 3, replies: 2 },
  'FLUSHALL',
  { receive: 'r', resp: 3 },
  on('t', 'CLIENT TRACKING OFF'),
  { send: 'CLIENT ID', on: 'r', resp: 3, ignore: 'differs' },
  redirectToPrevious('BCAST PREFIX a'),
  raw('MSET a1 1 a0 1 b 1\r\n'),
  { receive: 'r', resp: 3 },
]);

const breakRedirection = [
  on('r', 'CLIENT ID', { ignore: 'differs' }),
  redirectToPrevious(),
  on('r', 'QUIT'),
  closed('r'),
  on('t', 'GET a'),
  'SET a 1',
];
const brokenInfo = on('t', 'CLIENT TRACKINGINFO', { typeOnly: 'has the id of the client that is gone' });

compareCases(
  'a broken redirection is pushed',
  [...breakRedirection, receive('t', 1, { typeOnly: 'has the id' }), brokenInfo],
  RESP3,
);

compareCases('a broken redirection is visible in CLIENT TRACKINGINFO', [...breakRedirection, brokenInfo], {
  protocols: [2],
});

compareCases('RESET ends tracking', [
  on('t', 'CLIENT TRACKING ON BCAST PREFIX a'),
  { send: 'RESET', on: 't' },
  on('t', 'CLIENT TRACKINGINFO'),
  'SET a 1',
  silent('t'),
]);

compareCases('a RESP2 client without redirection gets no invalidations', [
  { send: 'CLIENT TRACKING ON', on: 't', resp: 2 },
  { send: 'GET a', on: 't', resp: 2 },
  'SET a 1',
  { send: 'PING', on: 't', resp: 2 },
]);
