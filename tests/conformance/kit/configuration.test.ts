import assert from 'node:assert/strict';
import { configuration } from '../../../src/kit/configuration/index.js';
import { onEveryStore, prepareServers, until } from './support.js';

prepareServers();

onEveryStore('Configuration', (test, kind) => {
  test('a watcher is told what another client changes', async (store, { space, another }) => {
    const writer = configuration(store, { prefix: space });
    await using reader = configuration(await another(), { prefix: space });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { value } of reader.watch('a')) {
        seen.push(value);
        if (value === 'last') return;
      }
    })();
    await until('it watches', () => seen.length === 1);
    await writer.set('a', { n: 1 });
    await until('it has seen the first change', () => seen.length === 2);
    await writer.remove('a');
    await until('it has seen the removal', () => seen.length === 3);
    await writer.set('a', 'last');
    await reading;
    assert.deepEqual(seen, [undefined, { n: 1 }, undefined, 'last']);
  });

  test('updates of several clients at once are all kept', async (store, { space, another }) => {
    const clients = [store, await another(), await another()].map((one) =>
      configuration(one, { prefix: space }),
    );
    const counts = Array.from({ length: 30 }, (_, i) =>
      clients[i % 3]!.update<number>('n', (old = 0) => old + 1),
    );
    assert.deepEqual((await Promise.all(counts)).sort((a, b) => a - b).at(-1), 30);
    assert.equal(await clients[0]!.get('n'), 30);
  });

  test('maintenance is seen by all and ends', async (store, { space, another }) => {
    const admin = configuration(store, { prefix: space });
    const server = configuration(await another(), { prefix: space, maxAge: 0 });
    await admin.maintenance.begin({ reason: 'test', for: 600_000 });
    assert.equal((await server.maintenance.status())?.reason, 'test');
    await admin.maintenance.begin({ reason: 'test', for: 50 });
    await until('it has ended by itself', async () => (await server.maintenance.status()) === undefined);
  });

  if (kind.isEmbedded) return;
  test('a component connects to where its setting says', async (store, { space, site }) => {
    await using settings = configuration(store, { prefix: space });
    await settings.set('part', site.address);
    const part = settings.component('part');
    await part.use((own) => own.set(`${space}:key`, 'value'));
    assert.equal(await store.get(`${space}:key`), 'value');
  });
});
