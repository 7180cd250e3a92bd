import assert from 'node:assert/strict';
import {
  bytesOf,
  type Case,
  closed,
  compareCases,
  compareLive,
  ignore,
  itemsOf,
  on,
  plain,
  type RawClient,
  type Reply,
  receive,
  start,
  typeOnly,
} from './support/index.js';

/** INFO, SLOWLOG, LATENCY, MEMORY, DEBUG, TIME, ROLE, LOLWUT, SHUTDOWN. */

const textOf = (reply: Reply): string => bytesOf(reply).toString('latin1');

/** A reply of INFO without values, and without the field that only Sorrel has. */
const fieldNames = (reply: Reply): string =>
  textOf(reply)
    .replace(/^(\w+):.*$/gm, '$1')
    .replace('sorrel_version\r\n', '');

const fields = (send: string): Case => ({ send, normalise: fieldNames });

compareCases('INFO has the fields of Redis, in order', [
  'CONFIG RESETSTAT',
  ...'server clients memory persistence stats replication cpu modules cluster keyspace'
    .split(' ')
    .map((section) => fields(`INFO ${section}`)),
  fields('INFO'),
  fields('INFO default'),
  fields('INFO nosuch'),
  fields('INFO keyspace server'),
  fields('INFO SERVER nosuch Cluster'),
  fields('INFO default modules'),
  'SET k v',
  'SELECT 3',
  'SET k v',
  'SET j v EX 100',
  fields('INFO keyspace'),
]);

/** The fields of a section by name. */
async function section(client: RawClient, name: string): Promise<Map<string, string>> {
  const lines = textOf(await client.call(['INFO', name])).split('\r\n');
  return new Map(lines.map((line) => [line.split(':')[0]!, line.slice(line.indexOf(':') + 1)]));
}

const COUNTERS = ['expired_keys', 'keyspace_hits', 'keyspace_misses', 'total_error_replies', 'evicted_keys'];

compareLive('counters are equal', async ({ connect, sendBoth }) => {
  const pair = await connect();
  for (const command of [
    'CONFIG RESETSTAT',
    'SET a 1',
    'SET b 2 PX 1',
    'DEBUG SLEEP 0.01',
    'GET a',
    'GET b',
    'GET nosuch',
    'LPUSH a x',
    'NOSUCH',
    'GET',
    'CONFIG SET nosuch 1',
    'EXISTS a b c',
    'MGET a b c',
    'AUTH x y',
  ]) {
    await sendBoth(command, { on: pair });
  }
  const counters = async (client: RawClient): Promise<(string | undefined)[]> => {
    const stats = await section(client, 'stats');
    return COUNTERS.map((name) => `${name}:${stats.get(name)}`);
  };
  assert.deepEqual(await counters(pair.sorrel), await counters(pair.redis));
  const errors = async (client: RawClient): Promise<string[]> =>
    textOf(await client.call('INFO errorstats'))
      .split('\r\n')
      .sort();
  assert.deepEqual(await errors(pair.sorrel), await errors(pair.redis));
});

/** For each command: calls, rejected and failed calls, and a check that the numbers are consistent. */
async function callCounts(client: RawClient): Promise<string[]> {
  const stats = [...(await section(client, 'commandstats'))].filter(([name]) => name.startsWith('cmdstat_'));
  return stats
    .map(([name, text]) => {
      const [, calls, micros, each, rest] = /^calls=(\d+),usec=(\d+),usec_per_call=([\d.]+),(.*)$/.exec(
        text,
      )!;
      assert.ok(Number(calls) === 0 || Math.abs(Number(micros) / Number(calls) - Number(each)) < 0.01, text);
      return `${name} ${calls} ${rest}`;
    })
    .sort();
}

compareLive('commandstats count calls, refusals and failures', async ({ connect, sendBoth }) => {
  const pair = await connect();
  for (const command of [
    'CONFIG RESETSTAT',
    'SET a 1',
    'SET a 2',
    'LPUSH a x',
    'GET',
    'GET a b',
    'MULTI',
    'SET a',
    'GET a',
    'EXEC',
    'MULTI',
    'GET a',
    'INCR a',
    'LPUSH a x',
    'EXEC',
    'CLIENT GETNAME',
    'CONFIG GET hz x',
    'DEBUG SLEEP 0',
    'NOSUCH',
    'CLIENT NOSUCH',
  ]) {
    await sendBoth(command, { on: pair });
  }
  assert.deepEqual(await callCounts(pair.sorrel), await callCounts(pair.redis));
});

compareLive('latencystats and LATENCY HISTOGRAM cover the same commands', async ({ connect, sendBoth }) => {
  const pair = await connect();
  for (const command of ['CONFIG RESETSTAT', 'SET a 1', 'GET a', 'GET a', 'CLIENT GETNAME']) {
    await sendBoth(command, { on: pair });
  }
  const names = async (client: RawClient): Promise<string[]> =>
    [...(await section(client, 'latencystats')).entries()]
      .map(([name, text]) => `${name} ${text.replace(/=[\d.]+/g, '')}`)
      .sort();
  assert.deepEqual(await names(pair.sorrel), await names(pair.redis));
  for (const command of [
    'LATENCY HISTOGRAM get',
    'LATENCY HISTOGRAM set get',
    'LATENCY HISTOGRAM client|getname',
  ]) {
    const shapes = await Promise.all(
      [pair.redis, pair.sorrel].map(async (client) => JSON.stringify(callsOf(await client.call(command)))),
    );
    assert.equal(shapes[1], shapes[0], command);
  }
  await sendBoth('LATENCY HISTOGRAM nosuch', { on: pair });
  await sendBoth('CONFIG SET latency-tracking no', { on: pair });
  assert.deepEqual(await names(pair.sorrel), await names(pair.redis));
  await sendBoth('CONFIG SET latency-tracking yes', { on: pair });
});

/** The histogram with only its last total: the distribution depends on the speed. */
function callsOf(reply: Reply): unknown {
  const items = itemsOf(reply);
  return items.map((item, i) =>
    i % 2 === 0
      ? textOf(item)
      : itemsOf(item)
          .slice(0, 2)
          .map((each) => plain(each)),
  );
}

const withoutTime = (reply: Reply): unknown =>
  itemsOf(reply).map((entry) =>
    itemsOf(entry).map((item, i) => (i < 3 || i === 4 ? item.type : plain(item))),
  );

compareCases('a command that waited is in the slow log after it ends', [
  start('a', 'BLPOP l 0'),
  'CONFIG SET slowlog-log-slower-than 0',
  start('b', 'BLPOP l 0'),
  'MULTI',
  'RPUSH l 1 2',
  'SLOWLOG RESET',
  'EXEC',
  receive('a'),
  receive('b'),
  'CONFIG SET slowlog-log-slower-than -1',
  { send: 'SLOWLOG GET', normalise: withoutTime },
]);

compareCases('SLOWLOG', [
  'SLOWLOG RESET',
  'CONFIG SET slowlog-log-slower-than 0',
  'PING',
  'SET k v',
  'CLIENT SETNAME bob',
  ['SET', 'long', 'x'.repeat(200)],
  ['MSET', ...Array.from({ length: 40 }, (_, i) => `w${i}`)],
  'AUTH user secret',
  ignore('CONFIG SET masterauth secret', 'refused here, but redacted like in Redis'),
  'CONFIG SET masterauth ""',
  'LPUSH k x',
  'MULTI',
  'SET in transaction',
  'EXEC',
  'CONFIG SET slowlog-log-slower-than -1',
  'SLOWLOG LEN',
  { send: 'SLOWLOG GET -1', normalise: withoutTime },
  { send: 'SLOWLOG GET 3', normalise: withoutTime },
  { send: 'SLOWLOG GET', normalise: withoutTime },
  'SLOWLOG GET 0',
  'SLOWLOG GET -2',
  'SLOWLOG GET x',
  'SLOWLOG RESET',
  'SLOWLOG LEN',
  'SLOWLOG GET',
  'CONFIG SET slowlog-max-len 2 slowlog-log-slower-than 0',
  'PING',
  'PING',
  'PING',
  'CONFIG SET slowlog-log-slower-than 10000',
  'SLOWLOG LEN',
  'DEBUG SLEEP 0.02',
  { send: 'SLOWLOG GET 1', normalise: withoutTime },
  'CONFIG SET slowlog-max-len 0',
  'DEBUG SLEEP 0.02',
  'SLOWLOG LEN',
  'SLOWLOG',
  'SLOWLOG HELP',
  'SLOWLOG NOSUCH',
]);

/** Replies without the times that depend on the machine. */
const roundTimes = (reply: Reply): unknown =>
  JSON.stringify(plain(reply), (_, value) =>
    typeof value === 'number' || typeof value === 'bigint' ? '#' : value,
  );
const withoutNumbers = (reply: Reply): string => textOf(reply).replace(/\d+(\.\d+)?/g, '#');

compareCases('LATENCY', [
  'LATENCY RESET',
  'LATENCY DOCTOR',
  'LATENCY LATEST',
  'LATENCY HISTORY command',
  'LATENCY GRAPH command',
  // So long that no other command reaches it, even on a busy machine.
  'CONFIG SET latency-monitor-threshold 1000',
  'LATENCY DOCTOR',
  'DEBUG SLEEP 1.1',
  { send: 'LATENCY LATEST', normalise: roundTimes },
  { send: 'LATENCY HISTORY command', normalise: roundTimes },
  { send: 'LATENCY GRAPH command', normalise: withoutNumbers },
  { send: 'LATENCY DOCTOR', normalise: withoutNumbers },
  'CONFIG SET slowlog-log-slower-than -1',
  { send: 'LATENCY DOCTOR', normalise: withoutNumbers },
  'CONFIG SET slowlog-log-slower-than 2000000',
  { send: 'LATENCY DOCTOR', normalise: withoutNumbers },
  'LATENCY RESET nosuch',
  'LATENCY RESET command',
  'LATENCY LATEST',
  'LATENCY HELP',
  'LATENCY NOSUCH',
  'LATENCY GRAPH',
  'LATENCY HISTORY',
]);

/** The names in MEMORY STATS: the values depend on the machine. */
const statNames = (reply: Reply): unknown => {
  if (reply.type === 'map') return reply.entries.map(([name]) => textOf(name));
  return itemsOf(reply).flatMap((item, i) => (i % 2 === 0 ? [textOf(item)] : []));
};

compareCases('MEMORY', [
  'SET k v',
  'MEMORY DOCTOR',
  { send: 'MEMORY STATS', normalise: statNames },
  'SELECT 2',
  'SET k v',
  { send: 'MEMORY STATS', normalise: statNames },
  'MEMORY PURGE',
  typeOnly('MEMORY USAGE k', 'memory is held otherwise'),
  typeOnly('MEMORY USAGE k SAMPLES 0', 'memory is held otherwise'),
  'MEMORY USAGE nosuch',
  'MEMORY USAGE k SAMPLES',
  'MEMORY USAGE k SAMPLES -1',
  'MEMORY USAGE k SAMPLES x',
  'MEMORY USAGE k FOO 1',
  'MEMORY USAGE',
  'MEMORY HELP',
  'MEMORY NOSUCH',
]);

/** Replies of DEBUG OBJECT and similar commands without addresses, times and sizes of memory. */
const withoutAddress = (reply: Reply): string =>
  String(plain(reply))
    .replace(/at:0x[0-9a-f]+/, 'at:0x?')
    .replace(/lru:\d+/, 'lru:?')
    .replace(/lru_seconds_idle:\d+/, 'lru_seconds_idle:?')
    .replace(/zmalloc: \d+/g, 'zmalloc: ?');
const object = (key: string): Case => ({ send: `DEBUG OBJECT ${key}`, normalise: withoutAddress });

compareCases('DEBUG OBJECT', [
  'SET short v',
  'SET number 12345678',
  ['SET', 'long', 'x'.repeat(100)],
  'RPUSH list a b c 1 2 3',
  'HSET hash f v g w',
  'SADD integers 1 2 3',
  'SADD words a',
  'ZADD zset 1 a 2 b',
  ...['short', 'number', 'long', 'list', 'hash', 'integers', 'words', 'zset', 'nosuch'].map(object),
  'CONFIG SET list-max-listpack-size 2',
  'RPUSH nodes a b c d e',
  object('nodes'),
  'CONFIG SET rdbcompression no',
  object('long'),
  { send: 'DEBUG SDSLEN short', normalise: withoutAddress },
  'DEBUG SDSLEN number',
  'DEBUG SDSLEN list',
  'DEBUG SDSLEN nosuch',
  'DEBUG LISTPACK hash',
  'DEBUG LISTPACK list',
  'DEBUG LISTPACK short',
  'DEBUG QUICKLIST list',
  'DEBUG QUICKLIST hash',
  'DEBUG HTSTATS-KEY hash',
  'DEBUG HTSTATS-KEY nosuch',
  'DEBUG CLUSTERLINK KILL to nosuch',
  'DEBUG CLUSTERLINK kill nowhere nosuch',
  'DEBUG CLUSTERLINK open to nosuch',
  'DEBUG CLUSTERLINK KILL to',
  typeOnly('DEBUG HTSTATS 0', 'tables grow otherwise'),
  'DEBUG HTSTATS 99',
  'DEBUG HTSTATS x',
]);

compareCases('DEBUG subcommands about the server', [
  'DEBUG',
  'DEBUG NOSUCH',
  'DEBUG HELP',
  'DEBUG SLEEP 0',
  'DEBUG SLEEP x',
  'DEBUG SLEEP',
  'DEBUG SET-ACTIVE-EXPIRE 0',
  'DEBUG SET-ACTIVE-EXPIRE 1',
  'DEBUG QUICKLIST-PACKED-THRESHOLD 100b',
  'DEBUG QUICKLIST-PACKED-THRESHOLD 0',
  'DEBUG QUICKLIST-PACKED-THRESHOLD x',
  'DEBUG QUICKLIST-PACKED-THRESHOLD 5gb',
  'DEBUG STRUCTSIZE',
  'DEBUG STRUCTSIZE x',
  'DEBUG CHANGE-REPL-ID',
  'DEBUG ERROR "CODE some text"',
  ['DEBUG', 'ERROR', 'a\r\nb'],
  'DEBUG ERROR',
  'DEBUG LOG hello',
  'DEBUG LEAK x',
  'DEBUG PAUSE-CRON 0',
  'DEBUG REPLYBUFFER RESIZING 1',
  'DEBUG REPLYBUFFER OTHER 1',
  'DEBUG SET-DISABLE-DENY-SCRIPTS 0',
  'DEBUG REPLICATE',
  'DEBUG REPLICATE all',
  'DEBUG CLIENT-EVICTION',
  'DEBUG AOF-FLUSH-SLEEP 0',
  'DEBUG SET-SKIP-CHECKSUM-VALIDATION 0',
  'DEBUG DROP-CLUSTER-PACKET-FILTER -1',
  'DEBUG CONFIG-REWRITE-FORCE-ALL',
  'DEBUG RELOAD NOSUCH',
  'DEBUG JMAP',
  'DEBUG STRINGMATCH-LEN 10 a',
]);

compareCases('DEBUG POPULATE and DIGEST', [
  'DEBUG DIGEST',
  'DEBUG POPULATE 5',
  'GET key:4',
  'GET key:5',
  'DEBUG POPULATE 3 my 4',
  'GET my:2',
  'DEBUG POPULATE 2 pad 12',
  'GET pad:1',
  'SET mine:0 kept',
  'DEBUG POPULATE 1 mine',
  'GET mine:0',
  'DBSIZE',
  'DEBUG POPULATE x',
  'DEBUG POPULATE -1',
  'DEBUG POPULATE 1 a -1',
  'DEBUG POPULATE 1 a 2 3',
  'DEBUG DIGEST',
  'DEBUG DIGEST x',
  'DEBUG DIGEST-VALUE key:1 nosuch',
  'DEBUG DIGEST-VALUE',
]);

compareCases('TIME, ROLE, LOLWUT', [
  typeOnly('TIME', 'time passes'),
  'TIME x',
  'ROLE',
  'ROLE x',
  'LOLWUT',
  'LOLWUT VERSION',
  'LOLWUT VERSION x',
  'LOLWUT VERSION 1',
  'LOLWUT 1 2 3',
  ignore('LOLWUT VERSION 5', 'art'),
]);

compareCases('MODULE', [
  'MODULE',
  'MODULE LIST',
  'MODULE LOAD x',
  'MODULE LOADEX x',
  'MODULE UNLOAD x',
  'MODULE HELP',
  'MODULE NOSUCH',
]);

compareCases('cluster commands fail on a server without cluster mode', [
  'CLUSTER INFO',
  'CLUSTER SLOTS',
  'CLUSTER KEYSLOT a',
  'CLUSTER HELP',
  'CLUSTER KEYSLOT',
  'CLUSTER NOSUCH',
  'CLUSTER',
  'READONLY',
  'READWRITE',
  'ASKING',
  'READONLY now',
  ['EVAL', "return redis.pcall('CLUSTER', 'RESET')", 0],
  ['EVAL', "return redis.pcall('CLUSTER', 'INFO')", 0],
  'MULTI',
  'CLUSTER NODES',
  'EXEC',
  'SET a 1',
  'DUMP a',
  { send: (dump) => ['RESTORE-ASKING', 'b', 0, bytesOf(dump)] },
  'GET b',
  'RESTORE-ASKING c 0 x',
]);

compareCases('writes are refused while the required replicas are missing', [
  'SET a 1',
  'CONFIG SET min-replicas-to-write 1',
  'SET a 2',
  'PING',
  'GET a',
  'PUBLISH channel message',
  'FUNCTION FLUSH',
  'MULTI',
  'GET a',
  'SET a 3',
  'EXEC',
  'MULTI',
  'GET a',
  'EXEC',
  { send: 'INFO replication', normalise: ({ raw }) => /min_slaves.*/.exec(raw.toString())?.[0] },
  'CONFIG SET min-replicas-max-lag 0',
  'SET a 4',
  { send: 'INFO replication', normalise: ({ raw }) => /min_slaves.*/.exec(raw.toString())?.[0] },
  'CONFIG SET min-replicas-max-lag 10',
  'SET a 5',
  'CONFIG SET min-slaves-to-write 0',
  'SET a 6',
]);

compareCases('SHUTDOWN rejects contradicting options', [
  'SHUTDOWN NOSUCH',
  'SHUTDOWN SAVE NOSAVE',
  'SHUTDOWN ABORT NOW',
  'SHUTDOWN ABORT',
  'MULTI',
  'SHUTDOWN',
  'EXEC',
]);

compareCases('SHUTDOWN NOSAVE ends the server', [
  on('a', 'PING'),
  { send: 'SHUTDOWN NOSAVE', on: 'b', replies: 1, ignore: 'the closed connection is the reply' },
  closed('a'),
]);

compareLive('TIME returns the current time', async ({ connect }) => {
  const { redis, sorrel } = await connect();
  const [mine, theirs] = await Promise.all(
    [sorrel, redis].map(async (client) => plain(await client.call('TIME'))),
  );
  const seconds = (reply: unknown): number =>
    Number((reply as string[])[0]) + Number((reply as string[])[1]) / 1e6;
  assert.ok(Math.abs(seconds(mine) - seconds(theirs)) < 60);
});
