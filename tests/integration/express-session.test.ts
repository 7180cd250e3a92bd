import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { RedisStore } from 'connect-redis';
import express from 'express';
import session from 'express-session';
import { createClient } from 'redis';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';

declare module 'express-session' {
  interface SessionData {
    visits: number;
  }
}

describe('connect-redis keeps the sessions of Express in an engine of the same process', {
  timeout: 60_000,
}, () => {
  const clock = new ManualClock();
  let store: EmbeddedStore;
  let sessions: RedisStore;
  let client: ReturnType<typeof createClient>;
  let http: Server;
  let address: string;

  before(async () => {
    store = await open('memory:', { clock });
    client = createClient({ socket: { path: await store.unixSocket(), tls: false } });
    await client.connect();
    sessions = new RedisStore({ client, ttl: 60 });
    const app = express();
    app.use(session({ store: sessions, secret: 'hush', resave: false, saveUninitialized: false }));
    app.get('/', (request, response) => {
      request.session.visits = (request.session.visits ?? 0) + 1;
      response.json(request.session.visits);
    });
    app.get('/leave', (request, response) => {
      request.session.destroy(() => response.json('bye'));
    });
    http = app.listen(0, '127.0.0.1');
    await once(http, 'listening');
    address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  after(async () => {
    http.close();
    http.closeAllConnections();
    await client.close();
    await store.close();
  });

  /** Sends a request with this cookie; returns the answer and the cookie for the next request. */
  async function visit(path = '/', cookie = ''): Promise<{ answer: unknown; cookie: string }> {
    const response = await fetch(address + path, { headers: { cookie } });
    const [given = cookie] = response.headers.getSetCookie().map((header) => header.split(';')[0] as string);
    return { answer: await response.json(), cookie: given };
  }

  it('counts the visits of each visitor', async () => {
    const ann = await visit();
    const bob = await visit();
    assert.equal((await visit('/', ann.cookie)).answer, 2);
    assert.equal((await visit('/', ann.cookie)).answer, 3);
    assert.equal((await visit('/', bob.cookie)).answer, 2);
    assert.equal(await sessions.length(), 2);
    await sessions.clear();
  });

  it('removes the session of a visitor who leaves or stays away too long', async () => {
    const [ann, bob] = [await visit(), await visit()];
    assert.equal((await visit('/leave', ann.cookie)).answer, 'bye');
    assert.equal((await visit('/', ann.cookie)).answer, 1);
    clock.advance(50_000);
    assert.equal((await visit('/', bob.cookie)).answer, 2);
    clock.advance(50_000);
    assert.equal((await visit('/', bob.cookie)).answer, 3);
    clock.advance(60_001);
    assert.equal((await visit('/', bob.cookie)).answer, 1);
  });
});

describe('the socket for clients that need an address', { timeout: 60_000 }, () => {
  it('is shared by all clients, and removed with the store', async () => {
    const store = await open();
    const path = await store.unixSocket();
    assert.equal(await store.unixSocket(), path);
    const subscriber = createClient({ socket: { path, tls: false, reconnectStrategy: false } });
    subscriber.on('error', () => {});
    await subscriber.connect();
    const message = new Promise(
      (resolve) => void subscriber.subscribe('news', resolve).then(() => store.publish('news', 'hello')),
    );
    assert.equal(await message, 'hello');
    await store.close();
    await assert.rejects(access(dirname(path)), { code: 'ENOENT' });
    subscriber.destroy();
  });
});
