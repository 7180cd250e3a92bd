import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../support/fleet/server-process.js';
import { startServer, TestClient } from './support.js';

const outside = Object.values(networkInterfaces())
  .flat()
  .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')?.address;

async function connectTo(host: string, port: number): Promise<TestClient> {
  const client = new TestClient(connect(port, host));
  await once(client.socket, 'connect');
  return client;
}

test('CLIENT INFO shows the path of a Unix socket, and its file has the mode of unixsocketperm', async (t) => {
  const { path, connect } = await startServer(t, { unixsocketperm: '700' });
  const client = await connect();
  const line = String(await client.call('CLIENT', 'INFO'));
  assert.ok(line.includes(` addr=${path}:0 laddr=${path}:0 `), line);
  assert.match(line, / flags=U /);
  assert.equal(statSync(path).mode & 0o777, 0o700);
});

test('protected mode refuses remote clients while there is no password', {
  skip: outside === undefined ? 'this machine has no address but its own' : false,
}, async (t) => {
  const port = await freePort();
  const { connect: connectInside } = await startServer(t, { port: String(port) });
  const stranger = await connectTo(outside as string, port);
  assert.match(String(await stranger.next()), /^DENIED Redis is running in protected mode/);
  await stranger.closed();
  const local = await connectTo('127.0.0.1', port);
  t.after(() => local.socket.destroy());
  assert.equal(await local.call('PING'), 'PONG');
  const inside = await connectInside();
  await inside.call('CONFIG', 'SET', 'requirepass', 'secret');
  const known = await connectTo(outside as string, port);
  t.after(() => known.socket.destroy());
  assert.equal(await known.call('AUTH', 'secret'), 'OK');
  await inside.call('CONFIG', 'SET', 'requirepass', '');
  await inside.call('CONFIG', 'SET', 'protected-mode', 'no');
  const welcome = await connectTo(outside as string, port);
  t.after(() => welcome.socket.destroy());
  assert.equal(await welcome.call('PING'), 'PONG');
});

test('CONFIG SET port moves the server; clients stay connected', async (t) => {
  const [before, after] = [await freePort(), await freePort()];
  const { engine } = await startServer(t, { port: String(before), bind: '127.0.0.1' });
  const client = await connectTo('127.0.0.1', before);
  t.after(() => client.socket.destroy());
  assert.equal(await client.call('CONFIG', 'SET', 'port', String(after)), 'OK');
  assert.equal(await client.call('PING'), 'PONG');
  const moved = await connectTo('127.0.0.1', after);
  t.after(() => moved.socket.destroy());
  assert.equal(await moved.call('PING'), 'PONG');
  await assert.rejects(connectTo('127.0.0.1', before));
  assert.equal(engine.settings.number('port'), after);
});

test('the log has the lines of redis-server, in the configured file and from the configured level', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'sorrel-log-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const logfile = join(directory, 'log');
  const { connect } = await startServer(t, { logfile, loglevel: 'warning', 'enable-debug-command': 'yes' });
  const client = await connect();
  await client.call('DEBUG', 'LOG', 'hello');
  const [line] = readFileSync(logfile, 'utf8').split('\n');
  assert.match(line as string, /^\d+:M \d\d \w{3} \d{4} \d\d:\d\d:\d\d\.\d{3} # DEBUG LOG: hello$/);
});

test('DEBUG is rejected unless the configuration allows it', async (t) => {
  const { connect } = await startServer(t);
  const client = await connect();
  assert.equal(
    String(await client.call('DEBUG', 'SLEEP', '0')),
    'ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a ' +
      'local connection, otherwise you need to set this option in the configuration file, and then restart the server.',
  );
  const local = await startServer(t, { 'enable-debug-command': 'local' });
  assert.equal(await (await local.connect()).call('DEBUG', 'SLEEP', '0'), 'OK');
});

test('a killed client is disconnected immediately', async (t) => {
  const { engine, connect } = await startServer(t);
  const victim = await connect();
  const killer = await connect();
  const id = await victim.call('CLIENT', 'ID');
  killer.send('CLIENT', 'KILL', 'ID', String(id));
  killer.send('CLIENT', 'LIST');
  assert.equal(await killer.next(), 1);
  assert.doesNotMatch(String(await killer.next()), new RegExp(`id=${id} `));
  await victim.closed();
  assert.equal(engine.sessions.size, 1);
});
