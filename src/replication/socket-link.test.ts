import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { SocketLink } from './socket-link.js';

/** A server that keeps the connections that it accepts, in their order. */
class Acceptor {
  readonly accepted: Socket[] = [];
  readonly server = createServer((socket) => this.accepted.push(socket.on('error', () => {})));

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  async next(): Promise<Socket> {
    if (this.accepted.length === 0) await once(this.server, 'connection');
    return this.accepted.shift() as Socket;
  }
}

describe('a link over a socket', { timeout: 20_000 }, () => {
  const acceptor = new Acceptor();
  const open: { destroy(): void }[] = [];
  after(() => {
    acceptor.server.close();
    for (const socket of open) socket.destroy();
  });

  it('reports its end before later input of other connections', async () => {
    const port = await acceptor.listen();
    const events: string[] = [];
    const socket = connect(port, '127.0.0.1');
    open.push(socket);
    new SocketLink(socket, {
      connected: () => events.push('connected'),
      received() {},
      closed: (reason) => events.push(reason),
    });
    const linkPeer = await acceptor.next();
    const client = connect(port, '127.0.0.1');
    const clientPeer = await acceptor.next();
    open.push(client, clientPeer);
    client.on('data', (chunk) => events.push(`client ${chunk}`));
    await once(client, 'ready');
    // Nothing else is waiting any more.
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
    // Both are waiting when the event loop goes on.
    linkPeer.destroy();
    clientPeer.write('question');
    await once(client, 'data');
    assert.deepEqual(events, ['connected', 'the connection was closed', 'client question']);
  });
});
