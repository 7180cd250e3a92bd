import {
  closed,
  compareCases,
  compareLive,
  on,
  plain,
  type Reply,
  raw,
  silent,
  start,
} from './support/index.js';

/** HELLO, AUTH, RESET, QUIT, PING and ECHO. */

/** The ID in a reply to HELLO counts connections, whose number differs between the two servers. */
const withoutId = (reply: Reply): string =>
  reply.raw.toString('latin1').replace(/(\$2\r\nid\r\n):\d+/, '$1:?');
const hello = (send: string, resp?: 2 | 3) => ({
  send,
  normalise: withoutId,
  on: `hello${resp ?? ''}`,
  ...(resp === undefined ? {} : { resp }),
});

compareCases('HELLO describes the server and chooses the protocol', [
  hello('HELLO'),
  hello('HELLO 3'),
  hello('HELLO'),
  hello('HELLO 2'),
  hello('HELLO 2 SETNAME bob'),
  on('hello', 'CLIENT GETNAME'),
  hello('HELLO 3 AUTH default anything SETNAME carl'),
  on('hello', 'CLIENT GETNAME'),
  hello('hello 2 setname dora auth default x'),
  on('hello', 'CLIENT GETNAME'),
]);

compareCases('HELLO rejects unknown options, after applying the options before them', [
  'HELLO 1',
  'HELLO 4',
  'HELLO 99999999999999999999',
  'HELLO two',
  'HELLO 3 FOO',
  'HELLO 3 AUTH default',
  'HELLO 3 SETNAME',
  'HELLO 3 SETNAME "a b"',
  'HELLO 3 AUTH stranger x',
  'HELLO 3 SETNAME ok AUTH stranger x',
  'CLIENT GETNAME',
  'DEBUG PROTOCOL true',
  ['HELLO', '2', 'SETNAME', 'a\nb'],
]);

compareCases('AUTH without a password configured', [
  'AUTH x',
  'AUTH default x',
  'AUTH stranger x',
  'AUTH a b c',
  'AUTH',
]);

compareCases('a password set at run time is required only from new clients', [
  'CONFIG SET requirepass secret',
  'SET k v',
  on('new', 'SET k v', { resp: 2 }),
  on('new', 'HELLO 3', { resp: 2 }),
  on('new', 'NOSUCH', { resp: 2 }),
  on('new', 'GET', { resp: 2 }),
  on('new', 'MULTI', { resp: 2 }),
  on('new', 'AUTH wrong', { resp: 2 }),
  on('new', 'AUTH default wrong', { resp: 2 }),
  on('new', 'AUTH stranger secret', { resp: 2 }),
  on('new', 'PING', { resp: 2 }),
  on('new', 'AUTH secret', { resp: 2 }),
  on('new', 'GET k', { resp: 2 }),
  on('new', 'RESET', { resp: 2 }),
  on('new', 'GET k', { resp: 2 }),
  on('new', 'AUTH default secret', { resp: 2 }),
  on('new', 'GET k', { resp: 2 }),
  on('other', 'HELLO 2 AUTH default wrong', { resp: 2 }),
  { ...hello('HELLO 3 AUTH default secret SETNAME x'), on: 'other', resp: 2 },
  on('other', 'GET k', { resp: 2 }),
  on('late', 'GET k', { resp: 2 }),
  'CONFIG SET requirepass ""',
  on('late', 'GET k', { resp: 2 }),
]);

compareCases(
  'a client that has not authenticated may send only small requests',
  [
    'CONFIG SET requirepass secret',
    raw('*11\r\n$4\r\nPING\r\n', { on: 'many' }),
    closed('many'),
    raw('*2\r\n$4\r\nECHO\r\n$16385\r\n', { on: 'long' }),
    closed('long'),
    raw(`*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n*2\r\n$4\r\nECHO\r\n$20000\r\n${'x'.repeat(20000)}\r\n`, {
      on: 'good',
      replies: 2,
    }),
    'CONFIG SET requirepass ""',
  ],
  { protocols: [2] },
);

compareCases('RESET restores the initial state', [
  'CLIENT SETNAME x',
  'SELECT 3',
  'MULTI',
  'SET k v',
  'RESET',
  'CLIENT GETNAME',
  'DEBUG PROTOCOL true',
  'EXEC',
  'SET k v',
  'SELECT 0',
  'EXISTS k',
  'RESET x',
  on('sub', 'SUBSCRIBE a'),
  on('sub', 'RESET'),
  on('sub', 'GET k'),
  on('quiet', 'CLIENT REPLY OFF', { replies: 0 }),
  on('quiet', 'RESET'),
  on('quiet', 'PING'),
]);

compareCases('QUIT replies and closes the connection', [
  on('a', 'QUIT'),
  closed('a'),
  on('b', 'quit now please'),
  closed('b'),
]);

compareCases('QUIT ends the pipeline', [
  { raw: 'SET k 1\r\nQUIT\r\nSET k 2\r\n', on: 'a', replies: 2 },
  closed('a'),
  'GET k',
]);

compareCases('PING and ECHO', [
  'PING',
  'PING hello',
  'PING a b',
  'ECHO x',
  'ECHO',
  'ECHO a b',
  ['ECHO', Buffer.from([0, 13, 10, 255])],
]);

compareCases('a connection with an HTTP request is closed', [
  { raw: 'POST / HTTP/1.1\r\n', on: 'post', replies: 0 },
  closed('post'),
  { raw: 'Host: example.com\r\n', on: 'host', replies: 0 },
  closed('host'),
]);

compareLive(
  'a client that has closed its sending side still gets its replies',
  async ({ connect, settle }) => {
    const pair = await connect();
    for (const side of ['redis', 'sorrel'] as const) {
      pair[side].send('SET half closed', 'GET half');
      pair[side].endWriting();
    }
    await settle();
    for (const side of ['redis', 'sorrel'] as const) {
      const replies = [await pair[side].next(), await pair[side].next()].map((reply) => reply.raw.toString());
      if (replies.join('') !== '+OK\r\n$6\r\nclosed\r\n') throw new Error(`${side}: ${replies.join(' ')}`);
      if (!(await pair[side].waitForClose())) throw new Error(`${side} keeps the connection`);
    }
  },
);

compareCases('a blocked client that disconnects removes no element', [
  { send: 'CLIENT ID', on: 'gone', ignore: 'the servers have had other connections' },
  start('gone', 'BLPOP q 0'),
  { send: (id) => ['CLIENT', 'KILL', 'ID', String(plain(id))] },
  closed('gone'),
  'RPUSH q a',
  'LLEN q',
  silent('main'),
]);
