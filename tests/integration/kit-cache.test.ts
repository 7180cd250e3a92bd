/** The kit's page cache as middleware of express. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import express from 'express';
import { pageCache } from '../../src/kit/cache/index.js';
import { open } from '../../src/store/index.js';

it('a page cache of express renders a page once, also in a mounted application', {
  timeout: 60_000,
}, async () => {
  await using store = await open();
  const app = express();
  const items = express();
  let calls = 0;
  items.use(pageCache(store, { isDynamic: (url) => !url.pathname.startsWith('/items') }).express());
  items.get('/:id', (request, response) => {
    calls++;
    response.json({ id: request.params.id, calls });
  });
  items.get('/broken/page', () => {
    throw new Error('cannot be rendered');
  });
  app.use('/items', items);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (const state of ['miss', 'hit', 'hit']) {
      const response = await fetch(`${address}/items/7`);
      assert.equal(response.headers.get('x-cache'), state);
      assert.match(response.headers.get('content-type') ?? '', /application\/json/);
      assert.deepEqual(await response.json(), { id: '7', calls: 1 });
    }
    for (let i = 0; i < 2; i++) {
      const broken = await fetch(`${address}/items/broken/page`);
      assert.equal(broken.status, 500);
      assert.notEqual(broken.headers.get('x-cache'), 'hit');
      await broken.text();
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
