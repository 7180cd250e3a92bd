import assert from 'node:assert/strict';
import type { Store } from '../../../src/store/index.js';
import { untilBlocked } from './blocking.js';
import { all, rejectsWith, type Topic } from './suite.js';

/** Duplicating and closing stores. */
export const life: Topic = (test) => {
  test('a duplicate sees the same data and is closed separately', async (store) => {
    const twin = await store.duplicate();
    await twin.send('SET', 'k', 'v');
    assert.equal(await store.send('GET', 'k'), 'v');
    assert.equal(twin.kind, store.kind);
    await twin.close();
    await rejectsWith(twin.send('GET', 'k'), 'CLOSED');
    assert.equal(await store.send('GET', 'k'), 'v');
  });

  test('a duplicate of a view is a view', async (store) => {
    const twin = await store.bytes.exact.duplicate();
    try {
      assert.deepEqual(await twin.send('APPEND', 'k', 'v'), 1n);
      assert.deepEqual(await twin.send('GET', 'k'), Buffer.from('v'));
    } finally {
      await twin.close();
    }
  });

  test('a closed store refuses everything with CLOSED', async (_store, { site }) => {
    const store = await site.open();
    const get = store.script({ keys: ['k'], lua: `return redis.call('GET', k)` });
    await store.close();
    await rejectsWith(store.send('GET', 'k'), 'CLOSED');
    await rejectsWith(store.bytes.send('GET', 'k'), 'CLOSED');
    await rejectsWith(store.send('BLPOP', 'k', 0), 'CLOSED');
    await rejectsWith(
      store.pipeline((queue) => [queue.send('GET', 'k')]),
      'CLOSED',
    );
    await rejectsWith(
      store.transaction((queue) => [queue.send('GET', 'k')]),
      'CLOSED',
    );
    await rejectsWith(
      store.transaction({ watch: ['k'] }, (queue) => [queue.send('GET', 'k')]),
      'CLOSED',
    );
    await rejectsWith(get({ k: 'k' }), 'CLOSED');
    await rejectsWith(store.subscribe('news'), 'CLOSED');
    await rejectsWith(all(store.scan()), 'CLOSED');
    await rejectsWith(store.duplicate(), 'CLOSED');
  });

  test('closing twice is not an error', async (_store, { site }) => {
    const store = await site.open();
    await Promise.all([store.close(), store.close()]);
    await store.close();
  });

  test('closing ends blocked calls with CLOSED, in the server too', async (store, { site }) => {
    const own = await site.open();
    const job = rejectsWith(own.send('BLPOP', 'jobs', 0), 'CLOSED');
    await untilBlocked(site, 1);
    await own.close();
    await job;
    await untilBlocked(site, 0);
    await store.send('RPUSH', 'jobs', 'kept');
    assert.equal(await store.send('LLEN', 'jobs'), 1);
  });

  test('`await using` closes the store', async (_store, { site }) => {
    let store: Store;
    {
      await using own = await site.open();
      assert.equal(await own.send('PING'), 'PONG');
      store = own;
    }
    await rejectsWith(store.send('PING'), 'CLOSED');
  });

  test('`time.now` returns Unix milliseconds', async (store) => {
    const before = Date.now();
    const now = store.time.now();
    assert.ok(now >= before && now <= Date.now());
  });
};
