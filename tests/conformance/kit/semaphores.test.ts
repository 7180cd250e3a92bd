import assert from 'node:assert/strict';
import { semaphores } from '../../../src/kit/semaphores/index.js';
import { onEveryStore, prepareServers, rejectsWith, until } from './support.js';

prepareServers();

const PATIENT = { wait: 60_000, lease: 60_000 } as const;

onEveryStore('Semaphores', (test) => {
  test('no more permits are held than the limit', async (store, { space, another }) => {
    const clients = [store, await another()].map((one) =>
      semaphores(one, { limit: 3, prefix: space, ...PATIENT }),
    );
    let out = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 24 }, async (_, i) => {
        await using permit = await clients[i % 2]!.acquire('x');
        most = Math.max(most, ++out);
        await store.send('PING');
        assert.ok(permit.isHeld);
        out--;
      }),
    );
    assert.ok(most <= 3);
    assert.deepEqual(await clients[0]!.status('x'), { limit: 3, held: 0, waiting: 0 });
  });

  test('waiters are served in order of arrival, and several permits are granted together', async (store, {
    space,
    another,
  }) => {
    const here = semaphores(store, { limit: 2, prefix: space, ...PATIENT });
    const there = semaphores(await another(), { limit: 2, prefix: space, ...PATIENT });
    const held = await here.acquire('x', { permits: 2 });
    const order: string[] = [];
    const waiting: Promise<void>[] = [];
    const requests = [
      [there, 2],
      [here, 1],
      [there, 1],
    ] as const;
    for (const [index, [client, permits]] of requests.entries()) {
      const request = client.acquire('x', { permits }).then(async (permit) => {
        order.push(`${index}`);
        await permit.release();
      });
      waiting.push(request);
      await until('it is in the queue', async () => (await here.status('x')).waiting === index + 1);
    }
    assert.equal(await here.tryAcquire('x'), undefined);
    await held.release();
    await Promise.all(waiting);
    assert.equal(order[0], '0');
    assert.deepEqual(order.toSorted(), ['0', '1', '2']);
  });

  test('permits of dead holders become free when their lease ends', async (store, { space, another }) => {
    const dead = semaphores(await another(), { limit: 1, prefix: space });
    await dead.acquire('x', { lease: 300, renew: false });
    const permit = await semaphores(store, { limit: 1, prefix: space, ...PATIENT }).acquire('x');
    assert.equal(await permit.release(), true);
  });

  test('a raised limit serves waiters', async (store, { space, another }) => {
    const here = semaphores(store, { limit: 1, prefix: space, ...PATIENT });
    const there = semaphores(await another(), { limit: 1, prefix: space, ...PATIENT });
    const one = await here.acquire('x');
    const waiting = there.acquire('x');
    await until('it is in the queue', async () => (await here.status('x')).waiting === 1);
    await here.setLimit('x', 2);
    const two = await waiting;
    assert.deepEqual(await there.status('x'), { limit: 2, held: 2, waiting: 0 });
    assert.ok((await one.renew()) && (await two.renew()));
    await Promise.all([one.release(), two.release()]);
  });

  test('a wait that ends leaves the queue', async (store, { space }) => {
    const here = semaphores(store, { limit: 1, prefix: space, ...PATIENT });
    await using permit = await here.acquire('x');
    await rejectsWith(here.acquire('x', { wait: 1 }), 'TIMEOUT');
    assert.equal((await here.status('x')).waiting, 0);
    await rejectsWith(here.acquire('x', { permits: 2 }), 'OPTION');
    assert.ok(permit.isHeld);
  });
});
