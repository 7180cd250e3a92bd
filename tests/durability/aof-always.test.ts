import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { Persistence } from '../../src/persistence/persistence.js';
import { startServer, type TestServer } from '../server/support.js';
import { temporaryFolder } from './support/aof.js';

/** A server with `appendfsync always`, where `onSync` replaces each sync. */
async function serve(t: TestContext, onSync: () => void): Promise<TestServer & { persistence: Persistence }> {
  const folder = temporaryFolder(t);
  const started = await startServer(t, { dir: folder, appendonly: 'yes', appendfsync: 'always', save: '' });
  const persistence = new Persistence(started.engine);
  started.server.files = persistence;
  await persistence.load();
  const original = fs.fdatasyncSync;
  fs.fdatasyncSync = (fd) => {
    onSync();
    original(fd);
  };
  syncBuiltinESMExports();
  t.after(() => {
    fs.fdatasyncSync = original;
    syncBuiltinESMExports();
  });
  return { ...started, persistence };
}

test('replies are sent after the sync, and one sync serves all clients of a turn', async (t) => {
  /** The number of replies sent before each sync began. */
  const syncs: number[] = [];
  const { connect, engine, persistence } = await serve(t, () => void syncs.push(engine.statistics.writes));
  const clients = await Promise.all(Array.from({ length: 20 }, connect));
  assert.deepEqual(await Promise.all(clients.map((client) => client.call('PING'))), Array(20).fill('PONG'));
  assert.equal(syncs.length, 0, 'a command without changes needs no sync');
  const before = engine.statistics.writes;
  // All requests are in the sockets before the server, which runs in this process, can read any of them.
  for (const client of clients) client.send('INCR', 'n');
  const replies = await Promise.all(clients.map((client) => client.next()));
  assert.deepEqual(new Set(replies), new Set(Array.from({ length: 20 }, (_, i) => i + 1)));
  assert.ok(syncs.length < 20, `${syncs.length} syncs for 20 clients`);
  assert.equal(syncs[0], before, 'a reply was sent before the sync');
  assert.equal(persistence.aof.output.bufferLength, 0);
});

test('replies to a client keep their order, even when it only reads, subscribes or disconnects', async (t) => {
  const { connect } = await serve(t, () => {});
  const [client, publisher] = [await connect(), await connect()];
  client.send('SUBSCRIBE', 'channel');
  assert.deepEqual(await client.next(), ['subscribe', 'channel', 1]);
  const other = await connect();
  for (let i = 0; i < 50; i++) {
    publisher.send('INCR', 'n');
    publisher.send('GET', 'n');
    publisher.send('PUBLISH', 'channel', String(i));
  }
  for (let i = 0; i < 50; i++) {
    assert.equal(await publisher.next(), i + 1);
    assert.equal(await publisher.next(), String(i + 1));
    assert.equal(await publisher.next(), 1);
    assert.deepEqual(await client.next(), ['message', 'channel', String(i)]);
  }
  other.send('SET', 'last', 'x');
  other.send('QUIT');
  assert.equal(await other.next(), 'OK');
  assert.equal(await other.next(), 'OK');
  await other.closed();
  publisher.send('SET', 'last', 'y');
  publisher.socket.end();
  assert.equal(
    await publisher.next(),
    'OK',
    'a client that has closed its sending side still gets its replies',
  );
});

test('a failed sync ends the process, and no write is acknowledged', async (t) => {
  let isBroken = false;
  const { connect, engine, persistence } = await serve(t, () => {
    if (isBroken) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  });
  const client = await connect();
  assert.equal(await client.call('SET', 'key', '1'), 'OK');
  const before = engine.statistics.writes;
  const ended = new Promise<{ reason: string; writes: number }>((resolve) => {
    persistence.aof.onFatal = (reason) => {
      resolve({ reason, writes: engine.statistics.writes });
      return undefined as never;
    };
  });
  isBroken = true;
  client.send('SET', 'key', '2');
  const { reason, writes } = await ended;
  assert.match(reason, FATAL);
  assert.equal(writes, before);
  isBroken = false;
});

const FATAL =
  /^Can't persist AOF for fsync error when the AOF fsync policy is 'always': Input\/output error\. Exiting/;
