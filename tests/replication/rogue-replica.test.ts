import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startServer } from '../server/support.js';

test('a replica that sends a command with a reply is disconnected: the reply would break the stream', async (t) => {
  const { engine, path, connect: connectClient } = await startServer(t, { 'repl-diskless-sync-delay': '0' });
  const log: string[] = [];
  engine.attach({ host: { log: (_, message) => void log.push(message) } });
  for (const [sync, request, command] of [
    ['SYNC', 'PING', 'ping'],
    ['PSYNC ? -1', 'XINFO HELP', 'xinfo|help'],
    ['PSYNC ? -1', 'GET key', 'get'],
    ['PSYNC ? -1', 'REPLICAOF 127.0.0.1 1', 'replicaof'],
  ]) {
    const replica = connect(path);
    t.after(() => replica.destroy());
    replica.resume();
    replica.write(`${sync}\r\nREPLCONF ACK 0\r\n${request}\r\n`);
    await once(replica, 'close');
    const text = `Replica generated a reply to command '${command}', disconnecting it: id=`;
    assert.ok(
      log.some((line) => line.startsWith(text)),
      command,
    );
  }
  const critical = '== CRITICAL == This master is sending an error to its replica: ';
  const errors = log.filter((line) => line.startsWith(critical));
  assert.deepEqual(errors, [
    `${critical}'ERR Replica can't interact with the keyspace' after processing the command 'get'`,
    `${critical}'ERR Command is not valid when client is a replica.' after processing the command 'replicaof'`,
  ]);
  const client = await connectClient();
  assert.match(String(await client.call('INFO', 'replication')), /role:master\r\n/);
  assert.match(String(await client.call('INFO', 'stats')), /sync_full:4\r\n/);
  await client.call('CONFIG', 'RESETSTAT');
  assert.match(String(await client.call('INFO', 'stats')), /sync_full:0\r\n/);
  assert.match(String(await client.call('PSYNC', 'id', 'text')), /^ERR value is not an integer/);
  assert.ok(log.some((line) => line.endsWith('asks for synchronization but with a wrong offset')));
  assert.equal(await client.call('PING'), 'PONG');
});
