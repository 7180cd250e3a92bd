import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { open } from '../open.js';
import type { ClientLike } from '../options.js';

/** So long that a test that waits for it exceeds its own time limit. */
const NEVER_MS = 600_000;
const LIMIT = { timeout: 60_000 };
/** The first byte of a TLS connection. */
const TLS_HANDSHAKE = 0x16;

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
});

/** No server listens on this port: it is privileged, and its service is obsolete. */
const CLOSED_PORT = 1;

async function listening(onSocket: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

describe('opening a store on a server', () => {
  it('fails at once if the connection is refused, even with long time limits', LIMIT, async () => {
    const addresses = [
      `redis://127.0.0.1:${CLOSED_PORT}`,
      `rediss://127.0.0.1:${CLOSED_PORT}`,
      `redis+sentinel://127.0.0.1:${CLOSED_PORT}/name`,
      `redis+cluster://127.0.0.1:${CLOSED_PORT}`,
      'unix:/nowhere/to/be/found.sock',
    ];
    for (const address of addresses) {
      await assert.rejects(open(address, { connectTimeout: NEVER_MS }), {
        name: 'StoreError',
        code: 'UNREACHABLE',
        message: /(refused|ECONNREFUSED|ENOENT).*Check the address and that the server is running\.$/,
      });
    }
  });

  it('fails at once if the connection of a given client is refused', LIMIT, async () => {
    const port = CLOSED_PORT;
    const clients: ClientLike[] = [
      new Redis({ port, host: '127.0.0.1', lazyConnect: true }),
      new Redis({ sentinels: [{ host: '127.0.0.1', port }], name: 'name', lazyConnect: true }),
      createClient({ socket: { port, host: '127.0.0.1' } }),
    ];
    for (const client of clients) {
      await assert.rejects(open(client, { connectTimeout: NEVER_MS }), { code: 'UNREACHABLE' });
    }
  });

  it('waits for a starting server with `waitForServer`', LIMIT, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-late-'));
    const path = join(folder, 'socket');
    const opening = open(`unix:${path}`, { waitForServer: NEVER_MS });
    const given = open(createClient({ socket: { path, tls: false } }), { waitForServer: NEVER_MS });
    await using engine = await open();
    await engine.listen({ path });
    await using store = await opening;
    await using other = await given;
    assert.equal(await store.ping(), 'PONG');
    assert.equal(await other.ping(), 'PONG');
    rmSync(folder, { recursive: true });
  });

  it(
    'ends when the signal aborts: before it, between two attempts, and while a server does not answer',
    LIMIT,
    async () => {
      await assert.rejects(open('memory:', { signal: AbortSignal.abort() }), { code: 'ABORTED' });
      const waiting = new AbortController();
      const address = `redis://127.0.0.1:${CLOSED_PORT}`;
      const opening = open(address, { waitForServer: NEVER_MS, signal: waiting.signal });
      waiting.abort(new Error('enough'));
      await assert.rejects(opening, { code: 'ABORTED' });
      for (const connect of [
        (port: number, signal: AbortSignal) => open(`redis://127.0.0.1:${port}`, { signal }),
        (port: number, signal: AbortSignal) => open(createClient({ socket: { port } }), { signal }),
      ]) {
        const controller = new AbortController();
        const { port } = await listening((socket) => {
          socket.resume();
          controller.abort();
        });
        await assert.rejects(connect(port, controller.signal), { code: 'ABORTED' });
      }
    },
  );

  it('refuses a database that the server does not have', LIMIT, async () => {
    await using engine = await open();
    const { address } = await engine.listen({ port: 0 });
    const expected = { code: 'ERR', message: /^ERR DB index is out of range/ };
    await assert.rejects(open(`${address}/99`), expected);
    await assert.rejects(open(address, { database: 99 }), expected);
    await assert.rejects(open(createClient({ url: `${address}/99` })), expected);
    await using store = await open(`${address}/15`);
    assert.equal(await store.ping(), 'PONG');
  });

  it('uses TLS for Sentinels and for the master they name, and never plain text', LIMIT, async () => {
    const heard: string[] = [];
    const listenFor = async (who: string): Promise<number> => {
      const { port } = await listening((socket) => {
        socket.once('data', (bytes) => {
          heard.push(`${who}: ${bytes[0]}`);
          socket.destroy();
        });
        socket.on('error', () => {});
      });
      return port;
    };
    const sentinel = await listenFor('sentinel');
    await assert.rejects(open(`rediss+sentinel://127.0.0.1:${sentinel}/name`), { code: 'UNREACHABLE' });
    const master = await listenFor('master');
    // A minimal Sentinel without TLS: it answers every command with the master's address.
    const answer = `*2\r\n$9\r\n127.0.0.1\r\n$${`${master}`.length}\r\n${master}\r\n`;
    const { port: clear } = await listening((socket) => {
      socket.on('data', (bytes) => {
        const questions = String(bytes).match(/^\*\d+\r$/gm) ?? [];
        socket.write(answer.repeat(questions.length));
      });
      socket.on('error', () => {});
    });
    const address = `rediss+sentinel://127.0.0.1:${clear}/name`;
    await assert.rejects(open(address, { ioredis: { sentinelTLS: undefined, updateSentinels: false } }));
    assert.deepEqual(heard, [`sentinel: ${TLS_HANDSHAKE}`, `master: ${TLS_HANDSHAKE}`]);
  });

  it('says that a single server is neither a Cluster nor a Sentinel', LIMIT, async () => {
    await using engine = await open();
    const { address } = await engine.listen({ port: 0 });
    const host = address.slice('redis://'.length);
    await assert.rejects(open(`redis+cluster://${host}`, { connectTimeout: NEVER_MS }), {
      code: 'UNREACHABLE',
      message: /(cluster support disabled|unknown command).*; a single server is redis:/,
    });
    await assert.rejects(open(`redis+sentinel://${host}/name`, { connectTimeout: NEVER_MS }), {
      code: 'UNREACHABLE',
      message: /unknown command/,
    });
  });
});
