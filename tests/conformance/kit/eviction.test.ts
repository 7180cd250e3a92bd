import assert from 'node:assert/strict';
import { locks } from '../../../src/kit/locks/index.js';
import { onEveryStore, prepareServers, rejectsWith, until } from './support.js';

prepareServers();

onEveryStore('Eviction', (test, kind) => {
  test('a server that evicts nothing satisfies `requireNoEviction`', async (store, { space }) => {
    const own = locks(store, { prefix: space, requireNoEviction: true });
    assert.ok(await (await own.acquire('x')).release());
  });

  // Not in a Cluster, where one server would have to be chosen; nor with Sentinels, where a failover would keep the setting.
  if (kind.isCluster || kind.name.includes('Sentinel')) return;
  test('a server that evicts keys causes an error or a warning', async (store, { space }) => {
    await store.send('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    try {
      const strict = locks(store, { prefix: space, requireNoEviction: true });
      await rejectsWith(strict.acquire('x'), 'EVICTION', /allkeys-lru/);
      const warnings: string[] = [];
      const own = locks(store, { prefix: space, onWarning: ({ code }) => warnings.push(code) });
      await own.acquire('y');
      await until('the warning has come', () => warnings.length > 0);
      await own.acquire('z');
      assert.deepEqual(warnings, ['EVICTION']);
    } finally {
      await store.send('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    }
  });
});
