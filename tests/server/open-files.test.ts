import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { ask } from '../support/fleet/index.js';
import { startServer } from '../support/fleet/server-process.js';
import { sorrelCommand } from '../support/fleet/standalone.js';

/** Starts a server that may open this many files. */
function startLimited(limit: number) {
  return startServer('sorrel', ({ port, directory }) => [
    ...['sh', '-c', `ulimit -n ${limit}; exec "$0" "$@"`, ...sorrelCommand()],
    ...['--port', String(port), '--dir', directory, '--save', ''],
  ]);
}

/** The first reply, or '' if the connection is closed without one. */
async function answer(socket: Socket): Promise<string> {
  socket.on('error', () => {}).write('PING\r\n');
  const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  return String(chunk);
}

test('as many clients are accepted as the limit of open files allows, and files can still be opened', async () => {
  const server = await startLimited(1024);
  try {
    assert.deepEqual(await ask(server.port, 'CONFIG', 'GET', 'maxclients'), ['maxclients', '992']);
    assert.match(
      server.log(),
      /# You requested maxclients of 10000 requiring at least 10032 max file descriptors\.\n/,
    );
    assert.match(
      server.log(),
      /# Current maximum open files is 1024\. maxclients has been reduced to 992 to compensate for low ulimit\./,
    );
    const sockets = Array.from({ length: 994 }, () => connect(server.port, '127.0.0.1'));
    const answers: string[] = [];
    answers.push(...(await Promise.all(sockets.map(answer))));
    assert.deepEqual(new Set(answers), new Set(['+PONG\r\n', '-ERR max number of clients reached\r\n']));
    sockets[0]?.write('SAVE\r\n');
    assert.equal(String((await once(sockets[0] as Socket, 'data'))[0]), '+OK\r\n');
    sockets[0]?.write('CONFIG SET maxclients 993\r\n');
    assert.match(
      String((await once(sockets[0] as Socket, 'data'))[0]),
      /not able to handle the specified number of clients, try with 992/,
    );
    for (const socket of sockets) socket.destroy();
  } finally {
    await server.stop();
  }
});
