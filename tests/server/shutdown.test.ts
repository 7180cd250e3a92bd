import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, startRedis, startSorrel, whenRedisIsInstalled } from '../support/fleet/index.js';
import { startServer, type TestClient } from './support.js';

/** A replica that receives everything and acknowledges nothing. */
async function silentReplica(socket: Socket, info: () => Promise<string>): Promise<void> {
  socket.on('error', () => {});
  socket.resume();
  socket.write('REPLCONF capa eof capa psync2\r\nPSYNC ? -1\r\n');
  while (!(await info()).includes('state=online')) await new Promise((resolve) => setImmediate(resolve));
}

async function flagsOf(asking: TestClient, name: string): Promise<string | undefined> {
  const list = String(await asking.call('CLIENT', 'LIST'));
  return new RegExp(` name=${name} .* flags=(\\w+) `).exec(list)?.[1];
}

test('SHUTDOWN ABORT cancels a shutdown that waits for a replica, and the waiting clients get an error', async (t) => {
  const { server, path, connect: connectClient } = await startServer(t, { 'repl-diskless-sync-delay': '0' });
  const control = await connectClient();
  const replica = connect(path);
  t.after(() => replica.destroy());
  await silentReplica(replica, async () => String(await control.call('INFO', 'replication')));
  await control.call('SET', 'key', 'value');
  const clients = [await connectClient(), await connectClient()];
  for (const [i, client] of clients.entries()) {
    await client.call('CLIENT', 'SETNAME', `waiting-${i}`);
    client.send('SHUTDOWN', ...(i === 0 ? [] : ['NOSAVE']));
    client.send('PING');
    while ((await flagsOf(control, `waiting-${i}`))?.includes('b') !== true);
  }
  const counts = String(await control.call('INFO', 'clients'));
  assert.match(counts, /connected_clients:3\r\n/);
  assert.match(counts, /blocked_clients:2\r\n/);
  assert.match(counts, /clients_in_timeout_table:0\r\n/);
  const writer = await connectClient();
  await writer.call('CLIENT', 'SETNAME', 'writer');
  writer.send('SET', 'key', 'changed');
  while ((await flagsOf(control, 'writer'))?.includes('b') !== true);
  assert.equal(await control.call('GET', 'key'), 'value');
  assert.equal(await control.call('SHUTDOWN', 'ABORT'), 'OK');
  for (const client of clients) {
    assert.equal(await client.next(), 'ERR Errors trying to SHUTDOWN. Check logs.');
    assert.equal(await client.next(), 'PONG');
  }
  assert.equal(await writer.next(), 'OK');
  assert.equal(await control.call('SHUTDOWN', 'ABORT'), 'ERR No shutdown in progress.');

  // The same for a signal; a pause by a client is not ended by it.
  await control.call('CLIENT', 'PAUSE', '100000', 'WRITE');
  assert.equal(server.shutdown.request({ save: false, now: false, force: false }), true);
  assert.equal(await control.call('SHUTDOWN', 'ABORT'), 'OK');
  writer.send('SET', 'key', 'again');
  while ((await flagsOf(control, 'writer'))?.includes('b') !== true);
  assert.equal(await control.call('CLIENT', 'UNPAUSE'), 'OK');
  assert.equal(await writer.next(), 'OK');
});

test('SHUTDOWN ABORT cancels a shutdown by a signal until the next tick', async (t) => {
  const { server, engine, connect: connectClient } = await startServer(t);
  const control = await connectClient();
  engine.background.isPaused = true;
  server.shutdown.signal('SIGTERM', { save: false, now: false, force: false });
  assert.equal(await control.call('SHUTDOWN', 'ABORT'), 'OK');
  assert.equal(await control.call('SHUTDOWN', 'ABORT'), 'ERR No shutdown in progress.');
  engine.background.isPaused = false;
  engine.background.tick();
  assert.equal(await control.call('PING'), 'PONG');
  server.shutdown.signal('SIGTERM', { save: false, now: false, force: false });
  engine.background.tick();
  await control.closed();
});

test('the first SIGINT waits for replicas, the second ends the process at once', async () => {
  const server = await startSorrel(['--repl-diskless-sync-delay', '0']);
  const replica = connect(server.port, '127.0.0.1');
  try {
    await silentReplica(replica, async () => String(await ask(server.port, 'INFO', 'replication')));
    await ask(server.port, 'SET', 'key', 'value');
    const exited = once(server.process, 'exit');
    server.process.kill('SIGINT');
    while (!server.log().includes('Waiting for replicas'))
      await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await ask(server.port, 'GET', 'key'), 'value');
    server.process.kill('SIGINT');
    assert.deepEqual((await exited)[0], 1);
    assert.match(server.log(), /You insist\.\.\. exiting now\./);
  } finally {
    replica.destroy();
    await server.stop();
  }
});

test('SIGHUP does not end the server, and SIGTERM ends it cleanly', async () => {
  const starts = whenRedisIsInstalled.skip === false ? [startRedis, startSorrel] : [startSorrel];
  for (const start of starts) {
    const server = await start();
    const exited = once(server.process, 'exit');
    server.process.kill('SIGHUP');
    assert.equal(await ask(server.port, 'PING'), 'PONG');
    server.process.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    await server.stop();
  }
});

test('a server removes its pid file, unless it is a device', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-pid-'));
  symlinkSync('/dev/zero', join(folder, 'device'));
  for (const name of ['file', 'device']) {
    const server = await startSorrel(['--pidfile', join(folder, name)]);
    const exited = once(server.process, 'exit');
    assert.ok(readdirSync(folder).includes(name));
    server.process.kill('SIGTERM');
    await exited;
    await server.stop();
  }
  assert.deepEqual(readdirSync(folder), ['device']);
  rmSync(folder, { recursive: true });
});

test('a folder that cannot be used is named with the reason of the system', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-folder-'));
  writeFileSync(join(folder, 'appendonlydir'), '');
  await assert.rejects(startSorrel(['--dir', join(folder, 'none')]), /none': No such file or directory\n/);
  await assert.rejects(
    startSorrel(['--dir', folder, '--appendonly', 'yes']),
    /check the file: \S*appendonlydir: File exists\. Exiting/,
  );
  rmSync(folder, { recursive: true });
});

test('the last save is as slow as rdb-key-save-delay says, and a second SIGINT ends it and removes its file', async () => {
  const server = await startSorrel(['--save', '3600 1', '--rdb-key-save-delay', '1000000000']);
  try {
    await ask(server.port, 'SET', 'key', 'value');
    const [, folder] = (await ask(server.port, 'CONFIG', 'GET', 'dir')) as string[];
    const temporary = join(String(folder), `temp-${server.process.pid}.rdb`);
    const exited = once(server.process, 'exit');
    server.process.kill('SIGINT');
    while (!existsSync(temporary)) await new Promise((resolve) => setImmediate(resolve));
    server.process.kill('SIGINT');
    assert.deepEqual((await exited)[0], 1);
    assert.ok(!existsSync(temporary) && !existsSync(join(String(folder), 'dump.rdb')));
  } finally {
    await server.stop();
  }
});

test('SHUTDOWN with rdb-key-save-delay ends after the save, or fails with it', async () => {
  const server = await startSorrel(['--save', '3600 1', '--rdb-key-save-delay', '1000']);
  try {
    await ask(server.port, 'SET', 'key', 'value');
    const [, folder] = (await ask(server.port, 'CONFIG', 'GET', 'dir')) as string[];
    const file = join(String(folder), 'dump.rdb');
    mkdirSync(file);
    await assert.rejects(
      async () => ask(server.port, 'SHUTDOWN'),
      /ERR Errors trying to SHUTDOWN. Check logs./,
    );
    assert.equal(await ask(server.port, 'GET', 'key'), 'value');
    rmdirSync(file);
    const exited = once(server.process, 'exit');
    await ask(server.port, 'SHUTDOWN').catch(() => {});
    assert.deepEqual((await exited)[0], 0);
    assert.ok(existsSync(file));
  } finally {
    await server.stop();
  }
});

test('SHUTDOWN NOW logs the replicas that miss the last writes', async () => {
  const server = await startSorrel(['--repl-diskless-sync-delay', '0']);
  const replica = connect(server.port, '127.0.0.1');
  try {
    await silentReplica(replica, async () => String(await ask(server.port, 'INFO', 'replication')));
    await ask(server.port, 'SET', 'key', 'value');
    const exited = once(server.process, 'exit');
    await ask(server.port, 'SHUTDOWN', 'NOW').catch(() => {});
    await exited;
    assert.match(
      server.log(),
      /Lagging replica .* reported offset \d+ behind master, lag=\d+, state=online\./,
    );
    assert.match(server.log(), /0 of 1 replicas are in sync when shutting down\./);
  } finally {
    replica.destroy();
    await server.stop();
  }
});
