import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';

const MAIN = sourceProgram(new URL('../../src/cli/main.ts', import.meta.url));

/** Connects to a server in a process of its own, so that it goes on while this one reads. */
async function connections(t: TestContext, count: number): Promise<Socket[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-order-'));
  const path = join(folder, 'socket');
  const options = ['--port', '0', '--unixsocket', path, '--dir', folder, '--save', ''];
  const server = spawn(process.execPath, [...SOURCE_OPTIONS, MAIN, 'server', ...options]);
  t.after(() => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  let output = '';
  for await (const chunk of server.stdout) {
    output += chunk;
    if (output.includes('ready to accept connections at')) break;
  }
  server.stdout.resume();
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = connect(path);
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    sockets.push(socket);
  }
  return sockets;
}

function handleOf(socket: Socket): { readonly fd: number; readStop(): void } {
  return (socket as unknown as { readonly _handle: ReturnType<typeof handleOf> })._handle;
}

/** What has arrived at this moment at a socket that Node does not read. */
function arrived(socket: Socket): string {
  const { fd } = handleOf(socket);
  const buffer = Buffer.alloc(1_000);
  try {
    return buffer.toString('latin1', 0, readSync(fd, buffer));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
    return 'nothing';
  }
}

async function ask(socket: Socket, request: string): Promise<string> {
  socket.write(request);
  const [reply] = (await once(socket, 'data')) as [Buffer];
  return reply.toString();
}

test('a message has arrived at its subscriber when the publisher has its reply', async (t) => {
  const [subscriber, publisher] = (await connections(t, 2)) as [Socket, Socket];
  await ask(subscriber, 'SUBSCRIBE news\r\n');
  handleOf(subscriber).readStop();
  for (let i = 0; i < 300; i++) {
    publisher.write(`PUBLISH news ${i}\r\n`);
    const message = await new Promise((resolve) =>
      publisher.once('data', () => resolve(arrived(subscriber))),
    );
    assert.equal(message, `*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$${`${i}`.length}\r\n${i}\r\n`);
  }
});

test('a blocked client has its element when the client that added it has its reply', async (t) => {
  const [blocked, other] = (await connections(t, 2)) as [Socket, Socket];
  await ask(blocked, 'PING\r\n');
  handleOf(blocked).readStop();
  for (let i = 0; i < 100; i++) {
    blocked.write('BLPOP list 0\r\n');
    while (!(await ask(other, 'INFO clients\r\n')).includes('blocked_clients:1'));
    other.write(`RPUSH list ${i}\r\n`);
    const element = await new Promise((resolve) => other.once('data', () => resolve(arrived(blocked))));
    assert.equal(element, `*2\r\n$4\r\nlist\r\n$${`${i}`.length}\r\n${i}\r\n`);
  }
});
