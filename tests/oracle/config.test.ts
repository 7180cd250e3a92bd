import assert from 'node:assert/strict';
import { settingRows } from '../../src/commands/config/rows.js';
import {
  bytesOf,
  compareCases,
  compareLive,
  ignore,
  itemsOf,
  type RawClient,
  type Reply,
} from './support/index.js';

/** CONFIG: the same settings, with the same initial values, which accept and reject the same values. */

/** The names and values in a RESP2 reply of CONFIG GET. */
function settingsOf(reply: Reply): Map<string, string> {
  const words = itemsOf(reply).map((item) => bytesOf(item).toString('latin1'));
  return new Map(words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1]!] as const] : [])));
}

const OF_THIS_PROCESS = new Set(['dir', 'port']);

compareLive('the settings are those of Redis, with their initial values', async ({ connect }) => {
  const pair = await connect();
  const redis = settingsOf(await pair.redis.call('CONFIG GET *'));
  const sorrel = settingsOf(await pair.sorrel.call('CONFIG GET *'));
  assert.ok(redis.size > 150, 'Redis lists its settings');
  for (const name of OF_THIS_PROCESS) for (const each of [redis, sorrel]) each.set(name, 'differs');
  assert.deepEqual([...sorrel].sort(), [...redis].sort());
});

/** Changes of these would make the server unreachable for the test. */
const LEFT_ALONE = new Set([
  'aclfile',
  'appendonly',
  'bind',
  'bind-source-addr',
  'dir',
  'port',
  'requirepass',
  'tls-port',
  'maxclients',
  'maxmemory',
  'maxmemory-clients',
  'proto-max-bulk-len',
  'client-query-buffer-limit',
  'oom-score-adj',
  'oom-score-adj-values',
  'set-proc-title',
  'proc-title-template',
  'activedefrag',
  'jemalloc-bg-thread',
  'timeout',
  'loglevel',
]);

/** TLS settings are not compared. */
const isProbed = (name: string): boolean => !LEFT_ALONE.has(name) && !name.startsWith('tls-');

const PROBES = [
  '',
  'x',
  'yes',
  'NO',
  '-1',
  '0',
  '1',
  '50',
  '100',
  '101',
  '1.5',
  '1mb',
  '1kB',
  '5%',
  '101%',
  '1 2',
  'none',
];
const LARGE_PROBES = [
  '2147483647',
  '2147483648',
  '4294967295',
  '9223372036854775807',
  '18446744073709551615',
];

compareLive('CONFIG SET accepts and rejects the same values for every setting', async ({ connect }) => {
  const pair = await connect();
  const names = [...settingsOf(await pair.redis.call('CONFIG GET *')).keys()].filter(isProbed);
  assert.ok(names.length > 100);
  const differences: string[] = [];
  for (const name of names.sort()) {
    const before = settingsOf(await pair.redis.call(['CONFIG', 'GET', name])).get(name)!;
    for (const value of [...PROBES, ...LARGE_PROBES]) {
      const [redis, sorrel] = await Promise.all(
        [pair.redis, pair.sorrel].map((side) => outcomeOf(side, name, value)),
      );
      const expected = expectedOf(name, redis as string, before);
      if (sorrel !== expected) differences.push(`${name} '${value}': ${expected}, but Sorrel ${sorrel}`);
    }
    for (const side of [pair.redis, pair.sorrel]) await side.call(['CONFIG', 'SET', name, before]);
  }
  assert.deepEqual(differences, []);
});

/** In Sorrel, setting an unsupported setting is an error, unless the value is the initial one. */
function expectedOf(name: string, redis: string, before: string): string {
  const row = settingRows.find((each) => each.name === name || each.alias === name);
  if (row?.status !== 'refused' || !redis.startsWith('+OK') || redis === `+OK '${before}'`) return redis;
  return `-ERR CONFIG SET failed (possibly related to argument '${name}') - ${row.note} '${before}'`;
}

/** The reply of CONFIG SET, and the setting afterwards. */
async function outcomeOf(side: RawClient, name: string, value: string): Promise<string> {
  const reply = await side.call(['CONFIG', 'SET', name, value]);
  const now = settingsOf(await side.call(['CONFIG', 'GET', name])).get(name);
  return `${reply.raw.toString('latin1').trim()} '${now}'`;
}

compareCases('settings with their own syntax', [
  'CONFIG SET save "100 10 60 5"',
  'CONFIG GET save',
  'CONFIG SET save "100"',
  'CONFIG SET save "100 x"',
  'CONFIG SET save "0 1"',
  'CONFIG SET save "100 -1"',
  'CONFIG GET save',
  'CONFIG SET client-output-buffer-limit "normal 1mb 2kb 30"',
  'CONFIG GET client-output-buffer-limit',
  'CONFIG SET client-output-buffer-limit "replica 1gb 0 0 pubsub 5 4 3"',
  'CONFIG GET client-output-buffer-limit',
  'CONFIG SET client-output-buffer-limit "normal 1mb 2kb"',
  'CONFIG SET client-output-buffer-limit "other 1mb 2kb 3"',
  'CONFIG SET client-output-buffer-limit "master 1mb 2kb 3"',
  'CONFIG SET client-output-buffer-limit "normal x 2kb 3"',
  'CONFIG SET client-output-buffer-limit "normal 1 2 -3"',
  'CONFIG SET client-output-buffer-limit ""',
  'CONFIG GET client-output-buffer-limit',
  'CONFIG SET notify-keyspace-events KEA',
  'CONFIG GET notify-keyspace-events',
  'CONFIG SET notify-keyspace-events Kg$lshzxetmdn',
  'CONFIG GET notify-keyspace-events',
  'CONFIG SET notify-keyspace-events Kq',
  'CONFIG SET notify-keyspace-events ""',
  'CONFIG GET notify-keyspace-events',
  'CONFIG SET latency-tracking-info-percentiles "50 99.9 100"',
  'CONFIG GET latency-tracking-info-percentiles',
  'CONFIG SET latency-tracking-info-percentiles "50 101"',
  'CONFIG SET latency-tracking-info-percentiles "50 x"',
  'CONFIG SET latency-tracking-info-percentiles ""',
  'CONFIG GET latency-tracking-info-percentiles',
  'CONFIG SET maxmemory 100mb',
  'CONFIG GET maxmemory',
  'CONFIG SET maxmemory -1',
  'CONFIG SET maxmemory 1.5gb',
  'CONFIG SET maxmemory-clients 10%',
  'CONFIG GET maxmemory-clients',
  'CONFIG SET maxmemory-clients 101%',
  'CONFIG SET maxmemory-clients -5%',
  'CONFIG SET maxmemory-clients x%',
  'CONFIG SET maxmemory-policy ALLKEYS-lru',
  'CONFIG GET maxmemory-policy',
  'CONFIG SET maxmemory-policy lru',
]);

compareCases(
  'templates of the process title',
  [
    '{title} {listen-addr} {server-mode} {port} {tls-port} {unixsocket} {config-file}',
    'text',
    '{{title}',
    '{{{title}',
    '{port}',
    '{title}',
    '{title} }',
    '}',
    '',
    ' ',
    '{unknown}',
    '{title',
    'a {',
    'a {}',
    '{Title}',
    '{ port }',
  ].flatMap((template) => [
    ['CONFIG', 'SET', 'proc-title-template', template],
    'CONFIG GET proc-title-template',
  ]),
);

compareCases('older names', [
  'CONFIG GET slave-priority',
  'CONFIG GET replica-priority',
  'CONFIG SET slave-priority 7',
  'CONFIG GET replica-priority',
  'CONFIG GET SLAVE-priority',
  { send: 'CONFIG GET hash-max-ziplist-entries hash-max-listpack-entries', unordered: 'pairs' },
  'CONFIG SET hash-max-ziplist-entries 3 hash-max-listpack-entries 4',
  'CONFIG SET lua-time-limit 1000',
  'CONFIG GET busy-reply-threshold',
  'CONFIG GET slaveof',
  'CONFIG SET slaveof "a 1"',
]);

compareCases('all or nothing', [
  'CONFIG SET hz 50 slowlog-max-len 5',
  'CONFIG GET hz',
  'CONFIG SET hz 60 slowlog-max-len x',
  'CONFIG GET hz',
  'CONFIG SET hz 70 nosuch 1',
  'CONFIG SET hz 70 daemonize yes',
  'CONFIG SET daemonize yes nosuch 1',
  'CONFIG SET dbfilename x nosuch 1',
  'CONFIG SET hz 70 hz 80',
  'CONFIG SET hz 70 HZ 80',
  'CONFIG GET hz',
  'CONFIG SET hz',
  'CONFIG SET hz 1 slowlog-max-len',
  'CONFIG SET nosuch',
  'CONFIG SET nosuch 1',
  'CONFIG SET dbfilename x',
  'CONFIG SET dir /tmp',
  'CONFIG SET databases 3',
  'CONFIG SET unixsocket x',
  'CONFIG SET logfile x',
  'CONFIG SET enable-debug-command no',
]);

compareCases('CONFIG GET with patterns', [
  'CONFIG GET nosuch',
  'CONFIG GET',
  { send: 'CONFIG GET *max-listpack*', unordered: 'pairs' },
  { send: 'CONFIG GET save hz', unordered: 'pairs' },
  { send: 'CONFIG GET hz hz HZ h?', unordered: 'pairs' },
  { send: 'CONFIG GET [hs]z* appendfs*', unordered: 'pairs' },
  { send: 'CONFIG GET TIMEO*', unordered: 'pairs' },
  'CONFIG HELP',
  'CONFIG HELP x',
  'CONFIG NOSUCH',
  'CONFIG RESETSTAT',
  'CONFIG RESETSTAT x',
  'CONFIG REWRITE',
  'CONFIG REWRITE x',
]);

compareLive('a port in use is refused, and the old one stays', async ({ connect, servers, sendBoth }) => {
  const pair = await connect();
  for (const side of ['redis', 'sorrel'] as const) {
    const reply = await pair[side].call([
      'CONFIG',
      'SET',
      'port',
      String(servers[side === 'redis' ? 'sorrel' : 'redis'].port),
    ]);
    assert.equal(
      reply.raw.toString(),
      "-ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port. Check server logs.\r\n",
    );
    const kept = settingsOf(await pair[side].call('CONFIG GET port')).get('port');
    assert.equal(kept, String(servers[side].port));
  }
  await connect();
  await sendBoth('CONFIG SET bind "192.0.2.77"', { on: pair });
  await sendBoth('CONFIG SET bind "127.0.0.1 -192.0.2.77"', { on: pair });
  await sendBoth('CONFIG GET bind', { on: pair });
  await connect();
  await sendBoth('CONFIG SET bind "* -::*"', { on: pair });
});

compareCases('CONFIG RESETSTAT resets the counters', [
  'SET k v',
  'GET k',
  'GET nosuch',
  'CONFIG RESETSTAT',
  ignore('INFO commandstats', 'times differ'),
]);
