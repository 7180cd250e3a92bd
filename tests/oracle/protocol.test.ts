import { type Case, closed, compareCases, on, raw } from './support/index.js';

/** The protocol: valid and malformed requests, inline commands, every type of reply. */

/** Each is sent on its own connection; the server replies and closes it. */
function broken(...requests: string[]): Case[] {
  return requests.flatMap((request, i) => [raw(request, { on: `broken ${i}` }), closed(`broken ${i}`)]);
}

const TYPES = 'string integer double bignum null array set map attrib verbatim true false'.split(' ');

compareCases('every type of reply', [
  ...TYPES.map((type) => `DEBUG PROTOCOL ${type}`),
  'DEBUG PROTOCOL other',
  'DEBUG PROTOCOL',
  'DEBUG PROTOCOL STRING',
]);

compareCases('a push is sent before its reply', [{ send: 'DEBUG PROTOCOL push', replies: 2 }], {
  protocols: [3],
});
compareCases('a push is not sent to RESP2 clients', ['DEBUG PROTOCOL push'], { protocols: [2] });

compareCases(
  'malformed requests get an error, and the connection is closed',
  broken(
    '*x\r\n',
    '*01\r\n',
    '*+1\r\n',
    '* 1\r\n',
    '*1 \r\n',
    '*2147483648\r\n',
    '*9223372036854775808\r\n',
    '*1\r\n$x\r\n',
    '*1\r\n$-1\r\n',
    '*1\r\n$\r\n',
    '*1\r\n$04\r\nPING\r\n',
    '*1\r\n$536870913\r\n',
    '*1\r\n$9223372036854775808\r\n',
    '*1\r\n:4\r\nPING\r\n',
    '*1\r\nPING\r\n',
    '*2\r\n$4\r\nPING\r\n*1\r\n',
    '*1\r\n\r\n',
    '"unbalanced\r\n',
    "'unbalanced\r\n",
    'ECHO "a"b\r\n',
    'x'.repeat(70_000),
    `*${'1'.repeat(70_000)}`,
    `*1\r\n$${'1'.repeat(70_000)}`,
  ),
  { protocols: [2] },
);

compareCases(
  'requests that look unusual but are valid',
  [
    raw('*0\r\nPING\r\n'),
    raw('*-1\r\nPING\r\n'),
    raw('*-10\r\nPING\r\n'),
    raw('\r\n\r\nPING\r\n'),
    raw('   \r\nPING\r\n'),
    raw('PING\n'),
    raw('*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n', { replies: 2 }),
    raw('$4\r\nPING\r\n', { replies: 2 }),
    raw('*2\r\n$4\r\nECHO\r\n$0\r\n\r\n'),
    raw('+PING\r\n'),
    raw('PING\tx\r\n'),
    raw('  PING   x  \r\n'),
    raw('ECHO "\\x41\\n\\"b"\r\n'),
    raw("ECHO 'it\\'s \\n'\r\n"),
    raw('ECHO ""\r\n'),
    raw('"PING"\r\n'),
    raw('"" x\r\n'),
    raw('*1\r\n$0\r\n\r\n'),
    raw('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n\r\n\r\n'),
    'GET k',
  ],
  { protocols: [2] },
);

compareCases(
  'a request may arrive byte by byte',
  [
    ...[...'*2\r\n$4\r\nECHO\r\n$3\r\na\r\n\r'].map((byte): Case => ({ raw: byte, on: 'slow', replies: 0 })),
    raw('\n', { on: 'slow' }),
    ...[...'ECHO "x y"\r'].map((byte): Case => ({ raw: byte, on: 'slow', replies: 0 })),
    raw('\n', { on: 'slow' }),
  ],
  { protocols: [2] },
);

compareCases(
  'after a NUL a line never ends',
  [
    { raw: '*1\r\n$4\0\r\nPING\r\n', on: 'bulk', replies: 0 },
    raw(`${'x'.repeat(66_000)}\r\n`, { on: 'bulk' }),
    closed('bulk'),
    { raw: '*1\0\r\n$4\r\nPING\r\n', on: 'array', replies: 0 },
    raw(`${'x'.repeat(66_000)}\r\n`, { on: 'array' }),
    closed('array'),
    { raw: 'PI\0NG\r\n', on: 'nul', replies: 0 },
    { raw: 'PING\r\n', on: 'nul', replies: 0 },
    raw(`${'x'.repeat(66_000)}\r\n`, { on: 'nul' }),
    closed('nul'),
    raw('*2\r\n$4\r\nECHO\r\n$3\r\na\0b\r\n'),
  ],
  { protocols: [2] },
);

compareCases('unknown commands are quoted up to a limit', [
  'NOSUCH',
  'nosuch a b c',
  ['NOSUCH', 'x'.repeat(200), 'y'],
  ['x'.repeat(300), 'y'],
  ['NOSUCH', ...Array.from({ length: 40 }, (_, i) => `argument${i}`)],
  ['NOSUCH', 'a\r\nb', Buffer.from([0, 255])],
  ['bad\r\nname'],
  'CONFIG NOSUCH',
  ['CONFIG', 'x'.repeat(200)],
  'GET',
  'get a b',
  'CONFIG GET',
  'config|get x',
]);

const WITH_ZERO = 'ab\0cd';

compareCases('unknown commands are quoted up to a NUL', [
  [WITH_ZERO, WITH_ZERO],
  ['CONFIG', WITH_ZERO],
  ['OBJECT', WITH_ZERO, 'k'],
  ['DEBUG', WITH_ZERO],
  ['CONFIG', 'SET', WITH_ZERO, '1'],
  ['CLIENT', 'KILL', 'TYPE', WITH_ZERO],
  ['CLIENT', 'KILL', 'USER', WITH_ZERO],
  ['CLIENT', 'LIST', 'TYPE', WITH_ZERO],
  ['LATENCY', 'GRAPH', WITH_ZERO],
  ['EXPIRE', 'k', '1', WITH_ZERO],
  ['HELLO', '3', WITH_ZERO],
  ['XINFO', 'GROUPS', WITH_ZERO],
  ['SET', 'k', 'v'],
  ['PFDEBUG', WITH_ZERO, 'k'],
]);

compareCases('long pipelines and long values', [
  raw('*2\r\n$4\r\nECHO\r\n$1\r\nx\r\n'.repeat(3000), { replies: 3000 }),
  ['SET', 'big', 'x'.repeat(300_000)],
  'STRLEN big',
  'GET big',
  raw('*2\r\n$3\r\nGET\r\n$3\r\nbig\r\n'.repeat(20), { replies: 20 }),
  ['MSET', ...Array.from({ length: 4000 }, (_, i) => `key${i}`)],
  'DBSIZE',
]);

compareCases('proto-max-bulk-len limits arguments', [
  'CONFIG SET proto-max-bulk-len 1048576',
  ['SET', 'k', 'x'.repeat(1_048_576)],
  'STRLEN k',
  raw('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1048577\r\n', { on: 'large' }),
  closed('large'),
  on('other', 'PING'),
]);
