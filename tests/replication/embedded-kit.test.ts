/** Components of the kit on an embedded replica with `writes: 'forward'`: its master runs what they write. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dictionary } from '../../src/kit/autocomplete/index.js';
import { durableWrites } from '../../src/kit/durable-write/index.js';
import { locks } from '../../src/kit/locks/index.js';
import { defineTask, queue } from '../../src/kit/queue/index.js';
import { type EmbeddedStore, open, type Store } from '../../src/store/index.js';
import { ask, type Server, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { isNext } from '../support/kit-locks.js';
import { startServer, until } from './support.js';

after(stopAllServers);

interface Pair {
  readonly master: Server;
  /** A client of the master. */
  readonly remote: Store;
  readonly replica: EmbeddedStore;
}

async function startPair(kind: 'redis' | 'sorrel'): Promise<Pair> {
  const master = await startServer(kind);
  const address = `redis://127.0.0.1:${master.port}`;
  const remote = await open(address);
  return { master, remote, replica: await open('memory:', { replicaOf: address, writes: 'forward' }) };
}

for (const kind of ['redis', 'sorrel'] as const) {
  describe(`the kit on an embedded replica of ${kind}`, whenRedisIsInstalled, () => {
    let [master, remote, replica] = [] as unknown as [Server, Store, EmbeddedStore];
    before(async () => {
      ({ master, remote, replica } = await startPair(kind));
    });
    after(async () => {
      await replica.close();
      await remote.close();
      await master.stop();
    });

    it('a waiter is handed the lock, although the master does not see its subscription', async () => {
      const [there, here] = [locks(remote), locks(replica, { wait: 60_000 })];
      const first = await there.acquire('report');
      const waiting = here.acquire('report');
      await until('it is next', () => isNext(remote, 'lock:{report}'), Boolean);
      await first.release();
      const { holders } = await there.status('report');
      await using second = await waiting;
      assert.deepEqual(
        holders.map(({ holder }) => holder),
        [second.holder],
      );
    });

    it('a wait for a lock ends in time while the master does not answer', async () => {
      await using _warm = await locks(replica).acquire('other');
      master.process.kill('SIGSTOP');
      const start = performance.now();
      const failed = assert.rejects(locks(replica).acquire('report', { wait: 100 }), { code: 'TIMEOUT' });
      await failed.finally(() => master.process.kill('SIGCONT'));
      // Half a second is added for an answer that is under way. A command's own time limit is ten times as long.
      assert.ok(performance.now() - start < 4_000);
    });

    it('tasks are added and processed once, with receipts', async () => {
      const mail = queue(replica, 'mail');
      const email = defineTask<{ to: string }, string>('email');
      const task = await mail.add(email, { to: 'ann' });
      await using _worker = mail.work(email.handle(async ({ to }) => `sent to ${to}`));
      assert.equal(await task.result(), 'sent to ann');
      const fields = await remote.hkeys('queue:{mail}:meta');
      assert.ok(
        fields.some((field) => field.startsWith('receipt:')),
        String(fields),
      );
    });

    it('a dictionary completes what was added', async () => {
      const cities = dictionary(replica, 'cities');
      await cities.add('Zürich');
      assert.deepEqual((await cities.complete('zur')).entries, [{ text: 'Zürich', weight: 0 }]);
      await cities.boost('Zürich', 3);
      assert.deepEqual((await cities.complete('zur')).entries, [{ text: 'Zürich', weight: 3 }]);
    });

    it('a write is confirmed by the replicas of the master, one of which is the store', async () => {
      await replica.set('order', 'paid');
      const { isConfirmed, replicas } = await durableWrites(replica, { timeout: 30_000 }).confirm('order');
      assert.deepEqual({ isConfirmed, replicas }, { isConfirmed: true, replicas: 1 });
    });

    it('the eviction policy is that of the master', async () => {
      const calm = locks(replica, { requireNoEviction: true });
      await (await calm.acquire('report')).release();
      await ask(master.port, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      const warned = locks(replica, { requireNoEviction: true });
      await assert.rejects(warned.acquire('report'), { code: 'EVICTION', message: /allkeys-lru/ });
    });
  });
}
