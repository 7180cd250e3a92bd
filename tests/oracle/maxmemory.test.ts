import assert from 'node:assert/strict';
import {
  closed,
  compareCases,
  compareLive,
  type LivePair,
  near,
  on,
  plain,
  RawClient,
  type Reply,
  receive,
  silent,
  unordered,
} from './support/index.js';

const FULL = 'CONFIG SET maxmemory 1';
const ROOM = 'CONFIG SET maxmemory 0';

const PREPARED = [
  'SET s 10',
  'RPUSH l a b c',
  'SADD t a b c',
  'HSET h f 1 g 2',
  'ZADD z 1 a 2 b',
  'SET volatile v EX 1000',
];

compareCases('above the limit, commands that may use memory are refused and others are not', [
  ...PREPARED,
  FULL,
  'SET s v',
  'SET new v',
  'APPEND s x',
  'INCR s',
  'SETRANGE s 0 x',
  'SETBIT s 1 1',
  'GETSET s v',
  'MSET a 1 b 2',
  'LPUSH l x',
  'LINSERT l BEFORE a x',
  'LMOVE l l LEFT RIGHT',
  'BLMOVE l l LEFT RIGHT 0',
  'SADD t d',
  'SUNIONSTORE d t',
  'HSET h f v',
  'HINCRBY h f 1',
  'ZADD z 1 c',
  'ZRANGESTORE d z 0 -1',
  'BITOP NOT d s',
  'COPY s d',
  'SORT l ALPHA STORE d',
  'GET s',
  'GETRANGE s 0 1',
  'LRANGE l 0 -1',
  'HGETALL h',
  'SCARD t',
  'ZCARD z',
  'EXISTS s l',
  'TYPE s',
  'EXPIRE s 100',
  'PERSIST s',
  'GETEX s EX 100',
  'GETDEL s',
  'LPOP l',
  'BLPOP l 0',
  'SREM t a',
  unordered('SPOP t 10'),
  'HDEL h f',
  'ZREM z a',
  'ZPOPMIN z',
  'RENAME h h2',
  'MOVE h2 1',
  'DEL volatile',
  'UNLINK z',
  'PUBLISH c m',
  'SELECT 1',
  'SELECT 0',
  'PING',
  'DBSIZE',
  'FLUSHDB',
  ROOM,
  'SET s v',
]);

compareCases('a refused command is counted, and its arguments are checked first', [
  FULL,
  'SET s',
  'NOSUCHCOMMAND',
  'CONFIG RESETSTAT',
  'SET s v',
  'APPEND s v',
  {
    send: 'INFO errorstats',
    normalise: (reply: Reply) => String(plain(reply)).match(/errorstat_OOM:count=\d+/)?.[0],
  },
  {
    send: 'INFO commandstats',
    normalise: (reply: Reply) => String(plain(reply)).match(/cmdstat_set:calls=0,.*rejected_calls=1/)?.length,
  },
]);

compareCases('transactions above the limit', [
  'SET s 1',
  // No command can be queued, and a refused command aborts the transaction.
  FULL,
  'MULTI',
  'PING',
  'GET s',
  'EXEC',
  'MULTI',
  'SET s v',
  'DISCARD',
  // An empty transaction runs.
  'MULTI',
  'EXEC',
  'MULTI',
  'DISCARD',
  // Queued below the limit.
  ROOM,
  'MULTI',
  'SET s 2',
  'GET s',
  on('other', FULL),
  'EXEC',
  'GET s',
  on('other', ROOM),
  'MULTI',
  'GET s',
  'DEL s',
  on('other', FULL),
  'EXEC',
  // Memory is checked before a transaction runs, not during it.
  ROOM,
  'MULTI',
  FULL,
  'SET s 3',
  'EXEC',
  ROOM,
  'GET s',
  // WATCH, MULTI and RESET are allowed above the limit.
  FULL,
  'WATCH s',
  'UNWATCH',
  'MULTI',
  'MULTI',
  'WATCH s',
  'RESET',
  'MULTI',
  'QUIT',
  closed('main'),
]);

compareCases('subscribers above the limit', [
  on('sub', 'SUBSCRIBE c'),
  FULL,
  on('sub', 'PING'),
  on('sub', 'SET s v'),
  on('sub', 'SUBSCRIBE d'),
  'PUBLISH c m',
  receive('sub'),
]);

compareCases('during CLIENT PAUSE, no key is evicted and no command is refused', [
  'SET s v',
  'CLIENT PAUSE 100000 WRITE',
  'CONFIG SET maxmemory-policy allkeys-lru',
  FULL,
  'GET s',
  'DBSIZE',
  'CLIENT UNPAUSE',
  'GET s',
  'DBSIZE',
]);

compareCases('the remaining keys when no key fits', [
  ...['SET plain v', 'SET volatile v EX 1000', 'SELECT 3', 'SET other v', 'SELECT 0'],
  'CONFIG SET maxmemory-policy volatile-lru maxmemory 1',
  'EXISTS plain volatile',
  'SET x v',
  'SET x v EX 100',
  'EXISTS plain x',
  'CONFIG SET maxmemory-policy allkeys-random',
  'PING',
  'DBSIZE',
  'SELECT 3',
  'DBSIZE',
  'SET x v',
  'GET x',
]);

compareCases('eviction publishes events', [
  'CONFIG SET notify-keyspace-events KEA',
  on('sub', 'PSUBSCRIBE __key*__:*'),
  'SET k v',
  receive('sub', 2),
  'SET v v EX 1000',
  receive('sub', 4),
  'CONFIG SET maxmemory-policy volatile-ttl maxmemory 1',
  'PING',
  receive('sub', 2),
  'CONFIG SET maxmemory-policy allkeys-lfu',
  'PING',
  receive('sub', 2),
  {
    send: 'INFO stats',
    normalise: (reply: Reply) => String(plain(reply)).match(/evicted_keys:\d+/)?.[0],
  },
]);

compareCases('eviction of a watched key aborts the transaction', [
  'SET k v',
  'WATCH k',
  on('other', 'CONFIG SET maxmemory-policy allkeys-lru maxmemory 1'),
  on('other', 'PING'),
  on('other', ROOM),
  'MULTI',
  'PING',
  'EXEC',
]);

compareCases(
  'eviction invalidates the key for a tracking client',
  [
    'SET k v',
    on('reader', 'CLIENT TRACKING ON'),
    on('reader', 'GET k'),
    silent('reader'),
    'CONFIG SET maxmemory-policy allkeys-lru maxmemory 1',
    'PING',
    receive('reader'),
  ],
  { protocols: [3] },
);

compareCases('OBJECT FREQ and IDLETIME depend on the policy', [
  // Otherwise a counter would decay at the start of a minute.
  'CONFIG SET lfu-decay-time 0',
  'SET k v',
  near('OBJECT IDLETIME k', 10),
  'OBJECT FREQ k',
  'OBJECT IDLETIME none',
  'OBJECT FREQ none',
  ...['allkeys-lfu', 'volatile-lfu', 'allkeys-lru', 'volatile-lru', 'volatile-ttl', 'allkeys-random'].flatMap(
    (policy) => [
      `CONFIG SET maxmemory-policy ${policy}`,
      // The bits stored for a key under another policy are read as an arbitrary time or counter.
      'DEL k',
      'SET k v',
      near('OBJECT IDLETIME k', 10),
      'OBJECT FREQ k',
      'OBJECT IDLETIME none',
      'OBJECT FREQ none',
      'OBJECT FREQ',
    ],
  ),
  'CONFIG SET maxmemory-policy allkeys-lfu',
  'SET fresh v',
  'OBJECT FREQ fresh',
  'CONFIG SET lfu-log-factor 0',
  'GET fresh',
  'GET fresh',
  'OBJECT FREQ fresh',
  'TOUCH fresh',
  'OBJECT FREQ fresh',
  'EXISTS fresh',
  'TTL fresh',
  'OBJECT FREQ fresh',
]);

compareCases('the settings', [
  unordered('CONFIG GET maxmemory*', 'pairs'),
  'CONFIG SET maxmemory 100mb',
  'CONFIG GET maxmemory',
  'CONFIG SET maxmemory -1',
  'CONFIG SET maxmemory x',
  'CONFIG SET maxmemory 10%',
  'CONFIG SET maxmemory-policy x',
  'CONFIG SET maxmemory-policy ALLKEYS-LRU',
  'CONFIG GET maxmemory-policy',
  'CONFIG SET maxmemory-samples 0',
  'CONFIG SET maxmemory-samples 10',
  'CONFIG SET maxmemory-eviction-tenacity 101',
  'CONFIG SET lfu-decay-time -1',
  'CONFIG SET maxmemory 18446744073709551615',
  'CONFIG GET maxmemory',
  'SET k v',
]);

// ---- under load ----

const SERVERS = ['redis', 'sorrel'] as const;

/** Bytes in use, as the server reports them. */
async function usedMemory(client: RawClient): Promise<number> {
  const info = String(plain(await client.call('INFO memory')));
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}

async function number(client: RawClient, command: string): Promise<number> {
  return Number(plain(await client.call(command)));
}

/** Sends all commands at once and returns the number of `OOM` errors. */
async function sendAll(client: RawClient, commands: readonly string[]): Promise<number> {
  client.send(...commands);
  let refused = 0;
  for (let i = 0; i < commands.length; i++) {
    const reply = await client.next();
    if (String(plain(reply)).includes('OOM command not allowed')) refused++;
  }
  return refused;
}

/** Adds keys until the limit is almost reached; returns their number. */
async function fill(client: RawClient, limit: number, command: (n: number) => string): Promise<number> {
  for (let n = 0; ; n += 20) {
    if ((await usedMemory(client)) + 4096 > limit) return n;
    await sendAll(
      client,
      Array.from({ length: 20 }, (_, i) => command(n + i)),
    );
  }
}

/** Runs with a client of each server in turn. The limit is about 100 KB above the memory of the empty server. */
async function eachServer(
  { servers }: LivePair,
  policy: string,
  body: (client: RawClient, limit: number, name: string) => Promise<void>,
  kilobytes = 100,
): Promise<void> {
  for (const name of SERVERS) {
    const client = await RawClient.connect(servers[name].port);
    try {
      await client.call('CONFIG SET maxmemory 0');
      await client.call('FLUSHALL');
      const limit = (await usedMemory(client)) + kilobytes * 1024;
      await client.call(`CONFIG SET maxmemory ${limit} maxmemory-policy ${policy}`);
      await body(client, limit, name);
    } finally {
      await client.call('CONFIG SET maxmemory 0 maxmemory-policy noeviction');
      client.close();
    }
  }
}

const ALL_KEYS = ['allkeys-random', 'allkeys-lru', 'allkeys-lfu'];
const VOLATILE = ['volatile-lru', 'volatile-lfu', 'volatile-random', 'volatile-ttl'];

for (const policy of [...ALL_KEYS, ...VOLATILE]) {
  compareLive(`memory stays within the limit: ${policy}`, async (pair) => {
    await eachServer(pair, policy, async (client, limit, name) => {
      const keys = await fill(client, limit, (n) => `SETEX key:${n} 10000 x`);
      assert.ok(keys > 10);
      const more = Array.from({ length: keys }, (_, n) => `SETEX more:${n} 10000 x`);
      assert.equal(await sendAll(client, more), 0, `${name} refused nothing`);
      const used = await usedMemory(client);
      assert.ok(used < limit + 4096, `${name} uses ${used} of ${limit}`);
      assert.ok((await number(client, 'DBSIZE')) > 0);
    });
  });
}

for (const policy of [...ALL_KEYS, ...VOLATILE]) {
  compareLive(`keys without a time to live are evicted only under allkeys: ${policy}`, async (pair) => {
    await eachServer(pair, policy, async (client, limit, name) => {
      const keys = await fill(client, limit, (n) => `SET key:${n} x`);
      const more = Array.from({ length: keys }, (_, n) => `SET more:${n} x`);
      const refused = await sendAll(client, more);
      if (policy.startsWith('allkeys')) {
        assert.equal(refused, 0, name);
        assert.ok((await usedMemory(client)) < limit + 4096, name);
      } else {
        assert.ok(refused > 0, name);
        assert.ok((await number(client, 'EXISTS key:0')) === 1, name);
      }
    });
  });
}

for (const policy of VOLATILE) {
  compareLive(
    `only keys with a time to live are evicted, even if others are older: ${policy}`,
    async (pair) => {
      await eachServer(pair, policy, async (client, limit, name) => {
        const keys = await fill(client, limit, (n) =>
          n % 2 === 1 ? `SETEX key:${n} 10000 x` : `SET key:${n} x`,
        );
        await sendAll(
          client,
          Array.from({ length: keys }, (_, n) => `SETEX more:${n} 10000 x`),
        );
        assert.ok((await usedMemory(client)) < limit + 4096, name);
        const lasting = Array.from({ length: keys / 2 }, (_, n) => `key:${n * 2}`);
        assert.equal(await number(client, `EXISTS ${lasting.join(' ')}`), lasting.length, name);
      });
    },
  );
}

compareLive('large values of every type are evicted, too', async (pair) => {
  const field = (n: number) => Array.from({ length: 200 }, (_, i) => `f${n}.${i} 1`).join(' ');
  const commands = [
    (n: number) => `HSET key:${n} ${field(n)}`,
    (n: number) => `SADD key:${n} ${field(n)}`,
    (n: number) => `RPUSH key:${n} ${field(n)}`,
    (n: number) => `ZADD key:${n} ${Array.from({ length: 200 }, (_, i) => `${i} m${n}.${i}`).join(' ')}`,
    (n: number) => `SET key:${n} ${'x'.repeat(5000)}`,
  ];
  const check = async (client: RawClient, limit: number, name: string) => {
    const all = Array.from({ length: 300 }, (_, n) => (commands[n % 5] as (n: number) => string)(n));
    // One by one: unanswered commands of a client also use memory.
    for (const command of all) assert.equal(await sendAll(client, [command]), 0, name);
    const used = await usedMemory(client);
    assert.ok(used < limit + 32_768, `${name} uses ${used} of ${limit}`);
    assert.ok((await number(client, 'DBSIZE')) > 0, name);
    assert.ok((await number(client, 'DBSIZE')) < 300, name);
  };
  await eachServer(pair, 'allkeys-lru', check, 400);
});

compareLive('a limit that shrinks evicts without waiting for a command', async (pair) => {
  await eachServer(pair, 'allkeys-lru', async (client, limit, name) => {
    await client.call('CONFIG SET maxmemory 0');
    await sendAll(
      client,
      Array.from({ length: 20_000 }, (_, n) => `SET key:${n} x`),
    );
    const smaller = Math.floor((await usedMemory(client)) * 0.75 + limit * 0.25);
    await client.call(`CONFIG SET maxmemory ${smaller}`);
    const giveUpAt = Date.now() + 30_000;
    while ((await usedMemory(client)) > smaller + 65_536) {
      assert.ok(Date.now() < giveUpAt, `${name} does not get below the limit`);
    }
    const left = await number(client, 'DBSIZE');
    assert.ok(left > 0 && left < 20_000, `${name} has ${left} keys`);
  });
});

compareLive('exactly the commands with the flag denyoom are refused', async ({ servers }) => {
  const clients = await Promise.all(SERVERS.map((name) => RawClient.connect(servers[name].port)));
  const [redis, sorrel] = clients as [RawClient, RawClient];
  const table = plain(await redis.call('COMMAND'));
  const known = new Set(
    (plain(await sorrel.call('COMMAND LIST')) as string[]).map((name) => name.toLowerCase()),
  );
  for (const client of clients) await client.call(FULL);
  for (const [name, arity, flags] of table as unknown as [string, number, string[]][]) {
    if (!known.has(name) || LEFT_OUT.has(name) || flags.includes('noscript')) continue;
    const command = [name, ...Array.from({ length: Math.abs(arity) - 1 }, () => '1')];
    const [ofRedis, ofSorrel] = await Promise.all(
      clients.map(async (client) => String(plain(await client.call(command))).startsWith('OOM')),
    );
    assert.equal(ofSorrel, ofRedis, name);
  }
  for (const client of clients) {
    await client.call(ROOM);
    client.close();
  }
});

/** Commands that end the connection or the server, wait, or change how replies are sent. */
const LEFT_OUT = new Set(['quit', 'shutdown', 'debug', 'wait', 'client', 'reset', 'multi', 'failover']);

compareCases('small integers are shared unless the policy needs the usage of each value', [
  'SET a 1',
  'OBJECT REFCOUNT a',
  'CONFIG SET maxmemory 1gb',
  ...['noeviction', 'allkeys-random', 'volatile-ttl', 'allkeys-lru', 'volatile-lru', 'allkeys-lfu'].flatMap(
    (policy) => [`CONFIG SET maxmemory-policy ${policy}`, 'SET b 1', 'OBJECT REFCOUNT b'],
  ),
  'CONFIG SET maxmemory 0',
  'SET b 1',
  'OBJECT REFCOUNT b',
]);
