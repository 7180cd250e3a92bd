import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { serve } from '../../src/server/index.js';
import { open } from '../../src/store/index.js';
import { fillUp, smallDisk } from './support/small-disk.js';

const LARGE = 'x'.repeat(20_000);
const FULL = /No space left on device/;

describe('A full disk', { timeout: 60_000 }, () => {
  for (const appendfsync of ['everysec', 'no'] as const) {
    it(`with ${appendfsync}, close() says that acknowledged changes could not be written`, async (t) => {
      const disk = smallDisk(t);
      if (disk === undefined) return;
      const address = `file:${join(disk, 'data')}` as const;
      const store = await open(address, { settings: { appendfsync } });
      await store.set('before', 'kept');
      await store.syncFiles();
      const filler = fillUp(disk);
      await store.set('large', LARGE);
      await assert.rejects(store.set('later', 'refused'), { code: 'MISCONF' });
      await assert.rejects(store.close(), { code: 'FILES', message: FULL });
      rmSync(filler);
      await using again = await open(address);
      assert.equal(await again.get('before'), 'kept');
      assert.equal(await again.exists('large'), 0);
    });
  }

  it('close() says that the last snapshot could not be written, and releases the folder', async (t) => {
    const disk = smallDisk(t);
    if (disk === undefined) return;
    const address = `file:${join(disk, 'data')}` as const;
    const settings = { appendonly: false, save: '900 1', rdbcompression: false };
    const store = await open(address, { settings });
    await store.set('large', LARGE);
    const filler = fillUp(disk);
    await assert.rejects(store.close(), { code: 'FILES', message: FULL });
    rmSync(filler);
    await using again = await open(address, { settings });
    assert.equal(await again.dbsize(), 0);
  });

  it('with always, calls whose change is not on the disk fail, and succeed when there is space again', async (t) => {
    const disk = smallDisk(t);
    if (disk === undefined) return;
    const address = `file:${join(disk, 'data')}` as const;
    const store = await open(address, { settings: { appendfsync: 'always' } });
    const failure = { code: 'FILES', message: FULL, mayHaveRun: true };
    let filler = fillUp(disk);
    await assert.rejects(store.set('awaited', LARGE), failure);
    await assert.rejects(store.set('later', 'refused'), { code: 'MISCONF' });
    assert.equal(await store.get('awaited'), LARGE);
    rmSync(filler);
    while ((await store.set('again', 'written').catch(() => undefined)) === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    filler = fillUp(disk);
    assert.throws(() => store.sync.set('at once', LARGE), failure);
    rmSync(filler);
    await store.close();
    await using again = await open(address);
    assert.deepEqual(await again.mget('awaited', 'again', 'at once'), [LARGE, 'written', LARGE]);
  });

  it('with always, clients are not told that a change is stored when it is not', async (t) => {
    const disk = smallDisk(t);
    if (disk === undefined) return;
    const store = await open(`file:${join(disk, 'data')}`, { settings: { appendfsync: 'always' } });
    const listener = await store.listen({ port: 0 });
    const inProcess = new Redis({ Connector: await store.connector(), maxRetriesPerRequest: 0 });
    inProcess.on('error', () => {});
    await inProcess.ping();
    const filler = fillUp(disk);
    const client = createConnection(Number(new URL(listener.address).port), '127.0.0.1');
    let received = '';
    client.setEncoding('latin1').on('data', (text) => {
      received += text;
    });
    const ended = new Promise((resolve) => client.on('close', resolve));
    client.write(`SET large ${LARGE}\r\n`);
    await ended;
    assert.equal(received, '');
    rmSync(filler);
    const refilled = fillUp(disk);
    await store.set('x', 1).catch(() => {});
    await assert.rejects(inProcess.set('large', LARGE));
    inProcess.disconnect();
    rmSync(refilled);
    await store.close();
  });

  it('a server of a program says that the last changes could not be written', async (t) => {
    const disk = smallDisk(t);
    if (disk === undefined) return;
    const path = join(disk, 'server.sock');
    const server = await serve({ port: 0, unixsocket: path, dir: join(disk, 'data'), appendonly: true });
    const store = await open(`unix:${path}`);
    const filler = fillUp(disk);
    await store.set('large', LARGE);
    await store.close();
    await assert.rejects(server.close(), FULL);
    rmSync(filler);
  });

  it('opening a folder on a full or read-only disk fails with the reason, and leaves nothing behind', async (t) => {
    const disk = smallDisk(t);
    if (disk === undefined) return;
    const folder = join(disk, 'data');
    await (await open(`file:${folder}`)).close();
    const before = readdirSync(folder);
    const filler = fillUp(disk);
    await assert.rejects(open(`file:${folder}`), { code: 'FILES', message: /cannot be used: No space left/ });
    assert.deepEqual(readdirSync(folder), before);
    rmSync(filler);
    spawnSync('mount', ['-o', 'remount,ro', disk]);
    await assert.rejects(open(`file:${folder}`), { message: /cannot be used: Read-only file system$/ });
    await assert.rejects(open(`file:${folder}/new`), { message: /it cannot be created in / });
  });
});
