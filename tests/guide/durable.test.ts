import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { durableWrites } from '../../src/kit/durable-write/index.js';
import { open, type Store } from '../../src/store/index.js';
import { askUntil, type Server, startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';

describe('Confirming that a replica has a write', whenRedisIsInstalled, () => {
  let [master, replica]: Server[] = [];
  let store: Store;

  before(async () => {
    master = await startRedis();
    replica = await startRedis(['--replicaof', `127.0.0.1 ${master.port}`]);
    await askUntil(master.port, ['INFO', 'replication'], (info) => /state=online/.test(String(info)));
    store = await open(`redis://127.0.0.1:${master.port}`);
  });

  after(async () => {
    replica?.process.kill('SIGCONT');
    await store?.close();
    await replica?.stop();
    await master?.stop();
  });

  /** The replica receives nothing during the work, but its connection stays. */
  async function whileStopped(work: () => Promise<void>): Promise<void> {
    replica?.process.kill('SIGSTOP');
    try {
      await work();
    } finally {
      replica?.process.kill('SIGCONT');
    }
  }

  it('succeeds when the replica has it', async () => {
    await store.set('order', 'paid');
    const { isConfirmed, replicas, disk } = await durableWrites(store, { timeout: 30_000 }).confirm('order');
    assert.deepEqual({ isConfirmed, replicas, disk }, { isConfirmed: true, replicas: 1, disk: 'unproven' });
  });

  it('reports on Redis 7.0 that the sync to disk is not proven, even with the append-only file on', async () => {
    await store.send('CONFIG', 'SET', 'appendonly', 'yes');
    const writes = durableWrites(store, { disk: true, timeout: 30_000 });
    assert.deepEqual(await writes.confirm('order'), { isConfirmed: false, replicas: 1, disk: 'unproven' });
  });

  it('fails in time while the replica does not reply, even for writes of other connections', () =>
    whileStopped(async () => {
      await using other = await open(`redis://127.0.0.1:${master?.port}`);
      await other.set('order', 'paid');
      const start = performance.now();
      const writes = durableWrites(store, { timeout: 200 });
      assert.deepEqual(await writes.confirm('order'), { isConfirmed: false, replicas: 0, disk: 'unproven' });
      assert.ok(performance.now() - start < 20_000);
    }));

  it('does not delay other calls of the store', () =>
    whileStopped(async () => {
      const confirming = durableWrites(store, { timeout: 3_000 }).confirm('order');
      const start = performance.now();
      await store.set('other', 1);
      const taken = performance.now() - start;
      assert.equal((await confirming).isConfirmed, false);
      assert.ok(taken < 2_900, `${taken} ms`);
    }));

  it('WAIT on a connection that has not written since proves nothing', async () => {
    await using other = await open(`redis://127.0.0.1:${master?.port}`);
    assert.equal(await other.send('WAIT', 1, 30_000), 1);
    await whileStopped(async () => {
      await store.set('order', 'paid');
      assert.equal(await other.send('WAIT', 1, 50), 1, 'it reports one replica, which is wrong');
    });
  });

  it('an inverted condition waits forever while the link is up', async () => {
    let looks = 0;
    // `while not status != 'up'`, a common mistake, with a limit for this test.
    const status = async (): Promise<string> => {
      const info = String(await askUntil((replica as Server).port, ['INFO', 'replication'], () => true));
      return /master_link_status:(\w+)/.exec(info)?.[1] ?? '';
    };
    await askUntil((replica as Server).port, ['INFO', 'replication'], (info) =>
      /master_link_status:up/.test(String(info)),
    );
    while (!((await status()) !== 'up')) if (++looks === 20) break;
    assert.equal(looks, 20);
  });
});
