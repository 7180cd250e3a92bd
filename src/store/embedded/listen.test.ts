import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { open } from '../open.js';

describe('listening', () => {
  it('serves the running engine to clients, on any number of ports and paths', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-listen-'));
    await using store = await open();
    await using port = await store.listen({ port: 0 });
    await using path = await store.listen({ path: join(folder, 'socket') });
    await store.set('key', 'value');
    for (const { address } of [port, path]) {
      await using remote = await open(address);
      assert.equal(await remote.get('key'), 'value');
      const waiting = remote.blpop('list', 0);
      while ((await store.info('clients')).blocked_clients !== '1') await turn();
      store.sync.rpush('list', 'element');
      assert.deepEqual(await waiting, { key: 'list', element: 'element' });
    }
    rmSync(folder, { recursive: true });
  });

  it('ends when the listener is closed, while the store stays open, and when the store is closed', async () => {
    const store = await open();
    const first = await store.listen({ port: 0 });
    const second = await store.listen({ port: 0 });
    await first.close();
    await assert.rejects(open(first.address), { code: 'UNREACHABLE' });
    await using remote = await open(second.address);
    assert.equal(await remote.ping(), 'PONG');
    assert.equal(await store.ping(), 'PONG');
    await store.close();
    await assert.rejects(open(second.address), { code: 'UNREACHABLE' });
  });

  it('says which port is taken', async () => {
    await using store = await open();
    await using listener = await store.listen({ port: 0 });
    const port = Number(new URL(listener.address).port);
    await assert.rejects(store.listen({ port }), { code: 'LISTEN', message: /is taken; choose another/ });
    await assert.rejects(store.listen({ port: 70_000 }), { code: 'OPTION' });
  });

  it('does not let clients shut down the program', async () => {
    await using store = await open();
    await using listener = await store.listen({ port: 0 });
    await using remote = await open(listener.address);
    await assert.rejects(remote.send('SHUTDOWN', 'NOSAVE'), { code: 'ERR' });
    assert.equal(await store.ping(), 'PONG');
  });
});
