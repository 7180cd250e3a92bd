import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../../src/engine/engine.js';
import { startServer } from './support.js';

const MB = 1 << 20;
const MESSAGE = Buffer.alloc(MB, 'x');

/** The maximum number of unsent bytes of any client. */
const longestQueue = (engine: Engine): number =>
  Math.max(0, ...[...engine.sessions.values()].map(({ sink }) => sink.pending));

test('a subscriber that does not read is dropped at the hard limit, and never has more bytes queued', async (t) => {
  const { engine, connect } = await startServer(t, {
    'client-output-buffer-limit': `pubsub ${8 * MB} 0 0`,
  });
  const subscriber = await connect();
  const publisher = await connect();
  await subscriber.call('SUBSCRIBE', 'news');
  subscriber.socket.pause();
  let receivers: unknown;
  let published = 0;
  for (; published < 100; published++) {
    receivers = await publisher.call('PUBLISH', 'news', MESSAGE);
    assert.ok(longestQueue(engine) <= 8 * MB, `${longestQueue(engine)} bytes wait`);
    if (receivers === 0) break;
  }
  assert.equal(receivers, 0, 'the subscriber is dropped');
  assert.ok(published > 4, 'but not before its limit');
  assert.equal(engine.sessions.size, 1);
  await subscriber.closed();
  assert.equal(await publisher.call('PING'), 'PONG');
});

test('a client that has not authenticated is dropped when it does not read its replies', async (t) => {
  const { engine, connect } = await startServer(t, { requirepass: 'secret' });
  const client = await connect();
  const request = '*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$1\r\n5\r\n';
  // What it asks for at once would need more room than it may have: 34 bytes for each error.
  client.socket.write(request.repeat(600));
  await client.closed();
  assert.equal(engine.sessions.size, 0);
  const other = await connect();
  other.socket.write(request.repeat(100));
  assert.equal(String(await other.call('AUTH', 'secret')), 'NOAUTH Authentication required.');
});

test('a subscriber above the soft limit is dropped after the configured time, even if nothing more is sent', async (t) => {
  const { engine, clock, connect } = await startServer(t, {
    'client-output-buffer-limit': `pubsub 0 ${2 * MB} 10`,
  });
  const subscriber = await connect();
  const publisher = await connect();
  await subscriber.call('SUBSCRIBE', 'news');
  subscriber.socket.pause();
  for (let i = 0; i < 8; i++) assert.equal(await publisher.call('PUBLISH', 'news', MESSAGE), 1);
  clock.advance(9_000);
  engine.background.tick();
  assert.equal(await publisher.call('PUBLISH', 'news', 'small'), 1);
  clock.advance(2_000);
  engine.background.tick();
  assert.equal(await publisher.call('PUBLISH', 'news', 'small'), 0);
  await subscriber.closed();
});

test('a subscriber that reads in time is not dropped', async (t) => {
  const { engine, clock, connect } = await startServer(t, {
    'client-output-buffer-limit': `pubsub ${8 * MB} ${2 * MB} 1`,
  });
  const subscriber = await connect();
  const publisher = await connect();
  await subscriber.call('SUBSCRIBE', 'news');
  for (let i = 0; i < 30; i++) {
    assert.equal(await publisher.call('PUBLISH', 'news', MESSAGE), 1);
    await subscriber.next();
    clock.advance(2_000);
    engine.background.tick();
  }
  assert.ok(longestQueue(engine) < MB);
});

test("a command stops replying when the reply exceeds the client's limit", async (t) => {
  const { engine, connect } = await startServer(t, { 'client-output-buffer-limit': `normal ${MB} 0 0` });
  const other = await connect();
  await other.call('HSET', 'hash', 'field', 'value');
  await other.call('SADD', 'set', 'member');
  await other.call('ZADD', 'zset', '1', 'member');
  for (const [name, key] of [
    ['HRANDFIELD', 'hash'],
    ['SRANDMEMBER', 'set'],
    ['ZRANDMEMBER', 'zset'],
  ] as const) {
    for (const count of ['-500000000', '-9000000000']) {
      const greedy = await connect();
      assert.equal(await greedy.call(name, key, count), undefined, `${name}: closed`);
    }
  }
  assert.equal(engine.statistics.unexpectedErrors, 0);
  assert.equal(await other.call('PING'), 'PONG');
});

test('more random elements than fit into a reply are refused immediately', async (t) => {
  const { connect } = await startServer(t);
  const client = await connect();
  await client.call('HSET', 'hash', 'field', 'value');
  await client.call('SADD', 'set', 'member');
  await client.call('ZADD', 'zset', '1', 'member');
  for (const count of ['-4611686018427387904', '-9223372036854775807', '-9000000000']) {
    for (const [name, key] of [
      ['HRANDFIELD', 'hash'],
      ['SRANDMEMBER', 'set'],
      ['ZRANDMEMBER', 'zset'],
    ] as const) {
      assert.equal(await client.call(name, key, count), 'ERR value is out of range');
    }
  }
});

test('a transaction whose replies are too long still runs', async (t) => {
  const { connect } = await startServer(t, { 'client-output-buffer-limit': `normal ${MB} 0 0` });
  const other = await connect();
  await other.call('SET', 'long', Buffer.alloc(MB >> 1));
  const greedy = await connect();
  greedy.send('MULTI');
  for (let i = 0; i < 5; i++) greedy.send('GET', 'long');
  greedy.send('SET', 'key', 'value');
  greedy.send('EXEC');
  await greedy.closed();
  assert.equal(await other.call('GET', 'key'), 'value');
});

test('a monitor that does not read is dropped at the limit for normal clients', async (t) => {
  const { engine, connect } = await startServer(t, {
    'client-output-buffer-limit': `normal ${4 * MB} 0 0`,
  });
  const monitor = await connect();
  const client = await connect();
  await monitor.call('MONITOR');
  monitor.socket.pause();
  for (let i = 0; i < 100 && engine.sessions.size > 1; i++) {
    await client.call('SET', 'k', MESSAGE);
    assert.ok(longestQueue(engine) <= 4 * MB);
  }
  assert.equal(engine.sessions.size, 1);
  await monitor.closed();
});

test('a reply beyond the hard limit is not sent at all', async (t) => {
  const { connect } = await startServer(t, { 'client-output-buffer-limit': `normal ${2 * MB} 0 0` });
  const client = await connect();
  await client.call('SET', 'k', Buffer.alloc(3 * MB));
  assert.equal(await client.call('GET', 'k'), undefined);
  await client.closed();
});

test('a request beyond client-query-buffer-limit ends the connection', async (t) => {
  const { connect } = await startServer(t, { 'client-query-buffer-limit': `${MB}` });
  const client = await connect();
  client.socket.write(`*2\r\n$4\r\nECHO\r\n$${3 * MB}\r\n`);
  client.socket.write(Buffer.alloc(2 * MB));
  await client.closed();
});

test('clients beyond maxclients are refused with an error', async (t) => {
  const { engine, connect } = await startServer(t, { maxclients: '2' });
  const first = await connect();
  const second = await connect();
  await first.call('PING');
  await second.call('PING');
  const third = await connect();
  assert.equal(String(await third.next()), 'ERR max number of clients reached');
  await third.closed();
  assert.equal(engine.statistics.rejectedConnections, 1);
  assert.match(String(await first.call('INFO', 'stats')), /rejected_connections:1\r\n/);
  await second.call('QUIT');
  await second.closed();
  const fourth = await connect();
  assert.equal(await fourth.call('PING'), 'PONG');
  await first.call('CONFIG', 'SET', 'maxclients', '3');
  assert.equal(await (await connect()).call('PING'), 'PONG');
});

test('idle clients are closed after `timeout`, but not blocked clients or subscribers', async (t) => {
  const { engine, clock, connect } = await startServer(t, { timeout: '10' });
  const idle = await connect();
  const busy = await connect();
  const waiting = await connect();
  const listening = await connect();
  await idle.call('PING');
  await listening.call('SUBSCRIBE', 'news');
  waiting.send('BLPOP', 'queue', '0');
  clock.advance(8_000);
  await busy.call('PING');
  clock.advance(3_000);
  engine.background.tick();
  await idle.closed();
  assert.equal(engine.sessions.size, 3);
  await busy.call('RPUSH', 'queue', 'job');
  assert.deepEqual(await waiting.next(), ['queue', 'job']);
});
