import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import { Server } from 'socket.io';
import { type Socket as Client, io as connect } from 'socket.io-client';
import { type EmbeddedStore, open } from '../../src/store/index.js';

/** A socket.io server that communicates with others only through the store, with one connected client. */
interface Node {
  readonly server: Server;
  readonly client: Client;
}

describe('socket.io servers communicate through an engine of the same process', { timeout: 60_000 }, () => {
  let store: EmbeddedStore;
  let nodes: [Node, Node];

  before(async () => {
    store = await open();
    nodes = [await startNode(store), await startNode(store)];
    const [{ server }] = nodes;
    // The adapter does not wait for its subscriptions.
    while ((await server.of('/').adapter.serverCount()) < 2) await new Promise(setImmediate);
  });
  after(async () => {
    for (const { client } of nodes) client.disconnect();
    for (const { server } of nodes) await server.close();
    await store.close();
  });

  it('a broadcast reaches the clients of both', async () => {
    const received = nodes.map(({ client }) => receive(client, 'news'));
    nodes[0].server.emit('news', { text: 'häß' }, Buffer.from([0, 255]));
    for (const parts of await Promise.all(received)) {
      assert.deepEqual(parts, [{ text: 'häß' }, Buffer.from([0, 255])]);
    }
  });

  it('a message to a room reaches its members on both servers', async () => {
    const [first, second] = nodes;
    await first.server.in(second.client.id as string).socketsJoin('room');
    const room = second.server.of('/').adapter.rooms;
    while (!room.has('room')) await new Promise(setImmediate);
    let strayed = false;
    first.client.once('secret', () => {
      strayed = true;
    });
    const received = receive(second.client, 'secret');
    first.server.to('room').emit('secret', 1);
    assert.deepEqual(await received, [1]);
    const behind = receive(first.client, 'open');
    first.server.emit('open');
    await behind;
    assert.equal(strayed, false);
  });

  it('one server lists the sockets of both and receives messages from the other', async () => {
    const [first, second] = nodes;
    const sockets = await first.server.fetchSockets();
    assert.deepEqual(sockets.map(({ id }) => id).sort(), [first.client.id, second.client.id].sort());
    const heard = new Promise((resolve) => second.server.once('hello', resolve));
    first.server.serverSideEmit('hello', 'there');
    assert.equal(await heard, 'there');
  });
});

async function startNode(store: EmbeddedStore): Promise<Node> {
  const publisher = new Redis({ Connector: await store.connector() });
  const adapter = createAdapter(publisher, publisher.duplicate(), { requestsTimeout: 50_000 });
  const http = createServer();
  const server = new Server(http, { adapter, transports: ['websocket'] });
  const client = connect(await listen(http), { transports: ['websocket'], forceNew: true });
  await receive(client, 'connect');
  return { server, client };
}

async function listen(http: HttpServer): Promise<string> {
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

function receive(client: Client, event: string): Promise<unknown[]> {
  return new Promise((resolve) => client.once(event, (...parts: unknown[]) => resolve(parts)));
}
