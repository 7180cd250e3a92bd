import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { open, openWorker } from '../../src/store/index.js';

describe('clients of an embedded store', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-connector-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('run the examples of the documentation', async () => {
    await using store = await open();
    const redis = new Redis({ Connector: await store.connector() });
    await redis.set('greeting', 'hello');
    const client = createClient({ socket: { path: await store.unixSocket(), tls: false } });
    await client.connect();
    assert.equal(await client.get('greeting'), 'hello');
    assert.equal(await store.get('greeting'), 'hello');
    await client.close();
    await using worker = await openWorker();
    await using elsewhere = await worker.open();
    await elsewhere.set('greeting', 'hello');
    assert.equal(await elsewhere.get('greeting'), 'hello');
  });

  it('share one connector, which works until the last store is closed', async () => {
    const store = await open();
    const other = await store.duplicate();
    const Connector = await store.connector();
    assert.equal(await other.connector(), Connector);
    const redis = new Redis({ Connector });
    await store.close();
    await redis.set('a', 1);
    assert.equal(await other.get('a'), '1');
    const ended = once(redis, 'end');
    await other.close();
    await ended;
    await assert.rejects(store.connector(), { code: 'CLOSED' });
  });

  it('get the reply to a write only when it is on disk', async () => {
    const settings = { appendfsync: 'always' };
    const store = await open(`file:${folder}`, { settings });
    const redis = new Redis({ Connector: await store.connector() });
    const numbers = Array.from({ length: 50 }, (_, i) => i);
    await Promise.all(numbers.map((i) => redis.set(`before:${i}`, i)));
    const ended = once(redis, 'end');
    const last = redis.set('last', 'answered').catch(({ message }: Error) => message);
    await store.close();
    await ended;
    const outcome = await last;
    await using again = await open(`file:${folder}`, { settings });
    assert.equal((await again.keys('before:*')).length, 50);
    // A confirmed write must be there; an unconfirmed one may be.
    if (outcome === 'OK') assert.equal(await again.get('last'), 'answered');
    else assert.equal(outcome, 'Connection is closed.');
  });

  it('share data with a client that uses a socket', async () => {
    await using store = await open();
    const inside = new Redis({ Connector: await store.connector() });
    const path = await store.unixSocket();
    const outside = new Redis({ path });
    await outside.subscribe('news');
    const told = once(outside, 'message');
    await inside.publish('news', 'rain');
    assert.deepEqual(await told, ['news', 'rain']);
    const waiting = inside.blpop('list', 0);
    await store.rpush('list', 'a');
    assert.deepEqual(await waiting, ['list', 'a']);
    outside.disconnect();
    await once(outside, 'end');
  });
});
