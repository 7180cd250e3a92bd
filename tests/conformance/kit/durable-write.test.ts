import assert from 'node:assert/strict';
import { durableWrites } from '../../../src/kit/durable-write/index.js';
import { isBehindSentinels, onEveryStore } from './support.js';

onEveryStore('Durable writes', (test) => {
  test('are confirmed as far as the store can prove it, in time', async (store, { space, kind }) => {
    const keys = [`${space}:a`, `${space}:b`, `{${space}}:c`];
    for (const key of keys) await store.set(key, 'value');
    const writes = durableWrites(store, { prefix: `${space}-durable` });
    const trivial = await writes.confirm(keys, { replicas: 0, disk: false });
    assert.equal(trivial.isConfirmed, true);
    const { isConfirmed, replicas, disk } = await writes.confirm(keys, {
      replicas: 99,
      disk: true,
      timeout: 60,
    });
    assert.ok(!isConfirmed && replicas < 99);
    const possible = kind.isEmbedded ? ['synced', 'off', 'unproven'] : ['unproven'];
    assert.ok(possible.includes(disk), disk);
    if (!isBehindSentinels(kind)) return;
    assert.equal((await writes.confirm(keys, { replicas: 1, timeout: 30_000 })).isConfirmed, true);
  });
});
