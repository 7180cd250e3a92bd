import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../../src/engine/engine.js';
import { startServer, type TestClient } from './support.js';

const MB = 1 << 20;
const UNKNOWN = 200_000;

/**
 * The maximum input that the server buffers for a client whose commands wait: the limit and one chunk of 64 KB.
 */
const MAX_HELD = 2 << 16;

/** The largest amount of input queued for any client. */
const maxQueued = (engine: Engine): number =>
  Math.max(0, ...[...engine.sessions.values()].map(({ sink }) => sink.figures?.().queryBuffer ?? 0));

/** Gives the server many turns to read; it must reply to `other` in each of them. */
async function letItRead(engine: Engine, other: TestClient): Promise<void> {
  for (let turn = 0; turn < 300; turn++) {
    assert.equal(await other.call('PING'), 'PONG');
    const queued = maxQueued(engine);
    assert.ok(queued <= MAX_HELD, `${queued} bytes are queued`);
  }
  assert.ok(maxQueued(engine) >= MAX_HELD >> 1, 'reading has stopped');
}

async function expectPongs(client: TestClient, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const reply = await client.next();
    if (reply !== 'PONG') assert.fail(`reply ${i} of ${count} is ${String(reply)}`);
  }
}

test('input of a blocked client is not read further, and gets all replies later', async (t) => {
  const { engine, connect } = await startServer(t);
  const blocked = await connect();
  const other = await connect();
  const count = 200_000;
  blocked.socket.write('BLPOP queue 0\r\n');
  blocked.socket.write('PING\r\n'.repeat(count));
  await letItRead(engine, other);
  await other.call('RPUSH', 'queue', 'job');
  assert.deepEqual(await blocked.next(), ['queue', 'job']);
  await expectPongs(blocked, count);
  assert.equal(maxQueued(engine), 0);
});

test('commands of paused clients do not fill the memory', async (t) => {
  const { engine, connect } = await startServer(t);
  const paused = await connect();
  const other = await connect();
  const count = 100_000;
  await other.call('CLIENT', 'PAUSE', '100000000', 'WRITE');
  paused.socket.write('SET key value\r\n');
  paused.socket.write('PING\r\n'.repeat(count));
  await letItRead(engine, other);
  await other.call('CLIENT', 'UNPAUSE');
  assert.equal(await paused.next(), 'OK');
  await expectPongs(paused, count);
});

test('input of a client that does not read its replies is not read further', async (t) => {
  const { engine, connect } = await startServer(t);
  const greedy = await connect();
  const other = await connect();
  await other.call('SET', 'large', Buffer.alloc(4 * MB));
  greedy.socket.pause();
  greedy.socket.write('GET large\r\n'.repeat(16));
  greedy.socket.write('X\n'.repeat(UNKNOWN));
  await letItRead(engine, other);
  const [session] = [...engine.sessions.values()];
  assert.ok((session?.sink.pending ?? 0) < 64 * MB);
  greedy.socket.resume();
  for (let i = 0; i < 16; i++) assert.equal(String(await greedy.next()).length, 4 * MB);
  for (let i = 0; i < UNKNOWN; i++) {
    const reply = String(await greedy.next());
    if (!reply.startsWith('ERR unknown command')) assert.fail(reply.slice(0, 100));
  }
});

test('a client that disconnects while blocked is removed, even with commands queued', async (t) => {
  const { engine, connect } = await startServer(t);
  const blocked = await connect();
  const other = await connect();
  blocked.socket.write('BLPOP queue 0\r\n');
  blocked.socket.write('PING\r\n'.repeat(1000));
  while (maxQueued(engine) < 6000) await other.call('PING');
  blocked.socket.end();
  await blocked.closed();
  assert.equal(engine.blockedClients, 0);
  assert.equal(await other.call('RPUSH', 'queue', 'job'), 1);
});

test('the server notices that a blocked client disconnects even if its input is not read further', async (t) => {
  const { engine, clock, connect } = await startServer(t);
  const blocked = await connect();
  const other = await connect();
  blocked.socket.write('BLPOP queue 0\r\n');
  blocked.socket.write('PING\r\n'.repeat(300_000));
  await letItRead(engine, other);
  blocked.socket.end();
  for (let second = 0; engine.blockedClients > 0; second++) {
    assert.ok(second < 30, 'the client is still blocked');
    clock.advance(1001);
    engine.background.tick();
    for (let turn = 0; turn < 100; turn++) await other.call('PING');
    assert.ok(maxQueued(engine) <= (second + 2) * (MB + MAX_HELD), 'input is read in small steps');
  }
  assert.equal(await other.call('RPUSH', 'queue', 'job'), 1);
  assert.equal(await other.call('LPOP', 'queue'), 'job');
});

test('a blocked client that never stops sending is dropped at client-query-buffer-limit', async (t) => {
  const { engine, clock, connect } = await startServer(t, { 'client-query-buffer-limit': '1mb' });
  const blocked = await connect();
  const other = await connect();
  blocked.socket.write('BLPOP queue 0\r\n');
  blocked.socket.write('PING\r\n'.repeat(600_000));
  await letItRead(engine, other);
  for (let second = 0; !blocked.isClosed; second++) {
    assert.ok(second < 30, 'the client is still connected');
    clock.advance(1001);
    engine.background.tick();
    for (let turn = 0; turn < 100; turn++) await other.call('PING');
    assert.ok(maxQueued(engine) <= MB + MAX_HELD, 'no more than the limit is buffered');
  }
  assert.equal(engine.blockedClients, 0);
});

test('clients that serve each other with every queued command do not deepen the stack', async (t) => {
  const { engine, connect } = await startServer(t);
  const first = await connect();
  const second = await connect();
  const rounds = 1500;
  first.socket.write('BLPOP a 0\r\nRPUSH b x\r\n'.repeat(rounds));
  second.socket.write('BLPOP b 0\r\nRPUSH a x\r\n'.repeat(rounds));
  const other = await connect();
  while (engine.blockedClients < 2) await other.call('PING');
  await other.call('RPUSH', 'a', 'x');
  for (let i = 0; i < rounds; i++) {
    for (const [client, key] of [
      [first, 'a'],
      [second, 'b'],
    ] as const) {
      assert.deepEqual(await client.next(), [key, 'x']);
      assert.equal(await client.next(), 1);
    }
  }
  assert.equal(engine.statistics.unexpectedErrors, 0);
});
