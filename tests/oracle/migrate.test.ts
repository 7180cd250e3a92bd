import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { compareCases, compareLive, plain, RawClient, startRedis, startSorrel } from './support/index.js';

const LARGE = randomBytes(6_000_000).toString('base64');

/** No server listens on port 1. */
compareCases('MIGRATE checks its arguments', [
  'MIGRATE 127.0.0.1 1 k 0',
  'MIGRATE 127.0.0.1 1 k zero 1000',
  'MIGRATE 127.0.0.1 1 k 0 long',
  'MIGRATE 127.0.0.1 1 k x long',
  'MIGRATE 127.0.0.1 1 k 0 1000 MOVE',
  'MIGRATE 127.0.0.1 1 k 0 1000 AUTH',
  'MIGRATE 127.0.0.1 1 k 0 1000 AUTH2 name',
  'MIGRATE 127.0.0.1 1 k 0 1000 KEYS a b',
  'MIGRATE 127.0.0.1 1 "" 0 1000 KEYS',
  'MIGRATE 127.0.0.1 1 none 0 1000 COPY REPLACE',
  'MIGRATE 127.0.0.1 1 "" 0 1000 KEYS none none',
  'SET k v',
  'MIGRATE 127.0.0.1 1 k 0 1000',
  'MIGRATE 127.0.0.1 port k 0 1000',
  'GET k',
]);

for (const { kind, start } of [
  { kind: 'Redis', start: startRedis },
  { kind: 'Sorrel', start: startSorrel },
]) {
  compareLive(`MIGRATE moves keys to a ${kind}`, async ({ sendBoth }) => {
    const target = await start([]);
    const there = await RawClient.connect(target.port);
    const migrate = (...words: (string | number)[]): (string | number)[] => [
      'MIGRATE',
      '127.0.0.1',
      target.port,
      ...words,
    ];
    await sendBoth('MSET a 1 b 2 c 3 d 4');
    await sendBoth('SET timed value PX 1000000');
    await sendBoth('ZADD z 1 one 2 two');
    await sendBoth(migrate('a', 3, 20000, 'REPLACE'));
    await sendBoth('EXISTS a');
    await sendBoth(migrate('', 3, 20000, 'REPLACE', 'KEYS', 'timed', 'none', 'z', 'z'));
    await sendBoth('EXISTS timed z');
    await sendBoth(migrate('b', 0, 20000, 'COPY', 'REPLACE'));
    await sendBoth('GET b');
    await sendBoth(migrate('b', 0, 20000));
    await sendBoth(migrate('', 0, 20000, 'KEYS', 'b', 'none', 'b'));
    await sendBoth(migrate('c', 99, 20000));
    await sendBoth(migrate('c', 0, 20000, 'REPLACE', 'AUTH', 'secret'));
    await sendBoth('MULTI');
    await sendBoth(migrate('c', 0, 20000, 'REPLACE'));
    await sendBoth('EXEC');
    await sendBoth('EXISTS b c');
    assert.deepEqual(plain(await there.call(['MGET', 'b', 'c'])), ['2', '3']);
    await there.call(['SELECT', '3']);
    assert.equal(plain(await there.call(['GET', 'a'])), '1');
    assert.deepEqual(plain(await there.call(['ZRANGE', 'z', '0', '-1'])), ['one', 'two']);
    const ttl = Number(plain(await there.call(['PTTL', 'timed'])));
    assert.ok(ttl > 800_000 && ttl <= 1_000_000, `a time to live of ${ttl} ms`);
    // More than the buffers of a connection take.
    await sendBoth(['SET', 'large', LARGE]);
    await sendBoth(migrate('large', 0, 20000, 'REPLACE'));
    await sendBoth('EXISTS large');
    await there.call(['SELECT', '0']);
    assert.equal(plain(await there.call(['GET', 'large'])), LARGE);
    // The other server has closed the cached connections: both servers notice and reconnect.
    await there.call(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
    await sendBoth(migrate('d', 0, 20000, 'REPLACE'));
    await sendBoth('EXISTS d');
  });
}

compareLive('MIGRATE keeps the key if the other server does not reply or exits', async ({ sendBoth }) => {
  const silent = createServer((socket) => socket.resume().on('error', () => {}));
  const ending = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy()));
  try {
    for (const [server, timeout] of [
      [silent, 100],
      [ending, 20000],
    ] as const) {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      await sendBoth('SET key value');
      await sendBoth(['MIGRATE', '127.0.0.1', port, 'key', 0, timeout]);
      await sendBoth('GET key');
    }
  } finally {
    silent.close();
    ending.close();
  }
});
